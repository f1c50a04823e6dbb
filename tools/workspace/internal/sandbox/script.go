package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// Language is what a script is written in.
type Language string

// The languages.
const (
	JavaScript Language = "js"
	TypeScript Language = "ts"
)

// Script is what is to run, with all that it can observe: two runs of equal
// scripts whose host calls are answered alike have the same result, the same
// console output and use the same fuel.
type Script struct {
	Code        string
	Language    Language        // empty is JavaScript
	WorkspaceID string          // the constant workspace_id; empty leaves it undefined
	Input       json.RawMessage // the constant input; empty is null
	Seed        uint64          // of Math.random
	Time        time.Time       // of Date, which does not move; zero is 1970
	Limits      Limits          // lower than the sandbox's, or zero
}

// Host answers host.call. It is called on the goroutine of the run, one call
// after the other.
type Host interface {
	// Call does what the script asked for. An answer with a status of 400 or
	// more is thrown in the script as HostCallError. An error ends the run, which
	// returns it. ctx ends with the run.
	Call(ctx context.Context, call HostCall) (HostAnswer, error)
}

// HostCall is one host.call.
type HostCall struct {
	Method string
	Path   string
	Body   json.RawMessage // empty if the script gave none
	// Pause stops the clock of the run until resume is called: for a host that
	// asks a person.
	Pause func() (resume func())
}

// HostAnswer is the answer to a host.call.
type HostAnswer struct {
	Status int             // as of HTTP; 0 is 200
	Body   json.RawMessage // what host.call returns; empty is null
	// Next is where the rest of Body begins, which is a list; empty: it is whole. The array or
	// object that host.call returns has it as a property that is not enumerated.
	Next string
}

// Result is what a run left behind. Logs and Usage are set whether or not it failed.
type Result struct {
	Value       json.RawMessage // the completion value as JSON; empty if the run failed
	Cut         *Cut            // what is missing from Value, nil if nothing
	Logs        []LogLine       // what the console wrote
	LogsDropped int64           // bytes that the console wrote beyond the limit
	Usage       Usage

	length int64 // of the whole value, in characters
}

// Shorten cuts the value to at most most bytes, and where it is nested too deep.
func (r *Result) Shorten(most int) {
	deep := isTooDeep(string(r.Value))
	if len(r.Value) <= most && !deep {
		return
	}
	why := "Return less: filter, count or page in the script"
	if deep {
		why = fmt.Sprintf("It was nested more than %d deep: return it flatter, or as text", maxDepth)
	}
	r.Value = json.RawMessage(tools.RepairSurrogates(cutJSON(string(r.Value), most)))
	r.Cut = &Cut{Kept: int64(len(r.Value)), Length: r.length, Message: fmt.Sprintf(
		"the result was cut: %d bytes of %d characters are left, closed to valid JSON. %s",
		len(r.Value), r.length, why)}
}

// Cut says that a result was longer than its limit.
type Cut struct {
	Kept    int64  `json:"kept" jsonschema:"bytes of the result that are there"`
	Length  int64  `json:"length" jsonschema:"characters of the whole result"`
	Message string `json:"message" jsonschema:"what to do"`
}

// LogLine is what one call of a console method wrote.
type LogLine struct {
	Level string `json:"level" jsonschema:"debug, log, info, warn or error"`
	Text  string `json:"text" jsonschema:"what was written"`
}

// Usage is what a run took.
type Usage struct {
	Fuel      int64         `json:"fuel"`        // never more than the limit
	Memory    int64         `json:"peak_memory"` // bytes at the peak
	HostCalls int64         `json:"host_calls"`  // that the host was asked
	Duration  time.Duration `json:"duration"`    // with waiting
}

// ErrorName tells why a run failed.
type ErrorName string

// The names of errors.
const (
	FuelExhausted  ErrorName = "FuelExhausted"
	MemoryExceeded ErrorName = "MemoryExceeded"
	ExecutionError ErrorName = "ExecutionError"
	HostCallError  ErrorName = "HostCallError"
	Timeout        ErrorName = "Timeout"
	Cancelled      ErrorName = "Cancelled"
)

// Error is why a script failed. Its message is for the author of the script.
type Error struct {
	Name    ErrorName
	Message string
	Line    int             // in Script.Code, from 1; 0 if it is not known
	Column  int             // in characters, from 1; 0 if it is not known
	Stack   string          // a line per call: "name:line:column"
	Status  int             // of a HostCallError
	Body    json.RawMessage // of a HostCallError
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: %s (line %d, column %d)", e.Name, e.Message, e.Line, e.Column)
	}
	return fmt.Sprintf("%s: %s", e.Name, e.Message)
}
