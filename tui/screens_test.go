package tui

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// A screen is something that a person can get to see.
type screen struct {
	name string
	snap func() status.Snapshot
	goTo func(*testPanel)
}

// screens are what a person can get to see, and the way there.
var screens = []screen{
	{"overview-fresh", fresh, func(*testPanel) {}},
	{"overview", crowded, func(r *testPanel) { r.press("down") }},
	{"overview-lively", lively, func(*testPanel) {}},
	{"sources", crowded, func(r *testPanel) { r.press("@Sources/notes") }},
	{"sources-add", crowded, func(r *testPanel) { r.press("2", "a", "notes", "enter") }},
	{"sources-add-path", crowded, func(r *testPanel) { r.press("2", "a", "tab", "D", "tab") }},
	{"sources-add-kind", crowded, func(r *testPanel) { r.press("2", "a", "up", "left", "tab", "tab") }},
	{"sources-remove", crowded, func(r *testPanel) {
		r.hub.SetPlan(removal())
		r.press("@Sources/notes", "d")
	}},
	{"pages", crowded, func(r *testPanel) { r.press("@Sources/notes", "enter", "down", "j") }},
	{"pages-filter", crowded, func(r *testPanel) { r.press("@Sources/welcome", "b", "/", "page 1") }},
	{"pages-read", crowded, func(r *testPanel) { r.press("@Sources/welcome", "b", "G", "enter", "j") }},
	{"pages-folded", crowded, func(r *testPanel) { r.press("@Sources/welcome", "b", "j", "j", "right") }},
	{"pages-links", crowded, func(r *testPanel) { r.press("@Sources/welcome", "b", "G", "enter", "tab") }},
	{"pages-raw", crowded, func(r *testPanel) { r.press("@Sources/welcome", "b", "G", "enter", "z", "G") }},
	{"pages-search", crowded, func(r *testPanel) { r.press("@Sources/welcome", "S", "diagram", "enter", "j") }},
	{"pages-denied", crowded, func(r *testPanel) {
		r.queries.fail(&status.CallError{Code: "denied", Msg: "agents may not read in source welcome", Hint: "Ask the user; they decide it in Lectern's configuration."})
		r.press("@Sources/welcome", "b")
	}},
	{"logs", crowded, func(r *testPanel) { r.press("@Logs") }},
	{"logs-wrapped", crowded, func(r *testPanel) { r.press("@Logs", "v", "w", "pgup") }},
	{"logs-filter", crowded, func(r *testPanel) { r.press("@Logs", "/", "page") }},
	{"logs-filtered", crowded, func(r *testPanel) { r.press("@Logs", "/", "page", "enter", "l") }},
	{"sources-grant", crowded, func(r *testPanel) { r.press("@Sources/notes", "p", "right", "up", "right") }},
	{"activity", crowded, func(r *testPanel) { r.press("@Activity", "j") }},
	{"activity-errors", crowded, func(r *testPanel) { r.press("@Activity", "e", "/", "page") }},
	{"activity-call", crowded, func(r *testPanel) { r.press("@Activity", "j", "enter") }},
	{"activity-running", busyNow, func(r *testPanel) { r.press("@Activity", "k") }},
	{"activity-totals", crowded, func(r *testPanel) { r.press("@Activity", "T") }},
	{"changes-none", crowded, func(r *testPanel) {
		r.queries.changes = nil
		r.press("@Changes")
	}},
	{"changes", crowded, func(r *testPanel) { r.press("@Changes") }},
	{"changes-folded", nextCrowded, func(r *testPanel) {
		r.queries.changes = rewritten(40)
		r.press("@Changes")
	}},
	{"changes-unfolded", nextCrowded, func(r *testPanel) {
		r.queries.changes = rewritten(40)
		r.press("@Changes", "right", "j")
	}},
	{"changes-open", crowded, func(r *testPanel) { r.press("@Changes", "enter", "j") }},
	{"changes-waiting", asked, func(r *testPanel) {
		r.hub.SetPlan(deletion())
		r.press("!")
	}},
	{"changes-long", asked, func(r *testPanel) {
		r.hub.SetPlan(longChange(5000))
		r.press("!", "j")
		r.wait(keyIgnoreDuration)
	}},
	{"changes-hunks", withHunks, func(r *testPanel) {
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "change Home.md", Diff: threeHunks}}})
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("]", "space")
	}},
	{"changes-refuse", asked, func(r *testPanel) {
		r.hub.SetPlan(deletion())
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("j")
		r.wait(keyIgnoreDuration)
		r.press("n", "not today")
	}},
	{"changes-longer", asked, func(r *testPanel) {
		r.hub.SetPlan(deletion())
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("j")
		r.wait(keyIgnoreDuration)
		r.press("Y")
		r.press("right")
	}},
	{"asked", asked, func(*testPanel) {}},
	{"clients", crowded, func(r *testPanel) { r.press("@Clients", "j", "j") }},
	{"clients-agent", asked, func(r *testPanel) { r.press("@Clients") }},
	{"clients-permits", permitted, func(r *testPanel) { r.press("@Clients") }},
	{"clients-filter", lively, func(r *testPanel) { r.press("@Clients", "/", "cu") }},
	{"clients-here", lively, func(r *testPanel) { r.press("@Clients/Cursor") }},
	{"tools", crowded, func(r *testPanel) { r.press("@Tools") }},
	{"tools-read", crowded, func(r *testPanel) { r.press("@Tools", "enter") }},
	{"tools-run", crowded, func(r *testPanel) { r.press("@Tools", "x", "plan", "tab", "x", "enter") }},
	{"tools-answer", crowded, func(r *testPanel) { r.press("@Tools", "x", "plan", "enter") }},
	{"tools-delete", crowded, func(r *testPanel) { r.press("@Tools", "j", "x", "Old", "enter") }},
	{"doctor", crowded, func(r *testPanel) { r.press("@Doctor", "j") }},
	{"settings", lively, func(r *testPanel) { r.press("@Settings") }},
	{"settings-edit", crowded, func(r *testPanel) { r.press("@Settings", "j", "enter", "5m") }},
	{"settings-set", crowded, func(r *testPanel) { r.press("@Settings", "j") }},
	{"help", crowded, func(r *testPanel) { r.press("?", "log") }},
	{"wizard-kind", newcomer, func(r *testPanel) {
		r.wait(keyIgnoreDuration)
		r.press("down", "down", "down", "down", "space")
	}},
	{"wizard", newcomer, func(r *testPanel) {
		r.wait(keyIgnoreDuration)
		r.press("down", "e")
	}},
	{"wizard-sources", newcomer, func(r *testPanel) {
		r.wait(keyIgnoreDuration)
		r.press("enter", "e", "down", "space")
	}},
	{"wizard-first-call", newcomer, func(r *testPanel) {
		r.wait(keyIgnoreDuration)
		r.press("enter", "enter")
		r.confirm()
		r.wait(keyIgnoreDuration)
	}},
	{"palette", crowded, func(r *testPanel) { r.press("ctrl+p", "sour") }},
	{"lost", crowded, func(r *testPanel) {
		r.hub.SetErr(errors.New("dial /run/user/1000/lectern/control.sock: connection refused"))
		r.hub.End()
		r.wait(time.Second)
	}},
	{"crash-loop", crashing, func(*testPanel) {}},
	{"stopped", func() status.Snapshot {
		s := fresh()
		s.Hub = status.Hub{Component: status.Component{Name: "hub", State: status.Stopped}, Config: s.Hub.Config}
		s.Sources, s.Snippets = nil, nil
		return s
	}, func(r *testPanel) { r.press("j") }},
}

