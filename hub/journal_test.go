package hub_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// TestMain lets this binary be the hub that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "victim" {
		victim(os.Args[2], os.Args[3])
		os.Exit(0)
	}
	code := m.Run()
	postgres.Stop()
	os.Exit(code)
}

// A box is a Source of files that says how far its writes have come.
type crashSource struct {
	dir string
	at  func(point string)
}

func (b *crashSource) Close() error                { return nil }
func (b *crashSource) Check(context.Context) error { return nil }

func (b *crashSource) State(_ context.Context, target string) (tools.State, error) {
	data, err := os.ReadFile(filepath.Join(b.dir, target))
	if errors.Is(err, fs.ErrNotExist) {
		return tools.State{}, nil
	}
	return tools.State{Exists: true, Data: data}, err
}

func (b *crashSource) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	for _, ch := range changes {
		now, err := b.State(ctx, ch.Target)
		if err != nil || now.Exists != ch.Before.Exists || !bytes.Equal(now.Data, ch.Before.Data) {
			return tools.Errorf(tools.Conflict, "%s was changed", ch.Target)
		}
	}
	return b.change(ctx, c, changes)
}

func (b *crashSource) change(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	b.reach("start")
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	b.reach("promised")
	for _, ch := range changes {
		file := filepath.Join(b.dir, ch.Target)
		if !ch.After.Exists {
			if err := os.Remove(file); err != nil {
				return err
			}
		} else if err := os.WriteFile(file, ch.After.Data, 0o600); err != nil {
			return err
		}
		c.ReportWritten(ch)
		b.reach("after " + ch.Target)
	}
	return nil
}

func (b *crashSource) reach(point string) {
	if b.at != nil {
		b.at(point)
	}
}

type putBothIn struct {
	Text  string `json:"text" jsonschema:"of both files"`
	Fault string `json:"fault,omitempty" jsonschema:"error or panic after the first"`
}

// Put writes a.txt and b.txt.
func (b *crashSource) Put(ctx context.Context, c tools.CallContext, in putBothIn) (none, error) {
	var changes []tools.Change
	for _, name := range []string{"a.txt", "b.txt"} {
		before, err := b.State(ctx, name)
		if err != nil {
			return none{}, err
		}
		changes = append(changes, tools.Change{Target: name, Before: before, After: tools.State{Exists: true, Data: []byte(in.Text)}})
	}
	if in.Fault == "" {
		return none{}, b.change(ctx, c, changes)
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return none{}, err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "a.txt"), []byte(in.Text), 0o600); err != nil {
		return none{}, err
	}
	c.ReportWritten(changes[0])
	if in.Fault == "panic" {
		panic("in the middle of a write")
	}
	return none{}, errors.New("in the middle of a write")
}

func (b *crashSource) Look(ctx context.Context, c tools.CallContext, _ none) (none, error) {
	return none{}, ctx.Err()
}

func crashKind(b *crashSource) tools.Kind {
	return tools.Erase(tools.System[*crashSource, struct{}]{
		Name: "box", Title: "Box", Doc: "For tests.",
		Open: func(context.Context, struct{}, tools.Env) (*crashSource, error) { return b, nil },
		Tools: []tools.Tool[*crashSource]{
			tools.DefineWithContext(tools.Spec[putBothIn, none]{Name: "put", Title: "Put", Doc: "Writes both.", Effect: tools.Writes}, (*crashSource).Put),
			tools.DefineWithContext(tools.Spec[none, none]{Name: "look", Title: "Look", Doc: "Reads.", Effect: tools.Reads}, (*crashSource).Look),
		},
	})
}

// A crashHub is a hub with a journal, on a box.
type crashHub struct {
	*hub.Hub
	board *hubtest.FakeSnapshotStore
	log   *hubtest.Log
	close func() error
}

// logged is what the hub has logged of all that has happened.
func (h *crashHub) logged() string {
	h.Calls().Flush()
	return h.log.String()
}

