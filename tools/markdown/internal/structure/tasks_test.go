package structure

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Every line that the expression for tasks takes has a box.
func TestTasksHaveBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	pieces := []string{"- ", "* ", "12. ", "> ", "\t", " ", "[", "]", "[ ]", "[x]", "[é]", "[語] ", "[[a]]", "[]", "a", "é", "]("}
	tasks := 0
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		if taskLine.MatchString(b.String()) {
			if tasks++; !hasBox(b.String()) {
				t.Fatalf("%q", b.String())
			}
		}
	}
	if tasks < 100 {
		t.Errorf("only %d lines were tasks", tasks)
	}
}

// A cancelled task is not open.
func TestDoneTasks(t *testing.T) {
	done := ""
	const page = "- [ ] a\n- [x] b\n- [-] c\n- [/] d\n"
	for _, task := range Tasks(page, Lines(page, 0)) {
		if task.Done {
			done += task.Text
		}
	}
	if done != "bc" {
		t.Errorf("done: %q", done)
	}
}
