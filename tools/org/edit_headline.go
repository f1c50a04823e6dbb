package org

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

type editHeadlineIn struct {
	ResourceURI  string   `json:"resourceUri" jsonschema:"the headline"`
	CurrentTitle string   `json:"currentTitle" jsonschema:"its title now"`
	NewTitle     string   `json:"newTitle" jsonschema:"the new one"`
	AddTags      []string `json:"addTags,omitempty" jsonschema:"tags to add"`
	RemoveTags   []string `json:"removeTags,omitempty" jsonschema:"tags to remove"`
	UpdateLinks  bool     `json:"updateLinks,omitempty" jsonschema:"also change links that lead to it by its title"`
	WriteOptions
}

type editHeadlineOut struct {
	writeOut
	Title     string      `json:"title" jsonschema:"its title now"`
	Links     []linkPlace `json:"links,omitempty" jsonschema:"links that led to it by its old title, at most 50"`
	LinkCount int         `json:"linkCount,omitempty" jsonschema:"how many there are"`
}

// redact leaves out the links in covered files.
func (out editHeadlineOut) redact(covered func(file string) bool) editHeadlineOut {
	shown := len(out.Links)
	out.Links = slices.DeleteFunc(slices.Clone(out.Links), func(l linkPlace) bool { return covered(l.File) })
	out.LinkCount -= shown - len(out.Links)
	return out
}

func editHeadline() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[editHeadlineIn, editHeadlineOut]{
		Name: "org-edit-headline", Title: "Rename a headline", Effect: tools.Writes, OptIn: true,
		Selects: []string{"resourceUri", "newTitle"},
		Doc:     "Change the title of a headline, and its tags.\nState and priority stay. Refused if currentTitle is not its title.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{
			"uri": "resourceUri", "current_title": "currentTitle", "new_title": "newTitle", "add_tags": "addTags", "remove_tags": "removeTags",
			"update_links": "updateLinks",
		}),
		Redact: editHeadlineOut.redact,
		Examples: []tools.Example[editHeadlineIn, editHeadlineOut]{
			{
				Purpose: "rename a project", In: editHeadlineIn{
					ResourceURI: "org://projects.org/headline/Alpha", CurrentTitle: "Alpha", NewTitle: "Alpha 2", AddTags: []string{"urgent"},
				}, AnyAnswer: true,
				Want: editHeadlineOut{writeOut: writeOut{Success: true, headlineLink: exampleLink("Alpha%202")}, Title: "Alpha 2"},
			},
		},
	}, (*Source).editHeadline), func(s *Source, ctx context.Context, in editHeadlineIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *editor) editHeadline(ctx context.Context, c tools.CallContext, in editHeadlineIn) (editHeadlineOut, error) {
	if err := checkTitle(in.NewTitle); err != nil {
		return editHeadlineOut{}, err
	}
	out := editHeadlineOut{}
	var err error
	out.writeOut, err = s.change(ctx, c, in.ResourceURI, in.WriteOptions, func(e *edit, f *editedFile, i int) error {
		if err := e.checkCurrentTitle(f, i, in.CurrentTitle); err != nil {
			return err
		}
		e.touch(f, i)
		if err := e.rename(f, i, in, &out); err != nil {
			return err
		}
		return e.changeTags(f, i, in.AddTags, in.RemoveTags)
	})
	n := out.node
	if out.Title = n.Title; out.LinkCount > 0 && !in.UpdateLinks {
		out.Hint = "These links name the headline by its old title and lead to it no longer. updateLinks changes them with the title."
	}
	out.dialect = s.dialects().write(out.ResourceURI, out.Diff, map[string]any{
		"title": n.Title, "todo": n.Todo, "priority": n.Priority, "tags": n.Tags, "scheduled": n.Scheduled, "deadline": n.Deadline,
	})
	return out, err
}

// rename changes a title, and the links by it if that is asked for.
func (e *edit) rename(f *editedFile, i int, in editHeadlineIn, out *editHeadlineOut) error {
	old, shown, err := e.result(f, i)
	if err != nil {
		return err
	}
	target, title := e.s.linkTarget(old, shown), linkTitle(strings.TrimSpace(in.NewTitle))
	if title != target.title {
		links, err := e.s.titleLinks(e.ctx, old, shown)
		if err != nil {
			return err
		}
		out.Links, out.LinkCount = e.s.describeLinks(links), links.total
	}
	before := f.headingLine(i)
	if err := f.EditHeadline(i, in.NewTitle); err != nil {
		return editError(err)
	}
	if err := checkReading(f.headingLine(i), before, &f.File().Settings); err != nil {
		return err
	}
	if cookie.MatchString(in.NewTitle) && f.root.hidesParts() { // what is hidden counts in the file, not in what the agent has read
		f.UpdateStatistics(i)
	}
	if !in.UpdateLinks || out.LinkCount == 0 {
		return nil
	}
	if err := checkNewTitle(old, shown, title); err != nil {
		return err
	}
	return e.updateLinks(target, title)
}

