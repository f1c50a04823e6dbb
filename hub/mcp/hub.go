package mcp

import (
	"context"
	"encoding/json"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// Hub is everything this package knows of the hub. Errors are [tools.Error]
// unless a method says otherwise, and those of reads a [SourceError] where a source is
// read. Its methods are used from many goroutines.
type Hub interface {
	// Toolset is what a client is shown in a scope. A nil client stands for the
	// union of what any client is shown. known is false if the scope does not
	// exist; the toolset is then empty. Clients that may do the same get the
	// same pointer until something changes.
	Toolset(scope string, client *policy.Client) (set *Toolset, known bool)
	// Call runs a tool. Its error may also be an [approval.FormRequest].
	Call(ctx context.Context, c Call) (tools.Result, error)
	// Read returns the content of a resource.
	Read(ctx context.Context, by RequestOrigin, uri string) (tools.Content, error)
	// Prompt renders a prompt.
	Prompt(ctx context.Context, by RequestOrigin, name string, args map[string]string) ([]tools.Message, error)
	// Complete proposes values for an argument of a prompt or a resource.
	Complete(ctx context.Context, by RequestOrigin, c CompletionRequest) ([]string, error)
}

// A Toolset is what a client is shown. Names are unique per list.
type Toolset struct {
	Tools     map[string]Tool             // by published name
	Prompts   map[string]tools.PromptInfo // by published name
	Resources []tools.ResourceInfo        // and templates
}

// A Tool is a published tool.
type Tool struct {
	tools.ToolInfo                   // with the published name and input schema
	ErrorFormat    tools.ErrorFormat // of its System
}

// A RequestOrigin is who makes a request.
type RequestOrigin struct {
	Session *Session
	Client  policy.Client // what the session has proved, or what the request or its session claims
}

// A Call is a tools/call.
type Call struct {
	RequestOrigin
	Tool   string // as published
	Args   json.RawMessage
	Reason string         // why the agent makes the call, in its words; may be empty
	Notify tools.Notifier // nil: the client hears nothing
	// Prompt asks the user of the client while the call waits. Nil: the client
	// cannot.
	Prompt approval.Prompter
	// Forms says that the client can be answered with an [approval.FormRequest].
	Forms bool
	Form  *approval.FilledForm // what the client brings back for an earlier FormRequest
	// Rejected is why MCP does not let the call through. The hub records such a
	// call and does not run it.
	Rejected *tools.Error
}

// A SourceError is an error of a source that was read other than by a tool, and how its
// System writes errors.
type SourceError struct {
	Cause  *tools.Error
	Format tools.ErrorFormat
}

func (e *SourceError) Error() string { return e.Cause.Error() }

func (e *SourceError) Unwrap() error { return e.Cause }

// A NoteDiff is the Data of an error that holds text of notes. It is shown to
// the agent and marked as data like a result.
type NoteDiff struct {
	Diff string `json:"diff"`
}

// A CompletionRequest asks for values of one argument. Either Prompt or Resource is set.
type CompletionRequest struct {
	Prompt   string // published name
	Resource string // URI of a template
	Name     string // of that template; empty: of several with that URI the first
	Argument string
	Value    string            // what was typed so far
	Given    map[string]string // the prompt's other arguments
}
