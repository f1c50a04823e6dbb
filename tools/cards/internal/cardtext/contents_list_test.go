package cardtext

import "testing"

func TestTableOfContents(t *testing.T) {
	list := "<ul class=\"w-toc\">\n  <li>[[X+A|A]]</li>\n  <li>[[X+B|B]]</li>\n</ul>\n"
	for _, c := range []struct{ content, mode, entries, want string }{
		{"<p>Text.</p>", "append_toc", "X+A\nX+B", list + "<p>Text.</p>"},
		{list + "<p>Text.</p>", "append_toc", "x+a\n[[X+C|the third]]", "<ul class=\"w-toc\">\n  <li>[[X+A|A]]</li>\n  <li>[[X+B|B]]</li>\n  <li>[[X+C|the third]]</li>\n</ul>\n<p>Text.</p>"},
		{list, "remove_toc", "[[X+a]]", "<ul class=\"w-toc\">\n  <li>[[X+B|B]]</li>\n</ul>\n"},
		{list, "remove_toc", "Y", list},
		{list + "<ul><li>x</li></ul>", "replace_toc", "Home", "<ul class=\"w-toc\">\n  <li>[[Home]]</li>\n</ul>\n<ul><li>x</li></ul>"},
		{"<ul><li>a [[b]]</li></ul><ol>\n<li><b>[[X+A]]</b><ul><li>[[X+A+k]]</li></ul></li>\n</ol>", "append_toc", "X+B", "<ul><li>a [[b]]</li></ul><ol>\n<li><b>[[X+A]]</b><ul><li>[[X+A+k]]</li></ul></li>\n  <li>[[X+B|B]]</li>\n</ol>"},
		{"<ol>\n<li>[[X+A]]<ul><li>[[X+A+k]]</li></ul></li>\n<li>[[X+B]]</li></ol>", "remove_toc", "X+A", "<ol>\n<li>[[X+B]]</li></ol>"},
		{"<p>Text.</p>", "remove_toc", "X", ""},
		{list, "replace_toc", " \n", ""},
	} {
		text, _, err := Patch{Mode: c.mode, Content: &c.entries}.Apply(c.content)
		if text != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s %q of %q\n got %q, %v\nwant %q", c.mode, c.entries, c.content, text, err, c.want)
		}
		if cleaned := CleanHTML(text); cleaned != text {
			t.Errorf("%q is kept as %q", text, cleaned)
		}
	}
	names := "A\n[[B]]"
	if text, _, err := (Patch{Mode: "replace_items", Content: &names}).Apply("C\nD"); text != "A\nB" || err != nil {
		t.Errorf("replace_items: %q, %v", text, err)
	}
}
