package orgedit

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A planningEdit changes planning lines.
type planningEdit struct{ logEdit }

// Schedule sets the SCHEDULED date of headline i. when is what Org's date prompt
// takes: "2026-02-01 14:00-15:00", "+2d", "fri"; a repeater and a warning period
// may follow ("2026-02-01 ++1w -3d"), else those of the old date stay. CLOSED is
// removed. note goes with the record that org-log-reschedule asks for.
func (d *Draft) Schedule(i int, when string, note *string) error {
	return d.setPlanning(d.at(i), orgfile.Scheduled, when, note)
}

// SetDeadline sets the DEADLINE of headline i, as Schedule does.
func (d *Draft) SetDeadline(i int, when string, note *string) error {
	return d.setPlanning(d.at(i), orgfile.Deadline, when, note)
}

// RemoveSchedule removes SCHEDULED from headline i; without one nothing changes.
func (d *Draft) RemoveSchedule(i int, note *string) {
	d.removePlanning(d.at(i), orgfile.Scheduled, note)
}

// RemoveDeadline removes DEADLINE from headline i; without one nothing changes.
func (d *Draft) RemoveDeadline(i int, note *string) {
	d.removePlanning(d.at(i), orgfile.Deadline, note)
}

// cookies finds the repeater of an old timestamp with what follows it.
var cookies = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.+-]+[0-9]+[hdwmy](?:[/ ][-+]?[0-9]+[hdwmy])?`) })

func (d *planningEdit) setPlanning(at int, kind orgfile.PlanningKind, when string, note *string) error {
	old := d.planningStamp(at, kind)
	when, repeat := cutCookies(when)
	if repeat == "" {
		repeat = cookies().FindString(old)
	}
	base := d.env.Now
	if old != "" && relativeSign.MatchString(when) {
		if stamp, ok := parseStamp(old); ok {
			base = stamp.time()
		}
	}
	moment, err := readDate(when, d.env.Now, base)
	if err != nil {
		return err
	}
	stamp := moment.format('<')
	d.addPlanning(at, kind, stamp, orgfile.Closed)
	var n *logNote
	if mode := d.planningLog(kind); old != "" && mode != orgfile.LogNothing && old != stamp {
		n = &logNote{purpose: "redeadline", state: stamp, previous: old, mode: mode}
		if kind == orgfile.Scheduled {
			n.purpose = "reschedule"
		}
	}
	if repeat != "" {
		below := d.nextLine(at)
		if i := strings.Index(string(d.line(below)), string(kind)+": "+stamp); i >= 0 {
			d.insert(below+i+len(kind)+2+len(stamp)-1, " "+repeat)
		}
	}
	d.storeNote(at, n, note)
	return nil
}

func (d *planningEdit) planningLog(kind orgfile.PlanningKind) orgfile.LogMode {
	if kind == orgfile.Deadline {
		return d.settings.LogRedeadline
	}
	return d.settings.LogReschedule
}

// planningStamp returns the timestamp behind the last word kind on the planning
// line, "" for none.
func (d *planningEdit) planningStamp(at int, kind orgfile.PlanningKind) string {
	p := d.meta(at).Planning
	if p.Empty() {
		return ""
	}
	line := string(d.text[p.Start:p.End])
	i := strings.LastIndex(line, string(kind)+":")
	if i < 0 {
		return ""
	}
	rest := strings.TrimLeft(line[i+len(kind)+1:], " \t")
	n := orgfile.TimestampLength([]byte(rest))
	if n == 0 {
		return ""
	}
	if first := strings.IndexAny(rest, "]>"); first >= 0 {
		n = first + 1
	}
	return rest[:n]
}

// addPlanning puts "KIND: stamp" first on the planning line and removes an old
// one and those of the kinds in remove. With kind "" it only removes.
func (d *planningEdit) addPlanning(at int, kind orgfile.PlanningKind, stamp string, remove ...orgfile.PlanningKind) {
	below := d.nextLine(at)
	has := below > d.lineEnd(at) && orgfile.IsPlanningLine(d.line(below)) && d.lineEnd(at) < len(d.text)
	var pos int
	switch {
	case has:
		pos = d.blanksEnd(below)
		if kind != "" {
			remove = append([]orgfile.PlanningKind{kind}, remove...)
		}
		for _, k := range remove {
			d.cutPlanning(pos, k)
		}
		if end := d.lineEnd(pos); kind == "" && d.blanksEnd(pos) == end {
			d.replace(below-1, end, "")
			return
		}
		end := d.lineEnd(pos)
		d.replace(d.blanksStart(end, pos), end, "")
	case kind != "":
		pos = d.lineEnd(at)
		margin := ""
		if d.settings.AdaptIndentation {
			margin = indent(d.level(at) + 1)
		}
		d.insert(pos, "\n"+margin)
		pos += 1 + len(margin)
	}
	if kind == "" {
		return
	}
	added := string(kind) + ": " + stamp
	if pos < d.lineEnd(pos) {
		added += " "
	}
	d.insert(pos, added)
}

// cutPlanning removes the first item of a kind from the planning line, up to the
// next item.
func (d *planningEdit) cutPlanning(pos int, kind orgfile.PlanningKind) {
	items := orgfile.PlanningItems(d.line(pos))
	for n, item := range items {
		open := byte('<')
		if kind == orgfile.Closed {
			open = '['
		}
		if item.Kind != kind || d.text[pos+int(item.Stamp)] != open {
			continue
		}
		end := d.lineEnd(pos)
		if n+1 < len(items) {
			end = pos + int(items[n+1].Word)
		}
		d.replace(pos+int(item.Word), end, "")
		return
	}
}

// removePlanning removes every "KIND: <...>" of the entry, as Emacs does, not
// only the one of the planning line.
func (d *planningEdit) removePlanning(at int, kind orgfile.PlanningKind, note *string) {
	old := d.planningStamp(at, kind)
	if old == "" {
		return
	}
	var n *logNote
	if mode := d.planningLog(kind); mode != orgfile.LogNothing {
		n = &logNote{purpose: "deldeadline", previous: old, mode: mode}
		if kind == orgfile.Scheduled {
			n.purpose = "delschedule"
		}
	}
	d.removeStamps(at, kind)
	d.storeNote(at, n, note)
}

func (d *planningEdit) removeStamps(at int, kind orgfile.PlanningKind) {
	re := regexp.MustCompile(`\b` + string(kind) + `: +<[^>\n]+>[ \t]*`)
	for limit := d.textEnd(at); ; {
		found := re.FindAllIndex(d.text[at:limit], -1)
		if len(found) == 0 {
			return
		}
		last := found[len(found)-1]
		pos := at + last[0]
		d.replace(pos, at+last[1], "")
		limit = pos
		start, end := d.lineStart(pos), d.lineEnd(pos)
		switch {
		case strings.TrimSpace(string(d.text[start:pos])) != "" && d.text[pos-1] == ' ':
			d.replace(pos-1, pos, "")
			limit--
		case strings.TrimSpace(string(d.text[start:end])) == "":
			d.replace(start, min(len(d.text), end+1), "")
			limit = start
		}
	}
}

// A stamp is a moment as a timestamp holds it.
type stamp struct {
	year, month, day   int
	hasTime            bool
	hour, minute       int
	hasEnd             bool
	endHour, endMinute int
}

func (s stamp) time() time.Time {
	return time.Date(s.year, time.Month(s.month), s.day, s.hour, s.minute, 0, 0, time.UTC)
}

// format writes the stamp between the brackets that open starts.
func (s stamp) format(open byte) string {
	text := s.time().Format("2006-01-02 Mon")
	if s.hasTime {
		text = s.time().Format("2006-01-02 Mon 15:04")
	}
	if s.hasEnd {
		text += fmt.Sprintf("-%02d:%02d", s.endHour, s.endMinute)
	}
	if open == '[' {
		return "[" + text + "]"
	}
	return "<" + text + ">"
}

// now returns the present minute as an inactive timestamp.
func (d *buffer) now() string { return d.env.Now.Format("[2006-01-02 Mon 15:04]") }

// ErrDate is what every error about a date that cannot be read wraps.
var ErrDate = errors.New("not a date that Org reads")
