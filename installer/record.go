package installer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// A mark is one thing that we put somewhere, as the record has it. It is
// written before the thing, so that a crash leaves a mark without the thing
// rather than the reverse.
type mark struct {
	Kind kind   `json:"kind"`
	ID   string `json:"id"`   // of the client; of the service; of the plugin
	Name string `json:"name"` // of the entry; of the skill; of the plugin's file
	Path string `json:"path"` // of the file

	Made    int      `json:"made,omitempty"`    // containers around the entry
	Created bool     `json:"created,omitempty"` // the file was not there before
	Folders []string `json:"folders,omitempty"` // that were not there before, outermost first
	Backups []string `json:"backups,omitempty"` // of the file, oldest first
}

type kind string

const (
	entryMark   kind = "entry"
	skillMark   kind = "skill"
	serviceMark kind = "service"

	pluginMark   kind = "plugin"          // one for each file
	settingsMark kind = "plugin-settings" // port and token in them
)

// RecordName is the record's file in the state folder.
const RecordName = "installed.json"

// marks reads the record. A record that was lost costs comfort only: what is
// ours is found by looking, too.
func (m Machine) marks() ([]mark, error) {
	text, err := os.ReadFile(m.record())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	var list []mark
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("read record: %s: %w; remove that file, and what is ours is found by looking", m.record(), err)
	}
	return list, nil
}

func (m Machine) record() string { return filepath.Join(m.State, RecordName) }

// marked is the mark of a kind for a file; nil: there is none.
func (m Machine) marked(k kind, path, name string) (*mark, error) {
	list, err := m.marks()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(x mark) bool { return x.is(k, path, name) }); i >= 0 {
		return &list[i], nil
	}
	return nil, nil //nolint:nilnil // absence is an ordinary answer here
}

func (x mark) is(k kind, path, name string) bool {
	return x.Kind == k && x.Path == path && x.Name == name
}

// note puts a mark into the record, over an older one for the same thing.
func (m Machine) note(x mark) error {
	list, err := m.marks()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(old mark) bool { return old.is(x.Kind, x.Path, x.Name) })
	return m.save(append(list, x))
}

// forget takes a mark out of the record. The last one takes the record along.
func (m Machine) forget(x mark) error {
	list, err := m.marks()
	if err != nil {
		return err
	}
	return m.save(slices.DeleteFunc(list, func(old mark) bool { return old.is(x.Kind, x.Path, x.Name) }))
}

func (m Machine) save(list []mark) error {
	if len(list) == 0 {
		return gone(os.Remove(m.record()))
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("save record: %w", err)
	}
	if err := os.MkdirAll(m.State, 0o700); err != nil {
		return fmt.Errorf("save record: %w", err)
	}
	if err := atomicfile.WriteFile(m.record(), append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("save record: %w", err)
	}
	return nil
}

// gone takes for success that a file is not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
