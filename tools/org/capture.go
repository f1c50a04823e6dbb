package org

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

type captureIn struct {
	Template string            `json:"template,omitempty" jsonschema:"its key; the first one when omitted"`
	Title    string            `json:"title,omitempty" jsonschema:"what goes to %?"`
	Text     string            `json:"text,omitempty" jsonschema:"what goes to %i, or below the heading"`
	Link     string            `json:"link,omitempty" jsonschema:"what goes to %a"`
	Tags     []string          `json:"tags,omitempty" jsonschema:"what goes to %^g"`
	Answers  map[string]string `json:"answers,omitempty" jsonschema:"what the template asks for, by prompt"`
	DryRun   bool              `json:"dryRun,omitempty" jsonschema:"show the diff"`
}

type captureOut struct {
	Success bool   `json:"success" jsonschema:"true"`
	File    string `json:"file" jsonschema:"its file"`
	Title   string `json:"title,omitempty" jsonschema:"its title, if it is a headline"`
	headlineLink
	Diff string `json:"diff,omitempty" jsonschema:"of a dry run"`
}

func capture() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[captureIn, captureOut]{
		Name: "org-capture", Title: "Capture", Effect: tools.Writes, Additive: true, OptIn: true,
		Selects:   []string{"template", "title"},
		Doc:       "Add an entry, list item or table row by one of the user's capture templates (org://config/capture-templates).",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(nil),
		Examples: []tools.Example[captureIn, captureOut]{
			{
				Purpose: "note a task", In: captureIn{Title: "Return the books"}, AnyAnswer: true, Want: captureOut{
					Success: true, File: "inbox.org", headlineLink: exampleLink(""),
				},
			},
		},
	}, (*Source).capture), func(s *Source, ctx context.Context, in captureIn) ([]string, error) {
		t, err := s.captureTemplate(in.Template)
		switch {
		case err != nil:
			return []string{s.inbox()}, nil //nolint:nilerr // the call says what is wrong
		case t.ID != "":
			return s.targetsOf(ctx, "org://id/"+t.ID)
		}
		if file := s.captureFile(t); file != "" {
			return []string{file}, nil
		}
		return []string{s.inbox()}, nil
	})
}

// captureTemplate finds a template by its key.
func (s *catalog) captureTemplate(key string) (t orgfile.CaptureTemplate, err error) {
	i := slices.IndexFunc(s.settings.Capture, func(t orgfile.CaptureTemplate) bool {
		return key == "" && t.Unusable == "" || key != "" && t.Key == key
	})
	if i < 0 {
		var known []string
		for _, t := range s.settings.Capture {
			known = append(known, t.Key+" "+t.Name)
		}
		return t, tools.Errorf(tools.Invalid, "template: there is no capture template %.40q", key).WithHint("There are %q.", known)
	}
	if t = s.settings.Capture[i]; t.Unusable != "" {
		return t, tools.Errorf(tools.Invalid, "template: %.40q cannot be used without Emacs: %s", key, t.Unusable).
			WithHint("Use another template, or org-add-todo.")
	}
	return t, nil
}

// captureFile is the name of the file of a template, "" if it is not open to agents.
func (s *catalog) captureFile(t orgfile.CaptureTemplate) string {
	file := t.File
	if file == "" {
		return s.inbox()
	}
	if file = expandHome(file); !filepath.IsAbs(file) {
		return s.roots()[0].prefix + filepath.ToSlash(filepath.Clean(file))
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(dir, filepath.Base(file))
	}
	name, _ := s.nameAt(file)
	return name
}

func (s *editor) capture(ctx context.Context, c tools.CallContext, in captureIn) (out captureOut, err error) {
	t, err := s.captureTemplate(in.Template)
	if err != nil {
		return out, err
	}
	if err := checkCapture(t, &in); err != nil {
		return out, err
	}
	out.Success = true
	out.Diff, err = s.edit(ctx, c, WriteOptions{DryRun: in.DryRun}, func(e *edit) error {
		f, at, err := e.captureTarget(t)
		if err != nil {
			return err
		}
		text, err := expandCapture(t, in, e.env.Now, &f.File().Settings)
		if err != nil {
			return err
		}
		i, err := e.addCaptured(f, at, t, text.Text)
		if err != nil {
			return editError(err)
		}
		out.File = f.name
		return e.finishCapture(f, i, t, text, &out)
	})
	return out, err
}

// finishCapture gives what was captured its IDs and properties, and says what it is now. i is
// -1 for what is below no headline.
func (e *edit) finishCapture(f *editedFile, i int, t orgfile.CaptureTemplate, text orgedit.Expansion, out *captureOut) error {
	if i < 0 {
		now, err := e.present(f)
		if err == nil {
			out.headlineLink = headlineLink{ResourceURI: e.s.uri(now, -1), Etag: now.etag(-1)}
		}
		return err
	}
	if t.Type == "entry" {
		tree := f.File().Subtree(i)
		e.createIDs(f, int(tree.Start), int(tree.End))
	}
	if err := e.setProperties(f, i, text.Properties, nil, ""); err != nil {
		return err
	}
	now, shown, err := e.result(f, i)
	if err != nil {
		return err
	}
	if out.headlineLink = e.s.link(now, shown); t.Type == "entry" {
		out.Title = now.Text(now.Headlines[shown].Title)
	}
	return nil
}

