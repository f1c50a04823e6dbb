package config

import (
	"strings"
	"testing"
	"time"
)

// What agents change is kept for days, unless the file says otherwise; it is
// never not kept.
func TestJournalKeys(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]Journal{
		"":                         {90 * day, 512},
		"[journal]\nkeep = \"7d\"": {7 * day, 512},
		"[journal]\nkeep = \"36h\"\nmax_mb = 100": {36 * time.Hour, 100},
	} {
		c, err := Parse("/c/config.toml", []byte(text), Schema{})
		if err != nil || c.Journal != want {
			t.Errorf("%q: %+v, %v; want %+v", text, c.Journal, err, want)
		}
	}
	for _, text := range []string{`keep = "0d"`, `keep = "-3d"`, `keep = "1m"`, `keep = 90`, `keep = "d"`, `keep = "99999999d"`, `max_mb = 0`, `off = true`} {
		if c, err := Parse("/c/config.toml", []byte("[journal]\n"+text), Schema{}); err == nil || !strings.Contains(err.Error(), "journal") {
			t.Errorf("%s: %+v, %v; want a fault", text, c.Journal, err)
		}
	}
}

// A key with another name in earlier versions still counts, until the new name
// is there too.
func TestRenamedKeys(t *testing.T) {
	for text, want := range map[string]struct {
		deletes int
		notice  string
	}{
		"fuse_deletes = 7":                      {7, "/c/config.toml:2:1: limits.fuse_deletes: is now called limits.breaker_deletes; rename it"},
		"fuse_deletes = 7\nbreaker_deletes = 8": {8, "/c/config.toml:2:1: limits.fuse_deletes: has no effect, because it is now called limits.breaker_deletes, which is set too; remove the line"},
	} {
		c, err := Parse("/c/config.toml", []byte("[limits]\n"+text+"\n"), Schema{})
		if err != nil || len(c.Notices) != 1 || c.Limits.BreakerDeletes != want.deletes {
			t.Fatalf("%s: %d, notices %v, %v", text, c.Limits.BreakerDeletes, c.Notices, err)
		}
		if got := c.Notices[0].Format(c.Path); got != want.notice {
			t.Errorf("notice %q, want %q", got, want.notice)
		}
		edit, err := c.SetOption("limits.breaker_deletes", "9")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if after, err := Parse("/c/config.toml", edit.After, Schema{}); err != nil || after.Limits.BreakerDeletes != 9 {
			t.Errorf("%s, set to 9: %d, %v", text, after.Limits.BreakerDeletes, err)
		}
	}
}

// A key that an earlier version had does not stop the file from being read, and
// says where it stands and that it may go.
func TestRemovedKeys(t *testing.T) {
	c, err := Parse("/c/config.toml", []byte("[journal]\nkeep = \"7d\"\nkey = \"keyring\"\n"), Schema{})
	if err != nil || len(c.Notices) != 1 {
		t.Fatalf("notices %v, %v; want one", c.Notices, err)
	}
	const want = "/c/config.toml:3:1: journal.key: has no effect any more, because the key of the journal is always in a file beside it; remove the line"
	if got := c.Notices[0].Format(c.Path); got != want {
		t.Errorf("notice %q, want %q", got, want)
	}
	if _, err := c.SetOption("journal.key", "file"); err == nil {
		t.Error("a removed key was set")
	}
	if _, err := c.SetOption("journal.keep", "8d"); err != nil {
		t.Errorf("a file with a removed key cannot be edited: %v", err)
	}
}
