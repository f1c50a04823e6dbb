package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// wizard sets Lectern up in two questions: what to open, and to which clients.
// It does nothing by itself: what was chosen is shown as one Plan first.
type wizard struct {
	keyMap   KeyMap
	found    []status.Discovered
	kinds    []status.SourceKind      // what can be added besides; nil: not known yet
	asked    bool                     // for the kinds
	added    map[int]status.NewSource // by index of kinds; as filled in
	form     *pane.SourceForm         // for the row of a kind; nil: it is not shown
	clients  []status.Installation
	page     int // of the questions
	cursor   int // the row
	selected [2]map[int]bool
	access   map[int]wizardAccess // of what is opened
	sources  []string             // that are open already
	scopes   map[int]string       // what a client is to see, where it was asked; as in [status.Action]
	choice   *sourceChooser       // of the client in the row; nil: it is not shown
}

// wizardAccess is what agents may do with what is opened.
type wizardAccess uint8

const (
	askBeforeWriteAccess wizardAccess = iota // the default of a new source
	readOnlyAccess
	accessCount
)

func (a wizardAccess) label() string {
	return [...]string{"read and run, ask to write or delete", "only read"}[a]
}

// setupTitle names all that the wizard does.
const setupTitle = "Set up Lectern"

// clientPrefix is how the IDs of installs begin that are MCP clients.
const clientPrefix = "client/"

func newWizard(k KeyMap, s status.Snapshot) wizard {
	z := wizard{
		keyMap: k, found: s.Discovered, selected: [2]map[int]bool{{}, {}}, access: map[int]wizardAccess{},
		added: map[int]status.NewSource{}, scopes: map[int]string{},
	}
	for _, source := range s.Sources {
		if !source.Sample {
			z.sources = append(z.sources, source.Name)
		}
	}
	for _, in := range s.Installations {
		if in.Detected && strings.HasPrefix(in.ID, clientPrefix) && in.State != status.Ready {
			z.clients = append(z.clients, in)
		}
	}
	places := map[string]bool{}
	for i, f := range z.found {
		z.access[i] = askBeforeWriteAccess
		z.selected[0][i] = !places[f.Location] // of one folder only the likeliest kind
		places[f.Location] = true
	}
	for i, c := range z.clients {
		z.selected[1][i] = c.State == status.Stopped || c.Condition == "outdated" // what else there may be is a person's
	}
	return z
}

// anyFolderKind is the row for a folder of which the kind is detected.
var anyFolderKind = status.SourceKind{Title: "Another folder", Doc: "Lectern detects the kind from its contents."}

// wantedQuery implements [overlayQuerier].
func (z wizard) wantedQuery() pane.Query {
	switch {
	case !z.asked:
		return pane.SourceKindsQuery{}
	case z.form != nil:
		return z.form.WantedQuery()
	default:
		return nil
	}
}

// takeResult implements [overlayQuerier].
func (z wizard) takeResult(r pane.Result) overlay {
	switch r.Query.(type) {
	case pane.SourceKindsQuery:
		z.asked, z.kinds = true, append([]status.SourceKind{anyFolderKind}, r.Kinds...)
	case pane.CompletePathQuery:
		if z.form != nil {
			form := z.form.TakePaths(r)
			z.form = &form
		}
	}
	return z
}

// paste implements [overlayPaster].
func (z wizard) paste(text string) overlay {
	if z.form != nil {
		form := z.form.Paste(text)
		z.form = &form
	}
	return z
}

// needsSetup reports whether there is something to ask and no source but ours.
func needsSetup(s status.Snapshot) bool {
	z := newWizard(KeyMap{}, s)
	return pane.IsHubRunning(s) && len(z.found)+len(z.clients) > 0 &&
		!slices.ContainsFunc(s.Sources, func(s status.Source) bool { return !s.Sample })
}

func (z wizard) rowCount() int {
	if z.page == 0 {
		return len(z.found) + len(z.kinds)
	}
	return len(z.clients)
}

// kindAt is the kind in the i-th row of the first page; ok is false if that is a
// folder that was found.
func (z wizard) kindAt(i int) (kind int, ok bool) {
	kind = i - len(z.found)
	return kind, z.page == 0 && kind >= 0 && kind < len(z.kinds)
}

// handleFormKey answers a key while the form for a kind is shown.
func (z wizard) handleFormKey(k pane.Press) wizard {
	switch {
	case key.Matches(k, z.keyMap.Pane.Back):
		z.form = nil
		return z
	case !key.Matches(k, z.keyMap.Pane.Enter):
		next := z.form.HandleKey(k)
		z.form = &next
		return z
	}
	next, source := z.form.BuildSource()
	if source == nil {
		z.form = &next
		return z
	}
	z.form = nil
	kind, _ := z.kindAt(z.cursor)
	z.added = maps.Clone(z.added)
	z.added[kind] = *source
	if source.ReadOnly {
		z = z.withAccess(readOnlyAccess)
	}
	return z.withRowChecked(true)
}

