// Package logs is where every line that Lectern logs goes: through redaction
// into a ring in memory, which the panel reads, and into a file that rotates.
//
// It is used through log/slog: a [Log] is a slog.Handler. It is not for audit
// trails or for the content of notes. The attribute "part" says what a line is
// about. cmd opens it, supervisor.Local reads it, `lectern logs` reads the
// file with [ReadTail] when no hub runs. Start reading at [Log].
package logs

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"
)

// The bounds of what is kept, where [Options] do not say otherwise.
const (
	DefaultLines    = 20_000
	DefaultBytes    = 8 << 20
	DefaultFileSize = 5 << 20
	DefaultFiles    = 5
)

// Options of a Log. The zero value is a Log in memory alone.
type Options struct {
	// File is where lines are written as JSON, one object a line, mode 0600.
	// Older ones are in File.1 (younger) to File.4. Empty: no file.
	File string
	// Level below which nothing is recorded; nil: slog.LevelInfo.
	Level slog.Leveler
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Escape makes text safe for a terminal; it is given every string of a
	// line. nil: everything but printable ASCII is escaped as Go does.
	Escape func(string) string

	Lines    int   // that the ring keeps; 0: DefaultLines
	Bytes    int   // that the ring keeps; 0: DefaultBytes
	FileSize int64 // at which the file is rotated; 0: DefaultFileSize
	Files    int   // how many are kept with the current one; 0: DefaultFiles
}

// Log is a slog.Handler that keeps what it is given. Logging never fails and
// never waits for a reader; it waits for the file system, as writing does.
type Log struct {
	slog.Handler // the scope without attributes

	escape func(string) string
	now    func() time.Time
	ring   *ringBuffer

	mu      sync.Mutex    // one line at a time, so that ring and file agree
	file    *rotatingFile // nil: none
	last    line          // the newest line, to notice that it comes again
	repeats int           // how often it came again since it was written
	flush   *time.Timer
	closed  bool
}

// line is a record that is ready to be kept.
type line struct {
	time  time.Time
	level slog.Level
	part  string
	text  string // for the ring
	attrs []byte // for the file: `,"key":value` for each attribute
	msg   string
}

// New opens a log. The error says why the file cannot be written.
func New(o Options) (*Log, error) {
	l := &Log{escape: o.Escape, now: o.Now, ring: newRingBuffer(orDefault(o.Lines, DefaultLines), orDefault(o.Bytes, DefaultBytes))}
	if l.escape == nil {
		l.escape = escapeASCII
	}
	if l.now == nil {
		l.now = time.Now
	}
	level := o.Level
	if level == nil {
		level = slog.LevelInfo
	}
	l.Handler = handler{log: l, level: level}
	if o.File != "" {
		f, err := openFile(o.File, orDefault(o.FileSize, DefaultFileSize), orDefault(o.Files, DefaultFiles))
		if err != nil {
			return nil, fmt.Errorf("open log: %w", err)
		}
		l.file = f
	}
	return l, nil
}

func orDefault[T int | int64](n, otherwise T) T {
	if n > 0 {
		return n
	}
	return otherwise
}

func escapeASCII(s string) string {
	q := strconv.QuoteToASCII(s)
	return q[1 : len(q)-1]
}

// repeatPause is how long repeats of a line are counted before they are said.
const repeatPause = 5 * time.Second

// write keeps n after what came before it.
func (l *Log) write(n line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(n)
}

// add keeps n, unless it says the same as the line before it: such lines are
// counted and the count is written when another line comes or after a pause.
// With the lock.
func (l *Log) add(n line) {
	if n.text == l.last.text && n.part == l.last.part && n.level == l.last.level && !l.ring.isEmpty() && !l.closed {
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

// writeRepeats writes how often the last line came again. With the lock.
func (l *Log) writeRepeats() {
	if l.repeats == 0 {
		return
	}
	l.flush.Stop()
	again := l.last
	again.text += fmt.Sprintf(" (again, %d times)", l.repeats)
	again.attrs = fmt.Appendf(nil, `%s,"repeated":%d`, again.attrs, l.repeats)
	l.repeats = 0
	l.store(again)
}

// store writes n to ring and file. With the lock.
func (l *Log) store(n line) {
	l.ring.add(n)
	if l.file == nil || l.closed {
		return
	}
	for _, said := range l.file.write(l.now(), n) {
		said.part = "log"
		l.ring.add(said)
	}
}

// FileError is why lines do not reach the file now; nil: they do. They are in
// memory all the same, and the file is tried again each minute.
func (l *Log) FileError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return l.file.err
}

// Close writes what is pending and closes the file. Readers get what is there
// and then the end. Lines that come later are kept in memory alone.
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

// A Line that was logged. Text and Part are safe for a terminal if
// Options.Escape makes them so.
type Line struct {
	Seq   uint64 // from 1 up over all lines of a Log; 0: the line is from a file
	Time  time.Time
	Level slog.Level
	Part  string // empty: none was said
	Text  string // message and attributes, on one line
	// Missed is how many lines right before this one were given up before the
	// reader came for them, whether or not its Query picks them.
	Missed uint64
}

// A Query picks lines.
type Query struct {
	After  uint64     // skip up to and including this Seq; one that is not yet reached counts as 0
	Last   int        // of the lines already there keep only so many; 0: all
	Level  slog.Level // this one and graver; the zero value is slog.LevelInfo
	Part   string     // empty: all
	Follow bool       // go on as lines arrive
}

// Query delivers the lines that q picks, oldest first. The channel is closed
// after the last one, when ctx ends or when the Log is closed.
func (l *Log) Query(ctx context.Context, q Query) <-chan Line {
	ch := make(chan Line)
	go l.ring.read(ctx, l.ring.firstSeq(q), q, ch)
	return ch
}
