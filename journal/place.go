package journal

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

// A Place is where a key is, or is to be.
type Place string

// The places. Auto is none: a keyring that can be used when the journal begins,
// else a file, and whichever it is afterwards.
const (
	Auto      Place = "auto"
	InFile    Place = "file"
	InKeyring Place = "keyring"
)

// The files beside the database: keys that are in a file, one behind the other,
// and where every key is.
const (
	keyName    = "journal.key"
	recordName = "journal.keys"
)

// A Kept says where the key with an ID is. The ID gives nothing of it away.
type Kept struct {
	ID    string `json:"id"`
	Place Place  `json:"place"`
}

// Record is the file in dir that says where the keys are.
func Record(dir string) string { return filepath.Join(dir, recordName) }

// Keys are the keys of the journal in dir, oldest first, as its record says;
// none: it has not begun, or is older than the record.
func Keys(dir string) ([]Kept, error) {
	var record struct {
		Keys []Kept `json:"keys"`
	}
	file := Record(dir)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &record)
	}
	if err != nil {
		return nil, fmt.Errorf("read where the journal's keys are: %w; put %s back, or move it and %s away", err, file, databaseName)
	}
	return record.Keys, nil
}

// A box is the folder of a journal as far as keys go.
type box struct {
	dir  string
	kept []Kept // as the record says
	file []*key // in keyName
}

// openBox reads what is in dir. Keys in the file that the record does not have
// are older than it, or a crash came before it.
func openBox(dir string) (*box, error) {
	b := &box{dir: dir}
	var err error
	if b.kept, err = Keys(dir); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, keyName)
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(data)%keySize != 0 || err == nil && len(data) == 0 {
		return nil, fmt.Errorf("%s has %d bytes, not %d; put the right one back, or move it and %s away", name, len(data), keySize, databaseName)
	}
	fromBefore := len(b.kept) == 0
	for secret := range slices.Chunk(data, keySize) {
		k, err := keyOf(secret)
		if err != nil {
			return nil, err
		}
		b.file = append(b.file, k)
	}
	if fromBefore && len(b.file) == 0 && exists(filepath.Join(dir, databaseName)) {
		return nil, fmt.Errorf("%s is gone, without which %s cannot be read; put it back, or move that away too", name, databaseName)
	}
	for _, kept := range b.kept {
		if kept.Place == InFile && b.inFile(kept.ID) == nil {
			return nil, fmt.Errorf("%s is gone or is not the key that %s was written with; put that back, or move %s and %s away", name, databaseName, recordName, databaseName)
		}
	}
	for _, k := range b.file {
		if !slices.ContainsFunc(b.kept, func(kept Kept) bool { return kept.ID == k.id }) {
			b.kept = append(b.kept, Kept{k.id, InFile})
		}
	}
	return b, nil
}

// inFile is the key of this ID in the file; nil: it is not there.
func (b *box) inFile(id string) *key {
	if i := slices.IndexFunc(b.file, func(k *key) bool { return k.id == id }); i >= 0 {
		return b.file[i]
	}
	return nil
}

// place notes down where a key is, last.
func (b *box) place(id string, p Place) {
	b.kept = append(slices.DeleteFunc(b.kept, func(k Kept) bool { return k.ID == id }), Kept{id, p})
}

// toFile puts a key into the file, on disk before the record says so.
func (b *box) toFile(k *key) error {
	if b.inFile(k.id) == nil {
		b.file = append(b.file, k)
		if err := b.writeFile(); err != nil {
			return err
		}
	}
	b.place(k.id, InFile)
	return b.writeRecord()
}

// toKeyring puts a key into the keyring, which must have answered it before the
// record says so and the file loses it.
func (b *box) toKeyring(k *key, r *ring) error {
	if err := r.put(k); err != nil {
		return err
	}
	b.place(k.id, InKeyring)
	if err := b.writeRecord(); err != nil {
		return err
	}
	return b.unfile(k.id)
}

// unfile takes a key out of the file.
func (b *box) unfile(id string) error {
	if b.inFile(id) == nil {
		return nil
	}
	b.file = slices.DeleteFunc(b.file, func(k *key) bool { return k.id == id })
	return b.writeFile()
}

func (b *box) writeFile() error {
	name := filepath.Join(b.dir, keyName)
	if len(b.file) == 0 {
		return os.Remove(name)
	}
	var data []byte
	for _, k := range b.file {
		data = append(data, k.secret...)
	}
	return atomicfile.WriteFile(name, data, 0o600)
}

func (b *box) writeRecord() error {
	data, err := json.MarshalIndent(map[string][]Kept{"keys": b.kept}, "", "  ")
	if err != nil {
		return err
	}
	name := Record(b.dir)
	data = append(data, '\n')
	if was, err := os.ReadFile(name); err == nil && slices.Equal(was, data) {
		return nil
	}
	return atomicfile.WriteFile(name, data, 0o600)
}