func (z wizard) withAccess(a wizardAccess) wizard {
	all := maps.Clone(z.access) // copies of z share it
	all[z.cursor] = a
	z.access = all
	return z
}

// sourceNames are the sources that clients can see afterwards, as far as their
// names are known.
func (z wizard) sourceNames() []string {
	names := slices.Clone(z.sources)
	for i, f := range z.found {
		if z.selected[0][i] {
			names = append(names, f.Name)
		}
	}
	return names
}

// clientSources is what the i-th client will see: what was chosen, or what it sees.
func (z wizard) clientSources(i int) string {
	if scope, ok := z.scopes[i]; ok {
		return scope
	}
	return z.clients[i].Sources
}

// withClientSources chooses what the client in the row will see.
func (z wizard) withClientSources(scope string) wizard {
	if scope == "" && z.clients[z.cursor].Sources != "" {
		scope = allSourcesScope
	}
	z.scopes = maps.Clone(z.scopes) // copies of z share it
	z.scopes[z.cursor] = scope
	return z
}

// clientDescription says what a client of the second page will see, and its file.
func (z wizard) clientDescription(i int) string {
	switch scope := z.clientSources(i); {
	case len(z.sourceNames()) < 2:
		return z.clients[i].File
	case scope == "" || scope == allSourcesScope:
		return "sees all sources · " + z.clients[i].File
	default:
		return "sees only " + strings.ReplaceAll(scope, ",", ", ") + " · " + z.clients[i].File
	}
}

func (z wizard) withRowChecked(selected bool) wizard {
	set := maps.Clone(z.selected[z.page])
	set[z.cursor] = selected
	z.selected[z.page] = set
	return z
}

func (z wizard) handleKey(k pane.Press) (overlay, pane.Intent) {
	p := z.keyMap.Pane
	switch {
	case z.form != nil:
		return z.handleFormKey(k), nil
	case z.choice != nil:
		return z.handleSourceChooserKey(k), nil
	case key.Matches(k, p.Back) && z.page == 0:
		return nil, pane.ShowMessage{Text: "Setup skipped. Press ctrl+s to set up later, or a in Sources to add a folder."}
	case key.Matches(k, p.Back), key.Matches(k, p.Left):
		z.page, z.cursor, z.scopes = 0, 0, map[int]string{}
	case key.Matches(k, p.Toggle):
		z = z.toggle()
	case key.Matches(k, z.keyMap.Access) && z.page == 0 && z.rowCount() > 0:
		z = z.withAccess((z.access[z.cursor] + 1) % accessCount)
	case key.Matches(k, z.keyMap.Access) && z.rowCount() > 0 && len(z.sourceNames()) > 1:
		c := newSourceChooser(z.clients[z.cursor].Title, z.sourceNames(), z.clientSources(z.cursor))
		z.choice = &c
	case key.Matches(k, p.Down), k.String() == "tab":
		z.cursor = min(z.cursor+1, max(0, z.rowCount()-1))
	case key.Matches(k, p.Up), k.String() == "shift+tab":
		z.cursor = max(0, z.cursor-1)
	case key.Matches(k, p.Enter) && z.page == 0:
		z.page, z.cursor = 1, 0
	case key.Matches(k, p.Enter):
		todo := z.actions()
		if len(todo) == 0 {
			return nil, pane.ShowMessage{Text: "Nothing selected; nothing changes."}
		}
		return nil, pane.ConfirmActions{Title: setupTitle, Actions: todo}
	}
	return z, nil
}

func (z wizard) toggle() wizard {
	if z.rowCount() == 0 {
		return z
	}
	selected := z.selected[z.page][z.cursor]
	if kind, ok := z.kindAt(z.cursor); ok && !selected {
		form := pane.NewSourceForm(z.keyMap.Pane).ResetToKind(z.kinds[kind])
		z.form = &form
		return z
	}
	return z.withRowChecked(!selected)
}

// actions are what was chosen, in the order in which it is done.
func (z wizard) actions() []status.Action {
	var todo []status.Action
	for i, f := range z.found {
		if !z.selected[0][i] {
			continue
		}
		todo = append(todo, status.Action{Verb: status.AddSource, Source: &status.NewSource{
			Name: f.Name, Kind: f.Kind, Location: f.Location, ReadOnly: z.access[i] == readOnlyAccess,
		}})
	}
	for kind := range z.kinds {
		i := len(z.found) + kind
		if z.selected[0][i] {
			s := z.added[kind]
			s.ReadOnly = z.access[i] == readOnlyAccess
			todo = append(todo, status.Action{Verb: status.AddSource, Source: &s})
		}
	}
	for i, c := range z.clients {
		if z.selected[1][i] {
			todo = append(todo, status.Action{Verb: status.Install, Target: c.ID, Sources: z.scopes[i]})
		}
	}
	return todo
}

