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
