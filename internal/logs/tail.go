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
// cut short, or that is not ours, comes as Text alone. Text is as it is in the
// file: whoever prints it escapes it. A file that does not exist is an error
// that is fs.ErrNotExist.
func ReadTail(file string, n int) ([]Line, error) {
	var lines [][]byte // newest first
	for i := 0; len(lines) < n; i++ {
		more, err := tail(numbered(file, i), n-len(lines))
		if errors.Is(err, fs.ErrNotExist) && i > 0 {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read log: %w", err)
		}
		lines = append(lines, more...)
	}
	slices.Reverse(lines)
	parsed := make([]Line, len(lines))
	for i, l := range lines {
		parsed[i] = parse(l)
	}
	return parsed, nil
}

// ReadAll calls do with every line of a log file and of the files it rotated
// into, oldest first, and stops at its first error. It holds one line at a time.
// Otherwise it is [ReadTail]: no lock, text as it is in the file.
func ReadAll(file string, do func(Line) error) (err error) {
	files, err := openAll(file)
	defer func() {
		for _, f := range files {
			_ = f.Close() // only read
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
			if err := do(parse(raw)); err != nil {
				return err
			}
		}
	}
	return nil
}

// openAll opens the file and those it rotated into, the newest first: a
// rotation meanwhile then shows a file twice, which is noticed, and leaves none
// out. One number may be missing, where a rotation is under way or was cut
// short.
func openAll(file string) ([]*os.File, error) {
	var files []*os.File
	var last os.FileInfo
	for i, missing := 0, 0; ; i++ {
		f, err := os.Open(numbered(file, i))
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

// tail returns the last n lines of the file, newest first.
func tail(name string, n int) ([][]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	var rest []byte // the beginning of what was read: its line may start further up
	for end > 0 && len(lines) < n {
		block := make([]byte, min(end, 64<<10))
		end -= int64(len(block))
		if _, err := f.ReadAt(block, end); err != nil {
			return nil, err
		}
		rest = append(block, rest...)
		for len(lines) < n {
			i := bytes.LastIndexByte(bytes.TrimSuffix(rest, []byte("\n")), '\n')
			if i < 0 {
				break
			}
			lines = appendLine(lines, rest[i+1:])
			rest = rest[:i+1]
		}
	}
	if len(lines) < n {
		lines = appendLine(lines, rest)
	}
	return lines, nil
}

func appendLine(lines [][]byte, l []byte) [][]byte {
	if l = bytes.TrimSpace(l); len(l) == 0 {
		return lines
	}
	return append(lines, bytes.Clone(l))
}

// parse makes a Line of a line of the file, with its attributes in order.
func parse(raw []byte) Line {
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
		l.set(fmt.Sprint(key), fmt.Sprint(value), &text)
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return Line{Text: string(raw)}
	}
	l.Text += text.String()
	return l
}

func (l *Line) set(key, value string, attrs *strings.Builder) {
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
	case "part":
		l.Part = value
	default:
		attrs.WriteString(" " + key + "=" + quote(value))
	}
}