// sizes are the terminals that every screen is pinned on.
var sizes = [][2]int{{40, 12}, {80, 24}, {140, 45}, {220, 60}}

// TestScreens pins the body of every screen, the headers of all of them, and
// their footers: a text or a key of one pane changes one golden.
func TestScreens(t *testing.T) {
	headers, footers := newFrameLines(), newFrameLines()
	for _, c := range screens {
		t.Run(c.name, func(t *testing.T) {
			var bodies strings.Builder
			for _, size := range sizes {
				synctest.Test(t, func(t *testing.T) {
					r := newTestPanelWith(t, c.snap(), filledQueries(), size[0], size[1])
					r.log()
					c.goTo(r)
					title := fmt.Sprintf("%dx%d", size[0], size[1])
					header, body, footer := parts(r.screen())
					headers.add(title, header)
					footers.add(title+" "+c.name, footer)
					fmt.Fprintf(&bodies, "-- %s --\n%s\n", title, body)
				})
			}
			golden(t, "screen-"+c.name+".txt", bodies.String())
		})
	}
	golden(t, "headers.txt", headers.String())
	golden(t, "footers.txt", footers.String())
}

// parts splits a screen into its header, its body with the notice, and its
// footer.
func parts(screen string) (header, body, footer string) {
	lines := strings.Split(screen, "\n")
	last := len(lines) - 1
	return lines[0], strings.Join(lines[1:last], "\n"), lines[last]
}

