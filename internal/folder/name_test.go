package folder

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// The verdicts on names: x, refused everywhere; o, outside; r, may be read if
// it is there but not created; c, may be created.
func TestNames(t *testing.T) {
	for name, want := range map[string]byte{
		"Page.md": 'c', "Projects/Alpha Beta.md": 'c', "Ünïcödé/日本.md": 'c', "🏗 plan.md": 'c', "👩‍💻.md": 'c',
		"a.b.c.md": 'c', "COM0.md": 'c', "console.md": 'c', "notes.tmpl": 'c',
		"": 'x', ".": 'x', "a/../b.md": 'x', "./a.md": 'x', "a//b.md": 'x', "a/": 'x', "a/.": 'x', "a\x00b": 'x', "a\nb": 'x', "a\u0085b": 'x', "a\x7f": 'x',
		"a\xffb": 'x', `a\b.md`: 'x', ".git/config": 'x', ".obsidian": 'x', "a/.hidden.md": 'x', ".skb-meta.json": 'x',
		"x.tmp": 'x', "x.md.tmp.123": 'x', "x.tmp42": 'x', "x.md~": 'x', "#x.org#": 'x', "x.org.~1~": 'x', "a/#b#/c.md": 'x', "##": 'x', "#": 'c', "#x": 'c', "x#": 'c', "#x#.md": 'c', strings.Repeat("a", 256): 'x', strings.Repeat("é", 128): 'x',
		strings.Repeat("a/", 2100) + "a": 'x',
		"..":                             'o', "../x.md": 'o', "a/../../x": 'o', "/etc/passwd": 'o', "~/x": 'o', "C:/x": 'o', `C:\x`: 'o', `\\host\share`: 'o', "c:": 'o',
		"a:b.md": 'r', "a<b": 'r', `a"b`: 'r', "a|b": 'r', "a?": 'r', "a*": 'r', " a": 'r', "a ": 'r', "a.": 'r', "-rf": 'r', "CON": 'r', "con.md": 'r',
		"NUL.md": 'r', "COM1.txt": 'r', "lpt9": 'r', "com¹": 'r', "CON .md": 'r', "a/aux/b.md": 'r', "CONIN$": 'r',
		"a\u202eb": 'r', "a\u200bb": 'r', "a\u200db": 'r', "\ufeffa": 'r', "a\u2028b": 'r', "a\ue000": 'r', "a\u2066": 'r', "a\U000e0041": 'r',
		strings.Repeat("a", 255): 'c', strings.Repeat("é", 127): 'c',
	} {
		var got byte = 'c'
		switch err := CheckName(name); {
		case isOutside(err):
			got = 'o'
		case err != nil:
			got = 'x'
		case CheckNew(name) != nil:
			got = 'r'
		}
		if got != want {
			t.Errorf("%.40q: %c, want %c (%v, %v)", name, got, want, CheckName(name), CheckNew(name))
		}
	}
}

func TestFoldName(t *testing.T) {
	for _, twins := range [][2]string{{"Case", "case"}, {"café", "cafe\u0301"}, {"CAFÉ", "cafe\u0301"}, {"Straße", "STRASSE"}, {"ﬁ", "fi"}} {
		if FoldName(twins[0]) != FoldName(twins[1]) {
			t.Errorf("%q and %q differ: %q, %q", twins[0], twins[1], FoldName(twins[0]), FoldName(twins[1]))
		}
	}
	if FoldName("cafe") == FoldName("café") {
		t.Error("an accent is a difference")
	}
}

func TestCleanName(t *testing.T) {
	for text, want := range map[string]string{
		"Plain title": "Plain title", "a/b\\c:d": "a-b-c-d", "What? Why*": "What- Why-", "../../etc": "etc", "CON": "Page CON", "nul.md": "Page nul.md",
		"": "Untitled", "...": "Untitled", "///": "Untitled", " \t\n": "Untitled", "-rf": "rf", ".hidden": "hidden", "x.tmp": "x-tmp",
		"a\nid: evil": "a-id- evil", "a\u202eb": "a-b", "a\u200db": "ab", "👩‍💻": "👩‍💻", "cafe\u0301": "café", "a\xffb": "a-b",
	} {
		if got := CleanName(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Whatever the text, the result is a name that may be created.
func FuzzCleanName(f *testing.F) {
	for _, s := range []string{"", "-.-", "CON.", "a\u200d", "\u200d\u200d", strings.Repeat("日", 300), "COM1 .x", "x.tmp.tmp", "~", ". ~ -", "#x#", "##", "#a.b#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := CleanName(s)
		if err := CheckNew(got); err != nil || utf8.RuneCountInString(got) > 110 || len(got) > 220 {
			t.Errorf("%q: %q: %v", s, got, err)
		}
	})
}

func isOutside(err error) bool {
	e, ok := errors.AsType[*NameError](err)
	return ok && e.Outside
}

func TestShortNames(t *testing.T) {
	for name, short := range map[string]bool{
		"PRIVAT~1": true, "privat~1": true, "DIARY~2.MD": true, "A~10.md": true, "Private": false, "draft~": false, "a~b.md": false, "Private~1 old.md": false, "version~1.markdown": false,
	} {
		if isShortName(name) != short {
			t.Errorf("%s is a short name: %v", name, !short)
		}
	}
}
