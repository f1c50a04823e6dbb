package hub

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// callLogDelay is how long the line of a call waits for others before it is logged.
	callLogDelay = 20 * time.Millisecond
	// maxBufferedLogLines is how many lines may wait. The call after them logs them.
	maxBufferedLogLines = 1024
)

// logLineBuffer logs a line for each call, a little later and in their order: to word
// and write one takes as long as everything else that the hub does for a call.
type logLineBuffer struct {
	log   *slog.Logger
	delay time.Duration // 0: none

	writing sync.Mutex // held while lines are written, so that they stay in order

	mu    sync.Mutex
	queue []slog.Record
}

// add logs r soon.
func (l *logLineBuffer) add(r slog.Record) {
	l.mu.Lock()
	l.queue = append(l.queue, r)
	n := len(l.queue)
	l.mu.Unlock()
	switch {
	case n == maxBufferedLogLines, l.delay == 0:
		l.writeAll()
	case n == 1:
		time.AfterFunc(l.delay, l.writeAll)
	}
}

// writeAll logs what waits.
func (l *logLineBuffer) writeAll() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	lines := l.queue
	l.queue = nil
	l.mu.Unlock()
	for _, r := range lines {
		_ = l.log.Handler().Handle(context.Background(), r) // a log reports its errors itself
	}
}

// Flush logs the calls that have ended, if that waits.
func (l *CallLog) Flush() { l.lines.writeAll() }
