package org

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

type editBodyIn struct {
	ResourceURI string `json:"resourceUri" jsonschema:"the headline"`
	OldBody     string `json:"oldBody" jsonschema:"text that occurs there once; empty if there is none"`
	NewBody     string `json:"newBody" jsonschema:"text instead"`
	ReplaceAll  bool   `json:"replaceAll,omitempty" jsonschema:"every occurrence"`
	WriteOptions
}

// writeOut is the answer of tools that change one headline.
type writeOut struct {
	Success bool `json:"success" jsonschema:"true"`
	headlineLink
	noteHint
	Diff string `json:"diff,omitempty" jsonschema:"of a dry run"`
	dialect
	node dialectNode // the headline as it will be
}

func editBody() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[editBodyIn, writeOut]{
		Name: "org-edit-body", Title: "Edit a headline's text", Effect: tools.Writes,
		Selects:   []string{"resourceUri"},
		Doc:       "Replace a part of the text below a headline, before its children.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases("old_body oldBody", "new_body newBody", "replace_all replaceAll"),
		Examples: []tools.Example[editBodyIn, writeOut]{
			{
				Purpose: "correct a sentence", In: editBodyIn{
					ResourceURI: "org://projects.org/headline/Alpha/Write%20plan", OldBody: "one page", NewBody: "two pages",
				}, AnyAnswer: true,
				Want: writeOut{Success: true, headlineLink: exampleLink("Alpha/Write%20plan")},
			},
		},
	}, (*Source).editBody), func(s *Source, ctx context.Context, in editBodyIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *editor) editBody(ctx context.Context, c tools.CallContext, in editBodyIn) (writeOut, error) {
	return s.change(ctx, c, in.ResourceURI, in.WriteOptions, func(e *edit, f *editedFile, i int) error {
		e.touch(f, i)
		return e.replaceBody(f, i, in)
	})
}

// change changes one headline and answers where it is.
func (s *editor) change(
	ctx context.Context, c tools.CallContext, uri string, opt WriteOptions, work func(e *edit, f *editedFile, i int) error,
) (writeOut, error) {
	out := writeOut{Success: true}
	diff, err := s.edit(ctx, c, opt, func(e *edit) error {
		f, i, err := e.headline(uri, opt.IfMatch)
		if err != nil {
			return err
		}
		if err := work(e, f, i); err != nil {
			return err
		}
		now, shown, err := e.result(f, i)
		if err != nil {
			return err
		}
		out.headlineLink = s.link(now, shown)
		out.node = s.dialects().node(now, shown)
		return nil
	})
	out.Diff = diff
	out.dialect = s.dialects().write(out.ResourceURI, diff, nil)
	return out, err
}

func (e *edit) replaceBody(f *editedFile, i int, in editBodyIn) error {
	file := f.File()
	h := &file.Headlines[i]
	start, end := int(h.Body), file.EntryEnd(i)
	body := string(file.Source[start:end])
	old, text := strings.ReplaceAll(in.OldBody, "\r\n", "\n"), strings.ReplaceAll(in.NewBody, "\r\n", "\n")
	n := strings.Count(body, old)
	switch {
	case old == "" && strings.TrimSpace(body) != "":
		return tools.Errorf(tools.Invalid, "Cannot use empty %s with non-empty body", e.s.config.argument("oldBody")).
			WithHint("Give a part of the text that is to be replaced.")
	case old != "" && in.ReplaceAll && strings.TrimSpace(old) == "":
		return tools.Errorf(tools.Invalid, "%s has only blanks, and %s would replace all of them",
			e.s.config.argument("oldBody"), e.s.config.argument("replaceAll")).WithHint("Give a part of the text that is to be replaced.")
	case old == "":
		body = text + "\n" + body
	case strings.TrimSpace(body) == "":
		return tools.Errorf(tools.NotFound, "Node has no body content").WithHint("Use an empty %s to add text.", e.s.config.argument("oldBody"))
	case n == 0:
		return tools.Errorf(tools.NotFound, "Body text not found: %.100s", old).WithHint("Read the headline; its text must match byte for byte.")
	case n > 1 && !in.ReplaceAll:
		return tools.Errorf(tools.Conflict, "Text appears %d times (use %s)", n, e.s.config.argument("replaceAll")).
			WithHint("Give more of the text around it, or set %s.", e.s.config.argument("replaceAll"))
	default:
		body = strings.ReplaceAll(body, old, text)
	}
	if err := checkBody(body, int(h.Level)); err != nil {
		return err
	}
	if body != "" && !strings.HasSuffix(body, "\n") && end < len(file.Source) {
		body += "\n"
	}
	if start > 0 && file.Source[start-1] != '\n' {
		body = "\n" + body
	}
	f.ReplaceText(start, end, body)
	e.createIDs(f, start, start+len(body))
	return nil
}
