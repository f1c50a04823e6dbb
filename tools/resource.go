package tools

import (
	"context"
	"net/url"
	"strings"

	"github.com/yosida95/uritemplate/v3"
)

// A Resource is something that an agent may read by URI, without a tool.
type Resource[S Source] struct {
	Name  string // unique within the System
	Title string
	Doc   string
	// URI is an RFC 6570 template. Its variable {source} is replaced by the name
	// of the source when it is published. If it then has no variables it is a
	// plain resource, otherwise a resource template.
	URI  string
	MIME string
	// Shared means that its URIs name no source, because the specification writes
	// them so: of the sources that match one, the first that has it answers.
	Shared bool
	// Listed means that each value which Complete proposes for the template's one
	// variable is listed as a resource, named by the value.
	Listed bool
	// Polled means that others may change it and the source does not notice: while clients
	// are subscribed, the hub reads it every second.
	Polled bool
	// Read returns the content at uri; vars are the template's variables.
	Read func(s S, ctx context.Context, uri string, vars map[string]string) (Content, error)
	// Targets is what reading it touches, as of [WithTargets]; nil: only the URI
	// tells.
	Targets func(s S, ctx context.Context, vars map[string]string) ([]string, error)
	// Complete proposes at most 100 values for a variable that begin with
	// prefix, best first. Nil: no proposals.
	Complete func(s S, ctx context.Context, variable, prefix string) ([]string, error)
}

// ResourceInfo is the part of a Resource that is pure data.
type ResourceInfo struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Doc   string `json:"description"`
	URI   string `json:"uri"`
	MIME  string `json:"mimeType"`
	// Shared, Listed and Polled are those of [Resource].
	Shared, Listed, Polled bool `json:"-"`
}

// ForSource is the ResourceInfo as published for one source.
func (r ResourceInfo) ForSource(source string) ResourceInfo {
	r.URI = strings.ReplaceAll(r.URI, "{source}", source)
	return r
}

// IsTemplate reports whether the URI still has variables.
func (r ResourceInfo) IsTemplate() bool { return strings.Contains(r.URI, "{") }

// Variable is the name of the first variable of a template, as completion takes it.
func (r ResourceInfo) Variable() string {
	t, err := uritemplate.New(r.URI)
	if err != nil || len(t.Varnames()) == 0 {
		return ""
	}
	return t.Varnames()[0]
}

// WithValue is the URI of a template with one variable, for a value of that: all but
// unreserved characters are encoded, and in {+variable} slashes stay.
func (r ResourceInfo) WithValue(value string) string {
	name := r.Variable()
	escaped := url.PathEscape(value)
	return strings.NewReplacer("{"+name+"}", escaped, "{+"+name+"}", strings.ReplaceAll(escaped, "%2F", "/")).Replace(r.URI)
}

// Matches reports whether uri is the resource, or fits the template.
func (r ResourceInfo) Matches(uri string) bool {
	_, ok := r.match(uri)
	return ok
}

// match returns the values of the template's variables in uri.
func (r ResourceInfo) match(uri string) (map[string]string, bool) {
	t, err := uritemplate.New(r.URI)
	if err != nil {
		return nil, false
	}
	values := t.Match(uri)
	if values == nil {
		return nil, false
	}
	vars := map[string]string{}
	for _, name := range t.Varnames() {
		vars[name] = values.Get(name).String()
	}
	return vars, true
}

// A Prompt is a text with arguments that a person picks in their client.
type Prompt[S Source] struct {
	Name      string // unique within the System
	Title     string
	Doc       string
	Arguments []PromptArgument
	// Get renders the prompt; every required argument is present.
	Get func(s S, ctx context.Context, args map[string]string) ([]Message, error)
	// Targets is what rendering it touches, as of [WithTargets]; nil: only its
	// arguments tell.
	Targets func(s S, ctx context.Context, args map[string]string) ([]string, error)
	// Complete proposes at most 100 values for an argument that begin with
	// prefix, best first. Nil: no proposals.
	Complete func(s S, ctx context.Context, argument, prefix string) ([]string, error)
}

// PromptArgument is one argument of a Prompt.
type PromptArgument struct {
	Name     string `json:"name"`
	Doc      string `json:"description"`
	Required bool   `json:"required,omitempty"`
}

// PromptInfo is the part of a Prompt that is pure data.
type PromptInfo struct {
	Name      string           `json:"name"`
	Title     string           `json:"title"`
	Doc       string           `json:"description"`
	Arguments []PromptArgument `json:"arguments"`
}

// A Message is one turn of a rendered prompt.
type Message struct {
	Assistant bool // said by the assistant; false: by the user
	Content   Content
}
