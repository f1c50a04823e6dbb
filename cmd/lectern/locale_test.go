package main

import "testing"

func TestASCIIOnly(t *testing.T) {
	for locale, want := range map[[3]string]bool{
		{}:                                   false, // not set: it says nothing
		{"C"}:                                true,
		{"POSIX", "en_US.UTF-8", "de_DE"}:    true,
		{"", "C", "en_US.UTF-8"}:             true,
		{"", "", "C"}:                        true,
		{"C.UTF-8"}:                          false,
		{"", "", "de_DE.utf8@euro"}:          false,
		{"", "", "de_DE.ISO-8859-1"}:         true,
		{"", "UTF-8"}:                        false,
		{"", "", "en_US"}:                    false,
		{"en_US.UTF-8", "C", "de_DE.KOI8-R"}: false,
	} {
		getenv := func(name string) string {
			return map[string]string{"LC_ALL": locale[0], "LC_CTYPE": locale[1], "LANG": locale[2]}[name]
		}
		if got := isASCIILocale(getenv); got != want {
			t.Errorf("%q: %v", locale, got)
		}
	}
}
