package status

import (
	"testing"
	"time"
)

func TestParseCallSearch(t *testing.T) {
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]struct {
		CallSearch
		where string
	}{
		"":                               {},
		"  two   words ":                 {where: "two words"},
		"a:b http://x":                   {where: "a:b http://x"},
		"client:codex target:Private/ x": {where: "client:codex target:Private/ x"},
		`target:"My page" "a b"`:         {where: `target:"My page" "a b"`},
		"(is:error OR -client:x) a":      {where: "(is:error OR NOT client:x) a"},
		"on:2026-11-21 is:asked":         {CallSearch{Since: day, Until: day.AddDate(0, 0, 1)}, "is:asked"},
		"since:2026-11-21T15:04":         {CallSearch{Since: day.Add(15*time.Hour + 4*time.Minute)}, ""},
		"until:2026-11-21 is: since: x":  {CallSearch{Until: day}, "x"},
		"(is: OR client:) -(tool:)":      {},
		"x OR on:2026-11-21":             {where: "x OR (since:2026-11-21T00:00:00Z until:2026-11-22T00:00:00Z)"},
	} {
		got, err := ParseCallSearch(text, time.UTC)
		if err != nil || !got.Since.Equal(want.Since) || !got.Until.Equal(want.Until) || got.Where.String() != want.where {
			t.Errorf("%q: %+v, %s, %v; want %+v", text, got, got.Where, err, want)
		}
	}
	for text, want := range map[string]string{
		"is:fine":      "is:fine is not one of ok, error, refused, asked, changed, event",
		"effect:eat":   "effect:eat is not one of read, write, delete, run, admin",
		"on:yesterday": "on:yesterday is not a day such as 2026-11-21",
		"is:ok OR (x":  `character 10: the ( is not closed (what stands in quotes is searched for as it is)`,
		"client>x":     "client>x: write client:x",
		"since:2h":     "since:2h is not a time such as 2026-11-21 or 2026-11-21T15:04",
	} {
		if _, err := ParseCallSearch(text, time.UTC); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestUnknownFilterNote(t *testing.T) {
	const want = "there is no filter bogus:, so bogus:1 is searched for as a word " +
		"(filters: client:, source:, tool:, target:, effect:, is:, on:, since:, until:)"
	if got := UnknownFilterNote("is:ok bogus:1"); got != want {
		t.Errorf("got %q", got)
	}
	for _, text := range []string{"", "words", "client:codex on:2026-11-21", "https://example.org", "12:30", "Card:name", ":x"} {
		if got := UnknownFilterNote(text); got != "" {
			t.Errorf("%q: %q", text, got)
		}
	}
}
