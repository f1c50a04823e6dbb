package daemon

import (
	"fmt"
	"os"
	"time"
)

// Machines may share a state folder, as in a home on a server. A hub serves one of them,
// and the others can neither reach its sockets nor look at its process.

// OtherMachineError says that a hub on another machine serves the state folder.
type OtherMachineError struct {
	State string
	Hub   Discovery
}

func (e *OtherMachineError) Error() string {
	return fmt.Sprintf("a hub on the machine %s (pid %d, since %s) serves %s, and cannot be reached from here; "+
		"run `lectern hub stop` there, or set LECTERN_HOME here to a folder that the machines do not share",
		e.Hub.Machine, e.Hub.PID, e.Hub.StartedAt.Format(time.DateTime), e.State)
}

// Final reports that trying again is useless until a person acts.
func (e *OtherMachineError) Final() bool { return true }

// machineName names this machine in the discovery file; empty: it is not known.
func machineName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// isElsewhere reports whether d is of a hub on another machine.
func (d Discovery) isElsewhere() bool {
	own := machineName()
	return d.Machine != "" && own != "" && d.Machine != own
}

// noHubError is why no hub listens: there is none, or it is on another machine, which holds
// the lock.
func (p Paths) noHubError() error {
	d, err := readDiscovery(p)
	if err != nil || !d.isElsewhere() {
		return ErrNoHub
	}
	if held, err := isLockHeld(p.hubLock()); err != nil || !held {
		return ErrNoHub
	}
	return &OtherMachineError{p.State, d}
}
