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

// ReceiptsName is the file of the receipts in the state folder.
const ReceiptsName = "installed.json"

// A receiptStore is the file with all receipts. Losing it costs only comfort: what
// is ours is found by searching, too.
type receiptStore struct{ file string }

func (m Machine) receipts() receiptStore { return receiptStore{filepath.Join(m.State, ReceiptsName)} }

func (s receiptStore) readAll() ([]receipt, error) {
	text, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	var list []receipt
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("read receipts: %s: %w; remove that file, and what Lectern installed is found by searching", s.file, err)
	}
	return list, nil
}

// find is the recorded receipt of the same thing, with found set, or else
// wanted itself.
func (s receiptStore) find(wanted receipt) (r receipt, found bool, err error) {
	list, err := s.readAll()
	if i := slices.IndexFunc(list, wanted.matches); i >= 0 {
		return list[i], true, nil
	}
	return wanted, false, err
}

// hasEntry reports whether the entry in a client's file has a receipt.
func (s receiptStore) hasEntry(c Client, server Server, f clientFile) (bool, error) {
	_, recorded, err := s.find(receipt{Kind: entryReceipt, ID: c.ID, Name: server.Name, Path: f.realPath})
	return recorded, err
}

// IsConnected reports whether any entry of the client has a receipt, in the
// user's file or in projects.
func (m Machine) IsConnected(clientID string) (bool, error) {
	list, err := m.receipts().readAll()
	return slices.ContainsFunc(list, func(r receipt) bool { return r.Kind == entryReceipt && r.ID == clientID }), err
}

func (r receipt) matches(o receipt) bool {
	return r.Kind == o.Kind && r.Path == o.Path && r.Name == o.Name
}

// add replaces an older receipt of the same thing.
func (s receiptStore) add(r receipt) error {
	list, err := s.readAll()
	if err != nil {
		return err
	}
	return s.write(append(slices.DeleteFunc(list, r.matches), r))
}

// remove removes a receipt, and with the last one the file.
func (s receiptStore) remove(r receipt) error {
	list, err := s.readAll()
	if err != nil {
		return err
	}
	return s.write(slices.DeleteFunc(list, r.matches))
}

func (s receiptStore) write(list []receipt) error {
	if len(list) == 0 {
		return ignoreNotExist(os.Remove(s.file))
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.file), 0o700)
	}
	if err == nil {
		err = atomicfile.WriteFile(s.file, append(text, '\n'), 0o600)
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
