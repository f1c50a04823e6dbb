// Package audit is the record of every call that nobody can change unseen: one
// line of JSON for each, in a file that is only appended to, each line with the
// hash of the one before.
//
// It holds who called what, when, with what outcome, sizes, and a keyed digest
// of the arguments; never content. It is not the log, which tells what went
// wrong, and not the journal, which can take a write back. The hub records into
// a [Trail] beside the calls; `lectern audit verify` reads with [Verify]. Start
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

// The bounds of what is kept, where [Options] do not say otherwise.
const (
	DefaultFileSize = 8 << 20
	DefaultFiles    = 8
)

// maxWaiting bounds the records that wait to be written. Whoever brings one more
// writes them, and where they cannot be written the oldest are lost and counted.
const maxWaiting = 2048

// Options of a Trail. File, Key and Now are required.
type Options struct {
	File string // mode 0600; older ones are in File.1 (younger) and so on
	Key  []byte // of the digests of arguments
	Now  func() time.Time
	// Delay is how long a record may wait to be written, which is how much a
	// crash may lose. 0: it is written at once.
	Delay    time.Duration
	FileSize int64 // at which the file is rotated; 0: DefaultFileSize
	Files    int   // how many are kept with the current one; 0: DefaultFiles
}

// A Record is one call, after it has ended, or an Event.
type Record struct {
	Time     time.Time
	Session  string
	Client   string
	Proven   bool // the client showed its token
	Source   string
	Tool     string
	Effect   string
	Duration time.Duration
	Asked    int    // bytes of the arguments
	Answered int    // bytes of the answer
	Args     string // what [Trail.Digest] made of the arguments
	Code     string // of the error; empty: it went well
	// Event is what happened to the trail itself; empty: this is a call. Count
	// says of how much.
	Event string
	Count int
}

// The events.
const (
	Torn = "torn" // the last line had been cut short and was taken away; Count: its bytes
	Lost = "lost" // so many records could not be written
)

// A Trail appends records. Its methods may be used from any goroutine.
type Trail struct {
	now    func() time.Time
	delay  time.Duration
	hashes sync.Pool // of hash.Hash, keyed

	mu      sync.Mutex
	waiting []Record
	spare   []Record // of the same capacity, for the next ones
	timer   *time.Timer
	closed  bool
	lost    int // records given up since the file was written last

	writing sync.Mutex // one writer, so that lines are in order
	file    *rotatingFile
	fileErr error // the file is not written; nil: it is
}

// Open opens the trail at o.File and goes on where it ends. A line that a crash
// cut short is taken away, and that is recorded.
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

// Digest is the same for the same bytes, and tells nobody without the key what
// they are.
func (t *Trail) Digest(b []byte) string {
	h, _ := t.hashes.Get().(hash.Hash)
	defer t.hashes.Put(h)
	h.Reset()
	_, _ = h.Write(b) // a hash takes all
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0])[:16])
}

// Add records r. It waits for the file only when very many records do.
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

// Flush writes what waits.
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
// meanwhile, and gives the oldest up where they are too many. With the lock.
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

// FileError is why records do not reach the file now; nil: they do.
func (t *Trail) FileError() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fileErr
}

// Close writes what waits and closes the file. What is added later is dropped.
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
