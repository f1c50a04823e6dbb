package pane

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Settings shows every key of the configuration with what it means, edits it,
// and does what concerns Lectern itself: tokens, versions, staying when idle.
// What an edit would write is shown before it is written. Drawing is in
// settings_draw.go, what can be done in settings_deeds.go.
type Settings struct {
	keys Keys
	zone *time.Location
	snap status.Snapshot

	turn, known int // how often the settings became old, and the turn that was read
	settings    []status.Setting
	err         error
	cursor      string // the name of the selected row

	filter Field
	typing bool

	shown shownToken

	editing string // the key that is edited; empty: none
	value   Field
	chosen  int // among the choices
}

// NewSettings returns a Settings that shows times of zone.
func NewSettings(k Keys, zone *time.Location) Settings {
	return Settings{keys: k, zone: zone, turn: 1}
}

// A settingsRow is a key of the configuration or a deed.
type settingsRow struct {
	name    string // unique
	setting status.Setting
	deed    deed // without title: a setting
}

// Show implements [Pane].
func (p Settings) Show(s status.Snapshot) Pane {
	if again(p.snap, s) {
		p.turn++
	}
	p.snap = s
	return p
}

// Wants implements [Learner].
func (p Settings) Wants() Want {
	if p.known == p.turn {
		return nil
	}
	return SettingsOf{p.turn}
}

// Learn implements [Learner].
func (p Settings) Learn(f Fact) Pane {
	switch w := f.Want.(type) {
	case Token:
		p.shown = shownToken{of: w.Of, text: f.Token}
		if f.Err != nil {
			p.shown.wrong = f.Err.Error()
		}
	case SettingsOf:
		p.known, p.err = w.Turn, f.Err
		if f.Err == nil {
			p.settings = f.Settings
		}
	}
	return p
}

// Done implements [Actor].
func (p Settings) Done(a status.Action, err error) Pane {
	if err != nil {
		return p
	}
	if a.Verb == status.SetOption && a.Option != nil && a.Option.Key == p.editing {
		p.editing = ""
	}
	p.turn++ // any action may have changed the configuration
	return p
}

// Typing implements [Paster].
func (p Settings) Typing() bool { return p.typing || p.editing != "" }

// Paste implements [Paster].
func (p Settings) Paste(text string) Pane {
	switch s, _ := p.setting(p.editing); {
	case p.typing:
		p.filter = p.filter.Insert(text)
	case p.editing != "" && s.Choices == nil:
		p.value = p.value.Insert(text)
	}
	return p
}

func (p Settings) setting(name string) (status.Setting, bool) {
	i := slices.IndexFunc(p.settings, func(s status.Setting) bool { return s.Key == name })
	if i < 0 || name == "" {
		return status.Setting{}, false
	}
	return p.settings[i], true
}

// rows are the rows that pass the filter: the update when there is one, the
// settings, and the other deeds.
func (p Settings) rows() []settingsRow {
	l := lens{needle: theme.Plain(p.filter.Value())}
	var first, rows, last []settingsRow
	for _, d := range deeds(p.snap) {
		switch row := (settingsRow{name: "do " + d.title, deed: d}); {
		case l.needle != "" && l.find([]byte(d.title+" "+d.means)) < 0:
		case d.action.Verb == status.InstallUpdate && d.off == "":
			first = append(first, row)
		default:
			last = append(last, row)
		}
	}
	for _, s := range p.settings {
		if l.needle == "" || l.find([]byte(s.Key+" "+s.Description+" "+s.Value)) >= 0 {
			rows = append(rows, settingsRow{name: s.Key, setting: s})
		}
	}
	return slices.Concat(first, rows, last)
}

func (p Settings) position(rows []settingsRow) int {
	return max(0, slices.IndexFunc(rows, func(r settingsRow) bool { return r.name == p.cursor }))
}

