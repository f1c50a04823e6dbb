package journal

import (
	"fmt"
	"os"
	"strings"

	"github.com/lectern-mcp/lectern/internal/filelock"
)

// A heldError says which process has the database open, and what to do. What
// SQLite says about it tells a person nothing.
type heldError struct {
	message string
	cause   error
}

func (e *heldError) Error() string { return e.message }
func (e *heldError) Unwrap() error { return e.cause }

func newHeldError(file string, cause error) error {
	var holders, pids []string
	for _, p := range filelock.Openers(file) {
		if p.PID != os.Getpid() {
			holders, pids = append(holders, p.String()), append(pids, fmt.Sprint(p.PID))
		}
	}
	if len(holders) == 0 {
		return &heldError{"another process has " + file + " open; end the other Lectern, or what else has it open", cause}
	}
	message := fmt.Sprintf("%s has %s open; if it should not run, end it with: kill %s", strings.Join(holders, ", "), file,
		strings.Join(pids, " "))
	return &heldError{message, cause}
}
