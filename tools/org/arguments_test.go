package org_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org"
)

// TestEmptySelectors: an argument that selects or names something and has no words is
// refused, and does not mean what is meant where it is left out.
func TestEmptySelectors(t *testing.T) {
	files := map[string]string{"projects.org": projects, "inbox.org": "* In\n"}
	for call, args := range map[[2]string]string{
		{"org-refile-headline", "targetParentUri"}:   `"resourceUri":"org://id/a-1"`,
		{"org-refile-headline", "target_parent_uri"}: `"resourceUri":"org://id/a-1"`,
		{"org-refile-headline", "afterUri"}:          `"resourceUri":"org://id/a-1","targetParentUri":"org://inbox.org"`,
		{"org-add-todo", "parentUri"}:                `"title":"X"`,
		{"org-add-todo", "parent_uri"}:               `"title":"X","todo_state":"TODO"`,
		{"org-add-todo", "afterUri"}:                 `"title":"X"`,
		{"org-add-todo", "title"}:                    `"todoState":"TODO"`,
		{"org-capture", "title"}:                     `"text":"X"`,
		{"org-capture", "template"}:                  `"title":"X"`,
		{"org-edit-headline", "newTitle"}:            `"resourceUri":"org://id/a-1","currentTitle":"Alpha"`,
		{"org-archive-subtree", "uri"}:               ``,
		{"org-read-file", "file"}:                    ``,
		{"org-read-outline", "file"}:                 ``,
		{"org-read-headline", "file"}:                `"resourceUri":"org://id/a-1"`,
		{"org-read-headline", "headlinePath"}:        `"file":"projects.org"`,
		{"org-read-by-id", "uuid"}:                   ``,
		{"org-get-attachments", "name"}:              `"resourceUri":"org://id/a-1"`,
	} {
		for _, blank := range []string{"", " \t\n"} {
			s := openFiles(t, files, org.Config{})
			given := strings.Trim(quote(call[1])+":"+quote(blank)+","+args, ",")
			if out := s.call(call[0], "{"+given+"}"); out["error"] != "Invalid request" || !strings.Contains(out["message"].(string), "empty") {
				t.Errorf("%s %s: %v", call[0], given, out)
			}
			s.holds("projects.org", files["projects.org"])
			s.holds("inbox.org", files["inbox.org"])
		}
	}
	s := openFiles(t, files, org.Config{})
	s.fails("org-refile-headline", `{"resourceUri":"org://id/a-1","afterUri":"org://id/bob-1"}`, "targetParentUri")
	s.fails("org-edit-body", `{"resourceUri":"org://projects.org/headline/Alpha/Write plan","oldBody":"\n","newBody":"x","replaceAll":true}`, "only blanks")
}
