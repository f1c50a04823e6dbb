package org_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
)

// TestRunAnnouncesEditsOfOthers watches files that another program changes, makes and
// removes.
func TestRunAnnouncesEditsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openFiles(t, map[string]string{"a.org": "* One\n** Two\n* Three\n", "b.org": "* Four\n"}, org.Config{})
		s.follows = []string{
			"org://a.org", "org://a.org/outline", "org://a.org/headline/One", "org://a.org/headline/One/Two", "org://a.org/headline/Three", "org://b.org", "org://b.org/outline", "org://b.org/headline/Four",
			"org://c.org", "org://c.org/outline", "org://c.org/headline/New", "org://config/files",
		}
		runner, _ := tools.As[tools.Runner](s.OpenedSource)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- runner.Run(ctx) }()
		told := func(want ...string) {
			t.Helper()
			time.Sleep(3 * time.Second) // of the bubble: a look comes every 2 s
			synctest.Wait()
			if got := s.announced(); !slices.Equal(got, want) {
				t.Errorf("announced %q, want %q", got, want)
			}
		}
		told()
		put(t, filepath.Join(s.dir, "a.org"), "* One\n** Two\nmore\n* Three\n")
		told("org://a.org", "org://a.org/headline/One", "org://a.org/headline/One/Two")
		put(t, filepath.Join(s.dir, "c.org"), "* New\n")
		told("org://c.org", "org://c.org/headline/New", "org://c.org/outline", "org://config/files")
		if err := os.Remove(filepath.Join(s.dir, "b.org")); err != nil {
			t.Fatal(err)
		}
		told("org://b.org", "org://b.org/headline/Four", "org://b.org/outline", "org://config/files")
		s.must("org-set-priority", `{"resourceUri":"org://a.org/headline/Three","priority":"A"}`)
		told("org://a.org", "org://a.org/headline/Three", "org://a.org/outline")
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestDuplicateIDs finds copies.
func TestDuplicateIDs(t *testing.T) {
	entry := "* One\n:PROPERTIES:\n:ID:       same\n:END:\n"
	s := openFiles(t, map[string]string{"a.org": entry, "b.org": entry}, org.Config{})
	check, err := s.Look(t.Context(), "duplicates", nil)
	if err != nil || !strings.Contains(check.Detail, "same in a.org and b.org") {
		t.Errorf("check: %+v, %v", check, err)
	}
}