// frameLines are headers or footers, each once under its title.
type frameLines struct {
	titles []string
	lines  map[string][]string
}

func newFrameLines() *frameLines { return &frameLines{lines: map[string][]string{}} }

func (f *frameLines) add(title, line string) {
	if !slices.Contains(f.titles, title) {
		f.titles = append(f.titles, title)
	}
	if !slices.Contains(f.lines[title], line) {
		f.lines[title] = append(f.lines[title], line)
	}
}

func (f *frameLines) String() string {
	var b strings.Builder
	for _, title := range f.titles {
		fmt.Fprintf(&b, "-- %s --\n%s\n", title, strings.Join(f.lines[title], "\n"))
	}
	return b.String()
}

// log fills the log and waits for it.
func (r *testPanel) log() {
	for _, l := range lines() {
		r.hub.AddLine(l)
	}
	r.wait(2 * batchWindow)
}

// modes are the ways in which a terminal, and who sits before it, see the
// panel.
var modes = []struct {
	name    string
	msg     tea.Msg
	colours colourChoice
}{
	{"dark", nil, coloursAuto},
	{"light", tea.BackgroundColorMsg{Color: ansi.BrightWhite}, coloursAuto},
	{"contrast-dark", nil, coloursContrast},
	{"contrast-light", tea.BackgroundColorMsg{Color: ansi.BrightWhite}, coloursContrast},
	{"few", tea.ColorProfileMsg{Profile: colorprofile.ANSI}, coloursAuto},
	{"bare", tea.ColorProfileMsg{Profile: colorprofile.Ascii}, coloursAuto},
}

var styleSequence = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// namedStyles writes the sequences that begin and end a style as {#ffaf5f} and
// {}, so that a golden can be read.
func namedStyles(content string) string {
	content = styleSequence.ReplaceAllStringFunc(content, func(seq string) string {
		return "{" + rgb.ReplaceAllStringFunc(styleSequence.FindStringSubmatch(seq)[1], func(colour string) string {
			var ground, r, g, b int
			if _, err := fmt.Sscanf(colour, "%d;2;%d;%d;%d", &ground, &r, &g, &b); err != nil {
				panic(err)
			}
			return fmt.Sprintf("%s#%02x%02x%02x", map[int]string{48: "on"}[ground], r, g, b)
		}) + "}"
	})
	return strings.ReplaceAll(content, "\x1b", "␛")
}

var rgb = regexp.MustCompile("[34]8;2;[0-9]+;[0-9]+;[0-9]+")

// everyModeScreens are the screens that are pinned in every mode: one of each pane, by its
// name, and one of each overlay.
func everyModeScreens(t *testing.T) []string {
	t.Helper()
	names := []string{"help", "palette", "wizard", "asked", "sources-remove"}
	r := newTestPanel(t, crowded(), 80, 24)
	for _, tab := range r.m.tabs.all {
		names = append(names, strings.ToLower(tab.Name))
	}
	return names
}

// twoModeScreens are further screens that are pinned in colour and without: what would
// be written, what failed, and what is typed.
func twoModeScreens() []string {
	return []string{"overview-lively", "changes-waiting", "activity-errors", "tools-run", "sources-grant", "clients-here", "pages", "pages-search"}
}