// selectRow implements [rowSelector]: a click chooses, or takes the choice back.
func (z wizard) selectRow(i int) (overlay, bool) {
	switch {
	case z.choice != nil:
		c := *z.choice
		c.cursor = max(0, min(i, len(c.names)-1))
		c = c.toggled()
		z.choice = &c
	case z.form == nil:
		z.cursor = max(0, min(i, z.rowCount()-1))
		z = z.toggle()
	}
	return z, false
}

func (z wizard) keys() []key.Binding {
	p := z.keyMap.Pane
	if z.form != nil {
		keys := z.form.Bindings()
		keys[0] = widget.WithHelp(p.Enter, "select")
		return keys
	}
	if z.choice != nil {
		return z.choice.keys(p)
	}
	next := widget.WithHelp(p.Enter, "next")
	if z.page == 1 {
		next = widget.WithHelp(p.Enter, "preview the changes")
	}
	keys := []key.Binding{widget.WithHelp(p.Toggle, "select"), next, widget.WithHelp(p.Back, "not now")}
	if z.page == 0 && z.rowCount() > 0 {
		keys = slices.Insert(keys, 1, z.keyMap.Access)
	}
	if z.page == 1 && z.rowCount() > 0 && len(z.sourceNames()) > 1 {
		keys = slices.Insert(keys, 1, widget.WithHelp(z.keyMap.Access, "which sources"))
	}
	return keys
}

func (z wizard) view(t theme.Theme, w, h int) []string {
	w = overlayWidth(w, 96)
	rows := z.draw(t, w-4)
	room := max(4, h-3)
	var foot strings.Builder
	for _, b := range z.keys() {
		foot.WriteString(t.MarkKeyRegion(parseKey(b.Keys()[0]).Code, t.Key.Text(b.Help().Key)+t.Dim.Text(" "+b.Help().Desc)) + "  ")
	}
	from := 0
	if over := len(rows) - room; over > 0 {
		at := 2 * z.cursor
		if z.choice != nil {
			at = z.choice.cursor
		}
		from = min(over, max(0, at-room/2))
	}
	return drawTitledBox(t, fmt.Sprintf("Welcome · %d of 2", z.page+1), strings.TrimRight(foot.String(), " "),
		rows[from:], w, min(room, len(rows)))
}

func (z wizard) draw(t theme.Theme, w int) []string {
	if z.form != nil {
		return append([]string{""}, z.form.Rows(t, w)...)
	}
	if z.choice != nil {
		return z.choice.draw(t, w)
	}
	question, none := "Which notes can agents use?", "No notes were found on this machine. Select what to open, or press enter to go on; "+
		"sources can be added later, too."
	if z.page == 1 {
		question, none = "Which clients can use them?", "No MCP clients left to set up. The Clients pane has a snippet for any client."
	}
	rows := append([]string{""}, t.Strong.Wrap(question, w)...)
	if z.rowCount() == 0 || z.page == 0 && len(z.found) == 0 {
		rows = append(rows, t.Dim.Wrap(none, w)...)
	}
	rows = append(rows, "")
	for i := range z.rowCount() {
		if z.page == 1 {
			rows = append(rows, z.row(t, i, z.clients[i].Title, z.clientDescription(i), w)...)
			continue
		}
		if kind, ok := z.kindAt(i); ok {
			rows = append(rows, z.kindRow(t, i, kind, w)...)
			continue
		}
		f := z.found[i]
		rows = append(rows, z.row(t, i, f.Name+"  "+f.Location+"  "+f.Kind, "agents "+z.access[i].label()+" · "+f.Reason, w)...)
	}
	return append(rows, "")
}

// kindRow draws a kind of which a source can be added, or the source that was
// filled in.
func (z wizard) kindRow(t theme.Theme, i, kind, w int) []string {
	k := z.kinds[kind]
	if !z.selected[0][i] {
		return z.row(t, i, k.Title+"…", k.Summary(), w)
	}
	keys := []string{}
	if place := z.added[kind].Location; place != "" {
		keys = append(keys, place)
	}
	for _, name := range slices.Sorted(maps.Keys(z.added[kind].Keys)) {
		keys = append(keys, name+"="+z.added[kind].Keys[name])
	}
	return z.row(t, i, k.Title+"  "+strings.Join(keys, " "), "agents "+z.access[i].label(), w)
}

func (z wizard) row(t theme.Theme, i int, what, more string, w int) []string {
	return []string{
		t.MarkRowRegion(i, checkboxRow(t, what, z.selected[z.page][i], i == z.cursor, w)),
		t.MarkRowRegion(i, t.Dim.Fit("      "+more, w)),
	}
}
