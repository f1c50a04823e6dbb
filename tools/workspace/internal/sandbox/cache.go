package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tetratelabs/wazero"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/fuel"
)

// Files of an entry, besides the native code, which wazero writes.
const (
	preparedFile = "prepared"  // a preparedModule without its memory, and of its modules the outlines
	memoryFile   = "memory"    // its memory, whose sum is in preparedFile: it is read later
	sumsFile     = "sums.json" // CRC-32C of the other files, by their names; of compiled code that of its ends
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

// read returns the entry without its memory, nil if there is none or if it is damaged. It
// has outlines, to be compiled with the entry's folder, which has the code.
func (c *diskCache) read() *preparedModule {
	var want map[string]uint32
	if b, err := os.ReadFile(filepath.Join(c.dir, sumsFile)); err != nil || json.Unmarshal(b, &want) != nil {
		return nil
	}
	prepared, sums, err := readEntry(c.dir)
	if err != nil || !maps.Equal(sums, want) {
		return nil
	}
	return decodePrepared(prepared)
}

// encode writes p with outlines for its modules, and without its memory, of which it has
// the sum.
func (p *preparedModule) encode() []byte {
	var b []byte
	for _, value := range []uint64{p.Begin, p.Fail, p.Settle, uint64(p.Size), uint64(checksum(p.Memory)), uint64(len(p.Core.Outline))} {
		b = binary.LittleEndian.AppendUint32(b, uint32(value))
	}
	return slices.Concat(b, p.Core.Outline, p.Rest.Outline)
}

// decodePrepared is the reverse of encode, nil if b is none.
func decodePrepared(b []byte) *preparedModule {
	const header = 24
	if len(b) < header {
		return nil
	}
	value := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(b[4*i:])) }
	outlines := b[header:]
	core := value(5)
	if core > uint64(len(outlines)) {
		return nil
	}
	return &preparedModule{
		Begin: value(0), Fail: value(1), Settle: value(2), Size: int(value(3)), sum: uint32(value(4)),
		Core: fuel.Part{Outline: outlines[:core]}, Rest: fuel.Part{Outline: outlines[core:]},
	}
}

// readMemory completes a module that was read from an entry.
func (p *preparedModule) readMemory(dir string) error {
	if p.Memory != nil {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, memoryFile))
	if err != nil {
		return err
	}
	if checksum(b) != p.sum {
		return fmt.Errorf("%s is damaged", memoryFile)
	}
	p.Memory = b
	return nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// begin makes a folder for a new entry.
func (c *diskCache) begin() (dir string, err error) {
	if dir, err = os.MkdirTemp(c.parent, newPrefix+"*"); err != nil {
		return "", fmt.Errorf("make cache entry: %w", err)
	}
	return dir, nil
}

// commit completes a folder in which p was compiled, and gives it its name. Of the modules
// the outlines are kept: the engine would decode and validate a million bytes of functions
// of which it has the code.
func (c *diskCache) commit(dir string, p *preparedModule) error {
	for name, content := range map[string][]byte{preparedFile: p.encode(), memoryFile: p.Memory} {
		if err := atomicfile.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
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

// moveCode gives the only file of compiled code in dir besides others the name under which
// wazero looks for that of outline, which it returns. The name depends on wazero, and on the
// processor's features; where it is looked for under another one, wazero compiles the
// outline, whose functions trap, and that is noticed when the first of them is called.
func moveCode(ctx context.Context, dir string, outline []byte, others ...string) (name string, err error) {
	code, err := codeFiles(dir, others)
	if err != nil {
		return "", err
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return "", err
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(wazero.NewRuntimeConfigCompiler()).WithCompilationCache(cache))
	_, err = runtime.CompileModule(ctx, outline)
	if err := errors.Join(err, runtime.Close(ctx), cache.Close(ctx)); err != nil {
		return "", err
	}
	all, err := codeFiles(dir, others)
	if err != nil {
		return "", err
	}
	if len(code) != 1 || len(all) != 2 {
		return "", fmt.Errorf("wazero left the files %q and then %q", code, all)
	}
	name = all[0]
	if name == code[0] {
		name = all[1]
	}
	return name, os.Rename(code[0], name)
}

// codeFiles are the files of compiled code in dir besides others.
func codeFiles(dir string, others []string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	return slices.DeleteFunc(files, func(file string) bool { return slices.Contains(others, file) }), err
}

// readEntry reads every file of an entry but the sums and the memory.
func readEntry(dir string) (prepared []byte, sums map[string]uint32, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close() //nolint:errcheck // it was only read
	sums = map[string]uint32{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == sumsFile || d.Name() == memoryFile {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
		if d.Name() == preparedFile {
			if prepared, err = root.ReadFile(name); err != nil {
				return err
			}
			_, _ = sum.Write(prepared) // never fails
		} else if err := sumEnds(sum, root, name); err != nil {
			return err
		}
		sums[name] = sum.Sum32()
		return nil
	})
	return prepared, sums, err
}

// How much of the start and the end of compiled code has a sum here, in bytes. wazero checks
// a sum of the code itself, which is millions of bytes, but trusts the lengths that stand
// before it, eight bytes for each function, and behind it.
const (
	codeHead = 24 * kibibyte
	codeTail = kibibyte
)

// sumEnds reads the length of a file and its ends into sum.
func sumEnds(sum io.Writer, root *os.Root, name string) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	_, _ = sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(size))) // never fails
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, codeHead)); err != nil {
		return err
	}
	_, err = io.Copy(sum, io.NewSectionReader(file, max(0, size-codeTail), codeTail))
	return err
}
