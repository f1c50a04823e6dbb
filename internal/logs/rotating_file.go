package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// timeFormat is that of slog's JSON handler.
const timeFormat = time.RFC3339Nano

// retryPause is how long to wait before writing a broken file again.
const retryPause = time.Minute

// A rotatingFile is a log file that rotates: NAME is the current file, NAME.1
// the one before, and so on. A crash at any point loses at most the line that
// was being written. An interrupted rotation leaves a gap in the numbers,
// which the next one closes.
type rotatingFile struct {
	name  string
	max   int64
	keep  int
	f     *os.File // nil: broken
	size  int64
	limit int64 // size at which to rotate; max, or more after a failed rotation
	buf   []byte

	retryAt   time.Time // when to try again while broken
	lostLines int       // lines not written since it broke
	err       error     // why it cannot be written; nil if it can
}

func openFile(name string, maxSize int64, keep int) (*rotatingFile, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	f := &rotatingFile{name: name, max: maxSize, keep: keep}
	return f, f.open()
}

// open opens the current file. A line that a crash truncated gets its line
// end, so that the next one starts on its own line.
func (f *rotatingFile) open() error {
	file, err := os.OpenFile(f.name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	size, err := prepareFile(file)
	if err != nil {
		return errors.Join(fmt.Errorf("prepare %s: %w", f.name, err), file.Close())
	}
	f.f, f.size, f.limit, f.err = file, size, max(f.max, f.limit), nil
	return nil
}

func prepareFile(file *os.File) (size int64, err error) {
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
	size = info.Size()
	if size == 0 {
		return 0, nil
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], size-1); err != nil {
		return 0, err
	}
	if last[0] == '\n' {
		return size, nil
	}
	n, err := file.WriteString("\n")
	return size + int64(n), err
}

// write appends n. It returns lines for the log itself: that writing stopped,
// once, or that it works again.
func (f *rotatingFile) write(now time.Time, n line) (said []line) {
	if f.f == nil {
		f.lostLines++
		if now.Before(f.retryAt) {
			return nil
		}
		if err := f.open(); err != nil {
			f.retryAt = now.Add(retryPause)
			return nil
		}
	}
	f.buf = f.encode(f.buf[:0], n)
	if f.size > 0 && f.size+int64(len(f.buf)) > f.limit {
		if err := f.rotate(); err != nil {
			return f.setBroken(now, err)
		}
	}
	wrote, err := f.f.Write(f.buf)
	if err != nil {
		if wrote > 0 { // remove half a line, or end it when opening again
			_ = f.f.Truncate(f.size)
		}
		return f.setBroken(now, err)
	}
	f.size += int64(wrote)
	if f.lostLines > 1 {
		said = append(said, line{
			time: now, level: slog.LevelInfo, text: fmt.Sprintf("log file is written again file=%s lost=%d", quote(f.name), f.lostLines-1),
		})
	}
	f.lostLines = 0
	return said
}

func (f *rotatingFile) setBroken(now time.Time, err error) (said []line) {
	if f.f != nil {
		_ = f.f.Close() // err is the error to report
		f.f = nil
	}
	f.retryAt, f.err = now.Add(retryPause), err
	if f.lostLines == 0 {
		said = append(said, line{
			time: now, level: slog.LevelError, text: fmt.Sprintf("log file cannot be written, trying again each minute file=%s error=%s",
				quote(f.name), quote(err.Error())),
		})
	}
	f.lostLines = max(1, f.lostLines)
	return said
}

func (f *rotatingFile) encode(b []byte, n line) []byte {
	b = append(b, `{"time":"`...)
	b = n.time.AppendFormat(b, timeFormat)
	b = append(b, `","level":"`...)
	b = append(b, n.level.String()...)
	b = append(b, `","msg":`...)
	b = appendJSON(b, n.msg)
	if n.component != "" {
		b = append(b, `,"component":`...)
		b = appendJSON(b, n.component)
	}
	b = append(b, n.attrs...)
	return append(b, "}\n"...)
}

// rotate renames every file to the next number and begins a new one. If a file
// cannot be renamed (on Windows, because another process reads it), the
// current one grows for a while.
func (f *rotatingFile) rotate() error {
	err := f.f.Close()
	f.f = nil
	if err != nil {
		return err
	}
	if err := f.shift(); err != nil {
		f.limit = f.size + f.max/4
	} else {
		f.limit = f.max
	}
	return f.open()
}

func (f *rotatingFile) shift() error {
	for i := f.keep - 1; i > 0; i-- {
		err := os.Rename(rotatedName(f.name, i-1), rotatedName(f.name, i))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if f.keep == 1 {
		return os.Remove(f.name)
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
	f.f, f.retryAt = nil, time.Time{}
	if err := file.Sync(); err != nil {
		return errors.Join(fmt.Errorf("sync log: %w", err), file.Close())
	}
	return file.Close()
}
