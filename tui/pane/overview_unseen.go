package pane

import (
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// unseenActivity counts what agents did since the person last looked: what is recorded
// by now, and then what comes.
type unseenActivity struct {
	since          time.Time // zero: they never have
	counted        bool      // what is recorded was counted, or cannot be read
	newest         int64     // the ID of the newest call that was counted of the record
	calls, changes int
	more           bool // the record has more than were counted
}

// wantedQuery asks for what is recorded since then; nil: it was counted.
func (u unseenActivity) wantedQuery() Query {
	if u.counted || u.since.IsZero() {
		return nil
	}
	return RecordedCallsQuery{Search: status.CallSearch{Since: u.since}}
}

// takeResult counts the newest part of the record; recent are the calls that came by
// themselves until now.
func (u unseenActivity) takeResult(r Result, recent []status.Call) unseenActivity {
	if u.counted || r.Query != u.wantedQuery() {
		return u
	}
	u.counted, u.more = true, r.Calls.Next != 0
	for _, c := range r.Calls.Calls {
		u.newest = max(u.newest, c.ID)
	}
	for _, c := range onlyCalls(r.Calls.Calls) {
		u.calls, u.changes = u.calls+1, u.changes+len(c.Changes)
	}
	return u.observeCalls(recent)
}

// observeCalls counts calls that have just ended.
func (u unseenActivity) observeCalls(calls []status.Call) unseenActivity {
	if !u.counted || u.since.IsZero() {
		return u
	}
	for _, c := range calls {
		if c.Time.After(u.since) && (c.ID == 0 || c.ID > u.newest) {
			u.calls, u.changes = u.calls+1, u.changes+len(c.Changes)
		}
	}
	return u
}

// summaryText says how much there is that the person has not seen; empty: that is not known.
func (u unseenActivity) summaryText(now time.Time, zone *time.Location) string {
	if !u.counted || u.since.IsZero() {
		return ""
	}
	plus := ""
	if u.more {
		plus = "+"
	}
	looked := " since you looked, " + widget.FormatClockTime(u.since, now, zone)
	if u.calls == 0 {
		return "nothing" + looked
	}
	return fmt.Sprintf("%s%s calls, %s%s changes%s", widget.FormatCount(u.calls), plus, widget.FormatCount(u.changes), plus, looked)
}
