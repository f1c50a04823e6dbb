package pane

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A SourceForm asks what to open: a folder whose kind is detected, or a source of
// a kind by the keys that the kind declares. It is a value.
type SourceForm struct {
	keys      Keys
	kinds     []status.SourceKind
	kind      int                         // 0: detected; else of kinds, from 1
	fixed     bool                        // the kind is not to be chosen
	typed     map[string]widget.TextInput // by name of the key; replaced, never changed
	name      widget.TextInput
	readOnly  bool
	focus     int    // 0: the kind; then its keys, the name, and whether it is read-only
	problem   string // why it was not taken; empty: not tried, or changed since
	submitted bool   // it was taken: when a source is added, the form is done
	paths     pathCompletion
}

// NewSourceForm returns a form that knows no kinds yet.
func NewSourceForm(k Keys) SourceForm { return SourceForm{keys: k, focus: 1} }

// ResetToKind returns an empty form for sources of one kind, or for a folder whose kind
// is detected if that has no name.
func (f SourceForm) ResetToKind(kind status.SourceKind) SourceForm {
	if kind.Kind == "" {
		return SourceForm{keys: f.keys, fixed: true, focus: 1}
	}
	return SourceForm{keys: f.keys, kinds: []status.SourceKind{kind}, kind: 1, fixed: true, focus: 1}
}

// detectedKindKeys are asked for while the kind is to be detected.
var detectedKindKeys = []status.ConfigKey{
	{Name: "folder", Type: "folder", Required: true, Description: "Lectern detects the kind from the contents of the folder."},
}

func (f SourceForm) configKeys() []status.ConfigKey {
	if f.kind == 0 {
		return detectedKindKeys
	}
	return f.kinds[f.kind-1].Keys
}

// focusedKey is the key that has the focus; ok is false if none has it.
func (f SourceForm) focusedKey() (key status.ConfigKey, ok bool) {
	if keys := f.configKeys(); f.focus >= 1 && f.focus <= len(keys) {
		return keys[f.focus-1], true
	}
	return status.ConfigKey{}, false
}

func (f SourceForm) nameHasFocus() bool     { return f.focus == len(f.configKeys())+1 }
func (f SourceForm) readOnlyHasFocus() bool { return f.focus == len(f.configKeys())+2 }

// HandleKey edits the form.
func (f SourceForm) HandleKey(k Press) SourceForm {
	f.problem, f.submitted, f.paths.wanted = "", false, false
	step := 0
	if k.String() == "tab" {
		next, done := f.completePath()
		if !done {
			return next
		}
	}
	switch {
	case key.Matches(k, f.keys.NextField):
		return f.moveFocus(1)
	case key.Matches(k, f.keys.PreviousField):
		return f.moveFocus(-1)
	case key.Matches(k, f.keys.Left):
		step = -1
	case key.Matches(k, f.keys.Right, f.keys.Toggle):
		step = 1
	}
	focused, onKey := f.focusedKey()
	switch {
	case f.nameHasFocus():
		f.name, _ = f.name.HandleKey(k.KeyPressMsg)
	case f.readOnlyHasFocus() && step != 0:
		f.readOnly = !f.readOnly
	case f.focus == 0 && !f.fixed:
		f.kind = (f.kind + step + len(f.kinds) + 1) % (len(f.kinds) + 1)
	case onKey && focused.Type == "boolean":
		values := []string{"", "true", "false"} // empty: leave it out
		at := max(0, slices.Index(values, f.typed[focused.Name].Value()))
		f = f.withFieldInput(focused.Name, widget.NewTextInput(values[(at+step+len(values))%len(values)]))
	case onKey:
		next, _ := f.typed[focused.Name].HandleKey(k.KeyPressMsg)
		f = f.withFieldInput(focused.Name, next)
	}
	return f
}

// moveFocus moves the focus by so many fields.
func (f SourceForm) moveFocus(by int) SourceForm {
	fields := len(f.configKeys()) + 3
	f.focus = (f.focus + by + fields) % fields
	return f
}

func (f SourceForm) withFieldInput(name string, typed widget.TextInput) SourceForm {
	all := maps.Clone(f.typed)
	if all == nil {
		all = map[string]widget.TextInput{}
	}
	all[name] = typed
	f.typed = all
	return f
}

// Paste types text into the field that has the focus.
func (f SourceForm) Paste(text string) SourceForm {
	f.problem, f.paths.wanted = "", false
	if focused, ok := f.focusedKey(); ok && focused.Type != "boolean" {
		return f.withFieldInput(focused.Name, f.typed[focused.Name].Insert(text))
	}
	if f.nameHasFocus() {
		f.name = f.name.Insert(text)
	}
	return f
}

// BuildSource checks what a person typed as far as that needs no disk: the hub, which
// will open it, checks the rest. Nil: something is wrong, and the form says what.
func (f SourceForm) BuildSource() (SourceForm, *status.NewSource) {
	s := status.NewSource{Name: strings.TrimSpace(f.name.Value()), ReadOnly: f.readOnly}
	for i, k := range f.configKeys() {
		value := strings.TrimSpace(f.typed[k.Name].Value())
		if f.problem = configValueProblem(k, value); f.problem != "" {
			f.focus = i + 1
			return f, nil
		}
		switch {
		case f.kind == 0:
			s.Location = value
		case value != "":
			if s.Keys == nil {
				s.Keys = map[string]string{}
			}
			s.Keys[k.Name] = value
		}
	}
	if f.kind > 0 {
		s.Kind = f.kinds[f.kind-1].Kind
	}
	if strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		f.focus, f.problem = len(f.configKeys())+1, "A name can contain only a-z, 0-9 and -. Leave it empty to use the folder name."
		return f, nil
	}
	f.submitted = true
	return f, &s
}

