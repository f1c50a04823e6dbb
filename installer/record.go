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

// A receipt is one thing that we put somewhere, as the record has it. It is
// written before the thing, so that a crash leaves a mark without the thing
// rather than the reverse.
type receipt struct {
	Kind receiptKind `json:"kind"`
	ID   string      `json:"id"`   // of the client; of the service; of the plugin
	Name string      `json:"name"` // of the entry; of the skill; of the plugin's file
	Path string      `json:"path"` // of the file

	Made    int      `json:"made,omitempty"`    // containers around the entry
	Created bool     `json:"created,omitempty"` // the file was not there before
	Folders []string `json:"folders,omitempty"` // that were not there before, outermost first
	Backups []string `json:"backups,omitempty"` // of the file, oldest first
}

type receiptKind string

const (
	entryReceipt   receiptKind = "entry"
	skillReceipt   receiptKind = "skill"
	serviceReceipt receiptKind = "service"

	pluginReceipt   receiptKind = "plugin"          // one for each file
	settingsReceipt receiptKind = "plugin-settings" // port and token in them
)

// RecordName is the record's file in the state folder.
const RecordName = "installed.json"

// receipts reads the record. A record that was lost costs comfort only: what is
// ours is found by looking, too.
func (m Machine) receipts() ([]receipt, error) {
	text, err := os.ReadFile(m.receiptsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	var list []receipt
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("read record: %s: %w; remove that file, and what is ours is found by looking", m.receiptsFile(), err)
	}
	return list, nil
}

func (m Machine) receiptsFile() string { return filepath.Join(m.State, RecordName) }

// findReceipt is the mark of a kind for a file; nil: there is none.
func (m Machine) findReceipt(k receiptKind, path, name string) (*receipt, error) {
	list, err := m.receipts()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(x receipt) bool { return x.matches(k, path, name) }); i >= 0 {
		return &list[i], nil
	}
	return nil, nil //nolint:nilnil // absence is an ordinary answer here
}

func (x receipt) matches(k receiptKind, path, name string) bool {
	return x.Kind == k && x.Path == path && x.Name == name
}

// addReceipt puts a mark into the record, over an older one for the same thing.
func (m Machine) addReceipt(x receipt) error {
	list, err := m.receipts()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(old receipt) bool { return old.matches(x.Kind, x.Path, x.Name) })
	return m.writeReceipts(append(list, x))
}

// deleteReceipt takes a mark out of the record. The last one takes the record along.
func (m Machine) deleteReceipt(x receipt) error {
	list, err := m.receipts()
	if err != nil {
		return err
	}
	return m.writeReceipts(slices.DeleteFunc(list, func(old receipt) bool { return old.matches(x.Kind, x.Path, x.Name) }))
}

func (m Machine) writeReceipts(list []receipt) error {
	if len(list) == 0 {
		return ignoreNotExist(os.Remove(m.receiptsFile()))
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("save record: %w", err)
	}
	if err := os.MkdirAll(m.State, 0o700); err != nil {
		return fmt.Errorf("save record: %w", err)
	}
	if err := atomicfile.WriteFile(m.receiptsFile(), append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("save record: %w", err)
	}
	return nil
}

// ignoreNotExist takes for success that a file is not there.
func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
