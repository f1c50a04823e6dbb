package logs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A reader takes lines in batches, and looks at no more than scanLimit of them
// at a time, so that a writer never waits long for it.
const (
	batchLines = 64
	scanLimit  = 2048
)

// A ringBuffer keeps the newest lines, bounded by their number and by the bytes
// of their text. Lines are numbered from 1 and keep their number.
type ringBuffer struct {
	mu       sync.Mutex
	entries  []ringEntry // line n is entries[n % len(entries)]
	bytes    int         // of the texts that are kept
	maxBytes int
	first    uint64 // the oldest line that is kept
	next     uint64 // the number of the line to come

	followers map[chan struct{}]bool
	done      chan struct{} // closed when no line will come
}

type ringEntry struct {
	time      time.Time
	level     slog.Level
	component string
	text      string
}

func newRingBuffer(lines, bytes int) *ringBuffer {
	return &ringBuffer{
		entries: make([]ringEntry, lines), maxBytes: bytes, first: 1, next: 1,
		followers: map[chan struct{}]bool{}, done: make(chan struct{}),
	}
}

func (r *ringBuffer) at(seq uint64) *ringEntry { return &r.entries[seq%uint64(len(r.entries))] }

func (r *ringBuffer) add(n line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := n.text
	if limit := r.maxBytes / 4; len(text) > limit {
		text = truncate(text, max(0, limit-40))
		text = text[:min(len(text), limit)]
	}
	for r.first < r.next && (r.next-r.first == uint64(len(r.entries)) || r.bytes+len(text) > r.maxBytes) {
		r.bytes -= len(r.at(r.first).text)
		*r.at(r.first) = ringEntry{}
		r.first++
	}
	*r.at(r.next) = ringEntry{n.time, n.level, n.component, text}
	r.bytes += len(text)
	r.next++
	for f := range r.followers {
		select {
		case f <- struct{}{}:
		default: // it has been woken already
		}
	}
}

// isEmpty reports whether nothing was logged yet.
func (r *ringBuffer) isEmpty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next == r.first
}

func (r *ringBuffer) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.done)
}

// firstSeq returns the number of the line that reading for q begins with, as
// if nothing had been dropped.
func (r *ringBuffer) firstSeq(q Query) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := q.After + 1
	if q.After == 0 || q.After >= r.next {
		from = r.first
	}
	if q.Last <= 0 {
		return from
	}
	left, oldest := q.Last, max(from, r.first)
	for seq := r.next; seq > oldest; seq-- {
		if !matchesQuery(q, r.at(seq-1)) {
			continue
		}
		if left--; left == 0 {
			return seq - 1
		}
	}
	return from
}

func matchesQuery(q Query, e *ringEntry) bool {
	return e.level >= q.Level && (q.Component == "" || q.Component == e.component)
}

// read sends the lines from number seq on that q selects, and closes ch.
func (r *ringBuffer) read(ctx context.Context, seq uint64, q Query, ch chan<- Line) {
	defer close(ch)
	more := make(chan struct{}, 1)
	if q.Follow {
		r.setFollower(more, true)
		defer r.setFollower(more, false)
	}
	var lines []Line
	var missed uint64
	for {
		var end bool
		lines, seq, end = r.copyBatch(lines[:0], seq, &missed, q)
		for _, l := range lines {
			select {
			case ch <- l:
			case <-ctx.Done():
				return
			}
		}
		switch {
		case !end:
		case !q.Follow:
			return
		default:
			select {
			case <-more:
			case <-r.done:
				q.Follow = false // once more, for the last lines
			case <-ctx.Done():
				return
			}
		}
	}
}

func (r *ringBuffer) setFollower(more chan struct{}, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on {
		r.followers[more] = true
	} else {
		delete(r.followers, more)
	}
}

// copyBatch appends to lines what q selects from number seq on, up to a batch.
// It returns where to continue and whether that is the end. Lines that were
// dropped are added to missed, which goes into the next line that is selected.
func (r *ringBuffer) copyBatch(lines []Line, seq uint64, missed *uint64, q Query) (_ []Line, next uint64, end bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq < r.first {
		*missed += r.first - seq
		seq = r.first
	}
	for stop := min(r.next, seq+scanLimit); seq < stop && len(lines) < batchLines; seq++ {
		e := r.at(seq)
		if !matchesQuery(q, e) {
			continue
		}
		lines = append(lines, Line{
			Seq: seq, Time: e.time, Level: e.level, Component: e.component,
			Text: e.text, Missed: *missed,
		})
		*missed = 0
	}
	return lines, seq, seq == r.next
}
