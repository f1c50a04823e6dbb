package pane

import (
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A browser looks through one source as an agent sees it: its pages, one of
// them as it is meant to look, and what its own search finds. Sources shows it.
type browser struct {
	keys   Keys
	zone   *time.Location
	source string
	w, h   int // of the pane
	now    time.Time
	up     bool // a hub runs

	list   pageList
	search inquiry
	page   openPage
	at     standing
	turn   int
}

// A standing is where in a browser a person is.
type standing uint8

const (
	amongPages standing = iota
	amongHits
	onPage // of what lies below
)

func newBrowser(k Keys, zone *time.Location, source string, w, h int) browser {
	return browser{keys: k, zone: zone, source: source, w: w, h: h, search: inquiry{keys: k}}
}

// previewWidth is the width of a pane from which on the selected page is shown
// beside the list.
const previewWidth = 100

// previews reports whether a page is shown beside the list. Who hears the panel
// is read the list alone.
func (b browser) previews() bool { return b.w >= previewWidth && b.h < ReadHeight }

// pageWidth is how wide the text of a page is drawn.
func (b browser) pageWidth() int {
	if b.page.open || !b.previews() {
		return b.w - 4
	}
	return b.w - b.w/2 - 4
}

// name is the page that is meant: the one that is open, else the selected one.
func (b browser) name() string {
	switch {
	case b.page.open:
		return b.page.name
	case b.at == amongHits:
		return b.search.selected().Page
	default:
		return b.list.selected().Name
	}
}

// wants is what the browser would like to know most.
func (b browser) wants() Want {
	switch {
	case b.search.asked != "" && b.search.got != b.hits():
		return b.hits()
	case !b.page.open && b.at == amongPages && !b.list.done:
		return PagesOf{b.source, b.turn}
	case !b.page.open && !b.previews():
		return nil
	}
	if w := b.pageIn(); w.Page != "" && w != b.page.got {
		return w
	}
	return nil
}

func (b browser) pageIn() PageIn {
	return PageIn{Source: b.source, Page: b.name(), Width: b.pageWidth(), Raw: b.page.raw, Turn: b.turn}
}

func (b browser) hits() HitsOf {
	return HitsOf{b.source, b.search.asked, b.search.turn}
}

func (b browser) learn(f Fact) browser {
	switch w := f.Want.(type) {
	case PagesOf:
		if w == (PagesOf{b.source, b.turn}) && !b.list.done {
			b.list = b.list.learn(f)
		}
	case HitsOf:
		if w == b.hits() {
			b.search = b.search.learn(w, f)
		}
	case PageIn:
		if w == b.pageIn() {
			b.page = b.page.learn(w, f, b.sought())
		}
	}
	return b
}

// sought is what an opened page is scrolled to; empty: its beginning.
func (b browser) sought() string {
	if b.at == amongHits {
		return b.search.asked
	}
	return ""
}

// again reads everything anew.
func (b browser) again() browser {
	b.turn++
	b.search.turn++
	b.list = b.list.anew()
	return b
}

// turned has the list begin anew when b is looked at again, unless it is done:
// what else is wanted meanwhile ends it where it is.
func (b browser) turned() browser {
	if !b.list.done {
		b.turn++
		b.list = b.list.anew()
	}
	return b
}

func (b browser) typing() bool {
	return !b.page.open && (b.at == amongHits && b.search.typing || b.at == amongPages && b.list.typing)
}

func (b browser) paste(text string) browser {
	switch {
	case !b.typing():
	case b.at == amongHits:
		b.search.query = b.search.query.Insert(text)
	default:
		b.list = b.list.filtered(b.list.filter.Insert(text))
	}
	return b
}

// key answers a key; done: the browser is to be closed.
func (b browser) key(k Press) (next browser, want Intent, done bool) {
	switch {
	case b.page.open:
		next, want = b.pageKey(k)
		return next, want, false
	case b.typing():
		return b.typed(k), nil, false
	case key.Matches(k, b.keys.Back):
		return b.back()
	case key.Matches(k, b.keys.Search):
		b = b.turned()
		b.at, b.search.typing = amongHits, true
	case key.Matches(k, b.keys.Refresh):
		return b.again(), Say{"Read again."}, false
	case key.Matches(k, b.keys.Enter):
		next, want = b.enter()
		return next, want, false
	case key.Matches(k, b.keys.Filter) && b.at == amongPages:
		b.list.typing = true
	default:
		if b.at == amongHits {
			b.search.cursor = moved(k, b.keys, b.search.cursor, len(b.search.found.Hits))
		} else {
			b.list.cursor = moved(k, b.keys, b.list.cursor, b.list.len())
		}
		next, want = b.pageDeeds(k)
		return next, want, false
	}
	return b, nil, false
}

// back goes up by one level.
func (b browser) back() (next browser, want Intent, done bool) {
	if b.at == amongHits {
		b.at = amongPages
		return b, nil, b.search.only
	}
	if b.list.needle != "" {
		b.list = b.list.filtered(Field{})
		return b, nil, false
	}
	return b, nil, true
}

// typed takes a key into the filter or the query.
func (b browser) typed(k Press) browser {
	if b.at == amongHits {
		b.search = b.search.typed(k)
		if !b.search.typing && b.search.asked == "" {
			b.at = amongPages // given up before anything was asked
		}
		return b
	}
	switch {
	case key.Matches(k, b.keys.Enter):
		b.list.typing = false
	case key.Matches(k, b.keys.Back):
		b.list = b.list.filtered(Field{})
		b.list.typing = false
	case k.String() == "up" || k.String() == "down":
		b.list.cursor = moved(k, b.keys, b.list.cursor, b.list.len())
	default:
		if f, ok := b.list.filter.Key(k.KeyPressMsg); ok {
			b.list = b.list.filtered(f)
		}
	}
	return b
}

// pick selects the row that was drawn as spot i of the list in sight.
func (b browser) pick(i int) (next browser, again bool) {
	at, n := &b.list.cursor, b.list.len()
	if b.at == amongHits {
		at, n = &b.search.cursor, len(b.search.found.Hits)
	}
	again = *at == i
	*at = clamp(i, n)
	return b, again
}

func (b browser) enter() (browser, Intent) {
	name := b.name()
	if name == "" {
		return b, Say{"There is no page to open here."}
	}
	b = b.turned()
	b.page.open, b.page.name, b.page.top = true, name, 0
	return b, nil
}

// moved is where a key that moves takes the cursor among n.
func moved(k Press, keys Keys, cursor, n int) int {
	switch {
	case key.Matches(k, keys.Up):
		cursor--
	case key.Matches(k, keys.Down):
		cursor++
	case key.Matches(k, keys.PageUp):
		cursor -= max(1, k.H-4)
	case key.Matches(k, keys.PageDown):
		cursor += max(1, k.H-4)
	case key.Matches(k, keys.First):
		cursor = 0
	case key.Matches(k, keys.Last):
		cursor = n
	}
	return clamp(cursor, n)
}

// bindings are the keys that mean something now.
func (b browser) bindings() []key.Binding {
	k := b.keys
	switch {
	case b.page.open:
		return []key.Binding{named(k.Back, "back"), named(k.Down, "scroll"), k.Raw, k.Copy, k.Save, k.Refresh}
	case b.at == amongHits && b.search.typing:
		return []key.Binding{named(k.Enter, "search"), named(k.Back, "close")}
	case b.at == amongHits:
		return []key.Binding{named(k.Enter, "open the page"), named(k.Search, "search again"), named(k.Back, "back"), named(k.Copy, "copy the page")}
	case b.list.typing:
		return []key.Binding{named(k.Enter, "keep the filter"), named(k.Back, "drop it")}
	}
	return []key.Binding{named(k.Enter, "read it"), k.Filter, k.Search, named(k.Back, "back to the sources"), k.Raw, named(k.Copy, "copy it"), k.Save, k.Refresh}
}

// show takes what a snapshot says of the time and the hub.
func (b browser) show(s status.Snapshot) browser {
	b.now, b.up = s.Time, Running(s)
	return b
}

func (b browser) view(t theme.Theme, w, h int) []string {
	frame := framed(w, h)
	list := b.list.section(t, b)
	if b.at == amongHits {
		list = b.search.section(t, b.source)
	}
	switch {
	case b.page.open:
		return stack(t, w, h, frame, b.page.section(t, b.page.name))
	case b.previews() && frame:
		return beside(t, w, h, []section{list}, []section{b.page.section(t, b.name())})
	default:
		return stack(t, w, h, frame, list)
	}
}
