package org_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/org"
)

// roamFiles are nodes of all kinds, and what is none.
func roamFiles() map[string]string {
	return map[string]string{
		"garden.org": ":PROPERTIES:\n:ID:       g-0\n:ROAM_ALIASES: \"Back yard\" plot\n:ROAM_REFS: https://example.com/garden @knuth84\n:END:\n#+title: The garden\n#+filetags: :home:\n\n" +
			"Beside [[id:t-1][a tree]].\n* Beds :soil:\n:PROPERTIES:\n:ID:       g-1\n:END:\n** TODO [#A] Turnips :veg:\nSee [[id:t-0]] and id:g-1.\n" +
			"** Gone\n:PROPERTIES:\n:ID:       g-2\n:ROAM_EXCLUDE: t\n:END:\n[[id:t-0][in what is no node]]\n",
		"trees/tree.org": ":PROPERTIES:\n:ID:       t-0\n:END:\n* Pear\n:PROPERTIES:\n:ID:       t-1\n:ROAM_ALIASES: \"Pyrus \\\"communis\\\"\"\n:END:\nIn [[https://example.com/garden][the garden]], after [cite:@knuth84].\n# [[id:g-0]]\n** Winter pear\nBy [[id:g-0]].\n",
		"plain.org":      "* No ID\n[[id:g-0]]\n",
	}
}

