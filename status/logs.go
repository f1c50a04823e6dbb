package status

import "time"

// Level of a Line.
type Level string

// The levels.
const (
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Fail  Level = "error"
)

// A LogFilter selects lines of the log.
type LogFilter struct {
	// After skips the lines up to and including this sequence number; 0: begin
	// with the oldest line that is kept.
	After uint64 `json:"after,omitempty"`
	// Last keeps only this many of the lines that exist already; 0: all.
	Last      int    `json:"last,omitempty"`
	Level     Level  `json:"level,omitempty"`     // this level and above; empty: Info
	Component string `json:"component,omitempty"` // empty: all components
	Follow    bool   `json:"follow,omitempty"`    // go on as lines arrive
}

// A LogPageFilter selects lines of the log on disk, going back.
type LogPageFilter struct {
	// Before is Next of the page before. Empty: the page ends before the line that
	// was logged at exactly Until, or at the end of the log if that is zero.
	Before string    `json:"before,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	Limit  int       `json:"limit,omitempty"` // lines, up to 5000; 0: 1000
}

// A LogPage is lines of the log on disk, of all hubs that wrote to it.
type LogPage struct {
	Lines []Line `json:"lines"`          // oldest first; without Seq
	Next  string `json:"next,omitempty"` // names the place to go on from; empty: there is nothing before
}

// A Line of the log. Its text is safe for a terminal: control characters are
// already escaped.
type Line struct {
	Seq       uint64    `json:"seq"` // counts up by one over all lines of a hub
	Time      time.Time `json:"time"`
	Level     Level     `json:"level"`
	Component string    `json:"component"`
	Text      string    `json:"text"` // message and attributes on one line
	// Missed is how many lines before this one were dropped because the reader
	// was slow or the ring buffer had overwritten them.
	Missed uint64 `json:"missed,omitempty"`
}
