package logs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"
)

// ReadTail returns the last n lines of a log file and of the files it rotated
// into, oldest first. It needs no hub and takes no lock. A line that a crash
// truncated, or that is not ours, comes as Text only. Text is as it is in the
// file: the caller escapes it before printing. A missing file is an error that
// wraps fs.ErrNotExist.
func ReadTail(file string, n int) ([]Line, error) {
	var newest [][]byte
	err := readLines(file, func(raw []byte) error {
		newest = append(newest, raw)
		if len(newest) == 2*n {
			newest = slices.Delete(newest, 0, n)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	newest = newest[max(0, len(newest)-n):]
	lines := make([]Line, len(newest))
	for i, raw := range newest {
		lines[i] = parseLine(raw)
	}
	return lines, nil
}

// ReadAll calls do with every line of a log file and of the files it rotated
// into, oldest first, and stops at its first error. It holds one line at a time.
// Otherwise it is like [ReadTail].
func ReadAll(file string, do func(Line) error) error {
	return readLines(file, func(raw []byte) error { return do(parseLine(raw)) })
}

func readLines(file string, do func(raw []byte) error) (err error) {
	files, err := openRotated(file)
	defer func() {
		for _, f := range files {
			_ = f.Close() // read only
		}
	}()
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	for _, f := range slices.Backward(files) {
		in := bufio.NewReaderSize(f, 64<<10)
		for ended := false; !ended; {
			raw, err := in.ReadBytes('\n')
			if ended = errors.Is(err, io.EOF); err != nil && !ended {
				return fmt.Errorf("read log: %w", err)
			}
			if raw = bytes.TrimSpace(raw); len(raw) == 0 {
				continue
			}
			if err := do(raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// openRotated opens the file and those it rotated into, newest first: a
// rotation in between then shows a file twice, which is noticed, and misses
// none. One number may be missing, while a rotation is running or after an
// interrupted one.
func openRotated(file string) ([]*os.File, error) {
	var files []*os.File
	var last os.FileInfo
	for i, missing := 0, 0; ; i++ {
		f, err := os.Open(rotatedName(file, i))
		if errors.Is(err, fs.ErrNotExist) {
			if missing++; missing < 2 {
				continue
			}
			if len(files) > 0 {
				err = nil
			}
			return files, err
		}
		if err != nil {
			return files, err
		}
		files, missing = append(files, f), 0
		info, err := f.Stat()
		if err != nil {
			return files, err
		}
		if last != nil && os.SameFile(last, info) {
			_ = f.Close() // only read
			files = files[:len(files)-1]
		}
		last = info
	}
}

// parseLine decodes a line of the file, with its attributes in order.
func parseLine(raw []byte) Line {
	var l Line
	var text strings.Builder
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return Line{Text: string(raw)}
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return Line{Text: string(raw)}
		}
		value, err := dec.Token()
		if _, nested := value.(json.Delim); err != nil || nested {
			return Line{Text: string(raw)}
		}
		l.setField(fmt.Sprint(key), fmt.Sprint(value), &text)
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return Line{Text: string(raw)}
	}
	l.Text += text.String()
	return l
}

func (l *Line) setField(key, value string, attrs *strings.Builder) {
	switch key {
	case "time":
		if at, err := time.Parse(timeFormat, value); err == nil {
			l.Time = at
		}
	case "level":
		var level slog.Level
		if level.UnmarshalText([]byte(value)) == nil {
			l.Level = level
		}
	case "msg":
		l.Text = strings.ReplaceAll(value, "\n", "␊")
	case "component":
		l.Component = value
	default:
		attrs.WriteString(" " + key + "=" + quote(value))
	}
}
