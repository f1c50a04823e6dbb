package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewProblem(t *testing.T) {
	taken := ProblemType{
		Code: "port.taken", Severity: Warning, Description: "Two programs want it.",
		Title: "port {port} is taken by {holder}", Fix: "Stop {holder}.",
	}
	got := taken.New("hub", Args{"port": "12740", "holder": "{port} {nobody}"})
	want := Problem{
		Code: "port.taken", Component: "hub", Severity: Warning,
		Title: "port 12740 is taken by {port} {nobody}", Fix: "Stop {port} {nobody}.",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