// TestNodes finds nodes by all that names them, and what links to them.
func TestNodes(t *testing.T) {
	s := openFiles(t, roamFiles(), org.Config{})
	for args, want := range map[string]string{
		`{}`:                                  "The garden,Beds,trees/tree,Pear",
		`{"query":"YARD"}`:                    "The garden",
		`{"alias":"communis"}`:                "Pear",
		`{"id":"t-0"}`:                        "trees/tree",
		`{"ref":"@knuth84"}`:                  "The garden",
		`{"ref":"cite:knuth84"}`:              "The garden",
		`{"tags":["home","soil"]}`:            "Beds",
		`{"id":"g-2"}`:                        "",
		`{"query":"e","limit":1}`:             "The garden",
		`{"ref":"http://example.com/garden"}`: "The garden",
	} {
		var titles []string
		items, _ := s.must("org-find-nodes", args)["items"].([]any)
		for _, item := range items {
			titles = append(titles, fmt.Sprint(item.(map[string]any)["title"]))
		}
		if got := strings.Join(titles, ","); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	items, _ := s.must("org-find-nodes", `{"id":"g-0","backlinks":true}`)["items"].([]any)
	raw, err := json.Marshal(items[0].(map[string]any)["backlinks"])
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"file":"trees/tree.org","line":9,"orgId":"t-1","title":"Pear"},{"file":"trees/tree.org","line":9,"orgId":"t-1","title":"Pear"},{"file":"trees/tree.org","line":12,"orgId":"t-1","title":"Pear"}]`
	if string(raw) != want {
		t.Errorf("backlinks\n%s\nwant\n%s", raw, want)
	}
}

// TestRoamOracle compares nodes and links with the database that org-roam makes of the
// same files. It needs Emacs and org-roam (Debian: elpa-org-roam).
func TestRoamOracle(t *testing.T) {
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("the comparison with org-roam needs emacs")
	}
	s := openFiles(t, roamFiles(), org.Config{RoamDB: "DB"})
	database := filepath.Join(s.dir, "roam.db")
	program := fmt.Sprintf(`(progn (require 'package) (package-initialize) (require 'org-roam) (require 'json)
(setq org-roam-directory %q org-roam-db-location %q org-roam-verbose nil create-lockfiles nil) (org-roam-db-sync t)
(princ (json-encode (vector
 (vconcat (mapcar (lambda (n) (vector (org-roam-node-id n) (org-roam-node-title n) (org-roam-node-level n) (vconcat (sort (copy-sequence (org-roam-node-tags n)) 'string<))
   (vconcat (sort (mapcar 'car (org-roam-db-query [:select [alias] :from aliases :where (= node-id $s1)] (org-roam-node-id n))) 'string<))
   (vconcat (sort (mapcar 'car (org-roam-db-query [:select [ref] :from refs :where (= node-id $s1)] (org-roam-node-id n))) 'string<))))
  (seq-uniq (org-roam-node-list) (lambda (a b) (equal (org-roam-node-id a) (org-roam-node-id b))))))
 (vconcat (mapcar (lambda (l) (format "%%s>%%s" (car l) (cadr l))) (org-roam-db-query "SELECT source, dest FROM links WHERE type = '\"id\"'")))))))`, s.dir, database)
	cmd := exec.CommandContext(t.Context(), emacs, "-q", "--batch", "--eval", program)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("org-roam cannot make its database here: %v %s", err, stderrOf(err))
	}
	var want [2][]any
	if err := json.Unmarshal(out[max(0, strings.Index(string(out), "[[")):], &want); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	items, _ := s.must("org-find-nodes", `{"backlinks":true}`)["items"].([]any)
	var nodes, links []any
	for _, item := range items {
		n := item.(map[string]any)
		title := n["title"]
		nodes = append(nodes, []any{n["orgId"], title, n["level"], sorted(n["tags"]), sorted(n["aliases"]), withoutAt(sorted(n["refs"]))})
		for _, b := range list(n["backlinks"]) {
			links = append(links, fmt.Sprintf("%v>%v", b.(map[string]any)["orgId"], n["orgId"]))
		}
	}
	byText := func(all []any) []string {
		texts := make([]any, 0, len(all))
		for _, v := range all {
			raw, _ := json.Marshal(v) //nolint:errchkjson // it was JSON
			texts = append(texts, string(raw))
		}
		return sorted(texts)
	}
	if diff := cmp.Diff(byText(want[0]), byText(nodes)); diff != "" {
		t.Errorf("nodes: -org-roam +Lectern\n%s", diff)
	}
	links = slices.DeleteFunc(links, func(l any) bool { return l == "t-1>g-0" }) // two of three are by ref, which org-roam looks up by itself
	others := slices.DeleteFunc(want[1], func(l any) bool { return l == "t-1>g-0" })
	if diff := cmp.Diff(byText(others), byText(links)); diff != "" || len(others) != 4 {
		t.Errorf("links: -org-roam +Lectern\n%s", diff)
	}

	again := openFiles(t, map[string]string{}, org.Config{Path: "", Files: []string{s.dir}, RoamDB: database})
	check, err := again.Look(t.Context(), "roam", nil)
	if err != nil || check.Result != status.CheckOK || !strings.HasPrefix(check.Detail, "4 nodes in the files, 4 of them in") {
		t.Errorf("check: %+v, %v", check, err)
	}
	put(t, filepath.Join(s.dir, "new.org"), "* New\n:PROPERTIES:\n:ID: n-1\n:END:\n")
	if check, err = again.Look(t.Context(), "roam", nil); err != nil || check.Result != status.CheckWarn || !strings.Contains(check.Detail, "of 5 nodes") {
		t.Errorf("check: %+v, %v", check, err)
	}
}

// withoutAt is refs as org-roam stores them: citations without @.
func withoutAt(refs []string) []string {
	for i := range refs {
		refs[i] = strings.TrimPrefix(refs[i], "@")
	}
	return refs
}

func list(v any) []any {
	all, _ := v.([]any)
	return all
}

func sorted(v any) []string {
	texts := []string{}
	for _, one := range list(v) {
		texts = append(texts, fmt.Sprint(one))
	}
	slices.Sort(texts)
	return texts
}

// TestIDHints finds an ID where org-id or org-roam saw it last, and anywhere where that
// is not true any more.
func TestIDHints(t *testing.T) {
	files := map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: one\n:END:\n", "b.org": "* B\n:PROPERTIES:\n:ID: one\n:END:\n", "c.org": "* C\n:PROPERTIES:\n:ID: two\n:END:\n"}
	hints := filepath.Join(t.TempDir(), "locations")
	s := openFiles(t, files, org.Config{IDLocations: hints})
	put(t, hints, fmt.Sprintf("((%q \"one\")\n (%q \"two\" \"three\"))", filepath.Join(s.dir, "b.org"), filepath.Join(s.dir, "gone.org")))
	for id, want := range map[string]string{"one": "* B", "two": "* C"} {
		if got := s.must("org-read-by-id", fmt.Sprintf(`{"uuid":%q}`, id)); !strings.HasPrefix(fmt.Sprint(got["content"]), want) {
			t.Errorf("%s: %v, want %s", id, got["content"], want)
		}
	}
	s.fails("org-read-by-id", `{"uuid":"three"}`, "Cannot find ID 'three'")
}

func stderrOf(err error) []byte {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.Stderr
	}
	return nil
}
