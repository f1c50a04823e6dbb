package pane

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A sourceFolderForm asks where the folder of a source is, after it was moved or its
// path was mistyped.
type sourceFolderForm struct {
	source string
	form   SourceForm // of which only the folder is asked for
}

// folderConfigKeyName is the key of a kind that names its folder.
func folderConfigKeyName(kinds []status.SourceKind, kind string) string {
	for _, k := range kinds {
		for _, one := range k.Keys {
			if k.Kind == kind && one.Type == "folder" {
				return one.Name
			}
		}
	}
	return "path"
}

// selectedSourceIsFolder reports whether the selected source of p is a folder.
func selectedSourceIsFolder(p Sources) bool {
	s, ok := p.selected()
	return ok && isAbsolute(s.Location)
}

func newSourceFolderForm(k Keys, s status.Source) *sourceFolderForm {
	f := SourceForm{keys: k, fixed: true}.withFolderFocused()
	return &sourceFolderForm{s.Name, f.withFieldInput(detectedKindKeys[0].Name, widget.NewTextInput(s.Location))}
}

// withFolderFocused is f with the focus on its folder.
func (f SourceForm) withFolderFocused() SourceForm {
	f.focus = 1
	return f
}

// handleFolderFormKey edits the folder of a source of p, or proposes it.
func handleFolderFormKey(p Sources, k Press) (Sources, Intent) {
	folder := p.folder
	switch {
	case key.Matches(k, p.keys.Back):
		p.folder = nil
		return p, nil
	case key.Matches(k, p.keys.Enter):
		form, entered := folder.form.BuildSource()
		if entered == nil {
			p.folder = &sourceFolderForm{folder.source, form}
			return p, nil
		}
		p.folder = nil
		s, _ := p.selected()
		keys := map[string]string{folderConfigKeyName(p.form.kinds, s.Kind): entered.Location}
		return p, IntentFor(status.Action{Verb: status.SetSource, Target: folder.source, Change: &status.SourceChange{Keys: keys}})
	}
	p.folder = &sourceFolderForm{folder.source, folder.form.HandleKey(k).withFolderFocused()}
	return p, nil
}

func (f sourceFolderForm) section(t theme.Theme) widget.Section {
	return widget.Section{Title: "Path of " + f.source, Min: 3, Preferred: 4 + maxPathRows, Rows: func(w, _ int) []string {
		name := detectedKindKeys[0].Name
		rows := []string{widget.DrawFieldName(t, name, true, 10) + f.form.typed[name].Draw(t, w-10, true, "/home/you/notes")}
		if f.form.problem != "" {
			return append(rows, t.Bad.Wrap("✗ "+f.form.problem, w)...)
		}
		if found := f.form.pathRows(t, w); found != nil {
			return append(append(rows, ""), found...)
		}
		return append(append(rows, ""), t.Dim.Wrap(strings.Join([]string{
			"Only the configuration changes, not the files.", "Grants and the history for undo stay.",
		}, " "), w)...)
	}}
}
