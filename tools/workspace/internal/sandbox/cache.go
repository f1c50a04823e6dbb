package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// Files of an entry, besides the native code, which wazero writes.
const (
	preparedFile = "prepared"  // the values of a preparedModule, and its module
	sumsFile     = "sums.json" // SHA-256 of every other file, by its name
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
	return &diskCache{parent, filepath.Join(parent, "engine-"+key)}, nil
}

// read returns the entry, nil if there is none or if it is damaged.
func (c *diskCache) read() *preparedModule {
	var want map[string]string
	if b, err := os.ReadFile(filepath.Join(c.dir, sumsFile)); err != nil || json.Unmarshal(b, &want) != nil {
		return nil
	}
	prepared, sums, err := readEntry(c.dir)
	if err != nil || !maps.Equal(sums, want) || len(prepared) < 12 {
		return nil
	}
	return &preparedModule{
		Begin:  uint64(binary.LittleEndian.Uint32(prepared)),
		Fail:   uint64(binary.LittleEndian.Uint32(prepared[4:])),
		Settle: uint64(binary.LittleEndian.Uint32(prepared[8:])),
		Module: prepared[12:],
	}
}

// begin makes a folder for a new entry that holds p.
func (c *diskCache) begin(p *preparedModule) (dir string, err error) {
	if dir, err = os.MkdirTemp(c.parent, "new-*"); err != nil {
		return "", fmt.Errorf("make cache entry: %w", err)
	}
	b := make([]byte, 0, 12+len(p.Module))
	for _, value := range []uint64{p.Begin, p.Fail, p.Settle} {
		b = binary.LittleEndian.AppendUint32(b, uint32(value))
	}
	return dir, atomicfile.WriteFile(filepath.Join(dir, preparedFile), append(b, p.Module...), 0o600)
}

// commit gives a folder that is complete its name.
func (c *diskCache) commit(dir string) error {
	_, sums, err := readEntry(dir)
	if err != nil {
		return fmt.Errorf("read cache entry: %w", err)
	}
	b, err := json.Marshal(sums)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(dir, sumsFile), b, 0o600); err != nil {
		return err
	}
	// What is there is damaged, or another process was faster: ours is as good.
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("replace cache entry: %w", err)
	}
	if err := os.Rename(dir, c.dir); err != nil {
		return os.RemoveAll(dir)
	}
	return nil
}

// readEntry reads every file of an entry but the sums.
func readEntry(dir string) (prepared []byte, sums map[string]string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close() //nolint:errcheck // it was only read
	sums = map[string]string{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == sumsFile {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		sum := sha256.New()
		if d.Name() == preparedFile {
			if prepared, err = root.ReadFile(name); err != nil {
				return err
			}
			_, _ = sum.Write(prepared) // never fails
		} else if err := copyFile(sum, root, name); err != nil {
			return err
		}
		sums[name] = hex.EncodeToString(sum.Sum(nil))
		return nil
	})
	return prepared, sums, err
}

// copyFile reads a file into w, a part at a time.
func copyFile(w io.Writer, root *os.Root, name string) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, file)
	return errors.Join(err, file.Close())
}
