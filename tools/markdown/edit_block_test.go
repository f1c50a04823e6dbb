package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// The bytes after edits of blocks by their ids.
func TestEditBlock(t *testing.T) {
	runtest.InOrder(t)
	const fence, list, table, callout = "~~~go\nx\n~~~\n\n\n\n^f\n\nend\n", "3. a\n4. b\n   - c\n\n^l\n", "| a |\n|---|\n| 1 |\n^t\n\nend",
		"> [!tip] T\n> - a\n> - b\n\n^c\n"
	for _, c := range []struct{ before, args, after string }{
		{fence, `"replace","block":"f","content":"~~~go\ny\n~~~\n"`, strings.Replace(fence, "x", "y", 1)},
		{fence, `"replace","block":"f","content":"y\n\nz"`, strings.Replace(fence, "x", "y\n\nz", 1)},
		{fence, `"append","block":"f","content":"y"`, strings.Replace(fence, "x", "x\ny", 1)},
		{fence, `"prepend","block":"f","content":"y"`, strings.Replace(fence, "x", "y\nx", 1)},
		{fence, `"insert_after","block":"f","content":"y"`, strings.Replace(fence, "^f\n", "^f\n\ny\n", 1)},
		{fence, `"delete","block":"f"`, "end\n"},
		{list, `"replace","block":"l","content":"3. z"`, "3. z\n\n^l\n"},
		{list, `"append","block":"l","content":"5. d"`, strings.Replace(list, "- c\n", "- c\n5. d\n", 1)},
		{list, `"append","block":"l","content":"- d\n- e\n  f"`, strings.Replace(list, "- c\n", "- c\n5. d\n6. e\n   f\n", 1)},
		{list, `"append","block":"l","content":"d"`, strings.Replace(list, "- c\n", "- c\n5. d\n", 1)},
		{table, `"append","block":"t","content":"| 2 |"`, strings.Replace(table, "| 1 |\n", "| 1 |\n| 2 |\n", 1)},
		{table, `"prepend","block":"t","content":"| 2 |"`, strings.Replace(table, "| 1 |\n", "| 2 |\n| 1 |\n", 1)},
		{table, `"replace","block":"t","content":"| 2 |"`, strings.Replace(table, "| 1 |\n", "| 2 |\n", 1)},
		{table, `"replace","block":"t","content":"| b |\n|---|"`, "| b |\n|---|\n^t\n\nend"},
		{table, `"delete","block":"t"`, "end"},
		{"| a |\n|---|\n| 1 | ^r\n| 2 |\n", `"replace","block":"r","content":"| 9 |"`, "| a |\n|---|\n| 9 | ^r\n| 2 |\n"},
		{callout, `"replace","block":"c","content":"new"`, "> [!tip] T\n> new\n\n^c\n"},
		{callout, `"append","block":"c","content":"- c"`, strings.Replace(callout, "- b\n", "- b\n> - c\n", 1)},
		{callout, `"append","block":"c","content":"> - c"`, strings.Replace(callout, "- b\n", "- b\n> - c\n", 1)},
		{callout, `"prepend","block":"c","content":"t"`, strings.Replace(callout, "T\n", "T\n> t\n", 1)},
		{"> a\n>\n> b\n^q\n", `"replace","block":"q","content":"> c"`, "> c\n^q\n"},
		{"> a ^q\n", `"append","block":"q","content":"b"`, "> a\n> b ^q\n"},
		{"$$\nx\n$$\n^m\n", `"append","block":"m","content":"y"`, "$$\nx\ny\n$$\n^m\n"},
		{"$$\nx\n$$ ^m\nb", `"replace","block":"m","content":"$$\nz\n$$"`, "$$\nz\n$$ ^m\nb"},
		{"one\ntwo ^p\n", `"append","block":"p","content":"three"`, "one\ntwo\nthree ^p\n"},
		{"one ^p\n\ntwo\n", `"replace","block":"p","content":"~~~\nx\n~~~"`, "~~~\nx\n~~~\n\n^p\n\ntwo\n"},
		{"one ^p\n\ntwo\n", `"replace","block":"p","content":"a\n^p"`, "a\n^p\n\ntwo\n"},
		{"one ^p\n\ntwo\n", `"replace","block":"p","content":"as ^p1 and ^pp say"`, "as ^p1 and ^pp say ^p\n\ntwo\n"},
		{"one ^p\n\ntwo\n", `"insert_after","block":"p","content":"x"`, "one ^p\n\nx\n\ntwo\n"},
		{"a\n\none ^p\n", `"insert_before","block":"p","content":"x"`, "a\n\nx\n\none ^p\n"},
		{"a\n\none ^p\n\ntwo\n", `"delete","block":"p"`, "a\n\ntwo\n"},
		{"a\n\none ^p", `"delete","block":"p"`, "a\n"},
		{"- a\n  - b ^i\n    - kid\n- c\n", `"replace","block":"i","content":"new"`, "- a\n  - new ^i\n- c\n"},
		{"- a\n  - b ^i\n- c\n", `"replace","block":"i","content":"- new\n  - kid"`, "- a\n  - new ^i\n    - kid\n- c\n"},
		{"- a\n  - b ^i\n- c\n", `"replace","block":"i","content":"  - new"`, "- a\n  - new ^i\n- c\n"},
		{"- a\n  - b ^i\n- c\n", `"append","block":"i","content":"more"`, "- a\n  - b\n    more ^i\n- c\n"},
		{"- [ ] b ^i\n- c\n", `"append","block":"i","content":"- kid"`, "- [ ] b ^i\n  - kid\n- c\n"},
		{"- [ ] b ^i\n- c\n", `"replace","block":"i","content":"d"`, "- [ ] d ^i\n- c\n"},
		{"- a ^i\n  - kid\n- c\n", `"delete","block":"i"`, "- c\n"},
		{"- a ^i\n  - kid\n- c\n", `"insert_after","block":"i","content":"- b"`, "- a ^i\n  - kid\n- b\n- c\n"},
		{"- a\n\n  ```\n  x\n  ```\n\n  ^f\n", `"append","block":"f","content":"y\n\nz"`, "- a\n\n  ```\n  x\n  y\n\n  z\n  ```\n\n  ^f\n"},
		{"## T ^h\n\nx\n", `"replace","block":"h","content":"N"`, "## N ^h\n\nx\n"},
		{"T ^h\n===\nx\n", `"replace","block":"h","content":"N\n==="`, "N ^h\n===\nx\n"},
		{"T ^h\n===\nx\n", `"replace","block":"h","content":"N"`, "N ^h\n===\nx\n"},
		{"> - a\n> - b\n> ^i\n", `"replace","block":"i","content":"- x\n- y"`, "> - a\n> - x ^i\n> - y\n"},
		{"one ^p\n\ntwo\n", `"replace","block":"p","content":"- a\n- b"`, "- a\n- b\n\n^p\n\ntwo\n"},
		{"- a\n- b\n\n^p\n\ntwo\n", `"replace","block":"p","content":"one"`, "one ^p\n\ntwo\n"},
		{"a[^1]\n\n[^1]: b ^f\n", `"replace","block":"f","content":"c"`, "a[^1]\n\n[^1]: c ^f\n"},
		{"a[^1]\n\n[^1]: b ^f\n", `"prepend","block":"f","content":"c"`, "a[^1]\n\n[^1]: c\nb ^f\n"},
		{"> > [!tip] T\n> > a\n>\n> ^c\n", `"replace","block":"c","content":"> [!note] N\n> b"`, "> > [!note] N\n> > b\n>\n> ^c\n"},
		{"> > [!tip] T\n> > a\n>\n> ^c\n", `"replace","block":"c","content":"> > [!note] N\n> > b"`, "> > [!note] N\n> > b\n>\n> ^c\n"},
		{"- a\n\n  b ^p\n- c\n", `"delete","block":"p"`, "- a\n\n- c\n"},
		{"one\n\n^p  \n\ntwo\n", `"insert_after","block":"p","content":"x"`, "one\n\n^p  \n\nx\n\ntwo\n"},
		{"one\n\n^p  \n\ntwo\n", `"replace","block":"p","content":"x"`, "x\n\n^p  \n\ntwo\n"},
		{"```\r\nx\r\n```\r\n\r\n^f\r\n", `"append","block":"f","content":"y"`, "```\r\nx\r\ny\r\n```\r\n\r\n^f\r\n"},
		{"a ^A\n\nb ^a\n", `"replace","block":"^a","content":"c"`, "a ^A\n\nc ^a\n"},
	} {
		b := open(t, map[string]string{"P.md": c.before}, nil)
		if answer, ok := b.try("edit_page", `{"path":"P.md","action":`+c.args+`}`); !ok {
			t.Errorf("%q %s: %s", c.before, c.args, answer)
		}
		equal(t, c.args+" of "+c.before, c.after, b.get("P.md"))
	}
	for before, args := range map[string]string{
		"```\nx\n```\n\n^f\n\nend\n":       `"replace","block":"f","content":"~~~\nnever closed"`,
		"```\nx\n```\n\n^g\n\nend\n":       `"append","block":"g","content":"` + "```" + `"`,
		"one ^p\n\ntwo\n":                  `"replace","block":"p","content":"<!-- never closed"`,
		"one ^p\n\ntwo, too\n":             `"replace","block":"p","content":""`,
		"| a |\n|---|\n| 1 |\n\n^t\n":      `"append","block":"t","content":"| 2 |\n\ntext"`,
		"a ^p here\n\n`b\n^p`\n\n    c ^p": `"delete","block":"p"`,
		"```\na ^p\n```\n<!--\nb ^p\n-->":  `"delete","block":"p"`,
		"- a\n\nx ^p\n\n    code\n":        `"delete","block":"p"`,
		"one ^p\n\ntwo ^q\n":               `"replace","block":"p","content":"x ^q\n\ny"`,
	} {
		b := open(t, map[string]string{"P.md": before}, nil)
		if answer, ok := b.try("edit_page", `{"path":"P.md","action":`+args+`}`); ok {
			t.Errorf("%q %s: %s", before, args, answer)
		}
		equal(t, args, before, b.get("P.md"))
	}
}

