package logseq_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

func TestGetFocus(t *testing.T) {
	m := openTestSource(t, fixtureGraph("file")).must("get_focus", `{}`)
	if m["page"].([]any)[0].(map[string]any)["page_name"] != "Garden" || m["editing"].([]any)[0].(map[string]any)["uuid"] != id(1) || len(m["selected"].([]any)) != 2 {
		t.Errorf("focus: %v", m)
	}
}

// What is hidden from an agent is not open for it.
func TestFocusHidesWhatIsHidden(t *testing.T) {
	d := openTestSource(t, fixtureGraph("db"), func(e *tools.Env) { e.Privacy = tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Garden"}}} })
	m := d.must("get_focus", `{}`)
	if m["page"] != nil || m["editing"] != nil || len(m["selected"].([]any)) != 1 {
		t.Errorf("focus shows %v", m)
	}
	for _, in := range []string{`{"page_name":"Garden"}`, `{"block_uuid":"` + id(1) + `"}`, `{"page_name":"Nowhere"}`} {
		if _, err := d.call("open_page", in); err == nil || errorCode(err) != "NOT_FOUND" {
			t.Errorf("open_page %s: %v", in, err)
		}
	}
	if _, err := d.call("logseq_query", `{"query":"(task TODO)"}`); err == nil || errorCode(err) != "DENIED" {
		t.Errorf("a query where something is hidden: %v", err)
	}
}

func TestOwnQuery(t *testing.T) {
	d := openTestSource(t, fixtureGraph("file"))
	if got := namesOf(d.must("logseq_query", `{"query":"(task TODO)"}`)); strings.Join(got, ", ") != "Buy string" {
		t.Errorf("found %v", got)
	}
	if m := d.must("open_page", `{"page_name":"garden"}`); m["page_name"] != "Garden" {
		t.Errorf("open_page: %v", m)
	}
}
