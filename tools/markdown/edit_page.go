package markdown

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/internal/textmerge"
	"github.com/lectern-mcp/lectern/tools"
)

// EditAction is what edit_page does at its target.
type EditAction string

// The actions of edit_page.
const (
	Append       EditAction = "append"
	Prepend      EditAction = "prepend"
	InsertBefore EditAction = "insert_before"
	InsertAfter  EditAction = "insert_after"
	Replace      EditAction = "replace"
	Delete       EditAction = "delete"
	Check        EditAction = "check"
	Uncheck      EditAction = "uncheck"
)

// JSONSchema implements [tools.SchemaProvider].
func (EditAction) JSONSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, a := range []EditAction{Append, Prepend, InsertBefore, InsertAfter, Replace, Delete, Check, Uncheck} {
		s.Enum = append(s.Enum, string(a))
	}
	return s
}

// EditPageIn are the arguments of edit_page.
type EditPageIn struct {
	Path    string     `json:"path" jsonschema:"page"`
	Action  EditAction `json:"action" jsonschema:"what to do"`
	Content string     `json:"content,omitempty" jsonschema:"new text or value"`
	editTarget
	IfMatch Etag `json:"if_match,omitempty" jsonschema:"etag from read_page; edits elsewhere are merged"`
	DryRun  bool `json:"dry_run,omitempty" jsonschema:"only answer the diff"`

	tasks *taskMarker // of the notebook
}

// An editTarget is the part of a page that an edit is about; empty: the body.
type editTarget struct {
	Text     ExactText `json:"text,omitempty" jsonschema:"target: exact text"`
	Count    Lines     `json:"count,omitempty" jsonschema:"how often text occurs"`
	Heading  string    `json:"heading,omitempty" jsonschema:"target: section, as Plan#Log"`
	Block    string    `json:"block,omitempty" jsonschema:"target: block id"`
	Property string    `json:"property,omitempty" jsonschema:"target: front matter key"`
	Lines    string    `json:"lines,omitempty" jsonschema:"target: 12 or 12-15"`
	Task     string    `json:"task,omitempty" jsonschema:"target: text of a task"`
	Whole    Whole     `json:"target,omitempty" jsonschema:"the whole body"`
}

// ExactText is text of a page. It may be blanks, but not empty.
type ExactText string

// JSONSchema implements [tools.SchemaProvider].
func (ExactText) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MinLength: new(1)}
}

// Whole is "body", all that stands below the front matter.
type Whole string

// JSONSchema implements [tools.SchemaProvider].
func (Whole) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"body"}}
}

// targetNames are the arguments that say what part of a page is meant.
func targetNames() []string {
	return []string{"text", "heading", "block", "property", "lines", "task", "target"}
}

