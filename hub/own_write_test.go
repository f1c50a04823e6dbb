package hub_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A mirroredBox writes its files by itself, as it is told.
type mirroredBox struct {
	*crashSource
	calls  tools.ClientCaller
	orders chan mirrorOrder
}

type mirrorOrder struct {
	client string
	fail   error // after the write; nil: it succeeds
	done   chan error
}

func (b *mirroredBox) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case o := <-b.orders:
			o.done <- b.calls.WriteAs(ctx, o.client, "sync", func(ctx context.Context, c tools.CallContext) error {
				changes := []tools.Change{{Target: "a.txt", After: tools.State{Exists: true, Data: []byte("mirrored")}}}
				return errors.Join(b.change(ctx, c, changes), o.fail)
			})
		}
	}
}

// What a source writes by itself asks no policy, is in the journal and the audit under a
// name that only the source has, and is undone like what agents write.
func TestSourceWritesByItself(t *testing.T) {
	top, orders := t.TempDir(), make(chan mirrorOrder)
	if err := os.MkdirAll(filepath.Join(top, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	log := &hubtest.Log{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	j := journal.New(journal.Options{Dir: filepath.Join(top, "journal"), Now: time.Now, Log: logger})
	h := &crashHub{Hub: hub.New(hub.Config{
		Systems: []tools.Kind{tools.Erase(tools.System[*mirroredBox, struct{}]{
			Name: "box", Title: "Box", Doc: "For tests.",
			Open: func(_ context.Context, _ struct{}, env tools.Env) (*mirroredBox, error) {
				return &mirroredBox{&crashSource{dir: filepath.Join(top, "files")}, env.Calls, orders}, nil
			},
		})},
		Sources: []hub.Source{{Name: "box", Kind: "box", ReadOnly: true}}, Policy: policy.New(nil, nil),
		Version: "1", Skill: "1", State: hubtest.NewFakeSnapshotStore(), Now: time.Now, Log: logger, Journal: j,
	})}
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(h.Close(), j.Close()); err != nil {
			t.Error(err)
		}
	})
	write := func(client string, fail error) error {
		done := make(chan error, 1)
		orders <- mirrorOrder{client, fail, done}
		return <-done
	}
	if err := write("database", nil); tools.AsError(err) == nil || filesOf(t, top) != "- -" {
		t.Errorf("a client without a word: %v", err)
	}
	if err := write("sync:database", nil); err != nil || filesOf(t, top) != "mirrored -" {
		t.Fatalf("%v, files %q", err, filesOf(t, top))
	}
	found, err := h.Changes().List(t.Context(), status.Filter{Source: "box"})
	if err != nil || len(found.Changes) != 1 {
		t.Fatal(found, err)
	}
	if c := found.Changes[0]; c.Client != "sync:box/database" || c.Tool != "sync" || c.Target != "a.txt" {
		t.Errorf("change %+v", c)
	}
	h.Calls().Flush()
	if !strings.Contains(log.String(), "sync:box/database") {
		t.Errorf("the audit does not name it:\n%s", log)
	}
	if err := h.Changes().Undo(t.Context(), status.Filter{Source: "box"}); err != nil || filesOf(t, top) != "- -" {
		t.Errorf("undo: %v, files %q", err, filesOf(t, top))
	}
	if err := write("sync:database", errors.New("in the middle")); err == nil || strings.Contains(err.Error(), "in the middle") {
		t.Errorf("an error of the source: %v", err)
	}
	if got := targetsOf(t, h); !strings.HasSuffix(got, "a.txt written") {
		t.Errorf("what has happened is not recorded: %q", got)
	}
}
