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
		"":                             {90 * day, 512, "auto"},
		"[journal]\nkeep = \"7d\"":     {7 * day, 512, "auto"},
		"[journal]\nkey = \"keyring\"": {90 * day, 512, "keyring"},
		"[journal]\nkeep = \"36h\"\nmax_mb = 100": {36 * time.Hour, 100, "auto"},
	} {
		c, err := Parse("/c/config.toml", []byte(text), Schema{})
		if err != nil || c.Journal != want {
			t.Errorf("%q: %+v, %v; want %+v", text, c.Journal, err, want)
		}
	}
	for _, text := range []string{`keep = "0d"`, `keep = "-3d"`, `keep = "1m"`, `keep = 90`, `keep = "d"`, `keep = "99999999d"`, `max_mb = 0`, `off = true`, `key = "here"`, `key = ""`} {
		if c, err := Parse("/c/config.toml", []byte("[journal]\n"+text), Schema{}); err == nil || !strings.Contains(err.Error(), "journal") {
			t.Errorf("%s: %+v, %v; want a fault", text, c.Journal, err)
		}
	}
}
