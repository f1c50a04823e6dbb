package pane

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Settings shows every key of the configuration with what it means, edits it,
// and does what concerns Lectern itself: tokens, rolling back, staying when idle.
// What an edit would write is shown before it is written. Drawing is in
// settings_draw.go, what can be done in settings_actions.go.
type Settings struct {
	keys Keys
	snap status.Snapshot

	refresh, loaded int // how often the settings became old, and the turn that was read
	settings        []status.Setting
	err             error
	rows            []settingsRow // the the settings, then the actions
	list            widget.List

	revealed revealedToken

	editing string // the key that is edited; empty: none
	value   widget.TextInput
	chosen  int // among the choices
}

// NewSettings returns a Settings, which shows no times.
func NewSettings(k Keys, _ *time.Location) Pane {
	return Settings{keys: k, refresh: 1}
}

// settingsHelp lists the keys of [Settings].
func settingsHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Enter, "edit the setting, or run the action"), help(k.Remove, "reset to the default"), help(k.Copy,
			"copy the token without showing it"),
		help(k.Filter, "filter the settings"), help(k.Refresh, "reload the settings"),
	}}}
}

// A settingsRow is a key of the configuration or an action.
type settingsRow struct {
	name    string // unique
	setting status.Setting
	act     settingsAction // without title: a setting
}

// SetSnapshot implements [Pane].
func (p Settings) SetSnapshot(s status.Snapshot) Pane {
	if hubRestarted(p.snap, s) {
		p.refresh++
	}
	p.snap = s
	return p.refreshRows()
}

// WantedQuery implements [Querier].
func (p Settings) WantedQuery() Query {
	if p.loaded == p.refresh {
		return nil
	}
	return SettingsQuery{p.refresh}
}

// TakeResult implements [Querier].
func (p Settings) TakeResult(f Result) Pane {
	switch w := f.Query.(type) {
	case TokenRevealResultID:
		p.revealed = revealedToken{token: w.Of, text: f.Token}
		if f.Err != nil {
			p.revealed.problem = f.Err.Error()
		}
	case SettingsQuery:
		p.loaded, p.err = w.Refresh, f.Err
		if f.Err == nil {
			p.settings = f.Settings
		}
	}
	return p.refreshRows()
}

// ObserveUserActionOutcome implements [ActionObserver].
func (p Settings) ObserveUserActionOutcome(a status.Action, err error) Pane {
	if err != nil {
		return p
	}
	if a.Verb == status.SetOption && a.Option != nil && a.Option.Key == p.editing {
		p.editing = ""
	}
	p.refresh++ // any action may have changed the configuration
	return p
}

// IsTyping implements [TypingPane].
func (p Settings) IsTyping() bool { return p.list.IsTyping() || p.editing != "" }

