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
