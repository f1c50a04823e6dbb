package org

import (
	"strconv"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A TodoState is the state of a headline and what it means.
type TodoState struct {
	State        string `json:"state" jsonschema:"keyword"`
	Type         string `json:"type" jsonschema:"todo or done"`
	IsFinal      bool   `json:"isFinal" jsonschema:"nothing is left to do"`
	SequenceType string `json:"sequenceType" jsonschema:"sequence or type"`
}

// A Headline is a headline as tools answer it.
type Headline struct {
	Heading     string     `json:"heading" jsonschema:"title"`
	File        string     `json:"file" jsonschema:"file"`
	Level       int        `json:"level" jsonschema:"depth, from 1"`
	Todo        *TodoState `json:"todo,omitempty" jsonschema:"its state"`
	Priority    string     `json:"priority,omitempty" jsonschema:"priority"`
	Tags        []string   `json:"tags,omitempty" jsonschema:"with inherited ones"`
	Scheduled   string     `json:"scheduled,omitempty" jsonschema:"timestamp"`
	Deadline    string     `json:"deadline,omitempty" jsonschema:"timestamp"`
	Closed      string     `json:"closed,omitempty" jsonschema:"timestamp"`
	ResourceURI string     `json:"resourceUri" jsonschema:"names the headline"`
	OrgID       string     `json:"orgId,omitempty" jsonschema:"its ID"`
	Etag        string     `json:"etag" jsonschema:"version, for ifMatch"`
}

// headlineLink names a headline in answers that say more about it.
type headlineLink struct {
	ResourceURI string `json:"resourceUri" jsonschema:"names the headline"`
	OrgID       string `json:"orgId,omitempty" jsonschema:"its ID"`
	Etag        string `json:"etag,omitempty" jsonschema:"version, for ifMatch"`
	Unsaved     bool   `json:"unsavedChanges,omitempty" jsonschema:"it is in the user's Emacs, not yet on the disk"`
}

func (s *catalog) link(f *shownFile, i int) headlineLink {
	id, _ := f.Property(i, "ID")
	return headlineLink{s.uri(f, i), id, f.etag(i), f.unsaved}
}

// describe is headline i as tools answer it.
func (s *catalog) describe(f *shownFile, i int) Headline {
	h := &f.Headlines[i]
	at := s.link(f, i)
	out := Headline{
		Heading: f.Text(h.Title), File: f.name, Level: f.ReducedLevel(i), Priority: f.Text(h.Priority), Tags: f.AllTags(i),
		Scheduled: f.Text(f.PlanningTime(i, orgfile.Scheduled)), Deadline: f.Text(f.PlanningTime(i, orgfile.Deadline)),
		Closed: f.Text(f.PlanningTime(i, orgfile.Closed)), ResourceURI: at.ResourceURI, OrgID: at.OrgID, Etag: at.Etag,
	}
	if state := f.Text(h.Keyword); state != "" {
		todo := describeState(&f.Settings.Todo, state)
		out.Todo = &todo
	}
	return out
}

func describeState(todo *orgfile.TodoKeywords, state string) TodoState {
	out := TodoState{State: state, Type: "todo", IsFinal: todo.IsFinal(state), SequenceType: "sequence"}
	if out.IsFinal {
		out.Type = "done"
	}
	if todo.IsType(state) {
		out.SequenceType = "type"
	}
	return out
}

// A Cursor goes on with a list: nextCursor of the answer before.
type Cursor string

// offset is how many entries a list skips.
func (c Cursor) offset() (int, error) {
	if c == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(string(c))
	if err != nil || n < 0 {
		return 0, tools.Errorf(tools.Invalid, "cursor: %.40q is not the nextCursor of an answer", string(c))
	}
	return n, nil
}
