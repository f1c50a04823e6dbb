package pane

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// addForm asks what to open. Only the folder must be said.
type addForm struct {
	keys      Keys
	place     widget.TextInput
	name      widget.TextInput
	readOnly  bool
	focus     int    // placeField and on
	problem   string // why it was not taken; empty: not tried, or changed since
	submitted bool   // it was taken: when a source is added, the form is done
}

const (
	placeField = iota
	nameField
	accessField
	fieldCount
)

func (p Sources) formKey(k Press) (Pane, Intent) {
	switch {
	case key.Matches(k, p.keys.Back):
		p.adding = false
		return p, nil
	case key.Matches(k, p.keys.Enter):
		var want Intent
		p.form, want = p.form.submit()
		return p, want
	}
	p.form = p.form.edit(k)
	return p, nil
}

func (f addForm) edit(k Press) addForm {
	f.problem, f.submitted = "", false
	switch {
	case key.Matches(k, f.keys.NextField):
		f.focus = (f.focus + 1) % fieldCount
	case key.Matches(k, f.keys.PreviousField):
		f.focus = (f.focus + fieldCount - 1) % fieldCount
	case f.focus == placeField:
		f.place, _ = f.place.HandleKey(k.KeyPressMsg)
	case f.focus == nameField:
		f.name, _ = f.name.HandleKey(k.KeyPressMsg)
	case key.Matches(k, f.keys.Toggle, f.keys.Left, f.keys.Right):
		f.readOnly = !f.readOnly
	}
	return f
}

func (f addForm) paste(text string) addForm {
	f.problem = ""
	switch f.focus {
	case placeField:
		f.place = f.place.Insert(text)
	case nameField:
		f.name = f.name.Insert(text)
	}
	return f
}

// submit checks what a person typed as far as that needs no disk: the hub, which
// will open it, checks the rest.
func (f addForm) submit() (addForm, Intent) {
	place, name := strings.TrimSpace(f.place.Value()), strings.TrimSpace(f.name.Value())
	switch {
	case place == "":
		f.focus, f.problem = placeField, "Enter the folder to open."
		return f, nil
	case !isAbsolute(place):
		f.focus, f.problem = placeField, "Enter an absolute path, starting with / or ~."
		return f, nil
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		f.focus, f.problem = nameField, "A name can contain only a-z, 0-9 and -. Leave it empty to use the folder name."
		return f, nil
	}
	f.submitted = true
	return f, IntentFor(status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: name, Location: place, ReadOnly: f.readOnly}})
}

// isAbsolute reports whether place means the same in every working directory: a
// path from a root, one from home, or an address.
func isAbsolute(place string) bool {
	return strings.HasPrefix(place, "/") || strings.HasPrefix(place, "~") || strings.HasPrefix(place, `\\`) ||
		strings.Contains(place, "://") || len(place) > 2 && place[1] == ':' && (place[2] == '\\' || place[2] == '/')
}

func (f addForm) bindings() []key.Binding {
	keys := []key.Binding{widget.WithHelp(f.keys.Enter, "preview the change"), f.keys.NextField}
	if f.focus == accessField {
		keys = append(keys, f.keys.Toggle)
	}
	return append(keys, widget.WithHelp(f.keys.Back, "close"))
}

func (f addForm) section(t theme.Theme) widget.Section {
	return widget.Section{Title: "Add a source", Min: 4, Preferred: 7, Rows: func(w, _ int) []string {
		label := func(field int, name string) string { return widget.FieldName(t, name, f.focus == field, 13) }
		access := "agents can read and write"
		if f.readOnly {
			access = "agents can only read"
		}
		tick := map[bool]string{true: "[x] ", false: "[ ] "}[f.readOnly]
		rows := []string{
			label(placeField, "folder") + f.place.Draw(t, w-13, f.focus == placeField, "/home/you/notes"),
			label(nameField, "name") + f.name.Draw(t, w-13, f.focus == nameField, "empty for the folder name"),
			label(accessField, "read-only") + t.Text.Text(tick) + t.Dim.Text(access),
		}
		if f.problem == "" {
			return append(rows, "", t.Dim.Text("Lectern detects the kind from the contents of the folder."))
		}
		rows = append(rows, t.Bad.Wrap("✗ "+f.problem, w)...)
		return rows
	}}
}
