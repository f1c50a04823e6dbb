package workspace

import (
	"context"
	"errors"
	"testing"
)

// The engine is compiled once for all who wait for it, also when the first of them leaves.
func TestSandboxIsOpenedOnce(t *testing.T) {
	var shared sharedSandbox
	shared.use()
	told := 0
	wait := func() { told++ }
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := shared.open(left, "", wait); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := shared.opened
	box, err := shared.open(t.Context(), "", wait)
	if err != nil || box != first.box || told != 2 {
		t.Errorf("it is opened again, or nobody was told: %v, told %d times", err, told)
	}
	if again, err := shared.open(t.Context(), "", wait); err != nil || again != box || told != 2 {
		t.Errorf("it is opened again, or waited for: %v, told %d times", err, told)
	}
	if err := shared.release(t.Context()); err != nil {
		t.Fatal(err)
	}
}
