//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// hostile changes a terminal, or what a person believes to read, if it is
// written as it is: one of each kind that agents, notes and files may send.
var hostile = []string{
	"\x1b]0;owned\x07", "\x1b]2;owned\x1b\\", "\x1b]4;1;#ff0000\x07", "\x1b]10;#ff0000\x07", "\x1b]11;#ff0000\x07", "\x1b]52;c;ZXZpbA==\x07",
	"\x1b]8;;https://evil.example\x1b\\ok\x1b]8;;\x1b\\", "\x1b]0;unterminated", "\x1bP+q544e\x1b\\", "\x1b_Gf=24;AAAA\x1b\\", "\x1b^pm\x1b\\", "\x1bXsos\x1b\\",
	"\x1b[2J\x1b[H", "\x1b[?1049l", "\x1b[?25h", "\x1b[?1003h", "\x1b[?2004l", "\x1b[6n", "\x1b[c", "\x1b[8mhidden", "\x1b[99L", "\x1b(0", "\x1bc", "\x1b",
	"\u009b31m", "\u009d0;owned\u009c", "\u0090q\u009c", "\u0085", "\a\b\b\b\v\f\r", "\x00\x0e\x0f\x7f", "a\tb\nc",
	"photo\u202egnp.exe", "\u2066isolate\u2069\u2067\u2068", "\u200e\u200f\u061c", "pay\u200bpal\u200c\u200d\u2060\ufeff", "\U000e0069\U000e0067\U000e007f",
	"\ufe0f\ufe0e\U000e0100", "e" + strings.Repeat("\u0301\u0488", 200), "a\u2028b\u2029c", "\ue000\U000f0000", "\u3164\u115f\u2800", strings.Repeat("\u4f1a", 300),
}

// own are the control sequences that a panel writes: cursor, colours, erasing,
// scrolling, the modes it needs, its title, and what it asks the terminal.
var own = regexp.MustCompile(`^(\x1b\[[0-9;:]*[ABCDEFGHIJKLMPSTXZ@` + "`" + `abdefmrg]` +
	`|\x1b\[\?(25|1002|1003|1004|1006|1049|2004|2026|2027|5)(;[0-9]+)*[hl]|\x1b\[\?(2026|2027)\$p|\x1b\[[<>=?][0-9;]*[um]|\x1b\[[0-9;]*u|\x1b\[\?u|\x1b\[\?5W|\x1b\[[0-9]* q` +
	`|\x1b\]2;((\([0-9]+\) )?Lectern)?\x07|\x1b\]11;\?\x07|\x1b\[>q|\x1b[78MDE]|[\r\n\t\x08])$`)

// ownTitle is what a panel makes of the title: how many calls wait, and its name.
var ownTitle = regexp.MustCompile(`^((\([0-9]+\) )?Lectern)?$`)

// checkHarmless checks that of all that was written to a terminal every control
// sequence is one of the panel's and every rune can be seen.
func (x *screen) checkHarmless(where string) {
	x.t.Helper()
	x.mu.Lock()
	raw, titles, palette := slices.Clone(x.raw), slices.Clone(x.titles), x.palette
	x.mu.Unlock()
	state := x.checked.state
	for rest := raw[x.checked.bytes:]; len(rest) > 0; {
		seq, width, n, next := ansi.DecodeSequence(rest, state, nil)
		if n == 0 {
			return // the beginning of a sequence whose end has not come yet
		}
		if state, rest = next, rest[n:]; len(rest) > 0 { // the last one may go on
			x.checked.bytes, x.checked.state = len(raw)-len(rest), state
		}
		switch {
		case len(rest) == 0 && strings.HasPrefix(string(seq), "\x1b"): // it may go on
		case width == 0 && !own.Match(seq) && !unicode.In([]rune(string(seq))[0], unicode.Mn, unicode.Me):
			x.t.Errorf("%s: %q reaches the terminal", where, seq)
		case width > 0 && strings.ContainsFunc(string(seq), isInvisible):
			x.t.Errorf("%s: %q (%U) reaches the terminal", where, seq, []rune(string(seq)))
		}
	}
	for _, title := range titles {
		if !ownTitle.MatchString(title) {
			x.t.Errorf("%s: the title became %q", where, title)
		}
	}
	if palette {
		x.t.Errorf("%s: the terminal's own colours changed", where)
	}
}

