package logseq

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/lectern-mcp/lectern/tools"
)

// On a DB graph a name may be that of several pages: a/b/notes and x/y/notes
// are both "notes", and a tag may be called as a page is.

// An ambiguousNameError says which pages a name may mean. Some of them may be
// hidden, so the candidates are no data of the error until visiblePageNamed
// has looked at them.
type ambiguousNameError struct {
	conflict   *tools.Error
	candidates []wirePage
}

// Error implements error.
func (e *ambiguousNameError) Error() string { return e.conflict.Error() }

// Unwrap implements errors.As.
func (e *ambiguousNameError) Unwrap() error { return e.conflict }

// A pageCandidate is one of several pages, for an agent.
type pageCandidate struct {
	PageName string `json:"page_name"`
	Kind     string `json:"kind"`
	UUID     UUID   `json:"uuid"`
}

// nameCandidates reads the candidates in the data of a CONFLICT; none if it
// is about something else.
func nameCandidates(data any) []wirePage {
	var d struct {
		Candidates []wirePage `json:"candidates"`
	}
	raw, err := json.Marshal(data)
	if err != nil || json.Unmarshal(raw, &d) != nil {
		return nil
	}
	return d.Candidates
}

// visiblePageNamed resolves the error of looking a page up by name: if it is
// the name of several pages of which an agent may see one, that page is
// meant. Otherwise the error says what an agent may know.
func visiblePageNamed(ctx context.Context, g *Graph, name string, err error) (UUID, error) {
	ambiguous, ok := errors.AsType[*ambiguousNameError](err)
	if !ok {
		return "", err
	}
	var seen []pageCandidate
	for _, c := range ambiguous.candidates {
		p, err := g.page(ctx, string(c.UUID))
		switch {
		case isNotFound(err):
			continue
		case err != nil:
			return "", err
		}
		seen = append(seen, pageCandidate{p.Name, p.Kind, p.UUID})
	}
	switch len(seen) {
	case 0:
		return "", noPageError(name)
	case 1:
		return seen[0].UUID, nil
	}
	return "", tools.Errorf(tools.Conflict, "%d pages are called %.120q", len(seen), name).
		WithHint("Call again with the page_name or the uuid of the one that is meant.").
		WithData(map[string]any{"candidates": seen})
}
