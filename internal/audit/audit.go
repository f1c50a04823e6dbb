// Package audit is the record of every call, which cannot be changed
// unnoticed: one line of JSON per call, in a file that is only appended to,
// each line with the hash of the one before.
//
// It records who called what, when, with what outcome and sizes, and a keyed
// digest of the arguments; never content. It is not the log, which says what
// went wrong, and not the journal, which can undo a write. The hub records
// calls into a [Trail]; `lectern audit verify` reads it with [Verify]. Start
// reading at [Trail].
package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
	"time"
)

// Defaults of [Options].
const (
	DefaultFileSize = 8 << 20
	DefaultFiles    = 8
)

// maxWaiting bounds the records that wait to be written. The caller that adds one
// more writes them; if that fails, the oldest are dropped and counted.
const maxWaiting = 2048

// Options configure a Trail. File, Key and Now are required.
type Options struct {
	File string // mode 0600; older records are in File.1, File.2 and so on
	Key  []byte // for the digests of arguments
	Now  func() time.Time
	// Delay is how long a record may wait to be written, and so how much a crash may
	// lose. 0 means that it is written at once.
	Delay    time.Duration
	FileSize int64 // at which the file is rotated; 0: DefaultFileSize
	Files    int   // including the current one; 0: DefaultFiles
}

// A Record is one call that has ended, or an Event.
type Record struct {
	Time     time.Time
	Session  string
	Client   string
	Proven   bool // the client has shown its token
	Source   string
	Tool     string
	Effect   string
	Duration time.Duration
	Asked    int    // bytes of the arguments
	Answered int    // bytes of the answer
	Args     string // what [Trail.Digest] made of the arguments
	Code     string // of the error; empty on success
	// Event is what happened to the trail itself; empty for a call. Count is how
	// many bytes or records that concerns.
	Event string
	Count int
}

// All events.
const (
	Torn = "torn" // the last line was incomplete and was removed; Count is its bytes
	Lost = "lost" // Count records could not be written
)

// A Trail appends records. Its methods are safe for concurrent use.
type Trail struct {
	now    func() time.Time
	delay  time.Duration
	hashes sync.Pool // of hash.Hash, keyed

	mu      sync.Mutex
	waiting []Record
	spare   []Record // of the same capacity, for the next ones
	timer   *time.Timer
	closed  bool
	lost    int // records dropped since the file was written last

	writing sync.Mutex // one writer, so that lines are in order
	file    *rotatingFile
	fileErr error // why the file cannot be written; nil if it can
}

// Open opens the trail at o.File and continues it. A line that a crash
// truncated is removed, which is recorded.
func Open(o Options) (*Trail, error) {
	key := append([]byte(nil), o.Key...)
	t := &Trail{now: o.Now, delay: o.Delay}
	t.hashes.New = func() any { return hmac.New(sha256.New, key) }
	f, torn, err := openFile(o)
	if err != nil {
		return nil, err
	}
	t.file = f
	if torn > 0 {
		t.Add(Record{Time: o.Now(), Event: Torn, Count: torn})
		t.Flush()
	}
	return t, nil
}

// Digest is the same for the same bytes, and reveals nothing about them
// without the key.
func (t *Trail) Digest(b []byte) string {
	h, _ := t.hashes.Get().(hash.Hash)
	defer t.hashes.Put(h)
	h.Reset()
	_, _ = h.Write(b) // a hash returns no error
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0])[:16])
}

// Add records r. It waits for the file only if very many records do.
func (t *Trail) Add(r Record) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.waiting = append(t.waiting, r)
	full := len(t.waiting) >= maxWaiting || t.delay == 0
	switch {
	case full || len(t.waiting) > 1:
	case t.timer == nil:
		t.timer = time.AfterFunc(t.delay, t.Flush)
	default:
		t.timer.Reset(t.delay)
	}
	t.mu.Unlock()
	if full {
		t.Flush()
	}
}

// Flush writes the waiting records.
func (t *Trail) Flush() {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	records, lost := t.waiting, t.lost
	t.waiting, t.spare, t.lost = t.spare[:0], nil, 0
	t.mu.Unlock()
	if lost > 0 {
		records = append([]Record{{Time: t.now(), Event: Lost, Count: lost}}, records...)
	}
	wrote, err := t.file.append(records)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fileErr = err
	if err != nil {
		t.requeue(records[wrote:], lost)
		return
	}
	clear(records)
	t.spare = records[:0]
}

// requeue puts records that could not be written back before those that came
// since, and drops the oldest if there are too many. t.mu is held.
func (t *Trail) requeue(records []Record, lost int) {
	if lost > 0 && len(records) > 0 && records[0].Event == Lost {
		records, t.lost = records[1:], lost
	}
	t.waiting = append(append([]Record(nil), records...), t.waiting...)
	if extra := len(t.waiting) - maxWaiting/2; extra > 0 {
		t.lost += extra
		t.waiting = append([]Record(nil), t.waiting[extra:]...)
	}
	if !t.closed && t.delay > 0 {
		t.timer.Reset(max(t.delay, time.Second))
	}
}

// FileError returns why records do not reach the file now; nil if they do.
func (t *Trail) FileError() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fileErr
}

// Close writes the waiting records and closes the file. Records added later
// are dropped.
func (t *Trail) Close() error {
	t.mu.Lock()
	t.closed = true
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	t.Flush()
	t.writing.Lock()
	defer t.writing.Unlock()
	return t.file.close()
}