// Key implements [Pane].
func (p Settings) Key(k Press) (Pane, Intent) {
	switch {
	case p.editing != "":
		return p.editKey(k)
	case p.typing:
		return p.filterKey(k), nil
	}
	p.shown = shownToken{}
	if why := p.Why(k.KeyPressMsg); why != "" {
		return p, Say{why}
	}
	rows := p.rows()
	i := p.position(rows)
	if to, ok := p.keys.moved(k, i, len(rows), k.H/2); ok {
		if len(rows) > 0 {
			p.cursor = rows[to].name
		}
		return p, nil
	}
	switch {
	case key.Matches(k, p.keys.Filter):
		p.typing = true
	case key.Matches(k, p.keys.Back) && p.filter.Value() != "":
		p.filter = Field{}
	case key.Matches(k, p.keys.Refresh):
		p.turn++
		return p, Say{"The settings are read again."}
	case key.Matches(k, p.keys.Enter):
		return p.begin(rows[i])
	case key.Matches(k, p.keys.Copy) && len(rows) > 0 && rows[i].deed.token != "":
		return p, CopyToken{rows[i].deed.token}
	case key.Matches(k, p.keys.Remove):
		return p, set(rows[i].name, "")
	default:
		return p, Pass{}
	}
	return p, nil
}

func (p Settings) filterKey(k Press) Pane {
	p.filter, p.typing = p.keys.filtered(k, p.filter, "")
	return p
}

// begin edits a setting, or does a deed.
func (p Settings) begin(r settingsRow) (Pane, Intent) {
	switch {
	case r.deed.token != "":
		return p, agreeing(r.deed.token)
	case r.deed.press != 0:
		return p, Push{Key: tea.KeyPressMsg{Code: r.deed.press, Text: string(r.deed.press)}}
	case r.deed.title != "":
		return p, wish(r.deed.action)
	}
	p.editing, p.value = r.name, NewField(r.setting.Value)
	p.chosen = max(0, slices.Index(r.setting.Choices, cmp.Or(r.setting.Value, r.setting.Default)))
	return p, nil
}

// set asks what it takes to write a value. What is not right is said then, by
// who knows the rules.
func set(name, value string) Intent {
	return wish(status.Action{Verb: status.SetOption, Target: name, Option: &status.Option{Key: name, Value: value}})
}

// editKey answers keys while a setting is edited. The editor stays open until
// the value is written, so that what is refused can be mended.
func (p Settings) editKey(k Press) (Pane, Intent) {
	s, ok := p.setting(p.editing)
	n := len(s.Choices)
	switch {
	case key.Matches(k, p.keys.Back), !ok:
		p.editing = ""
	case key.Matches(k, p.keys.Enter) && n > 0:
		return p, set(s.Key, s.Choices[p.chosen])
	case key.Matches(k, p.keys.Enter):
		return p, set(s.Key, strings.TrimSpace(p.value.Value()))
	case n > 0 && key.Matches(k, p.keys.Left, p.keys.Up):
		p.chosen = (p.chosen + n - 1) % n
	case n > 0 && key.Matches(k, p.keys.Right, p.keys.Down, p.keys.Toggle):
		p.chosen = (p.chosen + 1) % n
	case n == 0:
		p.value, _ = p.value.Key(k.KeyPressMsg)
	}
	return p, nil
}

// Keys implements [Pane].
func (p Settings) Keys() []key.Binding {
	switch rows := p.rows(); {
	case p.editing != "":
		keys := []key.Binding{named(p.keys.Enter, "look what it would change"), named(p.keys.Back, "leave it")}
		if s, _ := p.setting(p.editing); s.Choices != nil {
			keys = append(keys, named(p.keys.Right, "another choice"))
		}
		return keys
	case p.typing:
		return []key.Binding{named(p.keys.Enter, "keep the filter"), named(p.keys.Back, "drop it")}
	case len(rows) == 0:
		return []key.Binding{p.keys.Filter, p.keys.Refresh}
	case rows[p.position(rows)].deed.token != "":
		return []key.Binding{named(p.keys.Enter, "show it"), named(p.keys.Copy, "copy it"), p.keys.Filter, p.keys.Refresh}
	case rows[p.position(rows)].deed.title != "":
		return []key.Binding{p.keys.Enter, p.keys.Filter, p.keys.Refresh}
	default:
		return []key.Binding{named(p.keys.Enter, "edit"), named(p.keys.Remove, "default"), p.keys.Filter, p.keys.Refresh}
	}
}
