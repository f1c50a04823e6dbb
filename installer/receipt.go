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

// A receipt records one thing that we installed. It is written before the
// thing, so that a crash leaves a receipt without the thing rather than the
// reverse.
type receipt struct {
	Kind receiptKind `json:"kind"`
	ID   string      `json:"id"`   // of the client, the service or the plugin
	Name string      `json:"name"` // of the entry, the skill or the plugin's file
	Path string      `json:"path"` // of the file

	Made    int      `json:"made,omitempty"`    // containers created around the entry
	Created bool     `json:"created,omitempty"` // the file did not exist before
	Folders []string `json:"folders,omitempty"` // that did not exist before, outermost first
	Backups []string `json:"backups,omitempty"` // of the file, oldest first
}

type receiptKind string

const (
	entryReceipt    receiptKind = "entry"
	skillReceipt    receiptKind = "skill"
	serviceReceipt  receiptKind = "service"
	pluginReceipt   receiptKind = "plugin"          // one for each file
	settingsReceipt receiptKind = "plugin-settings" // port and token in them
)

// RecordName is the file of the receipts in the state folder.
const RecordName = "installed.json"

// receipts reads all receipts. Losing the file costs only comfort: what is ours
// is found by searching, too.
func (m Machine) receipts() ([]receipt, error) {
	text, err := os.ReadFile(m.receiptsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	var list []receipt
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("read receipts: %s: %w; remove that file, and what Lectern installed is found by searching", m.receiptsFile(), err)
	}
	return list, nil
}

func (m Machine) receiptsFile() string { return filepath.Join(m.State, RecordName) }

// findReceipt is the recorded receipt of the same thing, with found set, or else
// wanted itself.
func (m Machine) findReceipt(wanted receipt) (r receipt, found bool, err error) {
	list, err := m.receipts()
	if i := slices.IndexFunc(list, wanted.matches); i >= 0 {
		return list[i], true, nil
	}
	return wanted, false, err
}

func (r receipt) matches(o receipt) bool {
	return r.Kind == o.Kind && r.Path == o.Path && r.Name == o.Name
}

// addReceipt replaces an older receipt of the same thing.
func (m Machine) addReceipt(r receipt) error {
	list, err := m.receipts()
	if err != nil {
		return err
	}
	return m.writeReceipts(append(slices.DeleteFunc(list, r.matches), r))
}

// deleteReceipt removes a receipt, and with the last one the file.
func (m Machine) deleteReceipt(r receipt) error {
	list, err := m.receipts()
	if err != nil {
		return err
	}
	return m.writeReceipts(slices.DeleteFunc(list, r.matches))
}

func (m Machine) writeReceipts(list []receipt) error {
	if len(list) == 0 {
		return ignoreNotExist(os.Remove(m.receiptsFile()))
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err == nil {
		err = os.MkdirAll(m.State, 0o700)
	}
	if err == nil {
		err = atomicfile.WriteFile(m.receiptsFile(), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("save receipts: %w", err)
	}
	return nil
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