// A sample is a block with its id, text that replaces the block and text that is added to it.
type blockSample struct{ text, replacement, addition string }

func blockSamples() map[string]blockSample {
	return map[string]blockSample{
		"paragraph": {"one\ntwo ^ID", "other\nwords", "more"},
		"heading":   {"## Title ^ID", "## Other", "more"},
		"fence":     {"```js\na\n\n# b\n```\n\n^ID", "```js\nc\n```", "d"},
		"tildes":    {"~~~\n- a\n~~~\n\n\n^ID", "text", "- d"},
		"indented":  {"    a\n\n    b\n\n^ID", "    c", "d"},
		"table":     {"| a | b |\n| - | - |\n| 1 | 2 |\n\n^ID", "| c |\n| - |\n| 3 |", "| 4 | 5 |"},
		"tight":     {"| a | b |\n| - | - |\n| 1 | 2 |\n^ID", "| 3 | 4 |", "| 4 | 5 |"},
		"list":      {"- a\n- b\n  - c\n\n^ID", "- x\n- y", "- z"},
		"numbers":   {"1. a\n2. b\n\n   more\n\n^ID", "1. x", "z"},
		"item":      {"* a\n* b ^ID\n  * kid\n* c", "* x\n  * y", "more"},
		"nested":    {"+ a\n  + b ^ID\n  + c", "z", "+ kid"},
		"task":      {"+ [ ] a\n+ [x] b ^ID", "+ [ ] z", "more"},
		"quote":     {"> a\n>\n> - b\n\n^ID", "> z", "more"},
		"callout":   {"> [!note] T\n> 1. a\n> 2. b\n>    ```\n>    c\n>    ```\n\n^ID", "> [!tip]\n> z", "more"},
		"maths":     {"$$\nx + # y\n$$\n\n^ID", "$$\nz\n$$", "+ 1"},
		"html":      {"<div>\n<b>x</b>\n</div>\n\n^ID", "<p>y</p>", "<i>z</i>"},
		"comment":   {"%%\n# a\n%%\n\n^ID", "%%\nb\n%%", "c"},
		"quoted":    {"> ~~~\n> a\n> ~~~\n>\n> ^ID", "b", "c"},
		"in item":   {"- a\n\n  ```\n  b\n  ```\n\n  ^ID", "c", "d"},
	}
}

