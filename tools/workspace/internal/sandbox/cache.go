package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// Files of an entry, besides the native code, which wazero writes.
const (
	preparedFile = "prepared.json" // a preparedModule
	sumsFile     = "sums.json"     // CRC-32C of the other files, by their names
)

// What the names of entries begin with, and of those that are being made.
const (
	entryPrefix = "engine-"
	newPrefix   = "new-"
)

// diskCache is one entry of the cache: a folder that appears whole or not at
// all, named for everything that it was made of. Any entry can be deleted at any time.
type diskCache struct {
	parent, dir string
}

// openCache makes sure that nobody else can write to the folder.
func openCache(parent, key string) (*diskCache, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make cache folder: %w", err)
	}
	if err := checkPrivate(parent); err != nil {
		return nil, fmt.Errorf("open cache folder: %w", err)
	}
	return &diskCache{parent, filepath.Join(parent, entryPrefix+key)}, nil
}

// read returns the entry, nil if there is none or if it is damaged.
func (c *diskCache) read() *preparedModule {
	var want map[string]uint32
	if b, err := os.ReadFile(filepath.Join(c.dir, sumsFile)); err != nil || json.Unmarshal(b, &want) != nil {
		return nil
	}
	prepared, sums, err := readEntry(c.dir)
	if err != nil || !maps.Equal(sums, want) {
		return nil
	}
	p := &preparedModule{}
	if json.Unmarshal(prepared, p) != nil {
		return nil
	}
	return p
}

// begin makes a folder for a new entry.
func (c *diskCache) begin() (dir string, err error) {
	if dir, err = os.MkdirTemp(c.parent, newPrefix+"*"); err != nil {
		return "", fmt.Errorf("make cache entry: %w", err)
	}
	return dir, nil
}

// commit completes a folder in which p was compiled, and gives it its name.
func (c *diskCache) commit(dir string, p *preparedModule) error {
	prepared, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(dir, preparedFile), prepared, 0o600); err != nil {
		return err
	}
	if err := c.writeSums(dir); err != nil {
		return err
	}
	// What is there is damaged, or another process was faster: ours is as good.
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("replace cache entry: %w", err)
	}
	if err := os.Rename(dir, c.dir); err != nil {
		return os.RemoveAll(dir)
	}
	_ = c.removeOld() // what stays takes space and nothing else
	return nil
}

func (*diskCache) writeSums(dir string) error {
	_, sums, err := readEntry(dir)
	if err != nil {
		return fmt.Errorf("read cache entry: %w", err)
	}
	b, err := json.Marshal(sums)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(dir, sumsFile), b, 0o600)
}

// readEntry reads every file of an entry but the sums. wazero checks compiled code itself, but
// not all that stands beside it in its files.
func readEntry(dir string) (prepared []byte, sums map[string]uint32, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	sums = map[string]uint32{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == sumsFile {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		content, err := root.ReadFile(name)
		if d.Name() == preparedFile {
			prepared = content
		}
		sums[name] = crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli))
		return err
	})
	return prepared, sums, errors.Join(err, root.Close())
}
