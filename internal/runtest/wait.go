package runtest

import "time"

// Timeout is how long a test waits for another process: so long that only what never
// happens takes it, however busy the machine is.
const Timeout = 2 * time.Minute

// A failer is the part of *testing.T, and of a script, that waiting needs.
type failer interface {
	Fatalf(format string, args ...any)
}

// Until waits until done reports true, and reports whether it did so within Timeout.
// It is for what nothing announces; done is called every few milliseconds.
func Until(done func() bool) bool {
	deadline := time.After(Timeout)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			return false
		}
	}
	return true
}

// Eventually is Until for a test, which ends if it is never so.
func Eventually(t failer, what string, done func() bool) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	if !Until(done) {
		t.Fatalf("not within %v: %s", Timeout, what)
	}
}

// Receive waits for a value, or for the end of a channel, which is a zero value. The test ends
// if neither comes.
func Receive[T any](t failer, what string, from <-chan T) T {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	select {
	case v := <-from:
		return v
	case <-time.After(Timeout):
		t.Fatalf("not within %v: %s", Timeout, what)
		panic("unreachable")
	}
}
