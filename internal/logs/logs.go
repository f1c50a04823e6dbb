// Package logs is where every line that Lectern logs goes: redacted, into a
// ring buffer that the panel reads, and into a file that rotates.
//
// It is used through log/slog: a [Log] is a slog.Handler. It is not for audit
// trails or for the content of notes. The attribute "component" says what a line is
// about. cmd opens it, supervisor reads it, and `lectern logs` reads the file
// with [ReadTail] when no hub is running. Start reading at [Log].
package logs

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"
)

// Defaults of [Options].
const (
	DefaultLines    = 20_000
	DefaultBytes    = 8 << 20
	DefaultFileSize = 5 << 20
	DefaultFiles    = 5
)

// Options configure a Log. The zero value is a Log in memory only.
type Options struct {
	// File gets the lines as JSON, one object per line, with mode 0600. Older lines
	// are in File.1 to File.4, which is the oldest. Empty means no file.
	File string
	// Level is the lowest level that is recorded; nil means slog.LevelInfo.
	Level slog.Leveler
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Escape makes every string of a line safe for a terminal. Nil escapes
	// everything but printable ASCII, as Go does.
	Escape func(string) string

	Lines    int   // in the ring buffer; 0: DefaultLines
	Bytes    int   // in the ring buffer; 0: DefaultBytes
	FileSize int64 // at which the file is rotated; 0: DefaultFileSize
	Files    int   // including the current one; 0: DefaultFiles
}

// Log is a slog.Handler that keeps what it gets. Logging never fails and never
// waits for a reader; it does wait for the file system.
type Log struct {
	slog.Handler // without attributes

	escape func(string) string
	now    func() time.Time
	ring   *ringBuffer

	mu      sync.Mutex    // one line at a time, so that ring buffer and file agree
	file    *rotatingFile // nil: none
	last    line          // the newest line, to notice repetitions
	repeats int           // of last since it was written
	flush   *time.Timer
	closed  bool
}

// A line is a record that is ready to be stored.
type line struct {
	time      time.Time
	level     slog.Level
	component string
	text      string // for the ring buffer
	attrs     []byte // for the file: `,"key":value` for each attribute
	msg       string
}

// New opens a log. The error says why the file cannot be written.
func New(o Options) (*Log, error) {
	l := &Log{escape: o.Escape, now: o.Now, ring: newRingBuffer(cmp.Or(o.Lines, DefaultLines), cmp.Or(o.Bytes, DefaultBytes))}
	if l.escape == nil {
		l.escape = escapeASCII
	}
	if l.now == nil {
		l.now = time.Now
	}
	l.Handler = handler{log: l, level: cmp.Or[slog.Leveler](o.Level, slog.LevelInfo)}
	if o.File != "" {
		f, err := openFile(o.File, cmp.Or(o.FileSize, DefaultFileSize), cmp.Or(o.Files, DefaultFiles))
		if err != nil {
			return nil, fmt.Errorf("open log: %w", err)
		}
		l.file = f
	}
	return l, nil
}

func escapeASCII(s string) string {
	if isPlain(s) {
		return s
	}
	q := strconv.QuoteToASCII(s)
	return q[1 : len(q)-1]
}

// repeatPause is how long repetitions of a line are counted before the count is
// written.
const repeatPause = 5 * time.Second

// write stores n after the lines before it.
func (l *Log) write(n line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(n)
}

// add stores n, unless it equals the line before it: such lines are counted,
// and the count is written when another line comes or after a pause. l.mu is
// held.
func (l *Log) add(n line) {
	if n.text == l.last.text && n.component == l.last.component && n.level == l.last.level && !l.ring.isEmpty() && !l.closed {
		l.last.time = n.time
		l.repeats++
		if l.repeats == 1 {
			l.flush = time.AfterFunc(repeatPause, l.flushRepeats)
		}
		return
	}
	l.writeRepeats()
	l.store(n)
	l.last = n
}

// flushRepeats is called when the pause is over.
func (l *Log) flushRepeats() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writeRepeats()
}

// writeRepeats writes how often the last line was repeated. l.mu is held.
func (l *Log) writeRepeats() {
	if l.repeats == 0 {
		return
	}
	l.flush.Stop()
	again := l.last
	again.text += fmt.Sprintf(" (repeated %d times)", l.repeats)
	again.attrs = fmt.Appendf(nil, `%s,"repeated":%d`, again.attrs, l.repeats)
	l.repeats = 0
	l.store(again)
}

// store writes n to ring buffer and file. l.mu is held.
func (l *Log) store(n line) {
	l.ring.add(n)
	if l.file == nil || l.closed {
		return
	}
	for _, said := range l.file.write(l.now(), n) {
		said.component = "log"
		l.ring.add(said)
	}
}

// FileError returns why lines do not reach the file now; nil if they do. They
// are in memory all the same, and the file is tried again each minute.
func (l *Log) FileError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return l.file.err
}

// Close writes what is pending and closes the file. Readers get the remaining
// lines and then the end. Later lines are kept in memory only.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.writeRepeats()
	l.closed = true
	l.ring.close()
	if l.file == nil {
		return nil
	}
	return l.file.close()
}

// A Line was logged. Text and Part are safe for a terminal if Options.Escape
// makes them so.
type Line struct {
	Seq       uint64 // from 1 over all lines of a Log; 0: the line is from a file
	Time      time.Time
	Level     slog.Level
	Component string // empty: none was given
	Text      string // message and attributes, on one line
	// Missed is how many lines right before this one were dropped before the reader
	// got to them, whether or not its Query selects them.
	Missed uint64
}

// A Query selects lines.
type Query struct {
	After     uint64     // skip up to and including this Seq; one that does not exist yet counts as 0
	Last      int        // at most so many of the lines that exist; 0: all
	Level     slog.Level // this level and above; the zero value is slog.LevelInfo
	Component string     // empty: all
	Follow    bool       // continue as lines arrive
}

// Query delivers the lines that q selects, oldest first. The channel is closed
// after the last one, when ctx ends, or when the Log is closed.
func (l *Log) Query(ctx context.Context, q Query) <-chan Line {
	ch := make(chan Line, batchLines) // one wake-up of the reader for a batch, not one for each line
	go l.ring.read(ctx, l.ring.firstSeq(q), q, ch)
	return ch
}
