package hubproc

import (
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// crashLinePattern is the line with which the Go runtime begins to say why it ends
// the program.
var crashLinePattern = regexp.MustCompile(`^(panic|fatal error|SIG[A-Z]+): `)

// readCrashLine is the line that says why a hub that began at a time has crashed; empty:
// it printed none, as where it was killed, or too much after it.
func readCrashLine(p daemon.Paths, began time.Time) string {
	file, err := os.Stat(p.Output())
	if err != nil || file.ModTime().Before(began) { // it is of a hub before that one
		return ""
	}
	lines := daemon.LastOutput(p, 0, int(file.Size()))
	for _, line := range slices.Backward(lines) {
		if crashLinePattern.MatchString(line) {
			return line
		}
	}
	return ""
}
