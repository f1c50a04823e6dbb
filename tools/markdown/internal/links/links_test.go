package links

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// brief writes links one a line: line, kind, target, #heading, ^block, |text.
func brief(text string, found []Link) string {
	var b strings.Builder
	for _, l := range found {
		kind := "md"
		if l.Wiki {
			kind = "wiki"
		}
		if l.Embed {
			kind += "!"
		}
		b.WriteString(strings.Join([]string{kind, l.Target}, " "))
		if l.Heading != "" {
			b.WriteString(" #" + l.Heading)
		}
		if l.Block != "" {
			b.WriteString(" ^" + l.Block)
		}
		if l.Text != "" {
			b.WriteString(" |" + l.Text)
		}
		if at := text[l.Start:l.End]; at != l.Target {
			b.WriteString(" as " + at)
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestScan(t *testing.T) {
	for text, want := range map[string]string{
		"see [[Alpha]] and [[Projects/Beta|the plan]]":                       "wiki Alpha; wiki Projects/Beta |the plan",
		"[[a#b]] [[a#b#c]] [[#x]] [[a#^id]] [[a^id]]":                        "wiki a #b; wiki a #b#c; wiki  #x; wiki a ^id; wiki a ^id",
		"![[a.png|200]] ![[Note#H]]":                                         "wiki! a.png |200; wiki! Note #H",
		"| [[a\\|b]] | c |":                                                  "wiki a |b",
		"[[ padded ]]":                                                       "wiki padded",
		"[[]] [[a\nb]] [[open":                                               "",
		"[[a]] [[b [[c]]":                                                    "wiki a; wiki c",
		`\[[no]] and \\[[yes]]`:                                              "wiki yes",
		"`[[no]]` ``[[no]] ` [[no]]`` [[yes]]":                               "wiki yes",
		"`a ``[[no]]`` b` [[yes]]":                                           "wiki yes",
		"`a ``[[no]] b` [[yes]]":                                             "wiki yes",
		"a `b\n# Heading\n[[yes]] c`":                                        "wiki yes",
		"a `b\n- [[yes]] c`":                                                 "wiki yes",
		"a `b\n```\n[[no]] c`\n```\n[[yes]]":                                 "wiki yes",
		"$5 [[yes]] $6 and [[also]] $7":                                      "wiki yes; wiki also",
		"$5 a[[yes]]$6":                                                      "wiki yes",
		"$x[[no]]$ [[yes]]":                                                  "wiki yes",
		"a ` lone tick [[yes]]":                                              "wiki yes",
		"```\n[[no]]\n```\n[[yes]]":                                          "wiki yes",
		"~~~ go\n[[no]]\n```\n[[no]]\n~~~\n[[yes]]":                          "wiki yes",
		"````\n```\n[[no]]\n````\n[[yes]]":                                   "wiki yes",
		"- ```\n  [[no]]\n  ```\n- [[yes]]":                                  "wiki yes",
		"> ```\n> [[no]]\n> ```\n> [[yes]]":                                  "wiki yes",
		"```\n[[never closed]]":                                              "",
		"```a``` [[yes]]":                                                    "wiki yes",
		"<!-- [[no]] --> [[yes]] <!--\n[[no]]\n-->[[y]]":                     "wiki yes; wiki y",
		"%% [[no]] %% [[yes]]":                                               "wiki yes",
		"$$\n[[no]]\n$$\n[[yes]] for $5":                                     "wiki yes",
		"[t](Beta.md) [t](./x/Gamma%20Ray.md#h \"T\")":                       "md Beta.md |t; md ./x/Gamma Ray.md #h |t as ./x/Gamma%20Ray.md",
		"[t](<a b.md>) ![alt](assets/x.png)":                                 "md a b.md |t; md! assets/x.png |alt",
		"[t](a_(b).md) [t](https://x.y/z.md) [t](#h) [t](#) [t](mailto:a@b)": "md a_(b).md |t; md  #h |t",
		"[ref]: other.md\n[^1]: [[foot]]":                                    "md other.md |ref; wiki foot",
		"[not] (a.md) [t](a b.md)":                                           "",
		"[[a]](b.md)":                                                        "wiki a",
		"a\n\n    [[no]]\n\n[[yes]]":                                         "wiki yes",
		"- a\n    [[yes]]\n\n     [[also]]":                                  "wiki yes; wiki also",
		"a `b\n[[no]] c` [[yes]]":                                            "wiki yes",
		"a `b\n\n[[yes]] c`":                                                 "wiki yes",
		"<code>[[no]]</code> <pre>\n[[no]]</pre>[[yes]]":                     "wiki yes",
		"$[[no]]$ $5 [[yes]] $6":                                             "wiki yes",
		"<!--\n```\n-->\n[[yes]]":                                            "wiki yes",
		"[[日本|x]] [[café]]":                                                  "wiki 日本 |x; wiki café",
	} {
		if diff := cmp.Diff(want, brief(text, Scan(text, 0))); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestScanStartsAfterFrontMatter(t *testing.T) {
	text := "---\nup: \"[[no]]\"\n---\n\n[[yes]]"
	got := Scan(text, strings.LastIndex(text, "---\n")+4)
	if len(got) != 1 || got[0].Target != "yes" || got[0].Line != 5 {
		t.Errorf("got %+v", got)
	}
}

func TestFrontMatter(t *testing.T) {
	text := "---\nup: \"[[Alpha#H|a]]\"\n# [[no]]\nrelated:\n  - '[[Beta]]'\nplain: [[Gamma]]\n---\n[[no]]"
	got := FrontMatter(text, strings.LastIndex(text, "---\n")+4)
	if diff := cmp.Diff("wiki Alpha #H |a; wiki Beta; wiki Gamma", brief(text, got)); diff != "" || !got[0].FrontMatter || got[1].Line != 5 {
		t.Errorf("%+v %s", got, diff)
	}
}

// Spans are in order, do not overlap and hold what they say.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"[[a]]", "[t](a%20b.md#x)", "```\n[[", "\\", "[x]: <", "](", "[](", "`", "![[a|b]]<!--", "[[\\|]]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, l := range Scan(s, 0) {
			if l.Start < at || l.End < l.Start || l.End > len(s) || l.Wiki && s[l.Start:l.End] != l.Target {
				t.Fatalf("%q: %+v", s, l)
			}
			at = l.End
		}
	})
}
