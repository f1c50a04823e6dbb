package main

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// A doctorReport is what `lectern doctor` prints, line by line as it comes.
type doctorReport struct {
	*world
	width  int // of the longest name
	colour bool
}

func (w *world) reportOf(names []string) doctorReport {
	r := doctorReport{world: w, colour: w.onTerminal() && w.env("NO_COLOR") == ""}
	for _, name := range names {
		r.width = max(r.width, len(name))
	}
	return r
}

// check prints one result, and below it what to do.
func (r doctorReport) check(c status.Check) {
	result := fmt.Sprintf("%-7s", c.Result)
	if r.colour {
		result = colourOf(c.Result) + result + "\x1b[0m"
	}
	detail := c.Detail
	if detail == "" {
		detail = c.Title
	}
	r.say("%s  %-*s  %s\n", result, r.width, line(c.Name), line(detail))
	if c.Fix != "" {
		r.say("%s%s\n", strings.Repeat(" ", r.width+11), line(c.Fix))
	}
}

// sum prints how many of each there are.
func (r doctorReport) sum(all []status.Check) {
	counts := map[status.CheckResult]int{}
	for _, c := range all {
		counts[c.Result]++
	}
	var words []string
	for _, result := range []status.CheckResult{status.CheckOK, status.CheckWarn, status.CheckFail, status.CheckSkipped} {
		if n := counts[result]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, result))
		}
	}
	r.say("\n%s\n", strings.Join(words, ", "))
}

// colourOf is how a terminal is told the colour of a result.
func colourOf(r status.CheckResult) string {
	switch r {
	case status.CheckOK:
		return "\x1b[32m"
	case status.CheckWarn:
		return "\x1b[33m"
	case status.CheckFail:
		return "\x1b[31m"
	default:
		return "\x1b[2m"
	}
}
