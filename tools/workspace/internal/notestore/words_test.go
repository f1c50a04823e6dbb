package notestore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitWords(t *testing.T) {
	long := strings.Repeat("Ab", 40)
	for text, want := range map[string][]string{
		"":                              nil,
		"  -- !\n":                      nil,
		"Tea, 2 cups_of tea":            {"tea", "2", "cups", "of", "tea"},
		"Café naïve re\u0301sume\u0301": {"cafe", "naive", "resume"},
		"Äpfel ÉCOLE ﬁn ½":              {"apfel", "ecole", "fin", "1", "2"},
		"緑茶を飲む tea茶":                    {"緑", "茶", "を", "飲", "む", "tea", "茶"},
		"Ελλάδα МИР":                    {"ελλαδα", "мир"},
		"a\x00b\x7fc\ufffdd":            {"a", "b", "c", "d"},
		long:                            {strings.ToLower(long)[:64]},
		strings.Repeat("x", 63) + "ж":   {strings.Repeat("x", 63)},
	} {
		if d := cmp.Diff(want, splitWords(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}
