package orgagenda

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A timeSource is where an entry's time of day is read from: text, and the
// heading behind it. If wanted is false there is none.
type timeSource struct {
	text   string
	wanted bool
}

// planningTime returns the time of day in a planning timestamp. A reminder has
// none.
func (b *dayBuilder) planningTime(s *stamp, onDay bool) timeSource {
	if !onDay {
		return timeSource{}
	}
	if s.time.From < 0 {
		return timeSource{"", true}
	}
	text := b.view.File.Text(s.at)
	if m := planningClock.FindStringIndex(text); m != nil {
		return timeSource{text[m[0]+1:len(text)-1] + " ", true}
	}
	return timeSource{"", true}
}

// rangeTime returns the time of day of a range: that of its first and last day,
// or of each day if they are the same.
func (b *dayBuilder) rangeTime(s *stamp) timeSource {
	text := b.view.File.Text(s.at)
	first, last, _ := strings.Cut(text, "--")
	from, to := rangeClock.FindString(first), rangeClock.FindString(last)
	start, end := b.day == s.time.Start, b.day == s.time.End
	switch {
	case from == to || start && end:
		return timeSource{text, true}
	case start:
		return timeSource{first, true}
	case end:
		return timeSource{last, true}
	}
	return timeSource{}
}

const plainClock = `[012]?[0-9](?::[0-5][0-9](?:[AaPp][Mm])?|[AaPp][Mm])`

var (
	planningClock = regexp.MustCompile(` [012]?[0-9]:[0-9][0-9]`)
	rangeClock    = regexp.MustCompile(` [0-9]{1,2}:[0-9]{2}`)
	timeOfDay     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b([012]?[0-9])(?::([0-5][0-9])(am|pm)?|(am|pm))\b`)
	})
	stampClock = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<([0-9]{4}-[0-9]{2}-[0-9]{2} +[\pL\pN]+ +)([012][0-9]:[0-5][0-9])(?:-([012][0-9]:[0-5][0-9]))?[^\n\r>]*?>`)
	})
	stampSecond = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^--?<([0-9]{4}-[0-9]{2}-[0-9]{2} +[\pL\pN]+ +)([012][0-9]:[0-5][0-9])>`)
	})
	plainTimes = regexp.MustCompile(`\b(` + plainClock + `)\b(?:--?\b(` + plainClock + `)\b)?`)
	stampText  = regexp.MustCompile(`<[0-9]{4}-[0-9]{2}-[0-9]{2}(?: .*?)?>`)
)

// format fills in what the heading says and returns its priority. The text is not
// made if the order does not need it.
func (b *dayBuilder) format(e *Entry, s *stamp, source timeSource) int {
	e.Day, e.View, e.Headline, e.minutes, e.order = b.day, b.view, s.headline, untimed, len(b.out)
	f := b.view.File
	if e.Kind == Diary {
		e.text, e.hasText = diaryText(f.Text(s.at), b.day), true
	}
	if source.wanted && (mayHoldTime(source.text) || mayHoldTime(e.heading())) {
		text := e.rawText()
		e.text, e.hasText = e.takeTime(source.text+text, text), true
	}
	return priority(e.heading(), &f.Settings)
}

// heading is the whole heading line.
func (e *Entry) heading() []byte {
	if e.Kind == Diary {
		return []byte(e.text)
	}
	h := &e.View.File.Headlines[e.Headline]
	return e.View.File.Source[h.Begin:h.LineEnd]
}

// Text returns the heading without stars and tags, and without what Time says; of a
// diary entry its text.
func (e *Entry) Text() string {
	text := e.rawText()
	if e.Kind == Timestamp && strings.Contains(text, "<") {
		text = stampText.ReplaceAllString(text, "")
	}
	if trimmed := strings.TrimRight(text, " \t"); len(trimmed) < len(text) && e.View != nil && len(e.View.File.AllTags(e.Headline)) > 0 {
		text = trimmed
	}
	return text
}

func (e *Entry) rawText() string {
	if e.hasText {
		return e.text
	}
	f := e.View.File
	h := &f.Headlines[e.Headline]
	text := f.Source[h.Begin+h.Level : h.LineEnd]
	if begin := strings.TrimLeft(string(text), " \t"); !h.Tags.Empty() && int(h.LineEnd)-len(begin) < int(h.Tags.Start) {
		return strings.TrimRight(begin[:len(begin)-int(h.LineEnd-h.Tags.Start)], " \t")
	}
	return strings.TrimSpace(string(text))
}

// mayHoldTime says whether text has a digit in front of what only times have there.
// Most headings have none and are spared the patterns.
func mayHoldTime[T string | []byte](text T) bool {
	for i := 0; i+1 < len(text); i++ {
		if isDigit(text[i]) {
			switch text[i+1] {
			case ':', 'a', 'A', 'p', 'P':
				return true
			}
		}
	}
	return false
}

// takeTime reads the time of day in source, which ends in text. It returns text
// without it.
func (e *Entry) takeTime(source, text string) string {
	m := timeOfDay().FindStringSubmatch(source)
	if m == nil {
		return text
	}
	e.minutes = militaryTime(m)
	whole, from, to := findTimes(source)
	if whole == "" {
		return text
	}
	if i := strings.Index(text, whole); i >= 0 {
		rest := strings.TrimLeft(text[i+len(whole):], " ")
		if !strings.HasPrefix(rest, "]") {
			text = text[:i] + rest
		}
	}
	e.Time = clockText(from)
	if to != "" {
		e.Time += "-" + clockText(to)
	}
	return text
}

// findTimes returns the text that says the times, and them.
func findTimes(source string) (whole, from, to string) {
	if at := stampClock().FindStringSubmatchIndex(source); at != nil {
		m := stampClock().FindStringSubmatch(source[at[0]:])
		whole, from, to = m[0], m[2], m[3]
		if second := stampSecond().FindStringSubmatch(source[at[1]:]); second != nil && second[1] == m[1] {
			whole += second[0]
			if to == "" {
				to = second[2]
			}
		}
		return whole, from, to
	}
	if m := plainTimes.FindStringSubmatch(source); m != nil {
		return m[0], m[1], m[2]
	}
	return "", "", ""
}

// militaryTime returns hours and minutes as one number, like 1030.
func militaryTime(m []string) int {
	hours, _ := strconv.Atoi(m[1])
	minutes, _ := strconv.Atoi(m[2])
	if half := strings.ToLower(m[3] + m[4]); half != "" {
		hours %= 12
		if half == "pm" {
			hours += 12
		}
	}
	return 100*hours + minutes
}

// clockText writes a time as H:MM, and one behind midnight as +H:MM.
func clockText(text string) string {
	m := timeOfDay().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	n := militaryTime(m)
	if n > 2400 {
		return fmt.Sprintf("+%d:%02d", n/100-24, n%100)
	}
	return fmt.Sprintf("%d:%02d", n/100, n%100)
}

// priority returns a thousand for each step above the lowest priority.
func priority(text []byte, s *orgfile.Settings) int {
	value := s.PriorityDefault
	for rest := text; ; {
		i := bytes.Index(rest, []byte("[#"))
		if i < 0 {
			break
		}
		rest = rest[i+2:]
		if end := bytes.IndexByte(rest, ']'); end > 0 && len(bytes.Trim(rest[:end], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")) == 0 {
			value = orgfile.PriorityValue(string(rest[:end]))
			break
		}
	}
	return 1000 * (s.PriorityLowest - value)
}
