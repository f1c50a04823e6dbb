package logview

import (
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
	maxComponents = 1 << 10  // names of parts; lines of later ones count as the last
)

// A ring keeps the last lines in one arena, so that a line costs a copy and no
// garbage. Every line has a number that it keeps: numbers begin at 1, count up
// by one, and those below first are gone.
type ring struct {
	arena       []byte
	lines       []ringLine // by number modulo its length
	first, next uint64
	head        uint64 // where the next byte goes, counted from the beginning of all time
	components  []string
	clients     clientIndex
}

// A ringLine is a line but for its text. Its text begins at byte at, counted
// like ring.head, so what lies len(arena) behind the head is overwritten.
type ringLine struct {
	at        uint64
	time      int64 // in nanoseconds since 1970; meaningless for a mark
	size      uint32
	component uint16
	level     level
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
	return &ring{arena: make([]byte, size), lines: make([]ringLine, lines), first: 1, next: 1}
}

// add keeps a line and returns its number. The text becomes [theme.Sanitize].
func (r *ring) add(at time.Time, l level, component, text string) uint64 {
	text = theme.TruncateBytes(theme.Sanitize(text), min(maxLineBytes, len(r.arena)/4))
	size := uint64(len(r.arena))
	if over := r.head%size + uint64(len(text)); over > size {
		r.head += size - r.head%size // a text is in one piece: leave the end of the arena empty
	}
	end := r.head + uint64(len(text))
	for r.first < r.next && (r.next-r.first == uint64(len(r.lines)) || r.line(r.first).at+size < end) {
		r.first++
	}
	copy(r.arena[r.head%size:], text)
	*r.line(r.next) = ringLine{at: r.head, size: uint32(len(text)), time: at.UnixNano(), level: l, component: r.componentIndex(component)}
	r.head = end
	if l != remarkLevel {
		r.clients.observe([]byte(text))
	}
	r.next++
	return r.next - 1
}

// line returns the line with number n, which must not be gone.
func (r *ring) line(n uint64) *ringLine { return &r.lines[n%uint64(len(r.lines))] }

// text returns the text of l until the next add.
func (r *ring) text(l *ringLine) []byte {
	from := l.at % uint64(len(r.arena))
	return r.arena[from : from+uint64(l.size)]
}

func (r *ring) componentIndex(name string) uint16 {
	for i, known := range r.components {
		if known == name {
			return uint16(i)
		}
	}
	if len(r.components) < maxComponents {
		r.components = append(r.components, name)
	}
	return uint16(len(r.components) - 1)
}
