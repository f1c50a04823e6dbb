package pane

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// toolForm asks for the arguments of a tool and shows its answer. It is made
// from the tool's schema. It is a value.
type toolForm struct {
	keys    Keys
	tool    status.Tool
	fields  []argument
	typed   []widget.TextInput // one for each field; of one with choices, the one chosen
	source  int                // among the tool's
	focus   int                // 0: the source; from 1 on the fields
	example int                // the one that was filled in last; 0: none

	problem   string // why it was not run; empty: not tried, or changed since
	confirmed bool   // it changes something, and a person was told so
	running   bool
	answer    widget.TextView
	json      string // of answer, as it is copied
	top       int
}

func newToolForm(k Keys, tool status.Tool) (toolForm, error) {
	fields, err := parseSchemaArguments(tool.Schema)
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
	f := toolForm{keys: k, tool: tool, fields: fields, typed: make([]widget.TextInput, len(fields)), focus: 1}
	if len(fields) == 0 {
		f.focus = 0
	}
	return f, nil
}

func (f toolForm) sourceName() string {
	if f.source < len(f.tool.Sources) {
		return f.tool.Sources[f.source]
	}
	return ""
}

// arguments are what was typed, as JSON. Empty fields are left out.
func (f toolForm) arguments() (args json.RawMessage, field int, err error) {
	all := map[string]json.RawMessage{}
	for i, a := range f.fields {
		text := f.typed[i].Value()
		if text == "" && !a.required {
			continue
		}
		if text == "" && a.kind != "string" {
			return nil, i, errors.New(a.name + " is required")
		}
		if all[a.name], err = a.encode(text); err != nil {
			return nil, i, err
		}
	}
	args, err = json.Marshal(all)
	return args, 0, err
}

// handleKey answers k, which does not close the form.
func (f toolForm) handleKey(k Press) (toolForm, Intent) {
	page := max(1, k.H/2)
	switch {
	case key.Matches(k, f.keys.Enter):
		return f.run()
	case k.String() == "pgdown": // the other keys for it edit text
		f.top += page
	case k.String() == "pgup":
		f.top = max(0, f.top-page)
	case key.Matches(k, f.keys.CopyAnswer):
		if f.answer.Len() == 0 {
			return f, ShowMessage{"There is no result to copy yet."}
		}
		return f, CopyText{What: "the result as JSON", Text: f.json}
	case key.Matches(k, f.keys.Example):
		return f.fillExample(), nil
	default:
		f.problem, f.confirmed = "", false
		return f.edit(k), nil
	}
	f.top = max(0, min(f.top, f.answer.Height(max(1, k.W-4))-1))
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
		f.typed[i] = widget.NewTextInput(all[(at+step+len(all))%len(all)])
		return f
	}
	f.typed[i], _ = f.typed[i].HandleKey(k.KeyPressMsg)
	return f
}

func (f toolForm) paste(text string) toolForm {
	if i := f.focus - 1; i >= 0 && f.fields[i].choices == nil {
		f.problem, f.confirmed = "", false
		f.typed = slices.Clone(f.typed)
		f.typed[i] = f.typed[i].Insert(text)
	}
	return f
}

// fillExample fills in the next example.
func (f toolForm) fillExample() toolForm {
	if len(f.tool.Examples) == 0 {
		f.problem = "This tool has no examples."
		return f
	}
	ex := f.tool.Examples[f.example%len(f.tool.Examples)]
	f.example = f.example%len(f.tool.Examples) + 1
	var args map[string]json.RawMessage
	if json.Unmarshal(ex.Args, &args) != nil {
		f.problem = "The example is not valid JSON."
		return f
	}
	f.typed, f.problem, f.confirmed = make([]widget.TextInput, len(f.fields)), "", false
	for i, a := range f.fields {
		if v, ok := args[a.name]; ok {
			f.typed[i] = widget.NewTextInput(unquoteJSONString(v))
		}
	}
	return f
}

// run runs the tool; one that changes something only when it is asked for
// twice.
func (f toolForm) run() (toolForm, Intent) {
	if f.running {
		return f, ShowMessage{"Already running."}
	}
	args, at, err := f.arguments()
	switch {
	case f.sourceName() == "":
		f.problem = "No source provides this tool."
		return f, nil
	case err != nil:
		f.problem, f.focus = err.Error()+".", at+1
		return f, nil
	case f.tool.Effect != "read" && !f.confirmed:
		f.confirmed = true
		return f, nil
	}
	f.running, f.confirmed, f.problem, f.answer, f.top = true, false, "", widget.TextView{}, 0
	return f, RunTool{Source: f.sourceName(), Tool: f.unprefixedToolName(), Args: args}
}

