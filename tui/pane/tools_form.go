package pane

import (
	"encoding/json"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// toolForm asks for the arguments of a tool and shows its answer. It is made
// from the tool's schema. It is a value.
type toolForm struct {
	keys    Keys
	tool    status.Tool
	fields  []argument
	typed   []Field // one for each field; of one with choices, the one chosen
	source  int     // among the tool's
	focus   int     // 0: the source; from 1 on the fields
	example int     // the one that was filled in last; 0: none

	wrong   string // why it was not run; empty: not tried, or changed since
	sure    bool   // it changes something, and a person was told so
	running bool
	answer  leaf
	top     int
}

func newToolForm(k Keys, tool status.Tool) (toolForm, error) {
	fields, err := argumentsOf(tool.Schema)
	if err != nil {
		return toolForm{}, err
	}
	// Where a tool works on several sources its schema names one; here that is
	// the first field.
	fields = slices.DeleteFunc(fields, func(a argument) bool { return a.name == "source" && len(tool.Sources) > 1 })
	for i := range fields {
		if fields[i].kind == "boolean" {
			fields[i].choices = []string{"true", "false"}
		}
	}
	f := toolForm{keys: k, tool: tool, fields: fields, typed: make([]Field, len(fields)), focus: 1}
	if len(fields) == 0 {
		f.focus = 0
	}
	return f, nil
}

func (f toolForm) on() string {
	if f.source < len(f.tool.Sources) {
		return f.tool.Sources[f.source]
	}
	return ""
}

// arguments are what was typed, as JSON. Empty fields are left out.
func (f toolForm) arguments() (json.RawMessage, int, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, a := range f.fields {
		text := f.typed[i].Value()
		if text == "" && !a.required {
			continue
		}
		if text == "" && a.kind != "string" {
			return nil, i, errRequired(a.name)
		}
		v, err := a.value(text)
		if err != nil {
			return nil, i, err
		}
		name, err := json.Marshal(a.name)
		if err != nil {
			return nil, i, err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return json.RawMessage(b.String()), 0, nil
}

type errRequired string

func (e errRequired) Error() string { return string(e) + " is needed" }

// key answers k, which does not close the form.
func (f toolForm) key(k Press) (toolForm, Intent) {
	page := max(1, k.H/2)
	switch {
	case key.Matches(k, f.keys.Enter):
		return f.run()
	case k.String() == "pgdown": // the other keys for it edit text
		f.top += page
	case k.String() == "pgup":
		f.top = max(0, f.top-page)
	case key.Matches(k, f.keys.CopyAnswer):
		if len(f.answer.lines) == 0 {
			return f, Say{"There is no answer to copy yet."}
		}
		return f, Copy{What: "the answer", Text: f.answer.String()}
	case key.Matches(k, f.keys.Example):
		return f.fill(), nil
	default:
		f.wrong, f.sure = "", false
		return f.edit(k), nil
	}
	f.top = max(0, min(f.top, f.answer.height(max(1, k.W-4))-1))
	return f, nil
}

func (f toolForm) edit(k Press) toolForm {
	fields := len(f.fields) + 1
	switch {
	case key.Matches(k, f.keys.NextField):
		f.focus = (f.focus + 1) % fields
		return f
	case key.Matches(k, f.keys.PreviousField):
		f.focus = (f.focus + fields - 1) % fields
		return f
	}
	step := 0
	switch {
	case key.Matches(k, f.keys.Left):
		step = -1
	case key.Matches(k, f.keys.Right, f.keys.Toggle):
		step = 1
	}
	if f.focus == 0 {
		if n := len(f.tool.Sources); n > 0 {
			f.source = (f.source + step + n) % n
		}
		return f
	}
	i := f.focus - 1
	f.typed = slices.Clone(f.typed)
	if choices := f.fields[i].choices; choices != nil {
		all := append([]string{""}, choices...) // empty: leave it out
		at := max(0, slices.Index(all, f.typed[i].Value()))
		f.typed[i] = NewField(all[(at+step+len(all))%len(all)])
		return f
	}
	f.typed[i], _ = f.typed[i].Key(k.KeyPressMsg)
	return f
}

func (f toolForm) paste(text string) toolForm {
	if i := f.focus - 1; i >= 0 && f.fields[i].choices == nil {
		f.wrong, f.sure = "", false
		f.typed = slices.Clone(f.typed)
		f.typed[i] = f.typed[i].Insert(text)
	}
	return f
}

// fill fills in the next example.
func (f toolForm) fill() toolForm {
	if len(f.tool.Examples) == 0 {
		f.wrong = "This tool has no example."
		return f
	}
	ex := f.tool.Examples[f.example%len(f.tool.Examples)]
	f.example = f.example%len(f.tool.Examples) + 1
	var args map[string]json.RawMessage
	if json.Unmarshal(ex.Args, &args) != nil {
		f.wrong = "The example cannot be read."
		return f
	}
	f.typed, f.wrong, f.sure = make([]Field, len(f.fields)), "", false
	for i, a := range f.fields {
		if v, ok := args[a.name]; ok {
			f.typed[i] = NewField(unquoted(v))
		}
	}
	return f
}

// run runs the tool; one that changes something only when it is asked for
// twice.
func (f toolForm) run() (toolForm, Intent) {
	if f.running {
		return f, Say{"It runs already."}
	}
	args, at, err := f.arguments()
	switch {
	case f.on() == "":
		f.wrong = "There is no source that it works on."
		return f, nil
	case err != nil:
		f.wrong, f.focus = err.Error()+".", at+1
		return f, nil
	case f.tool.Effect != "read" && !f.sure:
		f.sure = true
		return f, nil
	}
	f.running, f.sure, f.wrong, f.answer, f.top = true, false, "", leaf{}, 0
	return f, Try{Source: f.on(), Tool: f.called(), Args: args}
}

// called is the tool's own name: where a client sees several Systems, the
// published one says before it which.
func (f toolForm) called() string { return strings.TrimPrefix(f.tool.Name, f.tool.System+"_") }

// learn takes what came of a run.
func (f toolForm) learn(fact Fact) toolForm {
	f.running = false
	if fact.Err != nil {
		f.answer = newLeaf().with(leafRisk, fact.Err.Error())
		return f
	}
	var pretty strings.Builder
	enc := json.NewEncoder(&pretty)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(fact.Answer) != nil {
		pretty.Reset()
		pretty.Write(fact.Answer)
	}
	f.answer = newLeaf().with(leafText, pretty.String())
	return f
}

func (f toolForm) bindings() []key.Binding {
	keys := []key.Binding{named(f.keys.Enter, "run it"), f.keys.NextField, named(f.keys.Back, "close")}
	if len(f.tool.Examples) > 0 {
		keys = append(keys, f.keys.Example)
	}
	if len(f.answer.lines) > 0 {
		keys = append(keys, f.keys.CopyAnswer)
	}
	return keys
}

// sections are the form and, when there is one, the answer.
func (f toolForm) sections(t theme.Theme) []section {
	form := section{title: "Run " + f.tool.Name, note: f.tool.Effect, need: min(4, len(f.fields)+2), want: len(f.fields) + 4, rows: func(w, h int) []string {
		rows := []string{f.row(t, 0, "on", f.on(), w)}
		for i, a := range f.fields {
			name := a.name
			if a.required {
				name += " *"
			}
			rows = append(rows, f.row(t, i+1, name, "", w))
		}
		foot := f.foot(t, w)
		from, to := window(len(rows), f.focus, max(1, h-len(foot)))
		return append(rows[from:to:to], foot...)
	}}
	all := []section{form}
	if len(f.answer.lines) > 0 || f.running {
		all = append(all, section{title: "Answer", note: many(uint64(len(f.answer.lines)), "line"), need: 2, want: 1 << 20, rows: func(w, h int) []string {
			if f.running {
				return []string{t.Busy.Text("◐ running …")}
			}
			return f.answer.draw(t, f.top, w, h)
		}})
	}
	return all
}

// labelCells is how wide the names of the fields are.
const labelCells = 20

func (f toolForm) row(t theme.Theme, i int, name, value string, w int) string {
	label := min(labelCells, w/3)
	lead := t.Dim.Fit("  "+name, label)
	if f.focus == i {
		lead = t.Accent.Fit("▸ "+name, label)
	}
	lead += " "
	w -= label + 1
	if i == 0 {
		if len(f.tool.Sources) > 1 {
			value = "‹ " + value + " ›"
		}
		return lead + t.Strong.Cut(value, w)
	}
	a, typed := f.fields[i-1], f.typed[i-1]
	hint := strings.Join(present(a.kindly(), a.byRule, a.means), " · ")
	if a.choices == nil {
		return lead + typed.View(t, w, f.focus == i, hint)
	}
	if typed.Value() == "" {
		return lead + t.Dim.Cut("‹ left out ›  "+strings.Join(present(strings.Join(a.choices, ", "), a.means), " · "), w)
	}
	return lead + t.Text.Text("‹ "+typed.Value()+" ›")
}

// foot says what is wrong, or what is known of the field in focus.
func (f toolForm) foot(t theme.Theme, w int) []string {
	switch {
	case f.wrong != "":
		return t.Bad.Wrapped("✗ "+f.wrong, w)
	case f.sure:
		return t.Warn.Wrapped("▲ It changes "+f.on()+" ("+f.tool.Effect+"). Enter again runs it.", w)
	case f.focus == 0:
		return t.Dim.Wrapped("  the source that it works on", w)
	default:
		a := f.fields[f.focus-1]
		return []string{t.Dim.Cut("  "+strings.Join(present(a.kindly(), a.byRule, a.means), " · "), w)}
	}
}
