package orgedit

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

var (
	// repeated finds a timestamp that repeats, up to its repeater.
	repeated = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<[0-9]{4}-[0-9]{2}-[0-9]{2} [^>\n]*?([.+]?\+[0-9]+[hdwmy](?:/[0-9]+[hdwmy])?)`)
	})
	repeater = regexp.MustCompile(`([.+])?\+([0-9]+)([hdwmy])`)
	// stampTail is what follows date and time at the end of a timestamp.
	stampTail = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`((?:-[012][0-9]:[0-5][0-9])?(?: +[.+]?-?[-+][0-9]+[hdwmy](?:/[0-9]+[hdwmy])?)*)[\]>]`)
	})
	stampClock = regexp.MustCompile(`^.{10}.*?[0-9]+:[0-9][0-9]`)
	timeOfDay  = regexp.MustCompile(`[0-9]{1,2}:[0-9]{2}`)
	firstDelay = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` --[0-9]+[hdwmy]`) })
)

// repeat puts an entry that was just done back to work if one of its timestamps
// repeats: its state, its dates and LAST_REPEAT. It returns the record to write.
func (d *stateEdit) repeat(at int, old, state string, record *logNote) (*logNote, error) {
	end := d.textEnd(at)
	first, ok := d.nextRepeated(at, end)
	if !ok || strings.Trim(repeater.FindStringSubmatch(first.cookie)[2], "0") == "" {
		return record, nil
	}
	limit, release := d.anchor(end)
	defer release()
	pos, releasePos := d.anchor(at)
	defer releasePos()
	mode := d.settings.LogRepeat
	if _, err := d.changeStateSilently(at, d.repeatState(at, old)); err != nil {
		return nil, err
	}
	at = *pos // the parent's cookies may have grown
	d.addPlanning(at, "", "", orgfile.Closed)
	if mode != orgfile.LogNothing || d.hasClock(at, *limit) {
		d.putProperty(at, "LAST_REPEAT", d.now())
	}
	if mode != orgfile.LogNothing {
		if record == nil {
			record = &logNote{purpose: "state", state: state, previous: old, mode: mode, quoteNone: true}
		} else if mode == orgfile.LogNote {
			record.mode = mode
		}
	}
	if s := d.planningStamp(at, orgfile.Scheduled); s != "" && !repeated().MatchString(s) {
		d.removeStamps(at, orgfile.Scheduled)
	}
	for from := at; ; {
		r, ok := d.nextRepeated(from, *limit)
		if !ok {
			return record, nil
		}
		next, err := d.shiftRepeated(r)
		if err != nil {
			return nil, err
		}
		from = next
	}
}

// changeStateSilently is the change of state back to work: nothing is recorded.
func (d *stateEdit) changeStateSilently(at int, state string) (*logNote, error) {
	settings := d.settings
	defer func() { d.settings = settings }()
	d.settings.ApplyLogging("")
	d.settings.LogRepeat = settings.LogRepeat
	return d.changeState(at, state)
}

// repeatState is the state that a repeating entry returns to.
func (d *stateEdit) repeatState(at int, old string) string {
	todo := &d.settings.Todo
	want, ok := d.selective(at, "REPEAT_TO_STATE")
	if !ok || want == "" {
		want = d.settings.RepeatToState
		if want == "t" && !todo.Contains("t") {
			want = old
		}
	}
	switch {
	case want != "" && todo.Contains(want):
		return want
	case todo.IsType(old):
		return old
	}
	return todo.Head(old)
}

// selective returns the entry's own value of key, or the inherited one if the
// settings say that properties are inherited.
func (d *outline) selective(at int, key string) (string, bool) {
	if d.settings.PropertyInheritance.Includes(key) {
		return d.inherited(at, key)
	}
	v, _, ok := d.property(at, key)
	return v, ok
}

func (d *stateEdit) hasClock(at, end int) bool {
	return regexp.MustCompile(`(?m)^[ \t]*CLOCK:`).Match(d.text[at:end])
}

// A repeatedStamp is a timestamp with a repeater.
type repeatedStamp struct {
	start, end int // with its brackets
	cookie     string
}

// nextRepeated finds the first repeating timestamp from pos to end that counts:
// not one in a comment, in a block of text or in a drawer's record.
func (d *stateEdit) nextRepeated(pos, end int) (repeatedStamp, bool) {
	for pos < end {
		m := repeated().FindSubmatchIndex(d.text[pos:end])
		if m == nil {
			return repeatedStamp{}, false
		}
		start := pos + m[0]
		length := strings.IndexByte(string(d.text[pos+m[1]:end]), '>')
		// The repeater must end in a timestamp whose date is near enough.
		if i := strings.LastIndexByte(string(d.text[start:pos+m[1]]), '<'); i > 0 {
			start += i
		}
		if length >= 0 && orgfile.TimestampLength(d.text[start:end]) > 0 && d.countsAsTimestamp(start) {
			if line := d.lineEnd(start); pos+m[1]+length < line {
				return repeatedStamp{start, pos + m[1] + length + 1, string(d.text[pos+m[2] : pos+m[3]])}, true
			}
		}
		pos += m[1]
	}
	return repeatedStamp{}, false
}

// countsAsTimestamp says whether Org reads a timestamp at pos: verbatim blocks,
// comments and fixed-width lines are text.
func (d *outline) countsAsTimestamp(pos int) bool {
	line := strings.TrimLeft(string(d.text[d.lineStart(pos):pos]), " \t")
	if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, ": ") ||
		strings.HasPrefix(line, "#+") && !strings.HasPrefix(strings.ToUpper(line), "#+CAPTION") {
		return false
	}
	return !d.inVerbatimBlock(pos)
}

// inVerbatimBlock says whether pos lies in a block whose text is not Org.
func (d *outline) inVerbatimBlock(pos int) bool {
	head := max(d.headingAbove(pos), 0)
	limit := d.nextHeading(head)
	for line := d.nextLine(head); line < pos; {
		next := d.nextLine(line)
		if after, ok := d.verbatimEnd(line, limit); ok {
			if pos < after {
				return true
			}
			next = d.nextLine(after)
		}
		if next <= line {
			break
		}
		line = next
	}
	return false
}

// verbatimEnd returns the last line of the block of text that starts at line.
func (d *outline) verbatimEnd(line, limit int) (int, bool) {
	m := blockBegin.FindSubmatch(d.line(line))
	if m == nil || !slices.Contains([]string{"src", "example", "export", "comment"}, strings.ToLower(string(m[1]))) {
		return 0, false
	}
	return d.closingLine(d.nextLine(line), limit, func(l []byte) bool {
		e := blockEnd.FindSubmatch(l)
		return e != nil && bytes.EqualFold(e[1], m[1])
	})
}

// shiftRepeated moves a timestamp to its next date and returns the position
// behind it.
func (d *stateEdit) shiftRepeated(r repeatedStamp) (int, error) {
	text := string(d.text[r.start:r.end])
	m := repeater.FindStringSubmatch(text[11:])
	if m == nil {
		return r.end, nil
	}
	s, ok := parseStamp(text)
	if !ok {
		return r.end, nil
	}
	n, err := strconv.Atoi(m[2])
	if err != nil || n > maxRepeat {
		return 0, fmt.Errorf("the repeater of %s is too large", text)
	}
	unit := m[3]
	if unit == "w" {
		n, unit = 7*n, "d"
	}
	if unit == "h" && !timeOfDay.MatchString(text) {
		return 0, fmt.Errorf("cannot repeat in %d hours: the timestamp has no time of day", n)
	}
	tail := ""
	if t := stampTail().FindStringSubmatch(text); t != nil {
		tail = t[1]
	}
	s.hasTime = stampClock.MatchString(text)
	switch {
	case n == 0:
	case m[1] == "." && unit == "h":
		minutes := int((d.env.wallClock().Unix() - s.time().Unix()) / 60)
		s = d.shift(s, minutes, "M", &tail)
	case m[1] == ".":
		now := d.env.wallClock()
		s.year, s.month, s.day = now.Year(), int(now.Month()), now.Day()
	case m[1] == "+":
		s = d.shift(s, n*d.wholeSteps(s, n, unit), unit, &tail)
		for { // at least once, then until it lies in the future
			s = d.shift(s, n, unit, &tail)
			if s.time().After(d.env.wallClock()) {
				break
			}
		}
		n = 0
	}
	s = d.shift(s, n, unit, &tail)
	tail = firstDelay().ReplaceAllString(tail, "")
	out := s.format('<')
	out = out[:len(out)-1] + tail + ">"
	d.replace(r.start, r.end, out)
	return r.start + len(out), nil
}

// wholeSteps returns how many steps of n days or hours lie between a date and
// now, so that an old date does not have to be walked.
func (d *stateEdit) wholeSteps(s stamp, n int, unit string) int {
	step := int64(n) * 3600
	switch unit {
	case "h":
	case "d":
		step *= 24
	default:
		return 0
	}
	return int(max(0, d.env.wallClock().Unix()-s.time().Unix()) / step)
}

// maxRepeat bounds how far one step of a repeater goes, so that dates stay
// printable.
const maxRepeat = 100_000

// wallClock returns the present time as if the clock on the wall showed UTC,
// like the dates in files.
func (e Env) wallClock() time.Time {
	n := e.Now
	return time.Date(n.Year(), n.Month(), n.Day(), n.Hour(), n.Minute(), n.Second(), n.Nanosecond(), time.UTC)
}

// shift moves a stamp by n units; M is minutes. A range of times moves with hours
// and minutes.
func (d *stateEdit) shift(s stamp, n int, unit string, tail *string) stamp {
	t := s.time()
	switch unit {
	case "d":
		t = t.AddDate(0, 0, n)
	case "m", "y":
		months := n
		if unit == "y" {
			months = 12 * n
		}
		t = d.addMonths(t, months)
	case "h":
		t = t.AddDate(0, 0, n/24).Add(time.Duration(n%24) * time.Hour) // a Duration holds 292 years only
		*tail = shiftTail(*tail, 60*n)
	case "M":
		t = t.AddDate(0, 0, n/1440).Add(time.Duration(n%1440) * time.Minute)
		*tail = shiftTail(*tail, n)
	}
	s.year, s.month, s.day, s.hour, s.minute = t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute()
	return s
}

// addMonths keeps the day of the month where the month has it. Where it has not,
// Org 9.5 goes on into the next month and Org main takes its last day.
func (d *stateEdit) addMonths(t time.Time, months int) time.Time {
	out := t.AddDate(0, months, 0)
	if d.settings.Quirks != orgfile.Org95 && out.Day() != t.Day() {
		out = out.AddDate(0, 0, -out.Day())
	}
	return out
}

var endTime = regexp.MustCompile(`^-([012][0-9]):([0-5][0-9])`)

func shiftTail(tail string, minutes int) string {
	m := endTime.FindStringSubmatch(tail)
	if m == nil {
		return tail
	}
	h, _ := strconv.Atoi(m[1])
	min, _ := strconv.Atoi(m[2])
	const day = 24 * 60
	total := ((h*60+min+minutes)%day + day) % day
	return fmt.Sprintf("-%02d:%02d", total/60, total%60) + tail[len(m[0]):]
}