// unprefixedToolName is the tool's own name: where a client sees several Systems, the
// published one says before it which.
func (f toolForm) unprefixedToolName() string {
	return strings.TrimPrefix(f.tool.Name, f.tool.System+"_")
}

// takeResult takes what came of a run.
func (f toolForm) takeResult(fact Result) toolForm {
	f.running = false
	if fact.Err != nil {
		f.answer, f.json = widget.NewTextView().AppendText(widget.RiskLine, fact.Err.Error()), fact.Err.Error()
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
	f.answer, f.json = toolAnswerText(fact.Answer), pretty.String()
	return f
}

func (f toolForm) bindings() []key.Binding {
	keys := []key.Binding{widget.WithHelp(f.keys.Enter, "run"), f.keys.NextField, widget.WithHelp(f.keys.Back, "close")}
	if len(f.tool.Examples) > 0 {
		keys = append(keys, f.keys.Example)
	}
	if f.answer.Len() > 0 {
		keys = append(keys, f.keys.CopyAnswer)
	}
	return keys
}

// sections are the form and, when there is one, the answer.
func (f toolForm) sections(t theme.Theme) []widget.Section {
	form := widget.Section{
		Title: "Run " + f.tool.Name, Note: f.tool.Effect, Min: min(4, len(f.fields)+2), Preferred: len(f.fields) + 4,
		Rows: func(w, h int) []string {
			rows := []string{f.row(t, 0, "source", f.sourceName(), w)}
			for i, a := range f.fields {
				name := a.name
				if a.required {
					name += " *"
				}
				rows = append(rows, f.row(t, i+1, name, "", w))
			}
			foot := f.footer(t, w)
			from, to := widget.VisibleRange(len(rows), f.focus, max(1, h-len(foot)))
			return append(rows[from:to:to], foot...)
		},
	}
	all := []widget.Section{form}
	if f.answer.Len() > 0 || f.running {
		all = append(all, widget.Section{
			Title: "Result", Note: widget.CountWithNoun(f.answer.Len(), "line"), Min: 2, Preferred: 1 << 20,
			Rows: func(w, h int) []string {
				if f.running {
					return []string{t.Busy.Text("◐ running …")}
				}
				return f.answer.Draw(t, f.top, w, h)
			},
		})
	}
	return all
}

// labelCells is how wide the names of the fields are.
const labelCells = 20

func (f toolForm) row(t theme.Theme, i int, name, value string, w int) string {
	label := min(labelCells, w/3)
	lead := widget.DrawFieldName(t, name, f.focus == i, label) + " "
	w -= label + 1
	if i == 0 {
		if len(f.tool.Sources) > 1 {
			value = "‹ " + value + " ›"
		}
		return lead + t.Strong.Cut(value, w)
	}
	a, typed := f.fields[i-1], f.typed[i-1]
	hint := strings.Join(nonEmpty(a.kindText(), a.rules, a.description), " · ")
	if a.choices == nil {
		return lead + typed.Draw(t, w, f.focus == i, hint)
	}
	if typed.Value() == "" {
		return lead + t.Dim.Cut("‹ not set ›  "+strings.Join(nonEmpty(strings.Join(a.choices, ", "), a.description), " · "), w)
	}
	return lead + t.Text.Text("‹ "+typed.Value()+" ›")
}

// footer says what is wrong, or what is known of the field in focus.
func (f toolForm) footer(t theme.Theme, w int) []string {
	switch {
	case f.problem != "":
		return t.Bad.Wrap("✗ "+f.problem, w)
	case f.confirmed:
		return t.Warn.Wrap("▲ This changes "+f.sourceName()+" ("+f.tool.Effect+"). Press enter again to run it.", w)
	case f.focus == 0:
		return t.Dim.Wrap("  the source to run it on", w)
	default:
		a := f.fields[f.focus-1]
		return []string{t.Dim.Cut("  "+strings.Join(nonEmpty(a.kindText(), a.rules, a.description), " · "), w)}
	}
}
