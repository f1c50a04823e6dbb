package logs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// batch is how many lines a reader copies, and scan how many it looks at,
// while it holds the lock that writers need.
const (
	batch = 64
	scan  = 2048
)

// ring keeps the newest lines: their text in one circular array of bytes,
// what else there is in another of the same fate. The first grows to what the
// lines need, up to most; apart from that adding allocates nothing. Lines are
// numbered from 1 and keep their number.
type ring struct {
	mu    sync.Mutex
	bytes []byte
	most  int
	lines []entry // line n is lines[n % len(lines)]
	first uint64  // the oldest line that is kept
	next  uint64  // the number of the line to come
	head  int     // where in bytes its text goes

	followers map[chan struct{}]bool
	done      chan struct{} // closed when no line will come
}

type entry struct {
	time     time.Time
	level    slog.Level
	part     string
	off, len int
}

// firstBytes is how large the array of bytes is at first.
const firstBytes = 64 << 10

func newRing(lines, bytes int) *ring {
	return &ring{
		bytes: make([]byte, min(bytes, firstBytes)), most: bytes, lines: make([]entry, lines),
		first: 1, next: 1,
		followers: map[chan struct{}]bool{}, done: make(chan struct{}),
	}
}

func (r *ring) at(seq uint64) *entry { return &r.lines[seq%uint64(len(r.lines))] }

func (r *ring) add(n line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := n.text
	if most := r.most / 4; len(text) > most {
		text = cut(text, max(0, most-40))
		text = text[:min(len(text), most)]
	}
	if r.next-r.first == uint64(len(r.lines)) {
		r.first++
	}
	size := max(1, len(text)) // an empty line has a place too, so that places are in order
	for !r.fits(size) && r.grow() {
	}
	if r.head+size > len(r.bytes) { // no line wraps: the end stays unused
		r.evict(r.head, len(r.bytes))
		r.head = 0
	}
	r.evict(r.head, r.head+size)
	copy(r.bytes[r.head:], text)
	*r.at(r.next) = entry{n.time, n.level, n.part, r.head, len(text)}
	r.head += size
	r.next++
	for f := range r.followers {
		select {
		case f <- struct{}{}:
		default: // it is awake already
		}
	}
}

// fits reports whether a text of that size has a place without evicting any.
func (r *ring) fits(size int) bool {
	if r.first == r.next {
		return size <= len(r.bytes)
	}
	oldest := r.at(r.first).off
	if r.head > oldest { // free are the end and the beginning
		return r.head+size <= len(r.bytes) || size <= oldest
	}
	return r.head+size <= oldest
}

// grow makes room for more text, and reports false when there is as much as
// may be.
func (r *ring) grow() bool {
	if len(r.bytes) >= r.most {
		return false
	}
	bytes := make([]byte, min(2*len(r.bytes), r.most))
	r.head = 0
	for seq := r.first; seq < r.next; seq++ {
		e := r.at(seq)
		copy(bytes[r.head:], r.bytes[e.off:e.off+e.len])
		e.off = r.head
		r.head += max(1, e.len)
	}
	r.bytes = bytes
	return true
}

// evict gives up the oldest lines as long as they lie in bytes[from:to].
func (r *ring) evict(from, to int) {
	for r.first < r.next {
		if e := r.at(r.first); e.off >= to || e.off+max(1, e.len) <= from {
			return
		}
		r.first++
	}
}

func (r *ring) filled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next > r.first
}

// watched reports whether someone follows.
func (r *ring) watched() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.followers) > 0
}

func (r *ring) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.done)
}

// start returns the number of the line that reading for q begins with, as if
// nothing had been given up.
func (r *ring) start(q Query) uint64 {
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
		if !picks(q, r.at(seq-1)) {
			continue
		}
		if left--; left == 0 {
			return seq - 1
		}
	}
	return from
}

func picks(q Query, e *entry) bool {
	return e.level >= q.Level && (q.Part == "" || q.Part == e.part)
}

// read sends the lines from number seq on that q picks, and closes ch.
func (r *ring) read(ctx context.Context, seq uint64, q Query, ch chan<- Line) {
	defer close(ch)
	more := make(chan struct{}, 1)
	if q.Follow {
		r.follow(more, true)
		defer r.follow(more, false)
	}
	var lines []Line
	var missed uint64
	for {
		var end bool
		lines, seq, end = r.copy(lines[:0], seq, &missed, q)
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
				q.Follow = false // once more, for what came last
			case <-ctx.Done():
				return
			}
		}
	}
}

func (r *ring) follow(more chan struct{}, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on {
		r.followers[more] = true
	} else {
		delete(r.followers, more)
	}
}

// copy appends to lines what q picks from number seq on, up to a batch. It
// returns where to go on and whether that is the end. Lines that were given up
// are added to missed, which goes into the next line that is picked.
func (r *ring) copy(lines []Line, seq uint64, missed *uint64, q Query) (_ []Line, next uint64, end bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq < r.first {
		*missed += r.first - seq
		seq = r.first
	}
	for stop := min(r.next, seq+scan); seq < stop && len(lines) < batch; seq++ {
		e := r.at(seq)
		if !picks(q, e) {
			continue
		}
		lines = append(lines, Line{
			Seq: seq, Time: e.time, Level: e.level, Part: e.part,
			Text: string(r.bytes[e.off : e.off+e.len]), Missed: *missed,
		})
		*missed = 0
	}
	return lines, seq, seq == r.next
}
