package daemon

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestAgentConnEndsBetweenFrames: what is begun is read to its end, and what comes
// after it is not read at all.
func TestAgentConnEndsBetweenFrames(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing yet":      {"", "late\n", ""},
		"between frames":   {"one\ntwo\n", "late\n", "one\ntwo\n"},
		"in a frame":       {"one\ntw", "o\nlate\n", "one\ntwo\n"},
		"its end is late":  {"one\ntw", "", "one\ntw"},
		"the newline only": {"one", "\n", "one\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				l := &agentConn{Conn: near}
				l.endHandshake()
				got := make(chan string)
				go func() {
					text, err := io.ReadAll(l)
					if err != nil && name != "its end is late" {
						t.Error(err)
					}
					got <- string(text)
				}()
				_, _ = io.WriteString(far, c.before)
				synctest.Wait()
				l.stopReading(time.Now().Add(time.Minute))
				go func() { _, _ = io.WriteString(far, c.after) }()
				if text := <-got; text != c.want {
					t.Errorf("read %q, want %q", text, c.want)
				}
				_ = near.Close()
				_ = far.Close()
			})
		})
	}
}
