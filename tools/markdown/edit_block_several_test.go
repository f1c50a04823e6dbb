package markdown

import "testing"

// An id names one block, so that what replaces it can be replaced again.
func TestReplaceBlockBySeveral(t *testing.T) {
	for name, block := range map[string]string{
		"list": "- a\n- b\n\n^id\n", "table": "| a |\n| - |\n| 1 |\n\n^id\n", "heading": "## Head ^id\n", "paragraph": "text ^id\n",
	} {
		b := open(t, map[string]string{"p.md": "before\n\n" + block + "\nafter\n"}, nil)
		b.refused("edit_page", `{"path":"p.md","action":"replace","block":"id","content":"- x\n- y\n\nand text\n\n1. z"}`, "INVALID")
		call[EditPageOut](b, "edit_page", `{"path":"p.md","action":"replace","block":"id","content":"- x\n- y\n\n^id\n\nand text"}`)
		call[EditPageOut](b, "edit_page", `{"path":"p.md","action":"replace","block":"id","content":"one"}`)
		equal(t, name, "before\n\none ^id\n\nand text\n\nafter\n", b.get("p.md"))
	}
	b := open(t, map[string]string{"p.md": "- a ^id\n- b\n\n> q\n\n^q\n"}, nil)
	call[EditPageOut](b, "edit_page", `{"path":"p.md","action":"replace","block":"q","content":"one\n\ntwo"}`)
	call[EditPageOut](b, "edit_page", `{"path":"p.md","action":"replace","block":"q","content":"three"}`)
	equal(t, "a quote holds several", "- a ^id\n- b\n\n> three\n\n^q\n", b.get("p.md"))
}

// A tag has no empty part.
func TestRenameTagToNothing(t *testing.T) {
	b := open(t, map[string]string{"p.md": "---\ntags: [a]\n---\n#a\n"}, nil)
	for _, to := range []string{"/", "x/", "/x", "x//y", "#/"} {
		b.refused("rename_tag", `{"tag":"a","new_tag":"`+to+`"}`, "INVALID")
	}
}

// A value of a property is written as one line, and is the same when it is read.
func TestPropertyOfSeveralLines(t *testing.T) {
	for value, want := range map[string]string{`a\r\nb`: `"a\r\nb"`, `a\nb\tc`: `"a\nb\tc"`} {
		b := open(t, map[string]string{"q.md": "---\nk: v\n---\n"}, nil)
		call[EditPageOut](b, "edit_page", `{"path":"q.md","action":"replace","property":"k","content":"`+value+`"}`)
		equal(t, value, "---\nk: "+want+"\n---\n", b.get("q.md"))
	}
}