// EditPageOut is the answer of edit_page.
type EditPageOut struct {
	Path   string `json:"path" jsonschema:"file of the page"`
	Etag   string `json:"etag,omitempty" jsonschema:"its new version"`
	Merged bool   `json:"merged,omitempty" jsonschema:"the page had changed since if_match; both edits are in it"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Diff   string `json:"diff,omitempty" jsonschema:"with dry_run: what would change"`
	Note   string `json:"note,omitempty" jsonschema:"what was not done"`
}

func editPage() tools.Tool[*Notebook] {
	return writesTo(tools.DefineWithContext(tools.Spec[EditPageIn, EditPageOut]{
		Name: "edit_page", Title: "Edit a page", Effect: tools.Writes,
		Selects:   []string{"path", "heading", "block", "property", "lines", "task", "target"},
		Normalize: normalizeEdit,
		Doc: "Changes one part of a page and leaves every other byte.\n" +
			"Give one target; append and prepend without one change the body. insert_* adds beside it; replace keeps a heading's line. " +
			"With content, append and delete change an element of a list property.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[EditPageIn, EditPageOut]{{
			Purpose: "add a line to a section", In: EditPageIn{
				Path: "Projects/Alpha.md", Action: Append, Content: "- reviewed\n", editTarget: editTarget{Heading: "Alpha"},
			}, AnyAnswer: true,
			Want: EditPageOut{Path: "Projects/Alpha.md", Etag: "5f2c0a1b9d3e7f48"},
		}, {
			Purpose: "set a property", In: EditPageIn{
				Path: "Projects/Alpha.md", Action: Replace, Content: "done", editTarget: editTarget{Property: "status"},
			}, AnyAnswer: true,
			Want: EditPageOut{Path: "Projects/Alpha.md", Etag: "5f2c0a1b9d3e7f48"},
		}},
	}, (*Notebook).EditPage), func(in EditPageIn) []string { return []string{in.Path} })
}

// diff is what a dry run would change in a file, at most maxContent bytes.
func diff(file, before, after string) string {
	return safetext.Truncate(udiff.Unified(file, file, before, after), maxContent)
}

// EditPage implements edit_page.
func (n *Notebook) EditPage(ctx context.Context, c tools.CallContext, in EditPageIn) (EditPageOut, error) {
	if err := checkContent(in.Content); err != nil {
		return EditPageOut{}, err
	}
	if err := in.check(); err != nil {
		return EditPageOut{}, err
	}
	if in.Property == "" { // a value is no lines of the page
		in.Content = strings.ReplaceAll(in.Content, "\r\n", "\n")
	}
	in.Text = ExactText(strings.ReplaceAll(string(in.Text), "\r\n", "\n"))
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return EditPageOut{}, err
	}
	defer n.writing.Release(1)
	file, err := n.findExact(in.Path)
	if err != nil {
		return EditPageOut{}, explainMissing(ctx, n, in.Path, err)
	}
	p, err := n.read(file)
	if err != nil {
		return EditPageOut{}, explainMissing(ctx, n, in.Path, err)
	}
	if !p.utf8 {
		return EditPageOut{}, notUTF8Error(file)
	}
	in.tasks = newTaskMarker(n)
	splices, merged, err := n.planEdit(p, in)
	if err != nil {
		return EditPageOut{}, err
	}
	after := folder.ApplySplices(p.data, splices)
	if len(after) > maxPage && len(after) > len(p.data) {
		return EditPageOut{}, tools.Errorf(tools.Limited, "content: the page would have more than %d bytes", maxPage)
	}
	if n.view.Hides(file, after) {
		return EditPageOut{}, hiddenError()
	}
	out := EditPageOut{Path: file, Merged: merged, DryRun: in.DryRun, Note: strings.TrimSpace(in.tasks.note)}
	if in.DryRun {
		out.Diff = diff(file, p.text, folder.TextAfter(p.text, splices))
		return out, nil
	}
	if bytes.Equal(after, p.data) {
		out.Etag = p.etag()
		return out, nil
	}
	d := n.draft()
	if err := d.setContent(p, after); err != nil {
		return EditPageOut{}, err
	}
	if err := d.commit(ctx, c); err != nil {
		return EditPageOut{}, err
	}
	n.announce(file)
	out.Etag = versionOf(after)
	return out, nil
}

// planEdit returns what an edit splices into p, and whether p is a later version
// than the one that the agent has read.
func (n *Notebook) planEdit(p *page, in EditPageIn) (splices []folder.Splice, merged bool, err error) {
	if in.IfMatch.check(p) == nil {
		splices, err = in.splices(p)
		return splices, false, err
	}
	was, known := n.versions.find(in.IfMatch)
	if !known {
		return nil, false, conflictError(p.etag())
	}
	base := parsePage(n.graph, p.file, was)
	if splices, err = in.splices(base); err != nil {
		return nil, false, err
	}
	now, ok := textmerge.Merge(base.text, p.text, folder.TextAfter(base.text, splices))
	if !ok {
		return nil, false, conflictError(p.etag())
	}
	splices = nil
	for _, e := range udiff.Lines(p.text, now) {
		splices = append(splices, folder.Splice{Start: e.Start, End: e.End, New: e.New})
	}
	return splices, true, nil
}

// normalizeEdit is the Normalize of edit_page. It refuses what only the arguments as they
// were given can tell: an empty target, which is not the same as none, and content that is
// missing where none would take something away.
func normalizeEdit(args map[string]any) error {
	if err := aliases("path", "content", "text", "heading")(args); err != nil {
		return err
	}
	content, given := args["content"]
	switch args["action"] {
	case string(Replace):
		if !given || content == nil {
			return tools.Errorf(tools.Invalid, "missing argument content").WithHint(`It is what to put there; "" leaves the part empty.`)
		}
	case string(Delete):
		if text, ok := content.(string); ok && args["property"] != nil && strings.TrimSpace(text) == "" {
			return tools.Errorf(tools.Invalid, "content: must not be empty").
				WithHint("It is the element to take out of the list. Leave it out to delete the property.")
		}
	}
	return nil
}

// check says what is wrong with the arguments alone.
func (in EditPageIn) check() error {
	var targets []string
	for name, given := range map[string]string{
		"text": string(in.Text), "heading": in.Heading, "block": in.Block, "property": in.Property, "lines": in.Lines, "task": in.Task,
		"target": string(in.Whole),
	} {
		if given != "" {
			targets = append(targets, name)
		}
	}
	target := strings.Join(targets, "")
	switch {
	case len(targets) > 1:
		return tools.Errorf(tools.Invalid, "give one target, not %d", len(targets)).
			WithHint("Name one of %s.", strings.Join(targetNames(), ", "))
	case in.Count > 0 && in.Text == "":
		return tools.Errorf(tools.Invalid, "count: belongs to text")
	case (in.Action == Check || in.Action == Uncheck) && target != "task" && target != "lines" && target != "block":
		return tools.Errorf(tools.Invalid, "action: %s needs task, lines or block", in.Action)
	case target == "" && in.Action != Append && in.Action != Prepend:
		return tools.Errorf(tools.Invalid, "action: %s needs a target", in.Action).
			WithHint("Name one of %s; target body is all of the text, and delete_page deletes the page.", strings.Join(targetNames(), ", "))
	case in.Content != "" && (in.Action == Check || in.Action == Uncheck || in.Action == Delete && target != "property"):
		return tools.Errorf(tools.Invalid, "content: %s takes none", in.Action).WithHint("To put it in the place of the target, use replace.")
	case target == "property" && in.Action != Append && in.Action != Replace && in.Action != Delete:
		return tools.Errorf(tools.Invalid, "action: a property can be replaced, appended to and deleted")
	case in.Content == "" && in.Action != Delete && in.Action != Replace && in.Action != Check && in.Action != Uncheck,
		target == "property" && in.Action == Append && strings.TrimSpace(in.Content) == "":
		return tools.Errorf(tools.Invalid, "missing argument content").
			WithHint("It is the text to %s.", strings.ReplaceAll(string(in.Action), "_", " "))
	}
	return nil
}

func notUTF8Error(file string) error {
	return tools.Errorf(tools.Invalid, "The page is not UTF-8 text and cannot be edited: %s", file).
		WithHint("Ask the user to convert it to UTF-8.")
}

// ambiguousError reports a target that several parts of a page match.
func ambiguousError(what, name string, lines []int) error {
	return tools.Errorf(tools.Conflict, "%s: %d places match %.80q, on lines %s", what, len(lines), name, joinLines(lines)).
		WithHint("Name one of them with lines, or give more of its text.")
}

func joinLines(lines []int) string {
	var b strings.Builder
	for i, l := range lines {
		if i == 10 {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, l)
	}
	return b.String()
}
