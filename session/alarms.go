package session

import "time"

// alarms are the timers of the turn machine. They belong to the loop.
type alarms struct{ deadline, playout, hold, resume *time.Timer }

func newAlarms() alarms {
	return alarms{stoppedTimer(), stoppedTimer(), stoppedTimer(), stoppedTimer()}
}

func (a alarms) of(t Timer) *time.Timer {
	switch t {
	case TimerPlayout:
		return a.playout
	case TimerHold:
		return a.hold
	case TimerResume:
		return a.resume
	default:
		return a.deadline
	}
}

func (a alarms) stop() {
	for _, t := range []*time.Timer{a.deadline, a.playout, a.hold, a.resume} {
		t.Stop()
	}
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
