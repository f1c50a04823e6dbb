// Package theme holds what the control panel looks like: colours for a dark
// and a light background, glyphs, borders, and how text is cut to cells.
//
// It is also the one door through which text reaches the screen: a [Style]
// makes text of unknown origin harmless before it paints it, so a pane that
// paints everything cannot forget to. It does not lay out screens and knows no
// pane. Package tui and tui/pane import it. Start reading at [Theme] and
// [Style.Text].
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
)

// Mode picks a Theme. The zero value is a light background with colours.
type Mode struct {
	Dark          bool // the background of the terminal
	NoColor       bool // no colours: bold, faint and reverse only
	SixteenColors bool // the terminal has 16 colours, its own
	// HighContrast asks for 7 to 1 and more (WCAG 2.2, 1.4.6).
	HighContrast bool
}

// Theme is a set of styles, named for what they say and not for how they look.
// No meaning rests on a style alone: a word or a glyph stands beside it.
type Theme struct {
	Text   Style // what is read first
	Strong Style // names, and what is selected
	Dim    Style // labels and what matters less
	Line   Style // borders
	Accent Style // the product, the pane and the key that are current
	Good   Style
	Busy   Style
	Warn   Style
	Bad    Style
	Key    Style // a key to press
	Tab    Style // the tab of the pane that is shown
	Match  Style // what a filter found
	Cursor Style // where typed text goes
	// Row is the style of the row that is selected; On gives the others its
	// background.
	Row Style

	rowBackground color.Color // of a selected row; nil: reverse instead
	hitRegions    bool        // spots are marked
}

// palette is the colours of one background. Each of them has a contrast of at
// least 4.5 to 1 to its background (WCAG 2.2, 1.4.3), borders excepted.
type palette struct {
	dim, line, accent, good, busy, warn, bad, row, onAccent string
	text                                                    string // empty: the terminal's own
}

// The usual backgrounds, which the contrast is measured against.
const (
	darkBackground  = "#1e1e2e"
	lightBackground = "#ffffff"
)

// The colours are those of the 256 that every terminal knows, so that they look
// the same with and without 24-bit colour; the row's background alone is not.
func darkPalette() palette {
	return palette{
		dim: "#a8a8a8", line: "#585858", accent: "#afafff", good: "#87d787", busy: "#87d7d7",
		warn: "#ffaf5f", bad: "#ff8787", row: "#34344e", onAccent: "#1c1c1c",
	}
}

func lightPalette() palette {
	return palette{
		dim: "#626262", line: "#b2b2b2", accent: "#5f00d7", good: "#005f00", busy: "#005f87",
		warn: "#875f00", bad: "#af0000", row: "#e6e6ff", onAccent: "#ffffff",
	}
}

// The colours of high contrast have one of at least 7 to 1, borders one of 4.5.
// No colour is a background there but that of a tab and of what was found: a
// selected row is in reverse.
func darkHighContrastPalette() palette {
	return palette{
		text: "#ffffff", dim: "#e4e4e4", line: "#b2b2b2", accent: "#d7d7ff", good: "#afffaf", busy: "#afffff",
		warn: "#ffd787", bad: "#ffafaf", onAccent: "#000000",
	}
}

func lightHighContrastPalette() palette {
	return palette{
		text: "#000000", dim: "#303030", line: "#585858", accent: "#0000af", good: "#005f00", busy: "#005f5f",
		warn: "#5f0087", bad: "#870000", onAccent: "#ffffff",
	}
}

// New returns the Theme for m.
func New(m Mode) Theme {
	if m.NoColor || m.SixteenColors && m.HighContrast {
		return monochromeTheme(m.HighContrast) // what 16 colours look like is the terminal's affair
	}
	p := paletteFor(m)
	fg := func(hex string) Style { return Style{fg: parseColor(hex)}.compile() }
	t := Theme{
		Text:          fg(p.text),
		Strong:        Style{fg: parseColor(p.text), bold: true}.compile(),
		Dim:           fg(p.dim),
		Line:          fg(p.line),
		Accent:        Style{fg: lipgloss.Color(p.accent), bold: true}.compile(),
		Good:          fg(p.good),
		Busy:          fg(p.busy),
		Warn:          fg(p.warn),
		Bad:           fg(p.bad),
		Key:           fg(p.accent),
		Tab:           Style{fg: lipgloss.Color(p.onAccent), bg: lipgloss.Color(p.accent), bold: true}.compile(),
		Match:         Style{fg: lipgloss.Color(p.onAccent), bg: lipgloss.Color(p.warn)}.compile(),
		Cursor:        Style{reverse: true}.compile(),
		Row:           Style{bg: lipgloss.Color(p.row), bold: true}.compile(),
		rowBackground: lipgloss.Color(p.row),
	}
	bare := monochromeTheme(m.HighContrast)
	switch {
	case m.SixteenColors:
		// None of 16 colours is a background on which the others can be read.
		t.Tab, t.Match, t.Row, t.rowBackground = bare.Tab, bare.Match, bare.Row, nil
	case m.HighContrast:
		t.Row, t.rowBackground = bare.Row, nil
	}
	return t
}

