package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTroubleAt(t *testing.T) {
	taken := Trouble{
		Code: "port.taken", Severity: Warning, Means: "Two programs want it.",
		Title: "port {port} is taken by {holder}", Fix: "Stop {holder}.",
	}
	got := taken.At("hub", Words{"port": "12740", "holder": "{port} {nobody}"})
	want := Problem{
		Code: "port.taken", Part: "hub", Severity: Warning,
		Title: "port 12740 is taken by {port} {nobody}", Fix: "Stop {port} {nobody}.",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
