package orgagenda

import (
	"bytes"
	"regexp"
	"strconv"
	"sync"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// A DayRange is the days whose recorded time counts, both included.
type DayRange struct{ First, Last orgtime.Day }

// clip returns how many of the minutes from start to end lie in the range. Minutes
// count from 1970-01-01, as if there were no time zones.
func (r *DayRange) clip(start, end int) int {
	if r != nil {
		start, end = max(start, 1440*int(r.First)), min(end, 1440*int(r.Last+1))
	}
	return max(0, end-start)
}

// A ClockReport is the time recorded at one headline, in minutes.
type ClockReport struct {
	Headline int
	Own      int
	Total    int  // with the subtree
	Running  bool // its last clock was never stopped; that one is not counted
}

var clockLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*CLOCK:[ \t]*(?:(\[[^\]\n]*\])(?:-+(\[[^\]\n]*\]))?|=>[ \t]+([0-9]{1,6}):([0-9]{1,2}))`)
})

// ReportClock returns the time recorded at each headline of v that has some, in the
// order of the file, archived ones too. r nil is all time. A line that only says
// how long it was counts whatever the range.
func ReportClock(v *orgfile.View, r *DayRange) []ClockReport {
	f := v.File
	if !bytes.Contains(f.Source, []byte("CLOCK:")) {
		return nil
	}
	all := make([]ClockReport, len(f.Headlines))
	for i := range f.Headlines {
		all[i].Headline = i
		if v.Hidden(i) {
			continue
		}
		all[i].Own, all[i].Running = entryClocks(f.Source[f.Headlines[i].LineEnd:f.EntryEnd(i)], r)
		for at := i; at >= 0; at = int(f.Headlines[at].Parent) {
			all[at].Total += all[i].Own
		}
	}
	var out []ClockReport
	for _, c := range all {
		if c.Total > 0 || c.Running {
			out = append(out, c)
		}
	}
	return out
}

// entryClocks adds up the clock lines of one entry.
func entryClocks(text []byte, r *DayRange) (minutes int, running bool) {
	if !bytes.Contains(text, []byte("CLOCK:")) {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		m := clockLine().FindSubmatch(line)
		switch {
		case m == nil:
		case m[3] != nil:
			hours, _ := strconv.Atoi(string(m[3]))
			n, _ := strconv.Atoi(string(m[4]))
			minutes += 60*hours + n
		case m[2] == nil:
			running = true
		default:
			start, ok := orgtime.Parse(string(m[1]))
			end, ok2 := orgtime.Parse(string(m[2]))
			if ok && ok2 {
				minutes += r.clip(clockMinute(start), clockMinute(end))
			}
		}
	}
	return minutes, running
}

func clockMinute(t orgtime.Timestamp) int { return 1440*int(t.Start) + int(max(t.From, 0)) }
