package logseq

import (
	"regexp"
	"strings"
)

// A DB graph keeps the state of a task in properties, so a text that is
// written as "TODO [#A] call Ada" is read as "call Ada".

var (
	taskMarker   = regexp.MustCompile(`^(TODO|DOING|NOW|LATER|WAITING|WAIT|IN-PROGRESS|STARTED|DONE|CANCELED|CANCELLED)\s+`)
	taskPriority = regexp.MustCompile(`^\[#[A-C]\]\s+`)
	taskDate     = regexp.MustCompile(`^\s*(SCHEDULED|DEADLINE):\s*<\d{4}-\d\d-\d\d[^>]*>\s*$`)
)

// isTask reports whether b has any of what task markup sets.
func (b wireBlock) isTask() bool {
	return b.Marker != "" || b.Priority != "" || rawOrNil(b.Scheduled) != nil || rawOrNil(b.Deadline) != nil
}

// withoutTaskMarkup removes from a text what b has as state of a task. On a
// file graph, where it stays in the text, it returns content as it is.
func (b wireBlock) withoutTaskMarkup(content string) string {
	if taskMarker.MatchString(b.Raw) {
		return content
	}
	if b.Marker != "" {
		content = taskMarker.ReplaceAllString(content, "")
	}
	if b.Priority != "" {
		content = taskPriority.ReplaceAllString(content, "")
	}
	var lines []string
	for line := range strings.SplitSeq(content, "\n") {
		m := taskDate.FindStringSubmatch(line)
		if m == nil || m[1] == "DEADLINE" && rawOrNil(b.Deadline) == nil || m[1] == "SCHEDULED" && rawOrNil(b.Scheduled) == nil {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
