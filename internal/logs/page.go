package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A PageQuery asks for lines of a log file and of the files that it rotated into,
// going back.
type PageQuery struct {
	// Before is the Next of the page before. Empty: the page ends before the line
	// that was logged at exactly Until, or at the end if that is zero or there is no
	// such line and none older.
	Before string
	Until  time.Time
	Limit  int // lines
}

// A Page is lines, oldest first.
type Page struct {
	Lines []Line
	Next  string // names the place to go on from, also after a rotation; empty: there is nothing before
}

// ReadPage returns the lines before a place in the log. It needs no hub and takes no
// lock, and reads no more of the files than it takes. A missing file is an error
// that wraps fs.ErrNotExist. Otherwise it is like [ReadTail].
func ReadPage(file string, q PageQuery) (page Page, err error) {
	files, err := openRotated(file)
	defer func() {
		for _, f := range files {
			_ = f.Close() // read only
		}
	}()
	if err != nil {
		return Page{}, fmt.Errorf("read log: %w", err)
	}
	name, offset, placed := parsePlace(q.Before)
	r := pageReader{until: q.Until, limit: q.Limit}
	for _, f := range files { // the newest first
		id, err := fileID(f)
		if err != nil {
			return Page{}, fmt.Errorf("read log: %w", err)
		}
		end := int64(-1)
		if placed && name != id {
			continue
		}
		if placed {
			end, placed, r.until = offset, false, time.Time{}
		}
		if err := r.readBack(f, id, end); err != nil {
			return Page{}, fmt.Errorf("read log: %w", err)
		}
		if len(r.lines) >= q.Limit {
			break
		}
	}
	return r.page(), nil
}

// A pageReader collects lines from the newest to the oldest.
type pageReader struct {
	until time.Time // lines up to and including the one of then are skipped; zero: none
	limit int
	lines []Line // newest first
	next  string // the place of the oldest of them
}

func (r *pageReader) page() Page {
	p := Page{Lines: make([]Line, 0, len(r.lines)), Next: r.next}
	for _, l := range slices.Backward(r.lines) {
		p.Lines = append(p.Lines, l)
	}
	if len(r.lines) < r.limit {
		p.Next = ""
	}
	return p
}

// readBack reads the lines of f that end at end, from its end; -1: all of f.
func (r *pageReader) readBack(f *os.File, id string, end int64) error {
	const chunk = 128 << 10
	if end < 0 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		end = info.Size()
	}
	var rest []byte // the beginning of a line whose end was read
	for end > 0 && len(r.lines) < r.limit {
		from := max(0, end-chunk)
		buf := make([]byte, end-from, int(end-from)+len(rest))
		if _, err := f.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		buf = append(buf, rest...)
		at := len(buf)
		for at > 0 && len(r.lines) < r.limit {
			begin := bytes.LastIndexByte(buf[:max(0, at-1)], '\n') + 1
			if begin == 0 && from > 0 {
				break // the line begins before this chunk
			}
			r.take(bytes.TrimSpace(buf[begin:at]), id, from+int64(begin))
			at = begin
		}
		rest = buf[:at:at]
		end = from
	}
	return nil
}

// take takes a line that begins at offset, unless it is skipped.
func (r *pageReader) take(raw []byte, id string, offset int64) {
	if len(raw) == 0 {
		return
	}
	l := parseLine(raw)
	if !r.until.IsZero() {
		switch {
		case l.Time.Equal(r.until):
			r.until = time.Time{}
			return
		case l.Time.IsZero() || l.Time.After(r.until.Add(-lineSlack)):
			return
		}
		r.until = time.Time{} // that line is not in the file
	}
	r.lines = append(r.lines, l)
	r.next = id + ":" + strconv.FormatInt(offset, 10)
}

// lineSlack is by how much lines may be out of the order of their times: those of
// calls are written a little later than they are made.
const lineSlack = time.Minute

// fileID tells the files of a log apart whatever their numbers are: by their first
// line.
func fileID(f *os.File) (string, error) {
	var head [64]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	_, stamp, _ := strings.Cut(string(head[:n]), `"time":"`)
	stamp, _, _ = strings.Cut(stamp, `"`)
	return stamp, nil
}

func parsePlace(place string) (id string, offset int64, ok bool) {
	i := strings.LastIndexByte(place, ':')
	if i < 0 {
		return "", 0, false
	}
	offset, err := strconv.ParseInt(place[i+1:], 10, 64)
	return place[:i], offset, err == nil && offset >= 0
}
