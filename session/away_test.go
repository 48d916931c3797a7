package session

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
)

// "Bad input" by the mass: devices that connect and vanish leave no more sessions
// waiting than are allowed. The one that has waited longest ends; one that came back
// in the meantime has not waited.
func TestAwayIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		profile := Profile{ASR: "asr", Generator: "generator", TTS: "tts", ResumeFor: resumable}
		host, logged := NewHost(3), &sessionLog{}
		cfg := Config{Engines: (&script{answer: echo}).engines(t), Profile: profile, Log: logged.recorder(true), Phrases: phrasebook(t, profile)}
		served := make(chan error, 32)
		connect := func(n int, resume bool) *testDevice {
			d := newTestDevice(t)
			d.hello.Device, d.hello.Session = fmt.Sprint("d", n), fmt.Sprint("s", n)
			if resume {
				d.hello.Resume = &dialog.Resume{Session: d.hello.Session}
				if _, ok := host.Resume(context.Background(), d.hello); !ok {
					t.Errorf("device %d cannot come back", n)
				}
			}
			go func() { served <- host.Serve(context.Background(), d, cfg) }()
			synctest.Wait()
			return d
		}
		vanish := func(d *testDevice) {
			d.lose()
			time.Sleep(time.Second)
			synctest.Wait()
		}
		waiting := func() (devices []int) {
			for n := range 10 {
				hello := dialog.Hello{Device: fmt.Sprint("d", n), Resume: &dialog.Resume{Session: fmt.Sprint("s", n)}}
				if host.find(hello) != nil {
					devices = append(devices, n)
				}
			}
			return devices
		}
		for n := range 4 {
			vanish(connect(n, false))
		}
		if got := waiting(); !slices.Equal(got, []int{1, 2, 3}) {
			t.Errorf("%v are there, want 1 to 3: 0 has waited longest", got)
		}
		back := connect(1, true)
		vanish(connect(4, false)) // 2, 3 and 4 wait: there is room
		if got := waiting(); !slices.Equal(got, []int{1, 2, 3, 4}) {
			t.Errorf("%v are there, want 1, which came back, and 2 to 4", got)
		}
		vanish(back)
		if got := waiting(); !slices.Equal(got, []int{1, 3, 4}) {
			t.Errorf("%v are there, want 2 gone, which has waited longest", got)
		}
		time.Sleep(resumable)
		if got := waiting(); got != nil || len(host.away) != 0 {
			t.Errorf("%v are there and %d remembered after the time for it", got, len(host.away))
		}
		host.Close()
		for range cap(served) {
			select {
			case err := <-served:
				if err != nil {
					t.Errorf("a session ended with %v", err)
				}
			default:
			}
		}
		time.Sleep(time.Minute)
	})
}
