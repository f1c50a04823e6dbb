package logseqfile

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The names that Logseq 0.10 gives to files, and reads as titles.
func TestNamesOfFiles(t *testing.T) {
	triple, legacy := Read(`{:file/name-format :triple-lowbar}`), Read("{}")
	for _, c := range []struct {
		g           *Graph
		title, name string
	}{
		{triple, "Projects/Alpha/Design", "Projects___Alpha___Design"},
		{triple, "What? A: B", "What%3F A%3A B"},
		{triple, "C#", "C%23"},
		{triple, "50% done", "50% done"},
		{triple, "a%2Fb", "a%252Fb"},
		{triple, "foo_bar", "foo_bar"},
		{triple, "foo___bar", "foo%5F%5F%5Fbar"},
		{triple, "a_/b", "a%5F___b"},
		{triple, "a/_b", "a___%5Fb"},
		{triple, "a__/bbb/ccc", "a_%5F___bbb___ccc"},
		{triple, ".hidden", "%2Ehidden"},
		{triple, "CON", "CON___"},
		{triple, "con", "con"},
		{triple, "ends with.", "ends with.___"},
		{triple, "v1.0/notes", "v1.0___notes"},
		{triple, `back\slash`, "back%5Cslash"},
		{triple, "Café", "Café"},
		{legacy, "Projects/Alpha", "Projects%2FAlpha"},
		{legacy, "What? A: B", "What%3F A%3A B"},
		{legacy, "100% sure", "100%25 sure"},
	} {
		if name := c.g.Encode(c.title); name != c.name {
			t.Errorf("file of %q: %q, want %q", c.title, name, c.name)
		}
		if title := c.g.Decode(c.name); title != c.title {
			t.Errorf("title of %q: %q, want %q", c.name, title, c.title)
		}
	}
	for name, title := range map[string]string{"a.b": "a/b", "Version 1.0": "Version 1/0", "%E4": "%E4", "%C3%A4": "ä"} {
		if got := legacy.Decode(name); got != title {
			t.Errorf("title of %q: %q, want %q", name, got, title)
		}
	}
	if got := triple.Decode("____a%C3%A4__"); got != "_a%C3%A4__" {
		t.Errorf("%q", got)
	}
	if file, exact := legacy.FileName("Version 1.0"); exact || file != "pages/Version 1.0" {
		t.Errorf("%q %v", file, exact)
	}
}

func TestEveryTitleComesBack(t *testing.T) {
	g := Read(`{:file/name-format :triple-lowbar}`)
	rng := rand.New(rand.NewPCG(1, 65))
	for range 20_000 {
		var b strings.Builder
		for range rng.IntN(9) {
			b.WriteString([]string{"a", "_", "__", "/", "%", "2F", ".", "#", "é", "CON", ":", " "}[rng.IntN(12)])
		}
		parts := slices.DeleteFunc(strings.Split(b.String(), "/"), func(part string) bool { return part == "" })
		title := strings.Join(parts, "/")
		name := g.Encode(title)
		if got := g.Decode(name); got != title || strings.ContainsAny(name, `/:*?"<>|#\`) {
			t.Fatalf("%q is named %q, which is %q", title, name, got)
		}
	}
}

func TestJournals(t *testing.T) {
	g := Read(`; settings
	{:meta/version 1, :hidden ["/archived" "" "a/b.md"] #_ :gone
	 :query/views {:pprint (fn [r _] [:pre.code "}"])}
	 :char \} :expression #"a\"b" :default-queries {:journals [{:title "x" :inputs [:14d :today]}]}
	 :journal/page-title-format "EEEE, dd.MM.yyyy" :journal/file-name-format "yyyyMMdd" :journals-directory "days" :pages-directory "../notes"
	 :file/name-format :triple-lowbar}`)
	if !g.TripleUnderscore || g.Journals != "days" || g.Pages != "notes" || !slices.Equal(g.Hidden, []string{"archived", "a/b.md"}) {
		t.Fatalf("%+v", g)
	}
	for name, want := range map[string]string{
		"2026_11_21": "Saturday, 21.11.2026", "2026-11-21": "Saturday, 21.11.2026", "nov 21st, 2026": "Saturday, 21.11.2026", "saturday, 21.11.2026": "Saturday, 21.11.2026",
		"Sunday, 21.11.2026": "Sunday, 21.11.2026", "20261121": "20261121", "2026_13_01": "2026_13_01", "2026_02_30": "2026_02_30", "Nov 21th, 2026": "Nov 21th, 2026", "/a/b/": "a/b",
	} {
		if got := g.Canonical(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if file, _ := g.FileName("2026_11_21"); file == "days/20261121" {
		t.Error("a journal got a name that Logseq does not read as a day")
	}
	g = Read("")
	for title, want := range map[string]string{"Nov 21st, 2026": "journals/2026_11_21", "May 3rd, 2026": "journals/2026_05_03", "Plan": "pages/Plan"} {
		if file, exact := g.FileName(title); file != want || !exact {
			t.Errorf("%q: %q %v, want %q", title, file, exact, want)
		}
	}
	if got := g.PageTitle("journals/2026_11_02.md"); got != "Nov 2nd, 2026" {
		t.Errorf("%q", got)
	}
	if got := g.PageTitle("pages/contents.md"); got != "Contents" {
		t.Errorf("%q", got)
	}
}

func TestProperties(t *testing.T) {
	text := "---\na: 1\n---\n\ntitle:: A: b\nAlias:: one, [[two words]], #three\ntags::\n\n- block\n  id:: x\n"
	found := Properties(text, 13)
	if len(found) != 2+1 || found[0].Key != "title" || found[0].Value != "A: b" || text[found[1].Start:found[1].End] != found[1].Value || found[2].Value != "" {
		t.Fatalf("%+v", found)
	}
	if names := Names(found[1].Value); !slices.Equal(names, []string{"one", "two words", "three"}) {
		t.Errorf("%q", names)
	}
	for _, line := range []string{"- a:: b", "http://x:: y", "a b", "# a:: b", "a::b", ":: x"} {
		if p, ok := ReadProperty(line, 0); ok {
			t.Errorf("%q: %+v", line, p)
		}
	}
}

// Damaged settings end where they are damaged.
func FuzzRead(f *testing.F) {
	f.Add(`{:a "b" :hidden ["x"] #{1 2} \( ;`)
	f.Fuzz(func(t *testing.T, text string) {
		g := Read(text)
		if title := g.Decode(g.Encode(text)); len(title) > 4*len(text)+4 {
			t.Error(title)
		}
		_ = g.Canonical(text)
	})
}
