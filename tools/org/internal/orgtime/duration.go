package orgtime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	hoursMinutes = regexp.MustCompile(`^([0-9]{1,6}):([0-9]{2})(?::[0-9]{2})?$`)
	unitPart     = regexp.MustCompile(`^([0-9]{1,6}(?:\.[0-9]{1,6})?)[ \t]*(min|h|d|w|m|y)[ \t]*`)
)

// unitMinutes are how many minutes Org's units of duration have.
var unitMinutes = map[string]float64{"min": 1, "h": 60, "d": 1440, "w": 7 * 1440, "m": 30 * 1440, "y": 365.25 * 1440}

// ParseDuration reads a duration in minutes: 1:30, 90min, 2h, 1d 3:00, or a number
// of minutes.
func ParseDuration(text string) (minutes int, ok bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return n, true
	}
	total := 0.0
	for text != "" {
		if m := hoursMinutes.FindStringSubmatch(text); m != nil {
			h, _ := strconv.Atoi(m[1])
			n, _ := strconv.Atoi(m[2])
			return int(total) + 60*h + n, true
		}
		m := unitPart.FindStringSubmatch(text)
		if m == nil {
			return 0, false
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0, false
		}
		total += n * unitMinutes[m[2]]
		text = text[len(m[0]):]
		ok = true
	}
	return int(total), ok
}

// FormatDuration writes minutes as H:MM.
func FormatDuration(minutes int) string { return fmt.Sprintf("%d:%02d", minutes/60, minutes%60) }
