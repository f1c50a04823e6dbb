package markdown

import (
	"encoding/json"
	"fmt"
	"testing"
)

// What selects a part of a page is never empty: whatever the action is, an empty target
// is refused, and changes nothing. Only the target body is the whole body.
func TestEmptyTargetsAreRefused(t *testing.T) {
	const page = "---\nk: [v, w]\n---\nintro\n\n#\n\nno name\n\n## B\n\n- [ ] one ^id\n"
	b := open(t, map[string]string{"P.md": page}, nil)
	refuse := func(args map[string]any) {
		t.Helper()
		args["path"] = "P.md"
		written, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		b.refused("edit_page", string(written), "INVALID")
	}
	for _, action := range []EditAction{Append, Prepend, InsertBefore, InsertAfter, Replace, Delete, Check, Uncheck} {
		for _, value := range []any{"", nil} {
			if value == nil && (action == Append || action == Prepend) {
				continue // null is left out, and these need no target
			}
			every := map[string]any{"action": action, "content": "x"}
			for _, target := range targetNames() {
				every[target] = value
				refuse(map[string]any{"action": action, "content": "x", target: value})
				if target != "target" && value != nil { // null is left out
					refuse(map[string]any{"action": action, "content": "x", target: value, "target": "body"})
				}
			}
			refuse(every)
		}
		for _, target := range []string{"heading", "block", "task", "lines", "property"} {
			refuse(map[string]any{"action": action, "content": "x", target: " \t"})
		}
		if action != Append && action != Prepend {
			refuse(map[string]any{"action": action, "content": "x"})
		}
	}
	for _, content := range []any{"", " ", "\n"} {
		refuse(map[string]any{"action": Delete, "property": "k", "content": content})
		refuse(map[string]any{"action": Append, "property": "k", "content": content})
	}
	for _, target := range targetNames() {
		refuse(map[string]any{"action": Replace, target: "body"})
		refuse(map[string]any{"action": Replace, target: "body", "content": nil})
	}
	refuse(map[string]any{"action": Replace, "target": "page", "content": "x"})
	b.refused("rename_heading", `{"path":"P.md","heading":"","new_heading":"N"}`, "INVALID")
	b.refused("split_page", `{"path":"P.md","heading":" ","title":"N"}`, "INVALID")
	for _, tag := range []string{`""`, `"#"`, `" "`, `"# "`} {
		b.refused("rename_tag", `{"tag":`+tag+`,"new_tag":"n"}`, "INVALID")
	}
	for tool, path := range map[string]string{"delete_page": `"path"`, "move_page": `"destinationPath":"To.md","sourcePath"`} {
		for _, name := range []string{"", "/", "./", "."} {
			if answer, ok := b.try(tool, fmt.Sprintf(`{%s:%q}`, path, name)); ok {
				t.Errorf("%s %q: %s", tool, name, answer)
			}
		}
	}
	equal(t, "page", page, b.get("P.md"))
}

// The whole body is changed by its name, and by append and prepend without a target.
func TestEditBody(t *testing.T) {
	const front, body = "---\nk: v\n---\n", "# A\n\none\n"
	for args, want := range map[string]string{
		`"action":"replace","target":"body","content":"x"`:       "x\n",
		`"action":"replace","target":"body","content":""`:        "",
		`"action":"append","target":"body","content":"x"`:        body + "\nx\n",
		`"action":"append","content":"x"`:                        body + "\nx\n",
		`"action":"prepend","content":"x"`:                       "x\n" + body,
		`"action":"insert_before","target":"body","content":"x"`: "x\n" + body,
		`"action":"insert_after","target":"body","content":"x"`:  body + "\nx\n",
		`"action":"delete","target":"body"`:                      "",
		`"action":"replace","heading":"A","content":""`:          "# A\n\n",
	} {
		b := open(t, map[string]string{"P.md": front + body}, nil)
		call[EditPageOut](b, "edit_page", `{"path":"P.md",`+args+`}`)
		equal(t, args, front+want, b.get("P.md"))
	}
}