// parseColor is the one of this name; none: the terminal's own.
func parseColor(name string) color.Color {
	if name == "" {
		return nil
	}
	return lipgloss.Color(name)
}

func paletteFor(m Mode) palette {
	switch {
	case m.SixteenColors && m.Dark:
		return palette{dim: "7", line: "8", accent: "12", good: "10", busy: "14", warn: "11", bad: "9"}
	case m.SixteenColors:
		return palette{dim: "8", line: "7", accent: "4", good: "2", busy: "6", warn: "3", bad: "1"}
	case m.HighContrast && m.Dark:
		return darkHighContrastPalette()
	case m.HighContrast:
		return lightHighContrastPalette()
	case m.Dark:
		return darkPalette()
	default:
		return lightPalette()
	}
}

// monochromeTheme has no colours. With contrast nothing is faint either.
func monochromeTheme(contrast bool) Theme {
	bold, faint, reverse := Style{bold: true}.compile(), Style{faint: !contrast}.compile(), Style{reverse: true}.compile()
	return Theme{
		Strong: bold, Dim: faint, Line: faint, Accent: bold, Bad: bold, Warn: bold, Key: bold,
		Tab: Style{bold: true, reverse: true}.compile(), Match: reverse, Cursor: reverse, Row: reverse,
	}
}

// ForSelectedRow returns t for a selected row: the same styles on the row's
// background, or all in reverse when there is no such colour.
func (t Theme) ForSelectedRow() Theme {
	on := func(s Style) Style {
		if t.rowBackground == nil {
			return Style{bold: s.bold, reverse: true}.compile()
		}
		s.bg = t.rowBackground
		return s.compile()
	}
	t.Text, t.Strong, t.Dim, t.Accent = on(t.Text), on(t.Strong), on(t.Dim), on(t.Accent)
	t.Good, t.Busy, t.Warn, t.Bad, t.Key = on(t.Good), on(t.Busy), on(t.Warn), on(t.Bad), on(t.Key)
	return t
}

// Style paints text. The zero value paints nothing and still makes text
// harmless.
type Style struct {
	fg, bg               color.Color
	bold, faint, reverse bool
	start                string // what turns it on; empty: the zero value
}

// compile computes the escape sequence once, so that painting costs two copies.
func (s Style) compile() Style {
	var a ansi.Style
	if s.bold {
		a = a.Bold()
	}
	if s.faint {
		a = a.Faint()
	}
	if s.reverse {
		a = a.Reverse(true)
	}
	if s.fg != nil {
		a = a.ForegroundColor(s.fg)
	}
	if s.bg != nil {
		a = a.BackgroundColor(s.bg)
	}
	s.start = ""
	if len(a) > 0 {
		s.start = a.String()
	}
	return s
}

// StateStyle returns the glyph that stands for s and the style to paint glyph and
// word with.
func (t Theme) StateStyle(s status.State) (glyph string, style Style) {
	switch s {
	case status.Starting, status.Waiting:
		return "◐", t.Busy
	case status.Stopping:
		return "◑", t.Busy
	case status.Stopped:
		return "○", t.Dim
	case status.Failed, status.CrashLoop:
		return t.gradeStyle(2)
	case status.Degraded:
		return t.gradeStyle(1)
	case status.Ready:
		return t.gradeStyle(0)
	default:
		return "?", t.Dim
	}
}

// SeverityStyle is [Theme.StateStyle] for a Problem.
func (t Theme) SeverityStyle(s status.Severity) (glyph string, style Style) {
	switch s {
	case status.Error:
		return t.gradeStyle(2)
	case status.Warning:
		return t.gradeStyle(1)
	default:
		return "●", t.Busy
	}
}

// CheckResultStyle is [Theme.StateStyle] for the result of a Check.
func (t Theme) CheckResultStyle(r status.CheckResult) (glyph string, style Style) {
	switch r {
	case status.CheckFail:
		return t.gradeStyle(2)
	case status.CheckWarn:
		return t.gradeStyle(1)
	case status.CheckOK:
		return t.gradeStyle(0)
	case status.CheckRunning:
		return "◐", t.Busy
	case status.CheckSkipped:
		return "–", t.Dim
	default:
		return "○", t.Dim
	}
}

// gradeStyle is how good, doubtful and bad things are drawn.
func (t Theme) gradeStyle(severity int) (glyph string, style Style) {
	return [...]string{"●", "▲", "✗"}[severity], [...]Style{t.Good, t.Warn, t.Bad}[severity]
}

// LogLevelStyle returns the style of a log line's level.
func (t Theme) LogLevelStyle(l status.Level) Style {
	switch l {
	case status.Fail:
		return t.Bad
	case status.Warn:
		return t.Warn
	case status.Info:
		return t.Good
	default:
		return t.Dim
	}
}