// expandCapture is the text of a capture. It refuses a title or link that changes how its
// heading is read.
func expandCapture(t orgfile.CaptureTemplate, in captureIn, now time.Time, s *orgfile.Settings) (orgedit.Expansion, error) {
	expand := func(title, link string) (orgedit.Expansion, error) {
		return orgedit.Expand(t.Text, orgedit.CaptureInput{Title: title, Text: in.Text, Link: link, Tags: in.Tags, Answers: in.Answers}, now)
	}
	title, plain, link := strings.TrimSpace(in.Title), "", ""
	if title != "" {
		plain = plainTitle
	}
	if in.Link != "" {
		link = plainTitle
	}
	out, err := expand(title, in.Link)
	if err != nil || t.Type != "entry" {
		return out, editError(err)
	}
	without, err := expand(plain, link)
	if err != nil {
		return out, editError(err)
	}
	return out, checkReading(out.Text, without.Text, s)
}

// addCaptured writes the text of a capture, and returns the index of its headline;
// negative: it has none.
func (e *edit) addCaptured(f *editedFile, at int, t orgfile.CaptureTemplate, text string) (int, error) {
	if t.DateTree {
		return f.AddEntry(text, orgedit.EntryPlace{Parent: at, After: -1, First: t.Prepend, Day: e.env.Now})
	}
	return f.Capture(at, orgedit.CaptureTemplate{Type: t.Type, Prepend: t.Prepend, EmptyLines: t.EmptyLines, Text: text})
}

// checkCapture refuses what would end the entry or start others.
func checkCapture(t orgfile.CaptureTemplate, in *captureIn) error {
	if in.Title != "" {
		if err := checkTitle(in.Title); err != nil {
			return err
		}
		if err := checkLine("title", in.Title); err != nil {
			return err
		}
	}
	if err := checkTags(in.Tags); err != nil {
		return err
	}
	in.Text = strings.TrimRight(strings.ReplaceAll(in.Text, "\r\n", "\n"), "\n")
	level := maxBody // in a list no heading is right
	if t.Type == "entry" {
		level = orgfile.Stars([]byte(t.Text))
	}
	if err := checkBody(in.Text, level); err != nil {
		return err
	}
	if t.Type == "table-line" && strings.Contains(in.Text, "\n") {
		return tools.Errorf(tools.Invalid, "text: a row of a table is one line")
	}
	if err := checkLine("link", in.Link); err != nil {
		return err
	}
	for name, value := range in.Answers {
		if err := checkLine("answers: "+safetext.Truncate(name, 40), value); err != nil {
			return err
		}
	}
	return nil
}

func checkLine(what, text string) error {
	if strings.ContainsAny(text, "\n\r") {
		return tools.Errorf(tools.Invalid, "%s: write one line", what)
	}
	if orgfile.Stars([]byte(text+" ")) > 0 {
		return tools.Errorf(tools.Invalid, "%s: it must not start as a heading does", what).WithHint("Leave out the stars.")
	}
	return checkLength(what, text, maxTitle)
}

// captureTarget opens the file of a template and finds the headline that it goes
// below, -1 for none. As Emacs does, it makes a missing headline of file+headline.
func (e *edit) captureTarget(t orgfile.CaptureTemplate) (*editedFile, int, error) {
	if t.ID != "" {
		return e.headline("org://id/"+escapeSegment(t.ID), "")
	}
	file := e.s.captureFile(t)
	if file == "" {
		return nil, 0, tools.Errorf(tools.NotFound, "template: the file of %.40q is not open to agents", t.Key).
			WithHint("Use another template, or ask the user to add the file to the source.")
	}
	f, err := e.open(file)
	if err != nil || t.Headline == "" && len(t.Path) == 0 {
		return f, -1, err
	}
	now, err := e.present(f)
	if err != nil {
		return nil, 0, err
	}
	if t.Headline != "" {
		for i := range now.Headlines {
			if isTitled(now, i, t.Headline) {
				return f, now.wholeIndex(i), nil
			}
		}
		i, err := f.AddEntry("* "+t.Headline+"\n", orgedit.EntryPlace{Parent: -1, After: -1})
		return f, i, editError(err)
	}
	at := -1
	for _, title := range t.Path {
		below := now.Children(at)
		i := slices.IndexFunc(below, func(i int) bool { return isTitled(now, i, title) })
		if i < 0 {
			return nil, 0, tools.Errorf(tools.NotFound, "template: %s has no headline %.300q", file, strings.Join(t.Path, "/")).
				WithHint("Use another template, or ask the user whether to add the headline.")
		}
		at = below[i]
	}
	return f, now.wholeIndex(at), nil
}

// isTitled reports whether a headline has a title, around which Org lets statistics
// cookies stand.
func isTitled(f *shownFile, i int, title string) bool {
	own := f.Text(f.Headlines[i].Title)
	return own == title || linkTitle(own) == title
}

// A CaptureTemplate is a capture template as the resource of them answers it.
type CaptureTemplate struct {
	Key      string `json:"key"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	Template string `json:"template"`
	Unusable string `json:"unusable,omitempty"`
}

func (s *reader) readCaptureTemplates(context.Context, string, map[string]string) (tools.Content, error) {
	all := []CaptureTemplate{}
	for _, t := range s.settings.Capture {
		all = append(all, CaptureTemplate{t.Key, t.Name, t.Type, t.Text, t.Unusable})
	}
	return plainContent(map[string]any{"templates": all}, nil)
}