func (f *editedFile) headingLine(i int) string {
	line, _, _ := strings.Cut(f.Text()[f.File().Headlines[i].Begin:], "\n")
	return line
}

func (e *edit) checkCurrentTitle(f *editedFile, i int, title string) error {
	actual, err := e.title(f, i)
	if err == nil && linkTitle(actual) != linkTitle(title) {
		return tools.Errorf(tools.Conflict, "Title mismatch: expected '%.200s', found '%.200s'", title, actual).
			WithHint("Use the title that the headline has.")
	}
	return err
}

// title is the title of headline i of the whole file as agents see it: the statistics
// cookies in it count what they see.
func (e *edit) title(f *editedFile, i int) (string, error) {
	now, shown, err := e.result(f, i)
	if err != nil {
		return "", err
	}
	return now.Text(now.Headlines[shown].Title), nil
}

// changeTags adds and removes tags of a headline.
func (e *edit) changeTags(f *editedFile, i int, add, remove []string) error {
	if len(add)+len(remove) == 0 {
		return nil
	}
	if err := checkTags(add); err != nil {
		return err
	}
	file := f.File()
	tags := slices.DeleteFunc(file.LocalTags(i), func(t string) bool { return slices.Contains(remove, t) })
	for _, t := range add {
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return editError(f.SetTags(i, tags))
}

type setTagsIn struct {
	ResourceURI string   `json:"resourceUri" jsonschema:"the headline"`
	Tags        []string `json:"tags" jsonschema:"all of its own tags"`
	WriteOptions
}

func setTags() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[setTagsIn, writeOut]{
		Name: "org-set-tags", Title: "Set tags", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"resourceUri"},
		Doc:       "Replace the tags of a headline.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"uri": "resourceUri"}),
		Examples: []tools.Example[setTagsIn, writeOut]{
			{
				Purpose: "tag a headline", In: setTagsIn{ResourceURI: "org://projects.org/headline/Alpha", Tags: []string{"work", "urgent"}},
				AnyAnswer: true, Want: writeOut{Success: true, headlineLink: exampleLink("Alpha")},
			},
		},
	}, (*Source).setTags), func(s *Source, ctx context.Context, in setTagsIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *editor) setTags(ctx context.Context, c tools.CallContext, in setTagsIn) (writeOut, error) {
	if err := checkTags(in.Tags); err != nil {
		return writeOut{}, err
	}
	return s.change(ctx, c, in.ResourceURI, in.WriteOptions, func(e *edit, f *editedFile, i int) error {
		e.touch(f, i)
		return editError(f.SetTags(i, in.Tags))
	})
}

type setPriorityIn struct {
	ResourceURI string `json:"resourceUri" jsonschema:"the headline"`
	Priority    string `json:"priority" jsonschema:"such as A; empty: none"`
	WriteOptions
}

func setPriority() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[setPriorityIn, writeOut]{
		Name: "org-set-priority", Title: "Set the priority", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"resourceUri"},
		Doc:       "Set or remove the priority of a headline.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases(),
		Examples: []tools.Example[setPriorityIn, writeOut]{
			{
				Purpose: "make a task urgent", In: setPriorityIn{ResourceURI: "org://projects.org/headline/Alpha", Priority: "A"}, AnyAnswer: true,
				Want: writeOut{Success: true, headlineLink: exampleLink("Alpha")},
			},
		},
	}, (*Source).setPriority), func(s *Source, ctx context.Context, in setPriorityIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *editor) setPriority(ctx context.Context, c tools.CallContext, in setPriorityIn) (writeOut, error) {
	return s.change(ctx, c, in.ResourceURI, in.WriteOptions, func(e *edit, f *editedFile, i int) error {
		file := f.File()
		if in.Priority == "" && file.Headlines[i].Priority.Empty() {
			return nil
		}
		e.touch(f, i)
		return editError(f.SetPriority(i, in.Priority))
	})
}
