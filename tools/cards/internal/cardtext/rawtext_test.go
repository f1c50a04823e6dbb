package cardtext

import (
	"strings"
	"testing"
	"time"
)

// A tag that is not closed is text, and what follows stays what it is, in Markdown and in HTML.
func TestUnclosedRawText(t *testing.T) {
	c := NewConverter()
	for _, tag := range []string{
		"<title>", "<script>", "<SCRIPT src=x>", "<style>", "<textarea>", "<xmp>", "<plaintext>", "<iframe>", "<noscript>", "<!--", "<?php", "<![CDATA[",
	} {
		for _, before := range []string{"", "Use ", "> ", "- ", "text\n", "| a |\n| - |\n| "} {
			const rest = "\n\n## Next\n\n**bold** [[Home]]\n\n```\n<title>\n```\n"
			got, err := c.HTML(before+tag+" here"+rest, false)
			if err != nil {
				t.Fatal(err)
			}
			shown := strings.ReplaceAll(strings.ReplaceAll(tag, "<", "&lt;"), ">", "&gt;") + " here"
			tail := "<h2>Next</h2>\n\n<p><strong>bold</strong> [[Home]]</p>\n\n<pre><code>&lt;title&gt;\n</code></pre>\n"
			if !strings.Contains(got, shown) || !strings.HasSuffix(got, tail) || CleanHTML(got) != got {
				t.Errorf("%q becomes %q", before+tag, got)
			}
			checkRoundTrip(t, c, before+tag+" here"+rest)
		}
		const rest = "<h2>Next</h2><p>a</p>"
		if got := CleanHTML("<p>Use " + tag + " here</p>" + rest); !strings.HasSuffix(got, rest) && tag != "<?php" && tag != "<![CDATA[" {
			t.Errorf("%q in HTML becomes %q", tag, got)
		}
	}
	start := time.Now()
	if _, err := c.HTML(strings.Repeat("<script>\n<!--\n<title>\n\n", 10000), false); err != nil || time.Since(start) > time.Minute {
		t.Errorf("many of them take %v, %v", time.Since(start), err)
	}
}

// What Markdown says of tasks, code, tables and details goes in and out.
func TestMarkdownSurvives(t *testing.T) {
	c := NewConverter()
	for _, markdown := range []string{
		"- [x] a\n- [ ] b\n  - [x] c\n",
		"1. [x] a\n2. [ ] b\n",
		"```python\nx=1\n```\n",
		"| a | b | c |\n| :--- | :---: | ---: |\n| 1 | x<br>y | `p` |\n",
		"<details>\n<summary>More</summary>\n\n**bold**\n\n- a\n\n</details>\n\nafter\n\n",
		"<details open>\n\ntext\n\n</details>\n",
	} {
		html, err := c.HTML(markdown, false)
		if err != nil {
			t.Fatal(err)
		}
		if kept := CleanHTML(html); kept != html {
			t.Errorf("%q: %q is kept as %q", markdown, html, kept)
		}
		back, err := c.Markdown(html)
		if strings.TrimSpace(strings.ReplaceAll(back, `<details open="">`, "<details open>")) != strings.TrimSpace(markdown) || err != nil {
			t.Errorf("%q comes back as %q, %v", markdown, back, err)
		}
	}
}

// HTML that no Markdown made reads as Markdown.
func TestHTMLThatPeopleWrote(t *testing.T) {
	c := NewConverter()
	for html, want := range map[string]string{
		"S\n\n<p>D</p>\n":                    "S\n\nD\n",
		"<b>Note</b> read\n\n<p>D</p>\n":     "**Note** read\n\nD\n",
		"S":                                  "S",
		"<p>a</p>\n<ul><li>b</li></ul> tail": "a\n\n- b\n\ntail",
		"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x<br>y</td></tr></table>":      "| a | b |\n| --- | --- |\n| 1 | x<br>y |\n",
		"<table>\n<tr><td>a</td></tr><tr><td><p>x</p>\n<p>y <b>z</b></p></td></tr></table>\n": "| a |\n| --- |\n| x<br>y **z** |\n",
		"<table><tr><th>a</th><th>b</th></tr><tr><td>s<ul><li>one</li><li>two<ol><li>n</li></ol></li></ul></td><td><pre>l1\nl2</pre></td></tr></table>": "| a | b |\n| --- | --- |\n" +
			"| s<br>- one<br>- two<br>1. n | `l1`<br>`l2` |\n",
		"<ul><li><input type=\"checkbox\" checked> a</li><li><input type=checkbox> b</li></ul>": "- [x] a\n- [ ] b\n",
		"<details><summary>S</summary><p>x</p></details>":                                       "<details>\n\n<summary>S</summary>\n\nx\n\n</details>\n",
	} {
		got, err := c.Markdown(html)
		if got != want || err != nil {
			t.Errorf("%q\n got %q, %v\nwant %q", html, got, err, want)
		}
	}
}
