package status

import "encoding/json"

// A ToolFilter selects what a client sees.
type ToolFilter struct {
	Source string `json:"source,omitempty"` // empty: of all sources
	Client string `json:"client,omitempty"` // empty: one without rules of its own
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

// An Example is a call worth knowing.
type Example struct {
	Purpose string          `json:"why"`
	Args    json.RawMessage `json:"args"`
}

// A ToolCall is a tool to run, by the name of its specification.
type ToolCall struct {
	Source string          `json:"source"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args,omitempty"`
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

// A Setting is one key of the configuration.
type Setting struct {
	Key         string   `json:"key"`
	Description string   `json:"description"`
	Value       string   `json:"value"`
	Default     string   `json:"default"`
	Set         bool     `json:"set"` // the file sets it
	Line        int      `json:"line,omitempty"`
	Choices     []string `json:"choices,omitempty"` // nil: free
	Restart     bool     `json:"restart,omitempty"` // takes effect at the hub's next start
}
