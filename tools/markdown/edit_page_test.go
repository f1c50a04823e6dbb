package markdown

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// The bytes after each edit of one page.
func TestEditPage(t *testing.T) {
	runtest.InOrder(t)
	const fm = "---\ntitle: A # mine\ntags: [a, \"b c\"]\nlist:\n  - one\n  - 2\n# about z\nz: 'x'\n---\n"
	for _, c := range []struct{ name, before, args, after string }{
		{"append to the page", "a\n", `"action":"append","content":"b"`, "a\n\nb\n"},
		{"append without a last line break", "a", `"action":"append","content":"b\n"`, "a\n\nb"},
		{"append keeps blank lines at the end", "a\n\n\n", `"action":"append","content":"b"`, "a\n\nb\n\n\n"},
		{"append to an empty page", "", `"action":"append","content":"b"`, "b\n"},
		{"append with CRLF", "a\r\nb\r\n", `"action":"append","content":"c\nd"`, "a\r\nb\r\n\r\nc\r\nd\r\n"},
		{"prepend below the front matter", fm + "a\n", `"action":"prepend","content":"b"`, fm + "b\n\na\n"},
		{"append to a section", "# A\n\n## Log\n\n- x\n\n## B\ny\n", `"action":"append","heading":"Log","content":"- y"`, "# A\n\n## Log\n\n- x\n- y\n\n## B\ny\n"},
		{"append words below an id", "# S\n\none ^i\n\n# T\n", `"action":"append","heading":"S","content":"Two."`, "# S\n\none ^i\n\nTwo.\n\n# T\n"},
		{"append words below a table", "| a |\n|---|\n| 1 |\n", `"action":"append","content":"Two."`, "| a |\n|---|\n| 1 |\n\nTwo.\n"},
		{"append a row", "| a |\n|---|\n| 1 |\n", `"action":"append","content":"| 2 |"`, "| a |\n|---|\n| 1 |\n| 2 |\n"},
		{"append to HTML", "<div>\n</div>\n", `"action":"append","content":"- a"`, "<div>\n</div>\n\n- a\n"},
		{"append what underlines", "a\n", `"action":"append","content":"==="`, "a\n\n===\n"},
		{"append words to a list", "- a\n", `"action":"append","content":"b"`, "- a\n\nb\n"},
		{"append a part of an item", "- a\n", `"action":"append","content":"  - b"`, "- a\n  - b\n"},
		{"append to an empty section", "## Log\n## B\n", `"action":"append","heading":"## Log","content":"- y"`, "## Log\n- y\n## B\n"},
		{"append to a section at the end", "## Log", `"action":"append","heading":"Log","content":"- y"`, "## Log\n- y"},
		{"prepend to a section", "# A\n\nx\n", `"action":"prepend","heading":"A","content":"y"`, "# A\ny\n\nx\n"},
		{"insert before a section", "a\n## B\n", `"action":"insert_before","heading":"B","content":"## N\n"`, "a\n## N\n## B\n"},
		{"insert after a section", "## A\nx\n## B\n", `"action":"insert_after","heading":"A","content":"## N\n"`, "## A\nx\n## N\n## B\n"},
		{"replace a section", "# A\n\nold\nmore\n\n# B\n", `"action":"replace","heading":"A","content":"new"`, "# A\n\nnew\n\n# B\n"},
		{"delete a section", "x\n# A\nold\n# B\n", `"action":"delete","heading":"A"`, "x\n# B\n"},
		{"a heading in code is none", "```\n# A\n```\n# A\nx", `"action":"replace","heading":"A","content":"y"`, "```\n# A\n```\n# A\ny"},
		{"replace text", "the old word\r\nold\n", `"action":"replace","text":"old w","content":"new w"`, "the new word\r\nold\n"},
		{"replace text of several places", "a b a b a", `"action":"replace","text":"a","count":3,"content":"c"`, "c b c b c"},
		{"replace text that could begin again within itself", "aaa b\n", `"action":"replace","text":"aa","content":"x"`, "xa b\n"},
		{"delete text", "a b c", `"action":"delete","text":" b"`, "a c"},
		{"insert after text", "a b c", `"action":"insert_after","text":"b","content":"!"`, "a b! c"},
		{"replace a block", "x ^a\n\none\ntwo ^b\n", `"action":"replace","block":"b","content":"three"`, "x ^a\n\nthree ^b\n"},
		{"append to a block", "- x ^a\n- y\n", `"action":"insert_after","block":"^a","content":"- n"`, "- x ^a\n- n\n- y\n"},
		{"tick", "- [ ] buy milk\n- [ ] milk the cow\n", `"action":"check","task":"Buy Milk"`, "- [x] buy milk\n- [ ] milk the cow\n"},
		{"untick by line", "- [x] a\n- [X] b\n", `"action":"uncheck","lines":"1-2"`, "- [ ] a\n- [ ] b\n"},
		{"delete a task", "- [ ] a\n- [ ] b\n", `"action":"delete","task":"a"`, "- [ ] b\n"},
		{"replace lines", "1\n2\n3\n", `"action":"replace","lines":"2-3","content":"x"`, "1\nx\n"},
		{"delete the last line", "1\n2", `"action":"delete","lines":"2"`, "1\n"},
		{"insert before a line", "1\n2\n", `"action":"insert_before","lines":"2","content":"x"`, "1\nx\n2\n"},
		{"set a property", fm, `"action":"replace","property":"title","content":"B: c"`, strings.Replace(fm, "A # mine", `"B: c" # mine`, 1)},
		{"set a quoted property", fm, `"action":"replace","property":"z","content":"7"`, strings.Replace(fm, "'x'", "7", 1)},
		{"set a list", fm, `"action":"replace","property":"list","content":"[x]"`, strings.Replace(fm, "list:\n  - one\n  - 2\n", "list: [x]\n", 1)},
		{"set a new property", fm, `"action":"replace","property":"due date","content":"2026-01-02"`, strings.Replace(fm, "'x'\n", "'x'\ndue date: 2026-01-02\n", 1)},
		{"append to a flow list", fm, `"action":"append","property":"tags","content":"yes"`, strings.Replace(fm, `"b c"]`, `"b c", "yes"]`, 1)},
		{"append to a block list", fm, `"action":"append","property":"list","content":"three"`, strings.Replace(fm, "  - 2\n", "  - 2\n  - three\n", 1)},
		{"append what is there", fm, `"action":"append","property":"tags","content":"a"`, fm},
		{"remove from a flow list", fm, `"action":"delete","property":"tags","content":"b c"`, strings.Replace(fm, `[a, "b c"]`, "[a]", 1)},
		{"remove from a block list", fm, `"action":"delete","property":"list","content":"2"`, strings.Replace(fm, "  - 2\n", "", 1)},
		{"remove a property", fm, `"action":"delete","property":"list"`, strings.Replace(fm, "list:\n  - one\n  - 2\n", "", 1)},
		{"a link is text", fm, `"action":"replace","property":"z","content":"[[Home|h]]"`, strings.Replace(fm, "'x'", `"[[Home|h]]"`, 1)},
		{"a link in the place of one that is read as a list", "---\nup: [[Home]] # c\n---\n", `"action":"replace","property":"up","content":"[[Start]]"`, "---\nup: \"[[Start]]\" # c\n---\n"},
		{"a variable is text", fm, `"action":"replace","property":"due","content":"{{date}}"`, strings.Replace(fm, "'x'\n", "'x'\ndue: \"{{date}}\"\n", 1)},
		{"leading zeros are text", fm, `"action":"replace","property":"z","content":"007.50"`, strings.Replace(fm, "'x'", `"007.50"`, 1)},
		{"a number is one", fm, `"action":"replace","property":"z","content":"-0.5"`, strings.Replace(fm, "'x'", "-0.5", 1)},
		{"a list of links", fm, `"action":"replace","property":"list","content":"- [[A]]\n- \"[[B]]\"\n- c"`, strings.Replace(fm, "list:\n  - one\n  - 2\n", "list:\n  - \"[[A]]\"\n  - \"[[B]]\"\n  - c\n", 1)},
		{"a list of links in brackets", fm, `"action":"replace","property":"list","content":"[[[A]], {{b}}, c]"`, strings.Replace(fm, "list:\n  - one\n  - 2\n", "list: [\"[[A]]\", \"{{b}}\", c]\n", 1)},
		{"a list of lists", fm, `"action":"replace","property":"list","content":"[[1, 2], [3]]"`, strings.Replace(fm, "list:\n  - one\n  - 2\n", "list: [[1, 2], [3]]\n", 1)},
		{"append a link to a list", fm, `"action":"append","property":"tags","content":"[[B]]"`, strings.Replace(fm, `"b c"]`, `"b c", "[[B]]"]`, 1)},
		{"append a link to lines", fm, `"action":"append","property":"list","content":"[[B]]"`, strings.Replace(fm, "  - 2\n", "  - 2\n  - \"[[B]]\"\n", 1)},
		{"append zeros to a new list", fm, `"action":"append","property":"codes","content":"00"`, strings.Replace(fm, "'x'\n", "'x'\ncodes:\n  - \"00\"\n", 1)},
		{"the first property of a page", "# A\n", `"action":"replace","property":"status","content":"a\nid: evil"`, "---\nstatus: \"a\\nid: evil\"\n---\n# A\n"},
		{"a property with CRLF", "---\r\na: 1\r\n---\r\nx\n", `"action":"replace","property":"a","content":"2"`, "---\r\na: 2\r\n---\r\nx\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, map[string]string{"P.md": c.before}, nil)
			dry := call[EditPageOut](b, "edit_page", `{"path":"P.md",`+c.args+`,"dry_run":true}`)
			equal(t, "page after a dry run", c.before, b.get("P.md"))
			if (dry.Diff == "") != (c.before == c.after) || !dry.DryRun {
				t.Errorf("dry run: %+v", dry)
			}
			out := call[EditPageOut](b, "edit_page", `{"path":"P.md",`+c.args+`}`)
			equal(t, "page", c.after, b.get("P.md"))
			equal(t, "etag", call[ReadPageOut](b, "read_page", `{"path":"P.md"}`).Etag, out.Etag)
		})
	}
}

