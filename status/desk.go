package status

import (
	"context"
	"encoding/json"
)

// API is all that a hub can be asked: for its picture, what agents did, what
// a person does at its desk, and what is in the sources.
type API interface {
	Client
	History
	Operator
	Browser
}

// A History reads what agents did.
type History interface {
	// Calls delivers calls, oldest first. Its channel ends like those of Client.
	Calls(ctx context.Context, q CallQuery) (<-chan Call, error)
	// Changes answers Changes, newest first.
	Changes(ctx context.Context, p Filter) (Changes, error)
}

// A Operator is where a person does by hand what agents do, and looks after the
// machine.
type Operator interface {
	// Tools answers what a client sees: the scope is a source's name or empty,
	// client a client's name or empty for one that nothing is said about.
	Tools(ctx context.Context, scope, client string) ([]Tool, error)
	// Call runs a tool, by the name of its specification, on a source: the way
	// of an agent, grants and audit included. It answers the tool's JSON. What
	// the tool or the hub refuses is a [*CallError].
	Call(ctx context.Context, source, tool string, args json.RawMessage) (json.RawMessage, error)
	// Check looks at everything whose name begins with prefix and delivers each
	// Check when it has its Result. The channel is closed after the last.
	Check(ctx context.Context, prefix string) (<-chan Check, error)
	// Settings answers every key of the configuration.
	Settings(ctx context.Context) ([]Setting, error)
}

// A Tool is one published tool as an agent reads it.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	System      string          `json:"system"`
	Effect      string          `json:"effect"`
	Sources     []string        `json:"sources"` // that it works on
	Schema      json.RawMessage `json:"schema"`  // of its arguments
	Examples    []Example       `json:"examples"`
	Bytes       int             `json:"bytes"` // in tools/list; about a quarter of it in tokens
}

// An Example is a call that is worth knowing.
type Example struct {
	Why  string          `json:"why"`
	Args json.RawMessage `json:"args"`
}

// A Setting is one key of the configuration.
type Setting struct {
	Key         string   `json:"key"`
	Description string   `json:"means"`
	Value       string   `json:"value"`
	Default     string   `json:"default"`
	Set         bool     `json:"set"` // the file says it
	Line        int      `json:"line,omitempty"`
	Choices     []string `json:"choices,omitempty"` // nil: free
	Restart     bool     `json:"restart,omitempty"` // counts from the hub's next start on
}

// A CallError is why a tool did not do what it was asked.
type CallError struct {
	Code string          `json:"code"` // of the closed list: "denied", "not_found"
	Msg  string          `json:"message"`
	Hint string          `json:"hint,omitempty"` // what to do next
	Data json.RawMessage `json:"data,omitempty"`
}

// Error implements error.
func (e *CallError) Error() string { return e.Msg }
