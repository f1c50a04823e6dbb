package notetext

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is read without YAML is what YAML reads.
func FuzzSimpleFrontMatter(f *testing.F) {
	for _, block := range []string{
		"class: Task\n", "Date: 2025-11-29\ntags: [a, b c]\n", "a: yes\n", "a: 1e5\n", "a: e5\n", "a: b: c\n", "a: [a,b]\n", "a: [a, null]\n", "a: x  y\n", "a: b ",
		"a: 0000-00-00", "a: b\n\nc: d", "a: b #c", "a_b: c-d", "null: x", "a: b\na: c", "- a: b", "a: []", "a: INF", "a: _1_", "a: --", "a: b\n c: d", "0: a", "a: 2025-11-29 x",
	} {
		f.Add(block)
	}
	f.Fuzz(func(t *testing.T, block string) {
		simple, ok := simpleFrontMatter(block)
		if !ok || block == "" {
			return
		}
		want, problem := readYAML(block)
		if diff := cmp.Diff(want, simple); diff != "" || problem != "" {
			t.Errorf("%q: %s (-YAML +simple)\n%s", block, problem, diff)
		}
	})
}

func TestSimpleFrontMatterIsTaken(t *testing.T) {
	for block, want := range map[string]bool{
		"class: Task\nStatus: in progress\nDate: 2025-11-29\ntags: [home, money]\n": true,
		"class: Task": true, "class: yes\n": false, "class: 12\n": false, "class: \"x\"\n": false, "list:\n- a\n": false, "class: Task\r\n": false,
	} {
		if _, got := simpleFrontMatter(block); got != want {
			t.Errorf("%q: got %v", block, got)
		}
	}
}
