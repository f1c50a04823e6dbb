package markdown

import (
	"testing"
)

// A part of a page is that part and says which lines it is.
func TestReadPart(t *testing.T) {
	const text = "---\na: 1\n---\n# A\nintro\n## Log\n- x ^b1\n- y\n\n# B\nend"
	b := open(t, map[string]string{"P.md": text, "Q.md": "# A\nq\n", "pic.png": "png", "X/same.txt": "1", "Y/same.txt": "2", "Y/only.bin": "\xff"}, nil)
	for part, want := range map[string]string{
		"Log": "## Log\n- x ^b1\n- y\n\n", "A#Log": "## Log\n- x ^b1\n- y\n\n", "B": "# B\nend", "^b1": "- x ^b1\n",
		"outline": "# A (lines 4-9)\n## Log (lines 6-9)\n# B (lines 10-11)\n",
	} {
		out := call[ReadPageOut](b, "read_page", `{"path":"P.md","part":"`+part+`"}`)
		equal(t, part, want, out.Content)
		if !out.Truncated || out.Lines != 11 {
			t.Errorf("%s: %+v", part, out.pageFacts)
		}
	}
	b.refused("read_page", `{"path":"P.md","part":"C"}`, "NOT_FOUND")
	b.refused("read_page", `{"path":"P.md","part":"A","limit":1}`, "INVALID")

	several := call[ReadPagesOut](b, "read_pages", `{"paths":["P.md","No.md","Q.md"],"part":"A"}`)
	if len(several.Pages) != 2 || several.Pages[1].Content != "# A\nq\n" || several.Note != "No.md: Page not found at path: No.md. " {
		t.Errorf("%+v", several)
	}

	equal(t, "image", ReadAttachmentOut{Path: "pic.png", MIME: "image/png", Size: 3}.Path, call[ReadAttachmentOut](b, "read_attachment", `{"path":"pic.png"}`).Path)
	equal(t, "by name", "Y/only.bin", call[ReadAttachmentOut](b, "read_attachment", `{"path":"only.bin"}`).Path)
	b.refused("read_attachment", `{"path":"same.txt"}`, "CONFLICT")
	b.refused("read_attachment", `{"path":"P.md"}`, "INVALID")
	b.refused("read_attachment", `{"path":"none.png"}`, "NOT_FOUND")
	b.refused("read_attachment", `{"path":"../x.png"}`, "DENIED")
}