// TestEveryMode pins what the styles of every pane and overlay come to in every
// mode. A pane or overlay that no screen shows fails.
func TestEveryMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, name := range everyModeScreens(t) {
			if !slices.ContainsFunc(screens, func(s screen) bool { return s.name == name }) {
				t.Errorf("no screen shows %s; add one to screens", name)
			}
		}
	})
	shown, frames := map[string]bool{}, newFrameLines()
	for _, c := range screens {
		synctest.Test(t, func(t *testing.T) {
			r := newTestPanelWith(t, c.snap(), filledQueries(), 80, 24)
			r.log()
			c.goTo(r)
			if r.m.over != nil {
				shown[strings.TrimPrefix(fmt.Sprintf("%T", r.m.over), "tui.")] = true
			}
			face := slices.Contains(everyModeScreens(t), c.name)
			words, bodies := "", ""
			for _, mode := range modes {
				if !face && (!slices.Contains(twoModeScreens(), c.name) || mode.name != "dark" && mode.name != "bare") {
					continue
				}
				m := r.m
				m.colours = mode.colours
				next, _ := m.restyle(m.mode).Update(mode.msg)
				content := next.View().Content
				header, body, footer := parts(namedStyles(content))
				frames.add(mode.name, header)
				frames.add(mode.name, footer)
				bodies += fmt.Sprintf("-- %s --\n%s\n", mode.name, body)
				if words == "" {
					words = ansi.Strip(content)
				}
				if d := cmp.Diff(words, ansi.Strip(content)); d != "" {
					t.Errorf("%s says other words in other colours:\n%s", c.name, d)
				}
			}
			if bodies != "" {
				golden(t, "colours-"+c.name+".txt", bodies)
			}
		})
	}
	golden(t, "colours-frame.txt", frames.String())
	for _, name := range overlays(t) {
		if !shown[name] {
			t.Errorf("no screen shows the overlay %s; add one to screens", name)
		}
	}
}

// overlays are the types of this package that implement overlay.
func overlays(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "view" {
				names = append(names, fn.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	if len(names) == 0 {
		t.Error("there is no overlay")
	}
	return names
}

// wide is text whose letters take no cell, one or two.
const wide = "会議 👩\u200d👩\u200d👧\u200d👦 e\u0301\u0302 ラ🇯🇵 "

// TestEverySizeFits draws every screen at many sizes, with the words of the
// fixture and with wide ones: as many lines as the terminal has, each as wide,
// and below the smallest a notice.
func TestEverySizeFits(t *testing.T) {
	for i, c := range screens {
		for _, text := range []string{"", strings.Repeat(wide, 4)} {
			synctest.Test(t, func(t *testing.T) {
				snap, queries := c.snap(), filledQueries()
				if text != "" {
					fill(reflect.ValueOf(&snap).Elem(), text, false)
					queries.fill(text, false)
				}
				r := newTestPanelWith(t, snap, queries, 80, 24)
				r.log()
				c.goTo(r)
				for w, n := 20+i%9, i; w <= 200; w += 9 {
					for h := 5 + i%7; h <= 60; h += 7 {
						if n++; !runtest.InSample(n, 4, 22) {
							continue
						}
						r.update(tea.WindowSizeMsg{Width: w, Height: h})
						fits(t, c.name, r.m.View().Content, w, h)
					}
				}
				for _, size := range [][2]int{{1, 1}, {0, 0}, {5, 200}, {200, 3}} {
					r.update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					_ = r.m.View()
				}
			})
		}
	}
}

func fits(t *testing.T, name, content string, w, h int) {
	t.Helper()
	rows := strings.Split(content, "\n")
	if len(rows) != h {
		t.Errorf("%s at %d×%d: %d lines", name, w, h, len(rows))
	}
	small := w < minWidth || h < minHeight
	if small != strings.Contains(content, "Terminal too small.") {
		t.Errorf("%s at %d×%d is too small: %v", name, w, h, small)
	}
	for i, row := range rows {
		if n := ansi.StringWidth(row); n > w || n != w && !small {
			t.Errorf("%s at %d×%d: line %d is %d wide: %q", name, w, h, i, n, ansi.Strip(row))
		}
	}
}