// Every edit by an id leaves all other blocks of the page as they were, to the byte and as
// goldmark reads them, and the id names a block of the same kind.
func TestEditBlockLeavesOthers(t *testing.T) {
	runtest.InOrder(t)
	samples := blockSamples()
	names := slices.Sorted(maps.Keys(samples))
	rng := rand.New(rand.NewPCG(7, 11))
	refused := 0
	const rounds = 1500
	for range rounds {
		edited, parts := 0, []string{}
		for i := range 2 + rng.IntN(4) {
			name := names[rng.IntN(len(names))]
			parts = append(parts, strings.ReplaceAll(samples[name].text, "ID", fmt.Sprint("id", i)), fmt.Sprint("between ", i))
			if i == 0 || rng.IntN(3) == 0 {
				edited = i
			}
		}
		page := strings.Join(parts, "\n\n") + []string{"", "\n", "\n\n"}[rng.IntN(3)]
		p := parsePage(nil, "P.md", []byte(page))
		id := fmt.Sprint("id", edited)
		sample := sampleOf(samples, parts[2*edited], id)
		in := EditPageIn{Action: pickAction(rng), Content: sample.addition, editTarget: editTarget{Block: id}}
		switch in.Action {
		case Replace:
			in.Content = sample.replacement
		case InsertBefore, InsertAfter:
			in.Content = "beside it"
		default:
		}
		splices, err := in.splices(p)
		if err != nil {
			refused++
			continue
		}
		after := folder.TextAfter(page, splices)
		said := fmt.Sprintf("%s %q:\n%s\n---- becomes\n%s", in.Action, in.Content, page, after)
		for i, part := range parts {
			if i != 2*edited && !strings.Contains(after, part) {
				t.Fatalf("%q changed: %s", part, said)
			}
		}
		was := idKinds(page)
		if in.Action == Delete {
			delete(was, id)
		}
		equal(t, said, was, idKinds(after))
		equal(t, said, othersOf(page, edited), othersOf(after, edited))
		if t.Failed() {
			return
		}
	}
	if refused > rounds/50 {
		t.Errorf("%d of %d edits were refused", refused, rounds)
	}
}

