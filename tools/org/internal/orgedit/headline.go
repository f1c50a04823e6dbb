package orgedit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A headingEdit changes parts of heading lines.
type headingEdit struct{ outline }

// at returns where headline i starts.
func (d *Draft) at(i int) int { return int(d.File().Headlines[i].Begin) }

// tagsSpan returns where the tags of the heading at at lie. Unlike a parser's,
// its answer is the one of Emacs's command that aligns them: they may follow the
// stars.
func (d *headingEdit) tagsSpan(at int) (start, end int, ok bool) {
	h := d.heading(at)
	if h.Tags.Empty() {
		return 0, 0, false
	}
	return at + int(h.Tags.Start), at + int(h.Tags.End), true
}

// alignTags moves the tags of the heading at at to the configured column.
func (d *headingEdit) alignTags(at int) {
	start, end, ok := d.tagsSpan(at)
	if !ok {
		return
	}
	blank := d.blanksStart(start, at)
	left := Columns(string(d.text[at:blank]))
	column := d.settings.TagsColumn
	if column < 0 {
		column = -column - Columns(string(d.text[start:end]))
	}
	column = max(column, left+1)
	if Columns(string(d.text[at:start])) != column {
		d.replace(blank, start, strings.Repeat(" ", column-left))
	}
}

func (d *headingEdit) autoAlign(at int) {
	if d.settings.AutoAlignTags {
		d.alignTags(at)
	}
}

// SetTags replaces the tags of headline i.
func (d *Draft) SetTags(i int, tags []string) error {
	for _, t := range tags {
		if !orgfile.ValidTag(t) {
			return fmt.Errorf("invalid tag %q: only letters, digits, _, @, # and %% are allowed in a tag", t)
		}
	}
	d.setTags(d.at(i), tags)
	return nil
}

func (d *headingEdit) setTags(at int, tags []string) {
	switch tags = slices.Clone(tags); d.settings.SortTags {
	case "":
	case "string>", "org-string>":
		slices.SortStableFunc(tags, func(a, b string) int { return strings.Compare(b, a) })
	default:
		slices.SortStableFunc(tags, strings.Compare)
	}
	h := d.heading(at)
	if !slices.Equal(tags, orgfile.SplitTags(d.part(at, h.Tags))) {
		end := d.lineEnd(at)
		start := end
		if !h.Tags.Empty() {
			start = at + int(h.Tags.Start)
		}
		start = d.blanksStart(start, at)
		added := ""
		if start == at+h.Stars {
			added = " "
		}
		if len(tags) > 0 {
			added += " :" + strings.Join(tags, ":") + ":"
		}
		d.replace(start, end, added)
	}
	if len(tags) > 0 {
		d.alignTags(at)
	}
}

// toggleTag sets or clears one tag.
func (d *headingEdit) toggleTag(at int, tag string, on bool) {
	tags := orgfile.SplitTags(d.part(at, d.heading(at).Tags))
	tags = slices.DeleteFunc(tags, func(t string) bool { return t == tag && !on })
	if on && !slices.Contains(tags, tag) {
		tags = append(tags, tag)
	}
	d.setTags(at, tags)
}

// ToggleArchiveTag sets the tag ARCHIVE on headline i, or clears it.
func (d *Draft) ToggleArchiveTag(i int) {
	at := d.at(i)
	tags := orgfile.SplitTags(d.part(at, d.heading(at).Tags))
	d.toggleTag(at, orgfile.ArchiveTag, !slices.Contains(tags, orgfile.ArchiveTag))
}

var priorityCookie = regexp.MustCompile(`\[#([A-Z0-9]+)\] ?`)

// SetPriority gives headline i a priority, a letter or a number in the range of
// the file; "" removes it.
func (d *Draft) SetPriority(i int, priority string) error {
	return d.setPriority(d.at(i), priority)
}

func (d *headingEdit) setPriority(at int, priority string) error {
	have := priorityCookie.FindSubmatchIndex(d.line(at))
	if trimBlanks(priority) == "" {
		if have == nil {
			return fmt.Errorf("the headline has no priority to remove")
		}
		d.replace(at+have[0], at+have[1], "")
		d.alignTags(at)
		return nil
	}
	priority = strings.ToUpper(priority)
	value, low, high := orgfile.PriorityValue(priority), d.settings.PriorityHighest, d.settings.PriorityLowest
	if value < low || value > high {
		return fmt.Errorf("priority %q is not between %s and %s", priority, priorityName(low), priorityName(high))
	}
	if have != nil {
		d.replace(at+have[2], at+have[3], priority)
		d.alignTags(at)
		return nil
	}
	h := d.heading(at)
	cookie := "[#" + priority + "]"
	switch {
	case !h.Keyword.Empty():
		d.insert(at+int(h.Keyword.End), " "+cookie)
	default:
		d.insert(d.titleStart(at), cookie+" ")
	}
	d.alignTags(at)
	return nil
}

func priorityName(value int) string {
	if value > 64 {
		return string(rune(value))
	}
	return fmt.Sprint(value)
}

// titleStart returns the first position behind stars, keyword and priority that
// is no blank, COMMENT included; the end of the line if there is none.
func (d *headingEdit) titleStart(at int) int {
	h := d.heading(at)
	pos := at + h.Stars
	for _, s := range []orgfile.Span{h.Keyword, h.Cookie} {
		if !s.Empty() {
			pos = at + int(s.End)
		}
	}
	return d.blanksEnd(pos)
}

// EditHeadline replaces the title of headline i and keeps keyword, priority,
// COMMENT and tags.
func (d *Draft) EditHeadline(i int, title string) error {
	if strings.ContainsAny(title, "\n\r") {
		return fmt.Errorf("a title cannot hold a line break")
	}
	at := d.at(i)
	h := d.heading(at)
	title = strings.TrimSpace(title)
	start := d.titleStart(at)
	end := start
	if !h.Title.Empty() {
		end = at + int(h.Title.End)
	} else if h.Commented {
		end = d.blanksStart(d.lineEnd(at), start)
	}
	old := string(d.text[start:end])
	switch {
	case old == title:
		return nil
	case old != "":
		d.replace(start, end, title)
	default:
		start = at + max(h.Stars, int(h.Keyword.End), int(h.Cookie.End))
		title = " " + title
		d.insert(start, title)
	}
	d.alignTags(at)
	if rest, end := start+len(title), d.lineEnd(at); d.blanksEnd(rest) == end {
		d.replace(rest, end, "")
	}
	return nil
}

// ToggleComment puts COMMENT in front of headline i's title, or removes it.
func (d *Draft) ToggleComment(i int) { d.toggleComment(d.at(i)) }

func (d *headingEdit) toggleComment(at int) {
	h := d.heading(at)
	pos := d.titleStart(at)
	if d.text[pos-1] != ' ' && d.text[pos-1] != '\t' {
		d.insert(pos, " ")
		pos++
	}
	if h.Commented {
		end := d.lineEnd(pos)
		if i := strings.IndexByte(string(d.line(pos)), ' '); i >= 0 {
			end = d.blanksEnd(pos + i)
		}
		d.replace(pos, end, "")
		return
	}
	added := "COMMENT"
	if pos < d.lineEnd(at) {
		added += " "
	}
	d.insert(pos, added)
}
