package logseq

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// formatDay formats a day such as 20261121 as 2026-11-21.
func formatDay(n int) string { return fmt.Sprintf("%04d-%02d-%02d", n/10000, n/100%100, n%100) }

// parseDay converts a date argument to the Peer's number of a day. Empty or
// "today" is today by the clock of this machine.
func (g *Graph) parseDay(argument, date string) (int, error) {
	if date == "" || date == "today" {
		return dayNumber(g.now()), nil
	}
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0, tools.Errorf(tools.Invalid, "%s: must be a day such as 2026-11-21", argument)
	}
	return dayNumber(t), nil
}

func dayNumber(t time.Time) int {
	n, _ := strconv.Atoi(t.Format("20060102")) // eight digits
	return n
}
