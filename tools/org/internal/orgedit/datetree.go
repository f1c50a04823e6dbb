package orgedit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// findDate returns the heading of a day in the date tree that lies below the
// heading at root, or at the top of the file for root < 0 or 0 without a heading
// there; missing years, months and days are written.
func (d *moveEdit) findDate(s stamp, base int) int {
	t := time.Date(s.year, time.Month(s.month), s.day, 0, 0, 0, 0, time.UTC)
	low, high := base, len(d.text)
	level := 1
	if base > 0 && d.level(base) > 0 {
		level, high = d.level(base)+1, d.subtreeEnd(base)
	}
	step := 1
	if d.settings.OddLevels {
		step = 2
	}
	at := low
	for n, want := range []struct{ pattern, text string }{
		{`([0-9]{4})(?:\s*?(?:[ \t]|$)|[ \t]+\S.*$)`, t.Format("2006")},
		{t.Format("2006") + `-([0-9]{2}) \w+`, t.Format("2006-01 January")},
		{t.Format("2006-01") + `-([0-9]{2}) \w+`, t.Format("2006-01-02 Monday")},
	} {
		stars := level + n*step
		number := []int{s.year, s.month, s.day}[n]
		at = d.findDateNode(low, high, stars, want.pattern, number, want.text)
		low, high = at, d.subtreeEnd(at)
	}
	return at
}

func (d *moveEdit) findDateNode(low, high, stars int, pattern string, number int, title string) int {
	re := regexp.MustCompile(fmt.Sprintf(`(?m)^\*{%d}[ \t]+%s`, stars, pattern))
	pos := high
	for _, m := range re.FindAllSubmatchIndex(d.text[low:high], -1) {
		n, err := strconv.Atoi(string(d.text[low+m[2] : low+m[3]]))
		if err != nil {
			continue
		}
		if n == number {
			return low + m[0]
		}
		if n > number {
			pos = low + m[0]
			break
		}
	}
	text := len(strings.TrimRight(string(d.text[:pos]), " \t\n"))
	gap := "\n"
	if d.settings.Quirks == orgfile.Org95 {
		gap = "\n\n"
	}
	line := gap + strings.Repeat("*", stars) + " " + title
	d.replace(text, pos, line+"\n")
	return text + len(gap)
}
