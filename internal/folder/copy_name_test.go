package folder_test

import (
	"slices"
	"testing"

	"github.com/lectern-mcp/lectern/internal/folder"
)

// TestOriginalName: copies by programs that synchronize, merge or copy files are known by
// their names, and dated or numbered notes are none.
func TestOriginalName(t *testing.T) {
	for _, copied := range []string{
		"hid (copy).org", "hid (another copy).org", "hid copy.org", "hid copy 3.org", "hid - Copy.org", "hid (1).org", "hid 2.org", "Copy of hid.org",
		"hid (conflicted copy 2026-11-29).org", "hid (Ana's conflicted copy 2026-11-29).org", "hid (in Konflikt stehende Kopie 2026-11-29).org",
		"hid (SFConflict ana@notes.example 2026-11-29-12-00-00).org", "hid.sync-conflict-20261129-120000-ABCDEFG.org", "hid_conflict-20261129-120000.org",
		"hid_conflict.org", "hid.conflict1.org", "hid [conflict].org", "hid_REMOTE_4711.org", "hid.bak.org", "hid.orig.org",
		"hid - Kopie.org", "hid copie 2.org", "Kopie von hid.org", "hid-DESKTOP-7G2K1QX.org", "hid.org.bak", "hid.org~", "hid.org.~3~",
	} {
		if got, ok := folder.OriginalName("Private/" + copied); !ok || got != "Private/hid.org" {
			t.Errorf("%s: %q, %v", copied, got, ok)
		}
	}
	if got, _ := folder.OriginalName("Private (copy)/hid.org"); got != "Private/hid.org" {
		t.Errorf("in a copied folder: %q", got)
	}
	if got := folder.Originals("a (copy) 2.org"); !slices.Equal(got, []string{"a (copy) 2.org", "a (copy).org", "a.org"}) {
		t.Errorf("a copy of a copy: %q", got)
	}
	for _, name := range []string{"hid.org", "2026-11-29.org", "Journal 2026.org", "(draft).org", "copy.org", "conflicts.org", "conflict resolution.org", "v1.2/hid.org", "hid-draft.org", "hid-TODO.org", "to-do-list.org", "photocopy.org", "old.org", "v2.old"} {
		if got, ok := folder.OriginalName(name); ok {
			t.Errorf("%s: a copy of %q", name, got)
		}
	}
}

func BenchmarkOriginals(b *testing.B) {
	for b.Loop() {
		folder.Originals("Projects/Garden/2026/Notes about the beds in autumn.md")
	}
}