// What cannot be done says why, and changes nothing.
func TestEditPageRefuses(t *testing.T) {
	const page = "---\na: {b: 1}\nl: [{x: 1}]\n---\n# A\n## Log\nx x\n# B\n## Log\n- [ ] one two\n- [ ] two three\n"
	for args, want := range map[string]string{
		`"action":"append","content":"x","heading":"C"`:            "no heading",
		`"action":"append","content":"x","heading":"Log"`:          "2 headings match",
		`"action":"check","task":"two"`:                            "2 places match",
		`"action":"check","task":"four"`:                           "no task",
		`"action":"check","lines":"5"`:                             "there is no task on lines",
		`"action":"check"`:                                         "needs task, lines or block",
		`"action":"delete"`:                                        "needs a target",
		`"action":"replace","text":"x","content":"y"`:              "occurs 3 times",
		`"action":"replace","text":"X","content":"y"`:              "does not contain",
		`"action":"replace","lines":"50","content":"y"`:            "has 11 lines",
		`"action":"replace","lines":"0","content":"y"`:             "must be like",
		`"action":"replace","lines":"9-12","content":"y"`:          "has 11 lines",
		`"action":"append","lines":"1","task":"one","content":"y"`: "give one target",
		`"action":"append","property":"a","content":"y"`:           "is no list",
		`"action":"prepend","property":"a","content":"y"`:          "can be replaced",
		`"action":"delete","property":"none"`:                      "has no",
		`"action":"replace","property":"a: b","content":"y"`:       "name of a key",
		`"action":"delete","text":"x x","content":"y"`:             "takes none",
		`"action":"delete","heading":"A","content":"y"`:            "takes none",
		`"action":"delete","target":"body","content":"y"`:          "takes none",
		`"action":"check","task":"one two","content":"y"`:          "takes none",
		`"action":"append"`:                                        "missing argument content",
		`"action":"append","content":"y","if_match":"0000"`:        "modified externally",
		`"action":"append","content":"y","count":2`:                "belongs to text",
		`"action":"append","content":"y","block":"zz"`:             "no block",
	} {
		b := open(t, map[string]string{"P.md": page}, nil)
		if answer, ok := b.try("edit_page", `{"path":"P.md",`+args+`}`); ok || !strings.Contains(answer, want) {
			t.Errorf("%s: %s, want %q", args, answer, want)
		}
		equal(t, args, page, b.get("P.md"))
	}
}

// An edit of a version that is not the present one is merged with what changed
// since, unless both are about the same lines.
func TestEditPageMerges(t *testing.T) {
	b := open(t, map[string]string{"P.md": "one\ntwo\nthree\nfour\n"}, nil)
	etag := call[ReadPageOut](b, "read_page", `{"path":"P.md"}`).Etag
	b.put("P.md", "zero\none\ntwo\nthree\nfour\n")
	args, err := json.Marshal(map[string]any{"path": "P.md", "action": "replace", "lines": "3", "content": "THREE", "if_match": etag})
	if err != nil {
		t.Fatal(err)
	}
	if out := call[EditPageOut](b, "edit_page", string(args)); !out.Merged {
		t.Errorf("%+v", out)
	}
	equal(t, "page", "zero\none\ntwo\nTHREE\nfour\n", b.get("P.md"))
	b.refused("edit_page", strings.Replace(string(args), "THREE", "3", 1), "CONFLICT")
}