// Paste implements [TypingPane].
func (p Settings) Paste(text string) Pane {
	switch s, _ := p.setting(p.editing); {
	case p.list.IsTyping():
		p.list = p.list.Paste(text)
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

// refreshRows is p with its rows as the settings and the snapshot are.
func (p Settings) refreshRows() Settings {
	p.rows = nil
	var rows []widget.ListRow
	for _, s := range p.settings {
		p.rows = append(p.rows, settingsRow{name: s.Key, setting: s})
		rows = append(rows, widget.ListRow{ID: s.Key, Text: s.Key + " " + s.Value, Description: s.Description})
	}
	for _, d := range settingsActions(p.snap) {
		p.rows = append(p.rows, settingsRow{name: settingsActionID(d), act: d})
		rows = append(rows, widget.ListRow{ID: settingsActionID(d), Text: d.title, Description: d.description, Rank: 1})
	}
	p.list = p.list.SetRows(rows)
	return p
}

// selected is the row that keys are about; without a name: there is none.
func (p Settings) selected() settingsRow {
	if i := p.list.SelectedIndex(); i >= 0 {
		return p.rows[i]
	}
	return settingsRow{}
}

// HandleKey implements [Pane].
func (p Settings) HandleKey(k Press) (Pane, Intent) {
	switch {
	case p.editing != "":
		return p.handleEditKey(k)
	}
	p.revealed = revealedToken{}
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	if next, ok := p.list.HandleKey(k.KeyPressMsg, p.keys.NavKeys, k.H/2); ok {
		p.list = next
		return p, nil
	}
	one := p.selected()
	switch {
	case key.Matches(k, p.keys.Refresh):
		p.refresh++
		return p, ShowMessage{"Reloading the settings."}
	case key.Matches(k, p.keys.Enter):
		return p.activate(one)
	case key.Matches(k, p.keys.Copy) && one.act.token != "":
		return p, CopyToken{one.act.token}
	case key.Matches(k, p.keys.Remove):
		return p, intentToSetOption(one.name, "")
	}
	return p, Unhandled{}
}

// activate edits a setting, or does an action.
func (p Settings) activate(r settingsRow) (Pane, Intent) {
	switch {
	case r.act.token != "":
		return p, confirmReveal(r.act.token)
	case r.act.title != "":
		return p, IntentFor(r.act.action)
	}
	p.editing, p.value = r.name, widget.NewTextInput(r.setting.Value)
	p.chosen = max(0, slices.Index(r.setting.Choices, cmp.Or(r.setting.Value, r.setting.Default)))
	return p, nil
}

// intentToSetOption asks what it takes to write a value. What is not right is said
// then, by who knows the rules.
func intentToSetOption(name, value string) Intent {
	return IntentFor(status.Action{Verb: status.SetOption, Target: name, Option: &status.Option{Key: name, Value: value}})
}

// handleEditKey answers keys while a setting is edited. The editor stays open until
// the value is written, so that what is refused can be fixed.
func (p Settings) handleEditKey(k Press) (Pane, Intent) {
	s, ok := p.setting(p.editing)
	n := len(s.Choices)
	switch {
	case key.Matches(k, p.keys.Back), !ok:
		p.editing = ""
	case key.Matches(k, p.keys.Enter) && n > 0:
		return p, intentToSetOption(s.Key, s.Choices[p.chosen])
	case key.Matches(k, p.keys.Enter):
		return p, intentToSetOption(s.Key, strings.TrimSpace(p.value.Value()))
	case n > 0 && key.Matches(k, p.keys.Left, p.keys.Up):
		p.chosen = (p.chosen + n - 1) % n
	case n > 0 && key.Matches(k, p.keys.Right, p.keys.Down, p.keys.Toggle):
		p.chosen = (p.chosen + 1) % n
	case n == 0:
		p.value, _ = p.value.HandleKey(k.KeyPressMsg)
	}
	return p, nil
}

// Bindings implements [Pane].
func (p Settings) Bindings() []key.Binding {
	switch one := p.selected(); {
	case p.editing != "":
		keys := []key.Binding{widget.WithHelp(p.keys.Enter, "preview the change"), widget.WithHelp(p.keys.Back, "cancel")}
		if s, _ := p.setting(p.editing); s.Choices != nil {
			keys = append(keys, widget.WithHelp(p.keys.Right, "next option"))
		}
		return keys
	case p.list.IsTyping():
		return p.list.Bindings(p.keys.NavKeys)
	case one.name == "":
		return []key.Binding{p.keys.Filter, p.keys.Refresh}
	case !IsHubRunning(p.snap):
		return append(p.rowBindings(one), p.keys.Filter, p.keys.Refresh)
	default:
		restart := widget.WithHelp(p.keys.Reopen, "restart the hub") // the panel's key, for settings that need it
		return append(p.rowBindings(one), restart, p.keys.Filter, p.keys.Refresh)
	}
}

// rowBindings are the keys about the selected row.
func (p Settings) rowBindings(one settingsRow) []key.Binding {
	switch {
	case one.act.token != "":
		return []key.Binding{widget.WithHelp(p.keys.Enter, "show"), widget.WithHelp(p.keys.Copy, "copy")}
	case one.act.title != "":
		return []key.Binding{widget.WithHelp(p.keys.Enter, "run")}
	default:
		return []key.Binding{widget.WithHelp(p.keys.Enter, "edit"), widget.WithHelp(p.keys.Remove, "reset")}
	}
}

// KeyDisabledReason implements [Pane].
func (p Settings) KeyDisabledReason(k tea.KeyPressMsg) string {
	if p.IsTyping() || !key.Matches(k, p.keys.Enter, p.keys.Remove) {
		return ""
	}
	r := p.selected()
	if r.name == "" {
		return "No settings match the filter."
	}
	switch resets := key.Matches(k, p.keys.Remove); {
	case resets && r.act.title != "":
		return "This is an action; it has no default."
	case resets && !r.setting.Set:
		return "Already at the default."
	case r.act.disabled != "":
		return r.act.disabled
	case r.act.token != "":
		return "" // the panel knows
	case r.act.title != "":
		return actionDisabledReason(p.snap, r.act.action.Verb)
	default:
		return actionDisabledReason(p.snap, status.SetOption)
	}
}

// SelectRow implements [RowSelector].
func (p Settings) SelectRow(i int) (Pane, bool) {
	next, again := p.list.SelectRow(i)
	if p.list = next; !again {
		p.revealed = revealedToken{}
	}
	return p, again
}

// savedSettingsState is what [Settings] keeps from one panel to the next.
type savedSettingsState struct {
	Filter string `json:"filter,omitempty"`
}

// StateToSave implements [StateSaver].
func (p Settings) StateToSave() any { return savedSettingsState{p.list.FilterText()} }

// RestoreState implements [StateSaver].
func (p Settings) RestoreState(b json.RawMessage) Pane {
	var m savedSettingsState
	if json.Unmarshal(b, &m) == nil {
		p.list = p.list.SetFilter(m.Filter)
	}
	return p
}
