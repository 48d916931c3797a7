package doctor_test

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is the user of that name in Debian.
const nobody = 65534

// asNobody runs do as a user who owns nothing, as far as files are concerned: root
// may read and write whatever it wants.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become nobody")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The user for files is one of the thread; a goroutine that ends locked takes
		// its thread with it.
		runtime.LockOSThread()
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			t.Errorf("setfsuid: %v", err)
			return
		}
		do()
	}()
	<-done
}
