package cardtext

import "testing"

func TestCleanHTML(t *testing.T) {
	for content, want := range map[string]string{
		`<p onclick="x()">a</p><script>alert(1)</script><iframe src=x></iframe><a href="javascript:1">z</a>`: `<p>a</p> alert(1)   <a>z</a>`,
		`<p class="x" style="color:red">a</p> <b class='w-1'>&amp; "q"</b>`:                                  `<p style="color:red">a</p> <b class='w-1'>&amp; "q"</b>`,
		`[[A|<b>x</b>]] {{N|view}} a < b <3`:                                                                 `[[A|<b>x</b>]] {{N|view}} a &lt; b &lt;3`,
		"<a href=\" java\tscript:x\">y</a><img src=x onerror=1>":                                             `<a>y</a><img src="x">`,
		`<div style="background:url(x)">a</div><!-- c --><custom-tag>b</custom-tag>`:                         `<div>a</div>  b `,
		`<script src=x`: `&lt;script src=x`,
		`a <p title="`:  `a &lt;p title=&#34;`,
	} {
		got := CleanHTML(content)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", content, got, want)
		}
		if again := CleanHTML(got); again != got {
			t.Errorf("%s, and again %s", got, again)
		}
	}
}

func TestMarkdownToHTML(t *testing.T) {
	c := NewConverter()
	for markdown, want := range map[string]string{
		"# T\n\nHi **b** *i* [[X+Y|l]]": "<h1>T</h1>\n\n<p>Hi <strong>b</strong> <em>i</em> [[X+Y|l]]</p>\n",
		"{{N|view}} x":                  "<p>{{N|view}} x</p>\n",
		"<script>alert(1)</script> ok":  "alert(1)\n<p>ok</p>\n",
		`[j](javascript:alert(1)) <span onclick="x" class="c" style="color:red">s</span>`: "<p><a>j</a> <span class=\"c\">s</span></p>\n",
		"- a\n  - b":                           "<ul>\n  <li>a\n    <ul>\n      <li>b</li>\n    </ul>\n  </li>\n</ul>\n",
		"## H":                                 "<h2>H</h2>\n",
		"a [[A_b_c]] and [[__x__]] `[[code]]`": "<p>a [[A_b_c]] and [[__x__]] <code>[[code]]</code></p>\n",
		"\"q\" -- it's...":                     "<p>\"q\" -- it's...</p>\n",
		"| a | b |\n|---|---|\n| [[A\\|x]] | {{N|v}} |": "<table>\n  <thead>\n    <tr>\n      <th>a</th>\n      <th>b</th>\n    </tr>\n  </thead>\n  <tbody>\n    <tr>\n" +
			"      <td>[[A\\|x]]</td>\n      <td>{{N|v}}</td>\n    </tr>\n  </tbody>\n</table>\n",
		`[x]([[a"onload="b]])`:             "<p><a href=\"[[a&#34;onload=&#34;b]]\">x</a></p>\n",
		"[[<img src=x onerror=alert(1)>]]": "<p>[[<img src=\"x\">]]</p>\n",
	} {
		got, err := c.HTML(markdown, false)
		if got != want || err != nil {
			t.Errorf("%s\n got %q, %v\nwant %q", markdown, got, err, want)
		}
	}
	if got, _ := c.HTML("<i style=\"color:red\">x</i>", true); got != "<p><i style=\"color:red\">x</i></p>\n" {
		t.Errorf("trusted: %q", got)
	}
}

func TestHTMLToMarkdown(t *testing.T) {
	c := NewConverter()
	for content, want := range map[string]string{
		"<h1>T</h1><p>a <b>b</b> [[X+Y|l]] {{N|view}}</p><ul><li>1<ul><li>2</li></ul></li></ul><table><tr><th>a</th></tr><tr><td>1</td></tr></table><pre><code>x=1\n</code></pre>": "# T\n\na **b** [[X+Y|l]] {{N|view}}\n\n- 1\n  - 2\n\n| a |\n| --- |\n| 1 |\n\n```\nx=1\n```\n",
		"<p>x</p>": "x\n\n",
	} {
		got, err := c.Markdown(content)
		if got != want || err != nil {
			t.Errorf("%s\n got %q, %v\nwant %q", content, got, err, want)
		}
	}
}
