package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/lectern-mcp/lectern/internal/filelock"
)

// Discovery is the content of hub.json.
type Discovery struct {
	Schema    int    `json:"schema"`            // 1
	Machine   string `json:"machine,omitempty"` // its host name; the PID counts there only
	PID       int    `json:"pid"`
	StartTime int64  `json:"start_time"` // with PID, names the process; its unit is the system's
	Exe       string `json:"exe"`
	BuildInfo
	Wire      int       `json:"wire"`
	Instance  string    `json:"instance"`
	MCP       string    `json:"mcp"`       // socket
	Control   string    `json:"control"`   // socket
	HTTPPort  int       `json:"http_port"` // 0: no HTTP
	StartedAt time.Time `json:"started_at"`
	// Successor is set when the hub has handed over to a newer build. Until SuccessorUntil an
	// older client gives that build's client time to start it.
	Successor      *BuildInfo `json:"next,omitempty"`
	SuccessorUntil time.Time  `json:"next_until,omitzero"`
}

const discoverySchemaVersion = 1

// FindHub returns the discovery file of the running hub. It checks the lock first,
// then compares pid and start time, so a file that a killed hub left behind,
// or one whose pid now belongs to another process, is ErrNoHub.
func FindHub(p Paths) (Discovery, error) {
	held, err := isLockHeld(p.hubLock())
	if err != nil {
		return Discovery{}, err
	}
	d, err := readDiscovery(p)
	switch {
	case !held:
		return Discovery{}, ErrNoHub
	case errors.Is(err, fs.ErrNotExist):
		return Discovery{}, fmt.Errorf("%w that can be found: one is starting or shutting down", ErrNoHub)
	case err != nil:
		return Discovery{}, err
	}
	if d.isElsewhere() {
		return d, &OtherMachineError{p.State, d}
	}
	if start, err := processStartTime(d.PID); err != nil || start != d.StartTime {
		return Discovery{}, fmt.Errorf("%w that matches %s", ErrNoHub, p.Discovery())
	}
	return d, nil
}

// isLockHeld takes the lock for a moment. A hub that starts at that moment waits
// for the lock longer than that.
func isLockHeld(path string) (bool, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	l, err := filelock.TryFile(path)
	if errors.Is(err, filelock.ErrHeld) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, l.Release()
}

// readDiscovery reads hub.json without trusting it: bounded, and of any content.
func readDiscovery(p Paths) (Discovery, error) {
	var d Discovery
	f, err := os.Open(p.Discovery())
	if err != nil {
		return d, err
	}
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err := errors.Join(err, f.Close()); err != nil {
		return d, fmt.Errorf("read hub's discovery file: %w", err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return Discovery{}, fmt.Errorf("read %s: %w", p.Discovery(), err)
	}
	if d.Schema != discoverySchemaVersion {
		return Discovery{}, fmt.Errorf("read %s: schema %d, want %d", p.Discovery(), d.Schema, discoverySchemaVersion)
	}
	return d, nil
}

func writeDiscovery(p Paths, d Discovery) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(p.Discovery(), append(text, '\n'))
}
