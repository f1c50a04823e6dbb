package theme

import (
	"image/color"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"Größe 日本語 e\u0301 🎲 �":    "Größe 日本語 e\u0301 🎲 �",
		"a\x1b[2Jb":                "a␛[2Jb",
		"one\ntwo\tthree\r":        "one␊two␉three␍",
		"\x00\a\x7f":               "␀␇␡",
		"\u009b31m":                `\u{9b}31m`,
		"\x9b31m":                  `\x9b31m`,
		"photo\u202egnp.exe":       `photo\u{202e}gnp.exe`,
		"pay\u200bpal\ufeff":       `pay\u{200b}pal\u{feff}`,
		"tag\U000e0069":            `tag\u{e0069}`,
		"a\u2028b\ue000c\u3164d":   `a\u{2028}b\u{e000}c\u{3164}d`,
		"caf\xc3":                  `caf\xc3`,
		"\xed\xa0\x80":             `\xed\xa0\x80`,
		"\x1b]52;c;ZXZpbA==\x1b\\": `␛]52;c;ZXZpbA==␛\`,
	} {
		if got := Sanitize(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Sanitize("plain, with 日本語") }); n != 0 {
		t.Errorf("clean text costs %v allocations", n)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[2J\u202e\xc3\ue000")
	f.Fuzz(func(t *testing.T, s string) {
		got := Sanitize(s)
		if !utf8.ValidString(got) || Sanitize(got) != got {
			t.Errorf("Plain(%q) = %q, and again %q", s, got, Sanitize(got))
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co) }); i >= 0 {
			t.Errorf("Plain(%q) = %q has a character to obey at %d", s, got, i)
		}
		for w := range 12 {
			if n := ansi.StringWidth(Style{}.Fit(s, w)); n != w {
				t.Errorf("Fit(%q, %d) is %d wide", s, w, n)
			}
			if n := ansi.StringWidth(Style{}.CutLeft(s, w)); n > w {
				t.Errorf("Tail(%q, %d) is %d wide", s, w, n)
			}
		}
	})
}

func TestCells(t *testing.T) {
	s := Style{bold: true}.compile()
	for _, c := range []struct{ got, want string }{
		{s.Cut("notes", 9), "\x1b[1mnotes\x1b[m"},
		{s.Cut("日本語", 4), "\x1b[1m日…\x1b[m"},
		{s.Fit("日本語", 4), "\x1b[1m日… \x1b[m"},
		{s.FitRight("42", 4), "\x1b[1m  42\x1b[m"},
		{s.CutLeft("/home/ada/notes", 8), "\x1b[1m…a/notes\x1b[m"},
		{s.Text(""), ""},
		{Style{}.Text("\x1b[1m"), "␛[1m"},
		{Fit(s.Text("abc")+"def", 4), "\x1b[1mabc\x1b[m…"},
		{Fit("ab", 4), "ab  "},
		{Fit("ab", -1), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if got := SplitLines("a\r\n\tb\n\n"); len(got) != 2 || got[1] != "    b" {
		t.Errorf("Lines = %q", got)
	}
}

// TestContrast measures what is written against what it is written on: at
// least 4.5 to 1, and 7 to 1 where a person asks for high contrast. What has no
// colour is the terminal's own.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		ground string
		mode   Mode
		least  float64
	}{
		{darkBackground, Mode{Dark: true}, 4.5},
		{"#000000", Mode{Dark: true}, 4.5},
		{lightBackground, Mode{}, 4.5},
		{darkBackground, Mode{Dark: true, HighContrast: true}, 7},
		{"#000000", Mode{Dark: true, HighContrast: true}, 7},
		{lightBackground, Mode{HighContrast: true}, 7},
	} {
		for name, s := range styles(New(c.mode)) {
			bg := lipgloss.Color(c.ground)
			if s.bg != nil {
				bg = s.bg
			}
			switch {
			case s.fg == nil && s.bg != nil && c.mode.HighContrast:
				t.Errorf("%s of %+v has a ground and no colour", name, c.mode)
			case s.fg == nil:
			case contrast(s.fg, bg) < c.least:
				t.Errorf("%s of %+v on %s: contrast %.2f", name, c.mode, c.ground, contrast(s.fg, bg))
			case c.mode.HighContrast && s.faint:
				t.Errorf("%s of %+v is faint", name, c.mode)
			}
		}
	}
}

// styles are all that text is written with, by name; borders are none of them
// but where contrast is asked for.
func styles(th Theme) map[string]Style {
	all := map[string]Style{"tab": th.Tab, "match": th.Match, "cursor": th.Cursor, "row": th.Row}
	for where, t := range map[string]Theme{"": th, " on a row": th.ForSelectedRow()} {
		for name, s := range map[string]Style{
			"text": t.Text, "strong": t.Strong, "dim": t.Dim, "accent": t.Accent, "good": t.Good, "busy": t.Busy, "warn": t.Warn, "bad": t.Bad, "key": t.Key,
		} {
			all[name+where] = s
		}
	}
	return all
}

// With 16 colours or none, contrast is the terminal's affair: nothing is faint.
func TestContrastWithoutColours(t *testing.T) {
	for _, m := range []Mode{{NoColor: true, HighContrast: true}, {SixteenColors: true, HighContrast: true, Dark: true}} {
		for name, s := range styles(New(m)) {
			if s.fg != nil || s.bg != nil || s.faint {
				t.Errorf("%s of %+v is %q", name, m, s.start)
			}
		}
	}
}

func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c color.Color) float64 {
	linear := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func TestNoColorHasNoColour(t *testing.T) {
	th := New(Mode{NoColor: true, Dark: true})
	for _, s := range []Style{th.Text, th.Strong, th.Dim, th.Line, th.Accent, th.Good, th.Busy, th.Warn, th.Bad, th.Key, th.Tab, th.Match, th.Row, th.ForSelectedRow().Good, th.ForSelectedRow().Text} {
		if s.fg != nil || s.bg != nil {
			t.Errorf("%q has a colour", s.start)
		}
	}
}

// TestEveryStateHasAGlyph: meaning does not rest on colour, so no two colours
// share a glyph.
func TestEveryStateHasAGlyph(t *testing.T) {
	th := New(Mode{Dark: true})
	by := map[string]string{}
	for _, s := range []status.State{status.Stopped, status.Starting, status.Ready, status.Degraded, status.Failed, status.CrashLoop, status.Stopping} {
		glyph, style := th.StateStyle(s)
		if was, ok := by[glyph]; glyph == "?" || ok && was != style.start {
			t.Errorf("%s: glyph %s stands for two colours, or for none", s, glyph)
		}
		if ansi.StringWidth(glyph) != 1 {
			t.Errorf("%s: glyph %s is not one cell wide", s, glyph)
		}
		by[glyph] = style.start
	}
}
