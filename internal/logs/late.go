package logs

import (
	"log/slog"
	"sync"
	"time"
)

// lateMax bounds the records that wait, in case many come at once.
const lateMax = 1024

// late are records that are not yet rendered: whoever logs a plain line, as
// the hub does for each call, need not wait until it is written.
type late struct {
	mu      sync.Mutex
	records []lateRecord
	spare   []lateRecord // of the same capacity, for the next ones
	delay   time.Duration
	timer   *time.Timer // nil: none was made
}

type lateRecord struct {
	scope  scope
	record slog.Record
}

// put takes r if it may wait: it is no warning, what it holds cannot change
// meanwhile, and nobody watches the log.
func (l *Log) put(s scope, r slog.Record) bool {
	if l.late.delay == 0 || r.Level >= slog.LevelWarn || r.Time.IsZero() || l.ring.watched() || !isFixed(r) {
		return false
	}
	l.late.mu.Lock()
	defer l.late.mu.Unlock()
	if len(l.late.records) >= lateMax {
		return false // and what waits is written with r
	}
	l.late.records = append(l.late.records, lateRecord{s, r.Clone()})
	switch {
	case len(l.late.records) > 1:
	case l.late.timer == nil:
		l.late.timer = time.AfterFunc(l.late.delay, l.catchUp)
	default:
		l.late.timer.Reset(l.late.delay)
	}
	return true
}

// isFixed reports whether rendering r later gives what rendering it now does.
func isFixed(r slog.Record) bool {
	fixed := true
	r.Attrs(func(a slog.Attr) bool {
		switch a.Value.Kind() {
		case slog.KindAny, slog.KindLogValuer, slog.KindGroup:
			fixed = false
		default:
		}
		return fixed
	})
	return fixed
}

// catchUp writes what waits.
func (l *Log) catchUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writeLate()
}

// writeLate writes what waits. With the lock, so that lines stay in order.
func (l *Log) writeLate() {
	if l.late.delay == 0 {
		return
	}
	l.late.mu.Lock()
	records := l.late.records
	l.late.records, l.late.spare = l.late.spare[:0], nil
	l.late.mu.Unlock()
	for _, r := range records {
		l.add(r.scope.line(r.record))
	}
	clear(records)
	l.late.mu.Lock()
	l.late.spare = records[:0]
	l.late.mu.Unlock()
}
