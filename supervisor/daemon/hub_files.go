package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// openSockets listens, writes hub.json, which the client of the first answer may read,
// and serves.
func (h *hubServer) openSockets() error {
	for _, s := range h.sockets {
		if err := s.listen(h.Paths); err != nil {
			return err
		}
	}
	var err error
	if h.discovery, err = h.newDiscovery(); err != nil {
		return err
	}
	if err := h.publishDiscovery(); err != nil {
		return err
	}
	for _, s := range h.sockets {
		s.start(&h.accepting)
	}
	return nil
}

func (h *hubServer) closeSockets() error {
	var failures []error
	for _, s := range h.sockets {
		failures = append(failures, s.close())
	}
	return errors.Join(failures...)
}

// newDiscovery describes this hub, but for its sockets.
func (h *hubServer) newDiscovery() (Discovery, error) {
	pid := os.Getpid()
	start, err := processStartTime(pid)
	if err != nil {
		return Discovery{}, fmt.Errorf("read own start time: %w", err)
	}
	exe, err := os.Executable()
	if err != nil {
		return Discovery{}, fmt.Errorf("find own program: %w", err)
	}
	return Discovery{
		Schema: discoverySchemaVersion, Machine: machineName(), PID: pid, StartTime: start, Exe: exe,
		BuildInfo: h.Self, Wire: WireVersion, Instance: h.instance,
		HTTPPort: h.HTTPPort(), StartedAt: h.Now(),
	}, nil
}

// publishDiscovery writes hub.json.
func (h *hubServer) publishDiscovery() error {
	h.discovery.MCP, h.discovery.Control = h.sockets[0].path, h.sockets[1].path
	if err := writeDiscovery(h.Paths, h.discovery); err != nil {
		return fmt.Errorf("write discovery file: %w", err)
	}
	return nil
}

// retireDiscovery removes hub.json, or writes the successor into it. It runs
// before the first client is disconnected: by this file a client that returns
// decides whether to start a hub, or to let a newer build start it.
func (h *hubServer) retireDiscovery() error {
	if d, err := readDiscovery(h.Paths); err == nil && d.Instance != h.instance {
		return nil // another hub has the folder
	}
	next := h.lifecycle.decidedShutdown().successor
	if next == nil {
		err := os.Remove(h.Paths.Discovery())
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	h.discovery.Successor, h.discovery.SuccessorUntil = next, h.Now().Add(h.Timing.Drain+handoverGrace)
	return writeDiscovery(h.Paths, h.discovery)
}

// checkFiles looks whether this hub can still be found, and is still the only one
// that can start: somebody may have removed its folder, or put another in its
// place. It puts back sockets and hub.json. Without its lock the hub shuts down,
// since another may start; so it does when one has started on another machine, and when
// nobody can reach it for long.
func (h *hubServer) checkFiles() {
	if !h.lock.IsInPlace() {
		h.lifecycle.stop(shutdownDecision{reason: "its lock file or its state folder was removed", restart: true}, false)
		return
	}
	if d, err := readDiscovery(h.Paths); err == nil && d.Instance != h.instance && d.isElsewhere() {
		// The file system has locks that other machines do not see.
		h.lifecycle.stop(shutdownDecision{reason: "a hub on the machine " + d.Machine + " has taken the state folder"}, false)
		return
	}
	err := h.restoreFiles()
	switch {
	case err == nil:
		h.unreachable = 0
		return
	case h.unreachable == 0:
		h.Log.Error("the hub's sockets or its discovery file are gone and cannot be put back yet", "error", err)
	}
	if h.unreachable += h.Timing.CheckFiles; h.unreachable >= h.Timing.Unreachable {
		h.lifecycle.stop(shutdownDecision{reason: "its sockets cannot be put back", restart: true}, false)
	}
}

// restoreFiles puts back the sockets and hub.json where they are gone or another's.
func (h *hubServer) restoreFiles() error {
	var failures []error
	for _, s := range h.sockets {
		if s.isInPlace() {
			continue
		}
		if err := errors.Join(h.Paths.prepare(), s.listen(h.Paths)); err != nil {
			failures = append(failures, err)
			continue
		}
		s.start(&h.accepting)
		h.Log.Warn("the hub's socket was removed; the hub listens again", "socket", s.path)
	}
	d, err := readDiscovery(h.Paths)
	if err != nil || d.Instance != h.instance || d.MCP != h.sockets[0].path || d.Control != h.sockets[1].path {
		failures = append(failures, h.publishDiscovery())
	}
	return errors.Join(failures...)
}
