package org

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
)

type refileHeadlineIn struct {
	ResourceURI     string   `json:"resourceUri" jsonschema:"the headline"`
	CurrentTitle    string   `json:"currentTitle,omitempty" jsonschema:"its title, to be sure"`
	TargetParentURI string   `json:"targetParentUri" jsonschema:"headline or file to move it to"`
	AfterURI        string   `json:"afterUri,omitempty" jsonschema:"the sibling before it"`
	Position        position `json:"position,omitempty" jsonschema:"among its siblings, or below today in a date tree"`
	Note            string   `json:"note,omitempty" jsonschema:"why"`
	WriteOptions
}

type refileHeadlineOut struct {
	Success    bool   `json:"success" jsonschema:"true"`
	Title      string `json:"title" jsonschema:"its title"`
	SourceFile string `json:"sourceFile" jsonschema:"where it was"`
	TargetFile string `json:"targetFile" jsonschema:"where it is"`
	headlineLink
	noteHint
	Diff string `json:"diff,omitempty" jsonschema:"of a dry run"`
	dialect
}

func refileHeadline() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[refileHeadlineIn, refileHeadlineOut]{
		Name: "org-refile-headline", Title: "Move a headline", Effect: tools.Writes, OptIn: true,
		Selects: []string{"resourceUri", "targetParentUri", "afterUri"},
		Doc:     "Move a headline with all below it under another one, also in another file.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases("current_title currentTitle", "target_parent_uri targetParentUri", "targetParentURI targetParentUri",
			"after_uri afterUri", "afterURI afterUri"),
		Examples: []tools.Example[refileHeadlineIn, refileHeadlineOut]{
			{
				Purpose: "file something away", In: refileHeadlineIn{
					ResourceURI: "org://inbox.org/headline/Buy%20milk", TargetParentURI: "org://projects.org/headline/Notes%2FIdeas",
				}, AnyAnswer: true,
				Want: refileHeadlineOut{
					Success: true, Title: "Buy milk", SourceFile: "inbox.org", TargetFile: "projects.org",
					headlineLink: exampleLink("Notes%2FIdeas/Buy%20milk"),
				},
			},
		},
	}, (*Source).refileHeadline), func(s *Source, ctx context.Context, in refileHeadlineIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI, in.TargetParentURI, in.AfterURI)
	})
}

// finishRefile says where a headline is that was moved, with err.
func (e *edit) finishRefile(to *editedFile, moved int, err error, out *refileHeadlineOut) error {
	if errors.Is(err, orgedit.ErrInsideItself) {
		return tools.Errorf(tools.Invalid, "Cannot refile a headline into itself or its own subtree")
	}
	if err != nil {
		return editError(err)
	}
	e.touch(to, moved)
	now, shown, err := e.result(to, moved)
	if err != nil {
		return err
	}
	out.headlineLink, out.noteHint = e.s.link(now, shown), e.noteHint()
	return nil
}

func (s *editor) refileHeadline(ctx context.Context, c tools.CallContext, in refileHeadlineIn) (out refileHeadlineOut, err error) {
	out.Success = true
	out.Diff, err = s.edit(ctx, c, in.WriteOptions, func(e *edit) error {
		if err := checkLength("note", in.Note, maxValue); err != nil {
			return err
		}
		f, i, err := e.headline(in.ResourceURI, in.IfMatch)
		if err != nil {
			return err
		}
		if in.CurrentTitle != "" {
			if err := e.checkCurrentTitle(f, i, in.CurrentTitle); err != nil {
				return err
			}
		}
		to, place, err := e.place(in.TargetParentURI, in.AfterURI, in.Position)
		if err != nil {
			return err
		}
		out.SourceFile, out.TargetFile = f.name, to.name
		if out.Title, err = e.title(f, i); err != nil {
			return err
		}
		if !place.Day.IsZero() && to == f { // the tree that is made may move the headline
			return tools.Errorf(tools.Invalid, "position: a headline cannot be moved into a date tree of its own file")
		}
		moved, err := f.MoveTo(i, to.Draft, place, &in.Note)
		return e.finishRefile(to, moved, err, &out)
	})
	out.dialect = s.dialects().write(out.ResourceURI, out.Diff, map[string]any{
		"title": out.Title, "source_file": baseName(out.SourceFile), "target_file": baseName(out.TargetFile),
	})
	return out, err
}
