// Package pauses keeps which agents may not write for now: a person stops them with
// one key, and lets them go on.
//
// It is one small file, because it must hold for every process that serves agents,
// and after a restart. It is not a permission: what an agent may do at all stands in
// the configuration. The hub asks it before each write; the panel, the commands and
// the doctor change it or show it through the hub. Start reading at [File].
package pauses

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// A State says since when agents may not write. Its zero value stops nobody.
type State struct {
	All     time.Time            `json:"all,omitzero"`      // all agents; zero: not all
	Clients map[string]time.Time `json:"clients,omitempty"` // those with these names, in small letters
}

// Since is when the client with this name, in any case, was stopped; zero: it may
// write.
func (s State) Since(client string) time.Time {
	if !s.All.IsZero() {
		return s.All
	}
	return s.Clients[strings.ToLower(client)]
}

// A File holds a State. Its methods are safe for concurrent use, and any number of
// processes may read it; two that change it at the same instant leave the change of
// one of them.
type File struct {
	path string
	now  func() time.Time

	mu    sync.Mutex
	state State
	stamp stamp // of the file when state was read
}

// A stamp tells one version of a file from another.
type stamp struct {
	modified time.Time
	size     int64
}

// Open returns the File at path, which need not be there.
func Open(path string, now func() time.Time) *File { return &File{path: path, now: now} }

// State reads the file, unless it is as it was. An error means that nobody knows
// who was stopped, so nobody may write.
func (f *File) State() (State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.read()
}

func (f *File) read() (State, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.state, f.stamp = State{}, stamp{}
		return f.state, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("read who may not write: %w", err)
	}
	if now := (stamp{info.ModTime(), info.Size()}); now != f.stamp {
		content, err := os.ReadFile(f.path)
		if err != nil {
			return State{}, fmt.Errorf("read who may not write: %w", err)
		}
		var s State
		if err := json.Unmarshal(content, &s); err != nil {
			return State{}, fmt.Errorf("%s does not say who may not write: %w", f.path, err)
		}
		f.state, f.stamp = s, now
	}
	return f.state, nil
}

// Pause stops the writes of the client with this name, or of all: "". A file that
// cannot be read is replaced.
func (f *File) Pause(client string) error {
	client = strings.ToLower(client)
	return f.change(func(s *State) {
		switch _, stopped := s.Clients[client]; {
		case client == "" && s.All.IsZero():
			s.All = f.now()
		case client != "" && !stopped:
			s.Clients[client] = f.now()
		}
	})
}

// Resume lets the client with this name write again, or all: "", which includes
// those that were stopped by name.
func (f *File) Resume(client string) error {
	client = strings.ToLower(client)
	return f.change(func(s *State) {
		if client == "" {
			*s = State{}
		} else {
			delete(s.Clients, client)
		}
	})
}

func (f *File) change(change func(*State)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, _ := f.read() // a person's word counts, whatever the file holds
	next := State{All: old.All, Clients: map[string]time.Time{}}
	maps.Copy(next.Clients, old.Clients)
	change(&next)
	f.stamp = stamp{} // read it again
	if next.All.IsZero() && len(next.Clients) == 0 {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("save who may not write: %w", err)
		}
		return nil
	}
	content, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("save who may not write: %w", err)
	}
	if err := atomicfile.WriteFile(f.path, append(content, '\n'), 0o600); err != nil {
		return fmt.Errorf("save who may not write: %w", err)
	}
	return nil
}
