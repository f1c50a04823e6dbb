package org_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools/org"
)

func TestDetect(t *testing.T) {
	for name, want := range map[string]bool{"a.org": true, "deep/a.org": true, "a.md": false, "x/y/a.org": false, "organ": false} {
		if got := org.Detect(fstest.MapFS{name: {}}); (got.Score > 0) != want {
			t.Errorf("a folder with %s: %+v", name, got)
		}
	}
}

// TestUsual reads what people write into Emacs's files, and runs none of it.
func TestUsual(t *testing.T) {
	home := fstest.MapFS{
		".emacs.d/init.el":       {Data: []byte("(setq org-directory \"~/notes/\"\n      org-agenda-files '(\"~/notes/work.org\"\n  \"/srv/team/\"))\n(setq org-agenda-files (list \"~/gtd/inbox.org\"))\n")},
		".config/doom/config.el": {Data: []byte("(setq org-directory (concat home \"x\"))\n(setq-default org-directory \"~/Documents/org\")\n")},
		".emacs":                 {Data: []byte("'(org-agenda-files (quote (\"~/one.org\")))\n")},
	}
	want := []string{"~/org", "~/notes", "/srv/team", "~/gtd", "~/Documents/org"}
	if diff := cmp.Diff(want, org.UsualFolders(home)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