func openCrashHub(ctx context.Context, top string, at func(string)) (*crashHub, error) {
	b, log := hubtest.NewFakeSnapshotStore(), &hubtest.Log{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	j := journal.New(journal.Options{Dir: filepath.Join(top, "journal"), Now: time.Now, Log: logger})
	h := hub.New(hub.Config{
		Systems: []tools.Kind{crashKind(&crashSource{filepath.Join(top, "files"), at})}, Sources: []hub.Source{{Name: "box", Kind: "box"}},
		Version: "1", Skill: "1", State: b, Now: time.Now, Log: logger, Journal: j,
	})
	err := h.Start(ctx)
	return &crashHub{h, b, log, func() error { return errors.Join(h.Close(), j.Close()) }}, err
}

func startCrashHub(t testing.TB, top string) *crashHub {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(top, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := openCrashHub(t.Context(), top, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// victim is a hub that writes, says when it has come to a point, and waits to
// be killed.
func victim(top, point string) {
	wait := func() {
		fmt.Println("there")
		_, _ = io.ReadAll(os.Stdin)
	}
	h, err := openCrashHub(context.Background(), top, func(p string) {
		if p == point {
			wait()
		}
	})
	if err == nil {
		_, err = h.PersonAPI().Call(context.Background(), "box", "put", json.RawMessage(`{"text":"new"}`))
	}
	if err == nil && point == "answered" {
		wait()
	}
	fmt.Println(err)
}

func filesOf(t testing.TB, top string) string {
	t.Helper()
	var all []string
	for _, name := range []string{"a.txt", "b.txt"} {
		data, err := os.ReadFile(filepath.Join(top, "files", name))
		if err != nil {
			data = []byte("-")
		}
		all = append(all, string(data))
	}
	return strings.Join(all, " ")
}

// targetsOf are the listed Changes, oldest first.
func targetsOf(t testing.TB, h *crashHub) string {
	t.Helper()
	found, err := h.Changes().List(t.Context(), status.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range found.Changes {
		all = append([]string{c.Target + " " + string(c.Outcome)}, all...)
	}
	return strings.Join(all, ", ")
}

// A hub that is killed at any point of a write leaves the write and its Changes,
// or neither: the next takes back half of one, tells people until they have read
// it, and the rest can be undone.
func TestHubKilledAtEveryPointOfAWrite(t *testing.T) {
	for point, want := range map[string]struct{ files, changes, says string }{
		"start":       {"old -", "", ""},
		"promised":    {"old -", "", "dropped=2"},
		"after a.txt": {"old -", "a.txt undone", "taken_back=1"},
		"after b.txt": {"new new", "a.txt written, b.txt written", "happened=2"},
		"answered":    {"new new", "a.txt written, b.txt written", "happened=2"},
	} {
		t.Run(point, func(t *testing.T) {
			top := t.TempDir()
			if err := os.Mkdir(filepath.Join(top, "files"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, "files", "a.txt"), []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "victim", top, point)
			if _, err := cmd.StdinPipe(); err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if line != "there\n" {
				t.Fatalf("the hub said %q", line)
			}
			h := startCrashHub(t, top)
			if want.says != "" {
				h.log.WaitFor(t, want.says)
			}
			if got := filesOf(t, top); got != want.files {
				t.Errorf("files %q, want %q", got, want.files)
			}
			if got := targetsOf(t, h); got != want.changes {
				t.Errorf("changes %q, want %q", got, want.changes)
			}
			p, told := h.board.Problem("journal.interrupted box")
			if told != (want.says == "taken_back=1") {
				t.Errorf("problem %+v, %v", p, told)
			}
			if told {
				if !strings.Contains(p.Title, "put of") || !strings.Contains(p.Title, " and 1 more) was taken back (a.txt)") {
					t.Errorf("problem %+v", p)
				}
				if known, err := h.Changes().AcknowledgeNotices(p.Action.Target); !known || err != nil {
					t.Errorf("acknowledge: %v, %v", known, err)
				}
				if _, still := h.board.Problem("journal.interrupted box"); still {
					t.Error("it is still there")
				}
			} else if want.changes != "" {
				if err := h.Changes().Undo(t.Context(), status.Filter{Source: "box"}); err != nil {
					t.Fatal(err)
				}
			}
			if got := filesOf(t, top); got != "old -" {
				t.Errorf("after the undo the files are %q", got)
			}
		})
	}
}

// A tool that errs or panics in the middle leaves Changes of what happened.
func TestToolThatFailsInTheMiddleOfAWrite(t *testing.T) {
	for fault, want := range map[string]string{"error": "a.txt written", "panic": "a.txt written, b.txt unknown"} {
		top := t.TempDir()
		h := startCrashHub(t, top)
		_, err := h.PersonAPI().Call(t.Context(), "box", "put", json.RawMessage(`{"text":"new","fault":"`+fault+`"}`))
		if e := tools.AsError(err); e == nil || e.Code != tools.Internal {
			t.Errorf("%s: %v", fault, err)
		}
		if got := targetsOf(t, h); got != want {
			t.Errorf("%s: changes %q", fault, got)
		}
		all, err := h.Changes().List(t.Context(), status.Filter{})
		if err != nil || !strings.Contains(h.logged(), all.Changes[0].ID) {
			t.Errorf("the audit line does not name the changes:\n%s", h.log)
		}
	}
}

// Without its journal a hub reads and does not write, and says why; it writes
// again when the journal is back.
func TestHubWithoutItsJournal(t *testing.T) {
	top := t.TempDir()
	in := filepath.Join(top, "journal")
	if err := os.WriteFile(in, []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := startCrashHub(t, top)
	put := func() *tools.Error {
		_, err := h.PersonAPI().Call(t.Context(), "box", "put", json.RawMessage(`{"text":"new"}`))
		return tools.AsError(err)
	}
	if e := put(); e == nil || e.Code != tools.Unavailable || !strings.Contains(e.Message, "nothing was changed") {
		t.Errorf("error %v", e)
	}
	if got := filesOf(t, top); got != "- -" {
		t.Errorf("files %q", got)
	}
	if _, err := h.PersonAPI().Call(t.Context(), "box", "look", nil); err != nil {
		t.Errorf("reading: %v", err)
	}
	if p, ok := h.board.Problem("journal.stopped journal"); !ok || p.Severity != status.Error {
		t.Errorf("problem %+v, %v", p, ok)
	}
	if err := os.Remove(in); err != nil {
		t.Fatal(err)
	}
	if e := put(); e != nil {
		t.Errorf("error %v", e)
	}
	if p, ok := h.board.Problem("journal.stopped journal"); ok {
		t.Errorf("still there: %+v", p)
	}
}

// Sessions of one hub are not taken for those of the next.
func TestSessionsAreCountedOn(t *testing.T) {
	top := t.TempDir()
	h, err := openCrashHub(t.Context(), top, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(top, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := h.PersonAPI().Call(t.Context(), "box", "put", json.RawMessage(`{"text":"1"}`)); err != nil {
		t.Fatal(err)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	next := startCrashHub(t, top)
	if _, err := next.PersonAPI().Call(t.Context(), "box", "put", json.RawMessage(`{"text":"2"}`)); err != nil {
		t.Fatal(err)
	}
	found, err := next.Changes().List(t.Context(), status.Filter{})
	if err != nil || len(found.Changes) != 4 || found.Changes[0].Session == found.Changes[3].Session {
		t.Errorf("%+v, %v", found.Changes, err)
	}
	if err := next.Changes().Undo(t.Context(), status.Filter{Session: found.Changes[0].Session}); err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, top); got != "1 1" {
		t.Errorf("files %q", got)
	}
}

// A read does not touch the journal, not even to open it.
func TestReadLeavesTheJournalAlone(t *testing.T) {
	top := t.TempDir()
	h := startCrashHub(t, top)
	if _, err := h.PersonAPI().Call(t.Context(), "box", "look", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(top, "journal")); err == nil {
		t.Error("a read made a journal")
	}
}

func BenchmarkSmallWrite(b *testing.B) {
	h := startCrashHub(b, b.TempDir())
	for b.Loop() {
		if _, err := h.PersonAPI().Call(b.Context(), "box", "put", json.RawMessage(`{"text":"new"}`)); err != nil {
			b.Fatal(err)
		}
	}
}
