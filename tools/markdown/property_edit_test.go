package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// What is no plain word: each is a text as it is.
func oddTexts() []string {
	return []string{
		"#one", "a # b", `"a" # b`, `'q' # c`, `"a" b`, "[WIP] #p", "[a, b] # c", "[[A]]", "[[A]], [[B]]", "[[A|b]] x", "{{d}}", "{x}", "[x] y", "[ ] buy", "- x", "-",
		"@a", "*a", "&a", "!t", "%x", "`x`", "|", ">", "?", "? x", ": x", "a: b", "a:", "~", "yes", "No", "on", "off", "y", "NULL", "True", "00123", "1.10", "1e3", "0x10", "1_000", "12:30", ".5",
		"+5", ".inf", ".nan", "2026-02-30", "2026-13-45", "2026-1-1", "2026-11-29T25:00:00", "2026-11-29T10:00:00+25:00", "9007199254740993", "-0", "3.0", "1.", "a, b", "a]", "a}", "[a", "{a", `"a`, "it's", `a\b`, `a"b`, "---", "...",
		"<<", "=", "a\u00a0b", "a\u2028b", "a\u200bb", "a\u0085b", "a\x07b", "a\tb", "日本語", "x²", "100%", "plain", "two words",
	}
}

// A list element of each way to write one, with what it means.
func oddElements() map[string]any {
	return map[string]any{
		`"123"`: "123", "123": int64(123), `"true"`: "true", "true": true, `'"q"'`: `"q"`, `"[z]"`: "[z]", "'it''s'": "it's", `"a \" # b"`: `a " # b`, "a#b": "a#b", `"null"`: "null", "null": nil,
		`"- d"`: "- d", "é ü": "é ü", "[n, [m]]": []any{"n", []any{"m"}}, "{x: 1}": map[string]any{"x": int64(1)}, "rm": "rm",
	}
}

// After each edit of a property, reading gives what was meant, and all bytes of other keys and
// elements are the same.
func TestEditProperty(t *testing.T) {
	runtest.InOrder(t)
	rng := rand.New(rand.NewPCG(3, 4))
	texts, elements := oddTexts(), oddElements()
	var written []string
	for w := range elements {
		written = append(written, w)
	}
	slices.Sort(written)
	pick := func(from []string) string { return from[rng.IntN(len(from))] }
	for range 3_000 {
		before, after := pick([]string{"", "# c\n", "j: \"1\" # d\n\n", "'no': [x, # y\n  z]\n"}), pick([]string{"", "\n# e\nz: 'v' # f\n", "z:\n- a\n- b\n", "z: |\n  # x\n"})
		key := pick([]string{"k", "on", "a b", "é", "1", "n/m"})
		var meant []any
		var parts []string
		for range rng.IntN(4) {
			w := pick(written)
			parts, meant = append(parts, w), append(meant, elements[w])
		}
		text := pick(texts)
		name := key
		if key == "on" || key == "1" || strings.Contains(key, "/") {
			name = `"` + key + `"`
		}
		layout := rng.IntN(3)
		list := func(parts []string) string { // as a person wrote it
			switch {
			case len(parts) == 0:
				return name + ": [] # why\n"
			case layout == 0:
				return name + ": [" + strings.Join(parts, ", ") + "] # why\n"
			case layout == 1:
				return name + ": [ # why\n  " + strings.Join(parts, ",\n  ") + "\n]\n"
			}
			return name + ": # why\n  - " + strings.Join(parts, "\n\n  # note\n  - ") + "\n"
		}
		var in EditPageIn
		var want any
		page := "---\n" + before + list(parts) + after + "---\nbody\n"
		var left string
		switch rng.IntN(4) {
		case 0:
			in, want = EditPageIn{Action: Append, Content: text}, append(slices.Clone(meant), text)
			if slices.Contains(meant, any(text)) {
				want = meant
			}
			left = before + strings.TrimRight(strings.TrimSuffix(list(parts), "# why\n"), "] \n")
		case 1:
			in = EditPageIn{Action: Delete, Content: "rm"}
			var kept []string
			rest := []any{}
			for i, m := range meant {
				if m != "rm" {
					kept, rest = append(kept, parts[i]), append(rest, m)
				}
			}
			if len(rest) == len(meant) {
				continue
			}
			want, left = rest, before
			if layout == 0 {
				left += list(kept)
			}
		case 2:
			in, want, left = EditPageIn{Action: Replace, Content: text}, text, before
			if strings.HasPrefix(text, "- ") {
				want = []any{text[2:]}
			}
		default:
			in, want, left = EditPageIn{Action: Replace, Content: "- " + strings.Join([]string{text, "[[A]]", "x"}, "\n- ")}, []any{text, "[[A]]", "x"}, before
		}
		in.Property = key
		p := parsePage(nil, "P.md", []byte(page))
		splices, err := in.splices(p)
		if err != nil {
			t.Fatalf("%s %q of\n%s%v", in.Action, in.Content, page, err)
		}
		now := folder.TextAfter(page, splices)
		said := fmt.Sprintf("%s %q of\n%s---- becomes\n%s", in.Action, in.Content, page, now)
		got := parsePage(nil, "P.md", []byte(now))
		wanted := maps.Clone(p.front.Values)
		wanted[key] = want
		equal(t, said, wanted, got.front.Values)
		if !strings.HasPrefix(now, "---\n"+left) || !strings.HasSuffix(now, after+"---\nbody\n") {
			t.Errorf("other bytes changed: %s", said)
		}
		if block, _, _ := frontmatter.Split(now); in.Action == Replace && !strings.HasPrefix(text, "- ") {
			equal(t, said, want, readAsYAML(t, block, key))
		}
		if t.Failed() {
			return
		}
	}
}

// readAsYAML is a value as the YAML library reads it.
func readAsYAML(t *testing.T, block, key string) any {
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(block), &doc); err != nil {
		t.Error(err)
	}
	return doc[key]
}
