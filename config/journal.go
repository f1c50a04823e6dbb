package config

import (
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// Journal is the table [journal]: how much of what agents change is kept. It
// cannot be turned off, because what is not kept cannot be undone.
type Journal struct {
	Keep time.Duration // how long contents are kept
	Max  int           // MB of contents that are kept
}

// daysSetting is a setting that people give in days.
func daysSetting(key, means string, at func(*Config) *time.Duration) setting {
	return setting{
		key: key, description: means, write: tomltext.Quote,
		read: func(t configTable, key string, c *Config) { t.readDays(key, at(c)) },
		show: func(c *Config) string {
			const day = 24 * time.Hour
			if d := *at(c); d%day == 0 {
				return strconv.Itoa(int(d/day)) + "d"
			}
			return shortDuration(*at(c))
		},
	}
}

// readDays reads a duration of at least an hour, which may be in days.
func (t configTable) readDays(key string, to *time.Duration) {
	v, ok := t.values[key]
	if !ok {
		return
	}
	s, _ := v.(string)
	n, err := time.ParseDuration(s)
	if count, found := strings.CutSuffix(s, "d"); found {
		var days int
		days, err = strconv.Atoi(count)
		n = time.Duration(days) * 24 * time.Hour
		if days > 36500 {
			n = 0
		}
	}
	if err != nil || n < time.Hour {
		t.wrong(key, `must be a duration in quotes of at least an hour, such as "90d" or "12h"`)
		return
	}
	*to = n
}