func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// Whatever names, arguments and notes contain, the panel and the commands print
// no control characters from them.
func TestHostileTextInATerminal(t *testing.T) {
	all := strings.Join(hostile, "|")
	name := strings.Join(hostile[:8], "") + hostile[12] + "\u202e\u200b\u009b31m"
	gone, err := json.Marshal("gone " + strings.NewReplacer("\x00", "", "/", "").Replace(name)) // JSON strings are TOML's
	if err != nil {
		t.Fatal(err)
	}
	home := newHomeWith(t, fmt.Sprintf("[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n"+
		"\n[[source]]\nname = \"lost\"\nkind = \"markdown\"\npath = %s\n", gone))
	page := "---\ntitle: " + strings.ReplaceAll(all, "\n", " ") + "\n---\n\n" + all + "\n"
	if err := os.WriteFile(filepath.Join(home, "notes", "b.md"), []byte(page+"\x9b31m\xc3\x28\xff"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "notes", "c\u202e\x1b]0;owned\x07.md"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	x := openScreen(t, 140, 45, environIn(home), "lectern")
	x.waitFor("ready", "● notes", "lost")

	lectern, err := exec.LookPath("lectern") // this binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	a := connectAs(t, lectern, home, name)
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	call := func(id int, tool string, args map[string]any) {
		b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
		if err != nil {
			t.Fatal(err)
		}
		a.send(string(b))
	}
	id := 0
	for _, h := range append(slices.Clone(hostile), all, strings.Repeat("W", 1<<20)) {
		for _, c := range []struct {
			tool string
			args map[string]any
		}{
			{"read_page", map[string]any{"path": h, "source": "notes"}},
			{"search_pages", map[string]any{"query": h, "source": "notes"}},
			{"read_page", map[string]any{"path": "b.md", "source": h}},
			{h, map[string]any{h: h}},
			{"read_page", map[string]any{h: h}},
		} {
			id++
			call(id, c.tool, c.args)
			a.nextAnswer(t)
		}
	}
	call(1000, "write_page", map[string]any{"path": "One.md", "content": strings.ReplaceAll(page, "\x00", ""), "source": "notes"}) // with a zero byte it is not text, and no difference is shown
	x.waitFor("! 1 pending")
	for _, keys := range []string{"1", "jjll", "2", "j", "G", "\r", escape, "3", "j", "\r", escape, "Te", "4", "\r", escape, "5", "jj", "G", "6", "\r", escape, "l", "7", "v", "w", "p", "8", "j", "9", "\x10own", escape, "?own", escape} {
		x.typeKeys(keys)
		x.waitQuiet()
		x.checkHarmless("the panel after " + fmt.Sprintf("%q", keys))
	}
	for _, argv := range [][]string{{"status"}, {"calls"}, {"logs"}, {"approve"}, {"changes"}, {"grants"}, {"doctor"}} {
		y := openScreen(t, 140, 45, environIn(home), append([]string{"lectern"}, argv...)...)
		y.waitExit()
		y.waitQuiet()
		y.checkHarmless("lectern " + strings.Join(argv, " "))
	}
	x.typeKeys("4!")
	x.waitFor("+title")
	x.typeKeys("\x1b[6~\x1b[6~") // a yes is for what was on the screen
	x.waitQuiet()
	x.pressUntilGone("y", "1 pending")
	if v := a.nextAnswer(t); v.ID != 1000 {
		t.Errorf("told %+v", v)
	}
	x.waitGone("1 pending")
	x.waitFor("create  One.md")
	x.checkHarmless("the panel after a yes")
	for _, argv := range [][]string{{"changes"}, {"--plain"}} {
		y := openScreen(t, 140, 45, environIn(home), append([]string{"lectern"}, argv...)...)
		y.waitExit()
		y.waitQuiet()
		y.checkHarmless("lectern " + strings.Join(argv, " "))
	}
	ears := openScreen(t, 140, 45, environIn(home), "lectern", "--screen-reader")
	ears.waitFor(" connected.")
	for _, keys := range "123456789q" {
		ears.typeKeys(string(keys))
		ears.waitQuiet()
	}
	ears.waitExit()
	ears.checkHarmless("the panel for ears")
	if ears.mu.Lock(); strings.ContainsRune(string(ears.raw), '\x1b') {
		t.Error("what is for ears has control sequences")
	}
	ears.mu.Unlock()
	x.typeKeys("q")
	x.waitExit()
	x.checkRestored()
	a.disconnect(t)
	if _, err := daemon.GetHealth(t.Context(), daemonPaths(home)); err != nil {
		t.Errorf("the hub did not live through it: %v", err)
	}
	stopTestHub(t, home)
}
