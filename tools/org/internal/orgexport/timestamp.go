package orgexport

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var timestampParts = regexp.MustCompile(`^([<\[])([0-9]{4})-([0-9]{2})-([0-9]{2})(?: +[^\]>0-9+. -][^\]>0-9+ -]*)?() *(?:([0-9]{1,2}):([0-9]{2})(?:-([0-9]{1,2}):([0-9]{2}))?)?([^\]>]*)([\]>])`)

// canonicalTimestamp writes a timestamp as Org does: with the right day, and a range
// of hours as two timestamps. A diary expression stays.
func canonicalTimestamp(raw string) string {
	first, second, isRange := strings.Cut(raw, "--")
	if !strings.HasPrefix(second, "<") && !strings.HasPrefix(second, "[") {
		first, second, isRange = raw, "", false
	}
	m := timestampParts.FindStringSubmatch(first)
	if m == nil {
		return raw
	}
	end := "" // of a range of hours
	if m[8] != "" {
		end = "--" + formatTimestamp(m, m[8], m[9])
	}
	text := formatTimestamp(m, m[6], m[7]) + end
	if isRange {
		text += "--" + canonicalTimestamp(second)
	}
	return text
}

func formatTimestamp(m []string, hour, minute string) string {
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+2]) // digits only
	}
	day := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	text := m[1] + day.Format("2006-01-02 Mon")
	if hour != "" {
		h, _ := strconv.Atoi(hour) // digits only
		text += fmt.Sprintf(" %02d:%s", h, minute)
	}
	if rest := strings.Join(strings.Fields(m[10]), " "); rest != "" {
		text += " " + rest
	}
	return text + m[11]
}
