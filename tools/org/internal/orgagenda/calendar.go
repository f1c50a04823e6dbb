// Package orgagenda says what an agenda shows on which day: deadlines with their
// warnings, what is scheduled and was not done, timestamps, ranges, repetitions
// and diary entries, in Emacs's order and words; how habits go; and how much time
// clocks recorded. It works on [orgfile.View]s, so that hidden headlines cannot
// be in an answer. It opens no files and reads no clock: the caller says what
// today is. The System for Org imports it. Start reading at [Scan] and [List].
package orgagenda

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// A Calendar holds the timestamps of one file that agendas may show, whatever day
// they are asked for. It is read-only and may be used by several goroutines.
type Calendar struct {
	view      *orgfile.View
	deadlines []stamp
	scheduled []stamp
	ranges    []stamp
	days      []dayStamp // plain timestamps of one day, sorted by it
	plain     []stamp    // those that repeat, or are expressions
	diary     []stamp
	habits    map[int]*Habit
}

// A dayStamp is a timestamp of one day: most are, and take little memory so.
type dayStamp struct {
	day      int32
	headline int32
	at       orgfile.Span
}

// A stamp is a timestamp and the headline that it belongs to.
type stamp struct {
	headline int
	at       orgfile.Span // of the timestamp, with its brackets; of the line for diary entries
	time     orgtime.Timestamp
	repeats  bool // of a plain timestamp: its repetitions are shown
}

// Scan finds the timestamps of what v shows. Archived subtrees and those under
// COMMENT have none, nor has what stands in a block of code or in a comment.
func Scan(v *orgfile.View) *Calendar {
	c := &Calendar{view: v, habits: map[int]*Habit{}}
	f := v.File
	for i := 0; i < len(f.Headlines); {
		if IsSkipped(v, i) {
			i = f.AfterSubtree(i)
			continue
		}
		c.collectPlanning(i)
		c.collectEntry(i)
		if f.Settings.Agenda.Habits {
			if h, err := ParseHabit(v, i); err == nil {
				c.habits[i] = h
			}
		}
		i++
	}
	slices.SortStableFunc(c.days, func(a, b dayStamp) int { return cmp.Compare(a.day, b.day) })
	c.days = slices.Clip(c.days)
	return c
}

// An Unsupported is a diary expression that only Emacs can evaluate, so that
// agendas leave it out.
type Unsupported struct {
	View       *orgfile.View
	Headline   int
	Expression string
}

// Unsupported returns the diary expressions that need Emacs, in the order of the
// file.
func (c *Calendar) Unsupported() []Unsupported {
	var out []Unsupported
	for _, list := range [][]stamp{c.deadlines, c.scheduled, c.plain, c.diary} {
		for i := range list {
			s := &list[i]
			if s.time.Expression == nil {
				continue
			}
			if _, known := s.time.Falls(0); !known {
				out = append(out, Unsupported{c.view, s.headline, c.view.File.Text(s.at)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Unsupported) int { return a.Headline - b.Headline })
	return out
}

var archiveMark = []byte(":" + orgfile.ArchiveTag + ":")

// IsSkipped says whether agendas leave out the subtree of headline i: it is hidden,
// archived or under COMMENT. The file's own tags may archive all of them.
func IsSkipped(v *orgfile.View, i int) bool {
	h := &v.File.Headlines[i]
	if v.Hidden(i) || h.Commented || !h.Tags.Empty() && bytes.Contains(v.File.Source[h.Tags.Start:h.Tags.End], archiveMark) {
		return true
	}
	return slices.Contains(v.File.Settings.FileTags, orgfile.ArchiveTag)
}

func (c *Calendar) collectPlanning(i int) {
	p := c.view.File.Headlines[i].Planning
	if p.Empty() {
		return
	}
	line := c.view.File.Source[p.Start:p.End]
	for _, item := range orgfile.PlanningItems(line) {
		list := &c.scheduled
		switch item.Kind {
		case orgfile.Scheduled:
		case orgfile.Deadline:
			list = &c.deadlines
		case orgfile.Closed:
			continue
		}
		if t, ok := orgtime.Parse(string(line[item.Stamp:item.End])); ok && t.Active {
			c.add(list, i, orgfile.Span{Start: p.Start + item.Stamp, End: p.Start + item.End}, t)
		}
	}
}

func (c *Calendar) add(list *[]stamp, i int, at orgfile.Span, t orgtime.Timestamp) {
	t.Overflow = c.view.File.Settings.Quirks == orgfile.Org95
	*list = append(*list, stamp{i, at, t, repeatsLast(c.view.File.Source[at.Start:at.End])})
}

// collectEntry finds the other timestamps of headline i's own text.
func (c *Calendar) collectEntry(i int) {
	f := c.view.File
	h := &f.Headlines[i]
	end := f.EntryEnd(i)
	lines := contextScanner{src: f.Source[:end], next: int(h.Begin)}
	for at := int(h.Begin); at < end; {
		n := bytes.IndexByte(f.Source[at:end], '<')
		if n < 0 {
			break
		}
		at += n
		if end-at < 12 || f.Source[at+1] != '%' && f.Source[at+1] != '1' && f.Source[at+1] != '2' && !isDigit(f.Source[at+1]) {
			at++
			continue
		}
		t, ok := orgtime.Parse(string(f.Source[at:lineEnd(f.Source, at, end)]))
		if !ok {
			at++
			continue
		}
		span := orgfile.Span{Start: int32(at), End: int32(at + t.Length)}
		isRange := bytes.Contains(f.Source[at:at+t.Length], []byte(">--<"))
		planning := span.Start >= h.Planning.Start && span.Start < h.Planning.End
		switch context := lines.at(at); {
		case context == inComment || context == inSource:
		case isRange:
			c.add(&c.ranges, i, span, t)
		case !planning && context == inText:
			if t.Expression == nil && t.Repeat.Unit == 0 {
				c.days = append(c.days, dayStamp{int32(t.Start), int32(i), span})
			} else {
				c.add(&c.plain, i, span, t)
			}
		}
		at += t.Length
	}
	c.collectDiary(i)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func lineEnd(src []byte, at, end int) int {
	if n := bytes.IndexByte(src[at:end], '\n'); n >= 0 {
		return at + n
	}
	return end
}

// collectDiary finds the lines "%%(expression) text".
func (c *Calendar) collectDiary(i int) {
	f := c.view.File
	end := f.EntryEnd(i)
	lines := contextScanner{src: f.Source[:end], next: int(f.Headlines[i].Begin)}
	for at := int(f.Headlines[i].Begin); ; {
		n := bytes.Index(f.Source[at:end], []byte("%%("))
		if n < 0 {
			return
		}
		begin := at + n
		at = begin + 3
		if f.Source[begin-1] == '&' {
			begin--
		}
		if f.Source[begin-1] != '\n' {
			continue
		}
		span := orgfile.Span{Start: int32(begin), End: int32(lineEnd(f.Source, begin, end))}
		if t, ok := orgtime.Parse("<" + expressionText(f.Text(span)) + ">"); ok && lines.at(begin) != inSource {
			c.add(&c.diary, i, span, t)
		}
	}
}
