package status

// A CommandRequest asks for a command that a System declares for its sources.
type CommandRequest struct {
	Source  string            `json:"source"`
	Command string            `json:"command"` // one or two words
	Args    map[string]string `json:"args,omitempty"`
	JSON    bool              `json:"json,omitempty"` // a list is printed as JSON
}

// A CommandUpdate is a piece of what a command prints, or why it failed, which is
// the last update.
type CommandUpdate struct {
	Text  string     `json:"text,omitempty"`
	Error *CallError `json:"error,omitempty"`
}

// A CommandArgument is an argument of a command that a person is typing.
type CommandArgument struct {
	Source   string `json:"source"`
	Command  string `json:"command"`
	Argument string `json:"argument"` // its name
	Prefix   string `json:"prefix"`   // what is typed so far
}
