package logview

import (
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// MaxLogLines is how many lines a [View] keeps; the log file has all of them.
const MaxLogLines = 20_000

// Other bounds of what is kept.
const (
	maxLogBytes   = 8 << 20
	maxLineBytes  = 64 << 10 // of one line; the rest of a longer one is cut
	maxComponents = 1 << 10  // that can be chosen as a filter
)

// What is kept when a person goes back beyond [MaxLogLines].
const (
	MaxLinesWithOlder = 200_000
	maxBytesWithOlder = 32 << 20
)

// A ring keeps the newest lines. Every line has a number that it keeps: numbers
// count up by one, and those below first are gone. It grows when lines from before
// are asked for.
type ring struct {
	lines           []ringLine // by number modulo its length
	first, next     uint64
	bytes, maxBytes int      // of the texts that are kept
	remarks         int      // among the lines that are kept
	components      []string // in the order of their first lines
	clients         clientIndex
}

type ringLine struct {
	time      time.Time
	level     level
	component string
	text      string
	older     bool // it was read from disk, and may be of another hub
}

// level is a status.Level that can be compared.
type level uint8

const (
	debugLevel level = iota
	infoLevel
	warnLevel
	failLevel
	remarkLevel // no line of the log but a remark about it; no filter hides it
)

func parseLevel(l status.Level) level {
	switch l {
	case status.Debug:
		return debugLevel
	case status.Warn:
		return warnLevel
	case status.Fail:
		return failLevel
	default:
		return infoLevel
	}
}

func (l level) status() status.Level {
	return [...]status.Level{status.Debug, status.Info, status.Warn, status.Fail, ""}[l]
}

func newRing(lines, size int) *ring {
	return &ring{lines: make([]ringLine, lines), first: firstLineNumber, next: firstLineNumber, maxBytes: size}
}

// firstLineNumber leaves room for the numbers of lines from before.
const firstLineNumber = 1 << 32

// grow makes room for n more lines.
func (r *ring) grow(n int) {
	have := len(r.lines)
	if int(r.len())+n <= have || have >= MaxLinesWithOlder {
		return
	}
	lines := make([]ringLine, max(int(r.len())+n, min(2*have, MaxLinesWithOlder)))
	for i := r.first; i < r.next; i++ {
		lines[i%uint64(len(lines))] = *r.line(i)
	}
	r.lines, r.maxBytes = lines, maxBytesWithOlder
}

// isFull reports whether a line that is added may push the oldest out.
func (r *ring) isFull() bool { return int(r.len())+2 > len(r.lines) }

// prepend keeps a line that was logged before all others; false: there is no room.
func (r *ring) prepend(l ringLine) bool {
	l.text = theme.TruncateBytes(theme.Sanitize(l.text), min(maxLineBytes, r.maxBytes/4))
	if r.len() >= MaxLinesWithOlder || r.bytes+len(l.text) > r.maxBytes {
		return false
	}
	r.first--
	r.bytes += len(l.text)
	*r.line(r.first) = l
	r.adjustRemarkCount(l, 1)
	if l.component != "" && len(r.components) < maxComponents && !slices.Contains(r.components, l.component) {
		r.components = append(r.components, l.component)
	}
	return true
}

// add keeps a line and returns its number. The text becomes [theme.Sanitize].
func (r *ring) add(l ringLine) uint64 {
	l.text = theme.TruncateBytes(theme.Sanitize(l.text), min(maxLineBytes, r.maxBytes/4))
	for r.first < r.next && (r.next-r.first == uint64(len(r.lines)) || r.bytes+len(l.text) > r.maxBytes) {
		r.bytes -= len(r.line(r.first).text)
		r.adjustRemarkCount(*r.line(r.first), -1)
		*r.line(r.first) = ringLine{}
		r.first++
	}
	r.bytes += len(l.text)
	*r.line(r.next) = l
	r.adjustRemarkCount(l, 1)
	if l.component != "" && len(r.components) < maxComponents && !slices.Contains(r.components, l.component) {
		r.components = append(r.components, l.component)
	}
	if l.level != remarkLevel {
		r.clients.observe(l.text)
	}
	r.next++
	return r.next - 1
}

// adjustRemarkCount adds n to the number of remarks if l is one.
func (r *ring) adjustRemarkCount(l ringLine, n int) {
	if l.level == remarkLevel {
		r.remarks += n
	}
}

// line returns the line with number n, which must not be gone.
func (r *ring) line(n uint64) *ringLine { return &r.lines[n%uint64(len(r.lines))] }

// len is how many lines are kept.
func (r *ring) len() uint64 { return r.next - r.first }

// newestTime is when the newest line was logged, which is no remark, and whether it was
// read from disk; zero: there is none.
func (r *ring) newestTime() (at time.Time, onDisk bool) {
	for n := r.next; n > r.first && r.next-n < 8; n-- {
		if l := r.line(n - 1); l.level != remarkLevel {
			return l.time, l.older
		}
	}
	return time.Time{}, false
}

// oldestTime is when the oldest line was logged; zero: there is none.
func (r *ring) oldestTime() time.Time {
	for n := r.first; n < r.next && n-r.first < 8; n++ {
		if l := r.line(n); l.level != remarkLevel {
			return l.time
		}
	}
	return time.Time{}
}
