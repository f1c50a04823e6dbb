package safetext

import "testing"

func TestIsInvisible(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, " \t\u00a0\u3000": true, "\u200b\u200d\ufeff\u2060": true, "\u00ad\u180e": true, "\ufe0f\u0301": true, "\u3164\u2800": true,
		"\x00\x1b": true, "\u202e": true, "a\u200b": false, "語": false, "👨\u200d👩": false, "-": false, "\u200bé": false,
	} {
		if got := IsInvisible(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