// configValueProblem is what is wrong with the value of a key; empty: nothing that can be
// seen here. It does not repeat the value.
func configValueProblem(k status.ConfigKey, value string) string {
	path, isFile := strings.CutPrefix(value, "file:")
	switch {
	case value == "" && k.Required && k.Type == "folder":
		return "Enter the folder to open."
	case value == "" && k.Required:
		return "Enter " + k.Name + ": " + k.Description + "."
	case value == "":
		return ""
	case k.Type == "secret" && !isFile && !strings.HasPrefix(value, "env:"):
		return "Enter env:NAME or file:PATH, and not the secret itself."
	case k.Type == "secret" && isFile && !isAbsolute(path), k.Type == "folder" && !isAbsolute(value):
		return "Enter an absolute path, starting with / or ~."
	}
	return ""
}

// isAbsolute reports whether place means the same in every working directory: a
// path from a root, or one from home.
func isAbsolute(place string) bool {
	return strings.HasPrefix(place, "/") || strings.HasPrefix(place, "~") || strings.HasPrefix(place, `\\`) ||
		len(place) > 2 && place[1] == ':' && (place[2] == '\\' || place[2] == '/')
}

// Bindings are the keys that mean something in the form.
func (f SourceForm) Bindings() []key.Binding {
	keys := []key.Binding{widget.WithHelp(f.keys.Enter, "preview the change"), f.keys.NextField}
	if q, ok := f.pathQuery(); ok && (q != f.paths.of || !f.paths.found.Folder) {
		keys[1] = widget.WithHelp(f.keys.NextField, "complete the path")
	}
	if focused, _ := f.focusedKey(); f.readOnlyHasFocus() || focused.Type == "boolean" {
		keys = append(keys, f.keys.Toggle)
	}
	if f.focus == 0 && !f.fixed {
		keys = append(keys, widget.WithHelp(f.keys.Right, "next kind"))
	}
	return append(keys, widget.WithHelp(f.keys.Back, "close"))
}

// Rows draws the form in w cells.
func (f SourceForm) Rows(t theme.Theme, w int) []string {
	keys := f.configKeys()
	label := 13
	for _, k := range keys {
		label = max(label, min(theme.Width(k.Name)+4, w/3))
	}
	field := func(i int, name, value string) string {
		return widget.DrawFieldName(t, name, f.focus == i, label) + value
	}
	rows := []string{field(0, "kind", f.drawKind(t, w-label))}
	for i, k := range keys {
		rows = append(rows, field(i+1, k.Name, f.typed[k.Name].Draw(t, w-label, f.focus == i+1, configKeyPlaceholder(k))))
	}
	access := "agents read and run, ask to write or delete"
	if f.readOnly {
		access = "agents only read"
	}
	tick := map[bool]string{true: "[x] ", false: "[ ] "}[f.readOnly]
	rows = append(rows,
		field(len(keys)+1, "name", f.name.Draw(t, w-label, f.nameHasFocus(), f.namePlaceholder())),
		field(len(keys)+2, "read-only", t.Text.Text(tick)+t.Dim.Text(access)))
	if f.problem != "" {
		return append(rows, t.Bad.Wrap("✗ "+f.problem, w)...)
	}
	if paths := f.pathRows(t, w); paths != nil {
		return append(append(rows, ""), paths...)
	}
	focused, _ := f.focusedKey()
	return append(append(rows, ""), t.Dim.Wrap(cmp.Or(focused.Description, f.kindDoc()), w)...)
}

// configKeyPlaceholder is what an empty field of a key shows.
func configKeyPlaceholder(k status.ConfigKey) string {
	need := "optional"
	if k.Required {
		need = "required"
	}
	switch k.Type {
	case "folder":
		return need + ", such as /home/you/notes"
	case "secret":
		return need + ", env:NAME or file:PATH"
	case "list":
		return need + ", with commas"
	case "map":
		return need + ", such as a=b, c=d"
	case "boolean":
		return "not set"
	}
	return need
}

// namePlaceholder says what an empty name becomes: that of the folder, if one is named or must be.
func (f SourceForm) namePlaceholder() string {
	if f.kind > 0 {
		folder, ok := f.kinds[f.kind-1].Folder()
		if !ok || !folder.Required && strings.TrimSpace(f.typed[folder.Name].Value()) == "" {
			return "empty for " + f.kinds[f.kind-1].Kind
		}
	}
	return "empty for the folder name"
}

func (f SourceForm) drawKind(t theme.Theme, w int) string {
	title := "detected"
	if f.kind > 0 {
		title = f.kinds[f.kind-1].Title
	}
	switch {
	case f.fixed:
		return t.Text.Cut(title, w)
	case f.focus == 0:
		t = t.ForSelectedRow()
	}
	return t.Text.Cut("‹ "+title+" ›", w)
}

func (f SourceForm) kindDoc() string {
	if f.kind == 0 {
		return detectedKindKeys[0].Description
	}
	return f.kinds[f.kind-1].Summary()
}
