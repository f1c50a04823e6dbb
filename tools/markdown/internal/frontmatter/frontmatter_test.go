package frontmatter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: a\n---\nbody":         "title: a\n|body",
		"---\ntitle: a\n...\nbody":         "title: a\n|body",
		"--- \ntitle: a\n---  \nbody":      "title: a\n|body",
		"---\n---\nbody":                   "|body",
		"---\ntitle: a\n---":               "title: a\n|",
		"---\na: 1\n---\n---\nb: 2\n---\n": "a: 1\n|---\nb: 2\n---\n",
		"---\ntitle: never closed\n\nbody": "none",
		"body\n---\ntitle: a\n---\n":       "none",
		"":                                 "none",
		"---":                              "none",
		"----\na: 1\n---\n":                "none",
		"---\n" + strings.Repeat("a\n", 99_999) + "---\n": "none",
	} {
		got := "none"
		if block, body, ok := Split(text); ok {
			got = block + "|" + text[body:]
		}
		if got != want {
			t.Errorf("%.30q: %q, want %q", text, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	f, err := Parse("title: \"A: b\" # comment\ntags:\n  - one\n  - two\ndate: 2026-11-21\nver: 1.10\nyes: no\ndone: true\nn: 7\noct: 007\nempty:\nnest: {a: [1, x]}\ntitle: second\nanchor: &x [1]\nalias: *x\nemoji: 🏗\n")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"title": "A: b", "tags": []any{"one", "two"}, "date": "2026-11-21", "ver": "1.10", "yes": "no", "done": true, "n": int64(7), "oct": "007",
		"empty": nil, "nest": map[string]any{"a": []any{int64(1), "x"}}, "anchor": []any{int64(1)}, "alias": []any{int64(1)}, "emoji": "🏗",
	}
	if diff := cmp.Diff(want, f.Values); diff != "" {
		t.Error(diff)
	}
	if first, last := f.Lines("tags"); first != 3 || last != 5 {
		t.Errorf("tags stand on lines %d to %d of the page", first, last)
	}
}

func TestParseRefuses(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for _, r := range "bcdefg" {
		p := string(r - 1)
		bomb += string(r) + ": &" + string(r) + " [" + strings.Repeat("*"+p+",", 9) + "*" + p + "]\n"
	}
	for what, block := range map[string]string{
		"alias bomb": bomb, "deep": "a: " + strings.Repeat("[", 5000), "a list": "- a\n- b\n", "tab": "a:\n\tb: 1\n", "open quote": "a: \"b\n",
		"cycle": "a: &a [*a]\n",
	} {
		if f, err := Parse(block); err == nil || len(f.Values) > 0 {
			t.Errorf("%s: %v, %v", what, err, f.Values)
		}
	}
}

func TestTexts(t *testing.T) {
	f, err := Parse("a: [x, 2, null]\nb: one, two\nc: single\nd:\n")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][]string{"a": {"x", "2"}, "b": {"one", "two"}, "c": {"single"}, "d": nil, "none": nil} {
		if diff := cmp.Diff(want, f.Texts(key)); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

// Whatever the text, the value comes back and no other key appears.
func FuzzScalar(f *testing.F) {
	for _, s := range []string{"", "Plain", "a\nid: evil", "\"", "it's: #1", "- x", "yes", "1.0", "2026-11-21", "\u2028", "\u0085", "*a", "@x", "`x", "a #b", "---", "<b>&", "\x00", "\ufeffx", "12e03", "é", "\U0010ffff", "\x7f", "\ufffe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fields, err := Parse("a: 1\ntitle: " + Scalar(s) + "\nz: 2\n")
		if err != nil {
			t.Fatalf("%q as %s: %v", s, Scalar(s), err)
		}
		if got := fields.Values["title"]; got != strings.ToValidUTF8(s, "\uFFFD") || len(fields.Values) != 3 {
			t.Errorf("%q as %s came back as %q", s, Scalar(s), got)
		}
	})
}
