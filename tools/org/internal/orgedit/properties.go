package orgedit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A propertyEdit changes property drawers.
type propertyEdit struct{ headingEdit }

// SetProperty sets a property of headline i, or of the file for -1. The keys of the
// keyword (TODO), PRIORITY, SCHEDULED and DEADLINE change the heading and the planning
// line instead; note is then as for SetState.
func (d *Draft) SetProperty(i int, key, value string, note *string) error {
	at := -1
	if i >= 0 {
		at = d.at(i)
	}
	switch {
	case key == "" || strings.ContainsAny(key, " \t\r\n"):
		return fmt.Errorf("invalid property name %q: it is empty or holds blanks", key)
	case strings.ContainsAny(value, "\r\n"):
		return fmt.Errorf("the value of property %s holds a line break", key)
	case d.currentValue(at, key, value):
		return nil
	case i >= 0:
		switch key {
		case "TODO":
			pos, release := d.anchor(at)
			defer release()
			if err := d.setState(at, value, note); err != nil {
				return err
			}
			d.alignTags(*pos)
			return nil
		case "PRIORITY":
			return d.setPriority(at, value)
		case "SCHEDULED", "DEADLINE":
			if value == "" {
				d.removePlanning(at, orgfile.PlanningKind(key), note)
				return nil
			}
			return d.setPlanning(at, orgfile.PlanningKind(key), value, note)
		}
	}
	if specialProperties[key] {
		return fmt.Errorf("property %s is computed by Org and cannot be set", key)
	}
	d.putProperty(at, key, value)
	return nil
}

// currentValue says whether key has this value already.
func (d *propertyEdit) currentValue(at int, key, value string) bool {
	switch {
	case at >= 0 && key == "TODO":
		return d.keyword(at) == value
	case at >= 0 && key == "PRIORITY":
		now := priorityName(d.settings.PriorityDefault)
		if m := priorityCookie.FindSubmatch(d.line(at)); m != nil {
			now = string(m[1])
		}
		return now == value
	}
	v, _, ok := d.property(at, key)
	return ok && v == value
}

var specialProperties = map[string]bool{
	"ALLTAGS": true, "BLOCKED": true, "CLOCKSUM": true, "CLOCKSUM_T": true, "CLOSED": true, "DEADLINE": true, "FILE": true, "ITEM": true,
	"PRIORITY": true, "SCHEDULED": true, "TAGS": true, "TIMESTAMP": true, "TIMESTAMP_IA": true, "TODO": true,
}

func (d *propertyEdit) putProperty(at int, key, value string) {
	m := d.meta(at)
	if m.Drawer.Empty() {
		d.insertPropertyDrawer(at)
		m = d.meta(at)
	}
	start := int(m.Drawer.Start)
	margin := indent(d.indentation(start))
	text := margin + d.formatProperty(":"+key+":", trimBlanks(value))
	last := d.lineStart(int(m.Drawer.End)) // the line of :END:
	if pos, ok := d.findProperty(d.nextLine(start), last, key); ok {
		d.replace(pos, d.lineEnd(pos), text)
		return
	}
	d.insert(last, text+"\n")
}

// formatDirective is a directive for a text in a format of Emacs.
var formatDirective = regexp.MustCompile(`%(-?)([0-9]*)s|%%`)

// formatProperty writes a property as org-property-format says.
func (d *outline) formatProperty(key, value string) string {
	texts := []string{key, value}
	line := formatDirective.ReplaceAllStringFunc(d.settings.PropertyFormat, func(directive string) string {
		if directive == "%%" || len(texts) == 0 {
			return "%"
		}
		text := texts[0]
		texts = texts[1:]
		m := formatDirective.FindStringSubmatch(directive)
		width, _ := strconv.Atoi(m[2])
		padding := strings.Repeat(" ", max(0, width-Columns(text)))
		if m[1] == "" {
			return padding + text
		}
		return text + padding
	})
	return trimBlanks(line)
}

// findProperty returns the first line from pos to limit that sets key.
func (d *outline) findProperty(pos, limit int, key string) (int, bool) {
	re := propertyPattern(key, "")
	for ; pos < limit; pos = d.nextLine(pos) {
		if re.Match(d.line(pos)) {
			return pos, true
		}
	}
	return 0, false
}

