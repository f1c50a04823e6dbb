package status

import (
	"testing"
	"time"
)

func TestParseCallSearch(t *testing.T) {
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]CallSearch{
		"":                               {},
		"  two   words ":                 {Words: "two words"},
		"a:b http://x":                   {Words: "a:b http://x"},
		"client:codex target:Private/ x": {ClientPart: "codex", TargetPart: "Private/", Words: "x"},
		"source:s tool:t effect:delete":  {SourcePart: "s", ToolPart: "t", Effect: "delete"},
		"on:2026-11-21 is:asked":         {Since: day, Until: day.AddDate(0, 0, 1), Outcome: "asked"},
		"since:2026-11-21T15:04":         {Since: day.Add(15*time.Hour + 4*time.Minute)},
		"until:2026-11-21 is: since: x":  {Until: day, Words: "x"},
		"target:a target:b":              {TargetPart: "b"},
	} {
		got, err := ParseCallSearch(text, time.UTC)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"is:fine":      "is:fine is not one of ok, error, refused, asked, changed, event",
		"effect:eat":   "effect:eat is not one of read, write, delete, run, admin",
		"on:yesterday": "on:yesterday is not a day such as 2026-11-21",
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
