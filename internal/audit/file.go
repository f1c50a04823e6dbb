package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A rotatingFile is the current file of a trail: NAME is current, NAME.1 the
// one before, and so on. The hash chain runs through all of them.
type rotatingFile struct {
	name  string
	max   int64
	keep  int
	f     *os.File // nil: it could not be reopened after a failure
	size  int64
	end   chain
	limit int64 // size at which to rotate; more than max after a failed rotation
	buf   []byte
}

func openFile(o Options) (f *rotatingFile, torn int, err error) {
	f = &rotatingFile{name: o.File, max: o.FileSize, keep: o.Files}
	if f.max == 0 {
		f.max = DefaultFileSize
	}
	if f.keep == 0 {
		f.keep = DefaultFiles
	}
	f.limit = f.max
	if err := os.MkdirAll(filepath.Dir(f.name), 0o700); err != nil {
		return nil, 0, fmt.Errorf("open audit trail: %w", err)
	}
	torn, err = f.open()
	if err != nil {
		return nil, 0, fmt.Errorf("open audit trail: %w", err)
	}
	return f, torn, nil
}

// open opens the current file, removes an incomplete last line and finds the
// end of the chain.
func (f *rotatingFile) open() (torn int, err error) {
	end, err := f.previousEnd()
	if err != nil {
		return 0, err
	}
	file, err := os.OpenFile(f.name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	if torn, err = f.prepare(file, end); err != nil {
		return 0, errors.Join(fmt.Errorf("prepare %s: %w", f.name, err), file.Close())
	}
	f.f = file
	return torn, nil
}

// previousEnd returns the end of the chain in the file before the current one,
// or the start of the chain.
func (f *rotatingFile) previousEnd() (chain, error) {
	text, err := os.ReadFile(rotatedName(f.name, 1))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return chain{hash: firstHash}, nil
	case err != nil:
		return chain{}, err
	}
	return chainEnd(text, chain{hash: firstHash}), nil
}

func (f *rotatingFile) prepare(file *os.File, before chain) (torn int, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errors.New("not a regular file")
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := file.Chmod(0o600); err != nil {
			return 0, err
		}
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if torn = len(text) - whole; torn > 0 {
		if err := file.Truncate(int64(whole)); err != nil {
			return 0, err
		}
	}
	f.size, f.end = int64(whole), chainEnd(text[:whole], before)
	return torn, nil
}

// chainEnd returns where the chain ends that text continues. A line that
// cannot be read counts as one; Verify reports it.
func chainEnd(text []byte, before chain) chain {
	text = bytes.TrimSuffix(text, []byte("\n"))
	if len(text) == 0 {
		return before
	}
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	end := chain{hash: hashLine(last)}
	for after := uint64(0); ; after++ {
		at := bytes.LastIndexByte(text, '\n')
		var l line
		if json.Unmarshal(text[at+1:], &l) == nil && l.Seq > 0 {
			end.seq = l.Seq + after
			return end
		}
		if at < 0 {
			end.seq = before.seq + after + 1
			return end
		}
		text = text[:at]
	}
}

// append writes records and syncs the file, which is rotated when it is full.
// It returns how many records were written.
func (f *rotatingFile) append(records []Record) (wrote int, err error) {
	if len(records) == 0 {
		return 0, nil
	}
	if f.f == nil {
		if _, err := f.open(); err != nil {
			return 0, fmt.Errorf("open audit trail: %w", err)
		}
	}
	for wrote < len(records) {
		if f.size >= f.limit {
			if err := f.rotate(); err != nil {
				return wrote, err
			}
		}
		n, err := f.writeBatch(records[wrote:])
		if err != nil {
			return wrote, err
		}
		wrote += n
	}
	if err := f.f.Sync(); err != nil {
		return wrote, fmt.Errorf("sync audit trail: %w", err)
	}
	return wrote, nil
}

// writeBatch writes as many records as fit into the file, at least one.
func (f *rotatingFile) writeBatch(records []Record) (n int, err error) {
	end := f.end
	b := f.buf[:0]
	for n < len(records) && (n == 0 || f.size+int64(len(b)) < f.limit) {
		if b, err = end.encode(b, records[n]); err != nil {
			return 0, fmt.Errorf("encode audit record: %w", err)
		}
		n++
	}
	f.buf = b
	if _, err := f.f.Write(b); err != nil {
		// Half a line must not stay. If it cannot be removed, the next opening does
		// it.
		_ = f.f.Truncate(f.size)
		_ = f.f.Close() // err is the error to report
		f.f = nil
		return 0, fmt.Errorf("write audit trail: %w", err)
	}
	f.size += int64(len(b))
	f.end = end
	return n, nil
}

// rotate renames every file to the next number and begins a new one, which
// continues the chain. If a file cannot be renamed, the current one grows.
func (f *rotatingFile) rotate() error {
	if err := errors.Join(f.f.Sync(), f.f.Close()); err != nil {
		f.f = nil
		return fmt.Errorf("rotate audit trail: %w", err)
	}
	f.f = nil
	f.limit = f.max
	for i := f.keep - 1; i > 0; i-- {
		err := os.Rename(rotatedName(f.name, i-1), rotatedName(f.name, i))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.limit = f.size + f.max/4
			break
		}
	}
	if _, err := f.open(); err != nil {
		return fmt.Errorf("rotate audit trail: %w", err)
	}
	return nil
}

func rotatedName(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, i)
}

func (f *rotatingFile) close() error {
	if f.f == nil {
		return nil
	}
	file := f.f
	f.f = nil
	return errors.Join(file.Sync(), file.Close())
}