func propertyPattern(key, suffix string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[ \t]*:` + regexp.QuoteMeta(key) + suffix + `:(?:$|[ \t])`)
}

func (d *propertyEdit) insertPropertyDrawer(at int) {
	margin := indent(d.planningColumn(at))
	drawer := margin + ":PROPERTIES:\n" + margin + ":END:"
	m := d.meta(at)
	pos := m.Body
	switch {
	case pos == 0:
		d.insert(0, drawer+"\n")
	case d.atLineStart(pos):
		d.insert(pos, drawer+"\n")
	default:
		d.insert(pos, "\n"+drawer+"\n")
	}
}

// planningColumn returns the indentation of a new property drawer.
func (d *propertyEdit) planningColumn(at int) int {
	if at < 0 {
		return 0
	}
	return d.drawerColumn(at)
}

// DeleteProperty removes a property of headline i, or of the file for -1, with
// the lines that append to it. A drawer that was its last line's goes with it.
func (d *Draft) DeleteProperty(i int, key string) {
	at := -1
	if i >= 0 {
		at = d.at(i)
	}
	m := d.meta(at)
	if m.Drawer.Empty() {
		return
	}
	re := propertyPattern(key, `\+?`)
	begin := d.nextLine(int(m.Drawer.Start))
	last, release := d.anchor(d.lineStart(int(m.Drawer.End)))
	defer release()
	for pos := begin; pos < *last; {
		if next := d.nextLine(pos); re.Match(d.line(pos)) {
			d.replace(pos, next, "")
		} else {
			pos = next
		}
	}
	if *last == begin {
		d.replace(int(m.Drawer.Start), d.nextLine(*last), "")
	}
}

// property returns the entry's own value of key.
func (d *outline) property(at int, key string) (value string, base, ok bool) {
	m := d.meta(at)
	if m.Drawer.Empty() {
		return "", false, false
	}
	f := orgfile.File{Source: d.text, Settings: d.settings}
	var parts []string
	for _, line := range f.PropertyLines(m.Drawer) {
		name, extend := strings.CutSuffix(line.Key, "+")
		switch {
		case strings.EqualFold(line.Key, key) && !base:
			value, base, ok = line.Value, true, true
		case extend && strings.EqualFold(name, key):
			parts, ok = append(parts, line.Value), true
		}
	}
	if value != "" {
		parts = append([]string{value}, parts...)
	}
	return strings.Join(parts, " "), base, ok
}

// set says whether a property of the entry has a value other than nil.
func (d *outline) set(at int, key string) bool {
	v, _, ok := d.property(at, key)
	return ok && v != "nil"
}

// inherited returns the value of key in the entry or its ancestors, the file's
// own drawer or keywords.
func (d *outline) inherited(at int, key string) (value string, ok bool) {
	var parts []string
	for {
		v, base, found := d.property(at, key)
		if found {
			ok = true
			if v != "" {
				parts = append([]string{v}, parts...)
			}
		}
		if base {
			return strings.Join(parts, " "), true
		}
		if at < 0 {
			break
		}
		at = d.heir(at)
	}
	for _, p := range d.settings.Properties {
		if strings.EqualFold(p.Key, key) {
			ok = true
			parts = append([]string{p.Value}, parts...)
		}
	}
	return strings.Join(parts, " "), ok
}

// heir returns whose properties the entry at at takes over: its parent's, or the
// file's (-1). In Org 9.5 a file that starts with a heading has no properties of
// its own; those of its first entry count instead.
func (d *outline) heir(at int) int {
	up := d.parent(at)
	if up < 0 && at > 0 && d.settings.Quirks == orgfile.Org95 && d.level(0) > 0 {
		return 0
	}
	return up
}

// CreateID returns the ID of headline i, or of the file for -1, and gives it one
// first if it has none.
func (d *Draft) CreateID(i int) (id string, created bool) {
	at := -1
	if i >= 0 {
		at = d.at(i)
	}
	if v, _, ok := d.property(at, "ID"); ok && v != "" {
		return v, false
	}
	id = d.env.NewID()
	d.putProperty(at, "ID", id)
	return id, true
}
