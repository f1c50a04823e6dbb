package statustest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

func checkPreview(t *testing.T, f *Fake, c status.Client) {
	want, action := sampleOf[status.Plan](), sampleOf[status.Action]()
	f.SetPlan(want)
	got, err := c.Preview(soon(t), action)
	if err != nil {
		t.Fatalf("preview: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]status.Action{action}, f.Previewed()); diff != "" {
		t.Errorf("previewed (-want +got):\n%s", diff)
	}
	if did := f.Actions(); len(did) != 0 {
		t.Errorf("a preview did %v", did)
	}
}

func checkDo(t *testing.T, f *Fake, c status.Client) {
	want := []status.Action{sampleOf[status.Action](), {Verb: status.ReopenSource, Target: "notes"}, {Verb: status.PinHub}}
	for _, a := range want {
		if err := c.Do(soon(t), a); err != nil {
			t.Fatalf("do %s: %v", a.Verb, err)
		}
	}
	if diff := cmp.Diff(want, f.Actions()); diff != "" {
		t.Errorf("did (-want +got):\n%s", diff)
	}
}

func checkErrors(t *testing.T, f *Fake, c status.Client) {
	const words = `reopen source: "notes" (Grüße) is gone; put it back & try again`
	action := status.Action{Verb: status.AddSource}
	f.SetErr(errors.New(words))
	err := c.Do(soon(t), action)
	if err == nil || !strings.HasSuffix(err.Error(), words) {
		t.Errorf("do: %v, want %s", err, words)
	}
	if _, err := c.Preview(soon(t), action); err == nil || !strings.HasSuffix(err.Error(), words) {
		t.Errorf("preview: %v, want %s", err, words)
	}
	f.SetErr(nil)
	if err := c.Do(soon(t), action); err != nil {
		t.Errorf("do after the error is gone: %v", err)
	}
}