func pickAction(rng *rand.Rand) EditAction {
	all := []EditAction{Append, Prepend, InsertBefore, InsertAfter, Replace, Delete}
	return all[rng.IntN(len(all))]
}

func sampleOf(samples map[string]blockSample, text, id string) blockSample {
	for _, s := range samples {
		if strings.ReplaceAll(s.text, "ID", id) == text {
			return s
		}
	}
	return blockSample{}
}

// idKinds are the kinds of blocks that the ids of a page name.
func idKinds(page string) map[string]string {
	kinds := map[string]string{}
	for _, id := range structure.Read(page, 0).IDs() {
		kinds[id.Name] += fmt.Sprint(id.Of.Kind)
	}
	return kinds
}

// othersOf are the outermost blocks of a page as goldmark reads the whole of it, but for
// those between the paragraphs around the block that was edited.
func othersOf(page string, edited int) (kinds []string) {
	source := []byte(page)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	hidden := edited == 0
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		kind := n.Kind().String()
		if n.Kind() == ast.KindParagraph {
			kind = string(n.Lines().Value(source))
		}
		if kind == fmt.Sprint("between ", edited) {
			hidden = false
		}
		if !hidden {
			kinds = append(kinds, kind)
		}
		if kind == fmt.Sprint("between ", edited-1) {
			hidden = true
		}
	}
	return kinds
}
