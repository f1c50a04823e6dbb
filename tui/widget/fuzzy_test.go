package widget

import "testing"

func TestFuzzy(t *testing.T) {
	for _, c := range []struct{ want, better, worse string }{
		{"add", "add a source", "load"}, {"stop", "stop the hub", "sort by top"}, {"rh", "restart the hub", "orchid"},
	} {
		if b, w := FuzzyScore(c.better, c.want), FuzzyScore(c.worse, c.want); b <= w {
			t.Errorf("%q: %q has %d, %q has %d", c.want, c.better, b, c.worse, w)
		}
	}
	if FuzzyScore("restart the hub", "hub restart") == 0 || FuzzyScore("add", "adx") != 0 {
		t.Error("words may stand in any order, and all letters must be there")
	}
}
