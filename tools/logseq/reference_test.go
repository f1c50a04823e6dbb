package logseq_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// fileText is the text of a block as its file has it.
func fileText(t *testing.T, f *fakePeer, uuid string) string {
	t.Helper()
	s, err := f.block(uuid)
	if err != nil {
		t.Fatal(err)
	}
	return s.block().Content
}

// On a file graph a text that refers to a block writes the block's id into its
// file, once, and undo takes it off; a DB graph needs none.
func TestReferencesWriteIDs(t *testing.T) {
	for _, tool := range []string{
		`create_block {"page_name":"Kitchen","content":"see ((` + id(5) + `))"}`,
		`update_block {"block_uuid":"` + id(6) + `","content":"see ((` + id(5) + `)) and ((` + id(6) + `))"}`,
		`update_page {"page_name":"Kitchen","content_append":"- see\n  - ((` + id(5) + `)) and ((` + id(5) + `)), not ((` + id(99) + `))"}`,
		`update_page {"page_name":"Kitchen","content_append":"see ((` + id(5) + `))"}`,
		`create_page {"title":"Meadow","content":"((` + id(5) + `))"}`,
		`append_to_journal {"date":"2026-03-02","content":"((` + id(5) + `))"}`,
		`insert_blocks {"page_name":"Kitchen","blocks":[{"content":"a","children":[{"content":"((` + id(5) + `))"}]}]}`,
	} {
		name, args, _ := strings.Cut(tool, " ")
		for kind, want := range map[string]string{"file": "Turn it\nid:: " + id(5), "db": "Turn it"} {
			f := fixtureGraph(kind)
			openTestSource(t, f).must(name, args)
			if got := fileText(t, f, id(5)); got != want {
				t.Errorf("%s on a %s graph: %s holds %q", tool, kind, id(5), got)
			}
		}
	}
}

// What has an id keeps it as it is, and what is hidden gets none.
func TestReferencesThatWriteNoID(t *testing.T) {
	f := fixtureGraph("file")
	s, _ := f.block(id(5))
	s.block().Content = "Turn it\nid:: " + id(5)
	d := openTestSource(t, f, func(e *tools.Env) { e.Privacy = tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Mar 1st, 2026"}}} })
	d.must("create_block", `{"page_name":"Kitchen","content":"((`+id(5)+`)) ((`+id(6)+`))"}`)
	if a, b := fileText(t, f, id(5)), fileText(t, f, id(6)); a != "Turn it\nid:: "+id(5) || b != "Snow" {
		t.Errorf("they hold %q and %q", a, b)
	}
}
