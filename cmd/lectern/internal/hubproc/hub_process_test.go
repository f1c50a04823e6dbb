package hubproc

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// openHub is a hub process without sockets and, by its configuration, without
// HTTP.
func openHub(t *testing.T, text string) (*hubProcess, status.Client) {
	t.Helper()
	a := apptest.New(t)
	apptest.WriteConfig(t, a, text)
	return openHubOf(t, a)
}

// openHubOf is openHub for an App that has a configuration.
func openHubOf(t *testing.T, a *app.App) (*hubProcess, status.Client) {
	t.Helper()
	h, err := newHubOfThisProcess(Config{App: a, Level: slog.LevelDebug})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	if err := h.open(ctx); err != nil {
		t.Fatal(err)
	}
	return h, h.newHubAPI()
}

func hasReadySources(names ...string) func(status.Snapshot) bool {
	return func(s status.Snapshot) bool {
		var got []string
		for _, src := range s.Sources {
			if src.State == status.Ready {
				got = append(got, src.Name)
			}
		}
		return cmp.Equal(got, names)
	}
}

func TestActions(t *testing.T) {
	_, c := openHub(t, "[hub]\nhttp = false\n")
	apptest.AwaitSnapshot(t, c, "the sample", hasReadySources("welcome"))
	notes := filepath.Join(t.TempDir(), "notes")
	if err := os.MkdirAll(filepath.Join(notes, ".obsidian"), 0o700); err != nil {
		t.Fatal(err)
	}
	add := status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: notes}}
	plan, err := c.Preview(t.Context(), add)
	if err != nil || plan.Title != "Add source notes" || !strings.Contains(plan.Steps[0].Diff, "+path = ") || len(plan.Risks) != 2 {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	if err := c.Do(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, c, "the added source alone", hasReadySources("notes"))
	if _, err := c.Preview(t.Context(), add); err == nil || !strings.Contains(err.Error(), "already opens") {
		t.Errorf("the plan to open it again: %v", err)
	}
	strict := status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: notes, ReadOnly: true}}
	if err := c.Do(t.Context(), strict); err == nil || !strings.Contains(err.Error(), "lectern source set notes --read-only") {
		t.Errorf("opened it again with other rules: %v", err)
	}
	readOnly := true
	set := status.Action{Verb: status.SetSource, Target: "notes", Change: &status.SourceChange{Name: "wiki", ReadOnly: &readOnly}}
	if plan, err := c.Preview(t.Context(), set); err != nil || !strings.Contains(plan.Steps[0].Diff, "+read_only = true") {
		t.Errorf("plan %+v, %v", plan, err)
	}
	if err := c.Do(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, c, "the renamed source alone", hasReadySources("wiki"))
	if err := c.Do(t.Context(), status.Action{Verb: status.SetSource, Target: "wiki", Change: &status.SourceChange{Name: "notes"}}); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, c, "the source with its former name", hasReadySources("notes"))
	for _, verb := range []status.Verb{status.PinHub, status.UnpinHub} {
		if err := c.Do(t.Context(), status.Action{Verb: verb}); err != nil {
			t.Fatal(err)
		}
		apptest.AwaitSnapshot(t, c, string(verb), func(s status.Snapshot) bool { return s.Hub.Pinned == (verb == status.PinHub) })
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.ReopenSource, Target: "nobody"}); err == nil {
		t.Error("reopened a source that is not there")
	}
	relative := status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: "notes"}}
	if err := c.Do(t.Context(), relative); err == nil || !strings.Contains(err.Error(), "in full") {
		t.Errorf("added a path relative to the hub: %v", err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: "make.coffee"}); err == nil {
		t.Error("did what nobody knows")
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.RemoveSource, Target: "notes"}); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, c, "the sample again", hasReadySources("welcome"))
}

// Every action of the hub has a preview, so that the panel has something to show.
func TestEveryActionHasAPreview(t *testing.T) {
	_, c := openHub(t, "[hub]\nhttp = false\n")
	for _, verb := range []status.Verb{status.PinHub, status.UnpinHub, status.ReopenSource, status.Reload} {
		if plan, err := c.Preview(t.Context(), status.Action{Verb: verb, Target: "welcome"}); err != nil || plan.Title == "" {
			t.Errorf("%s: %+v, %v", verb, plan, err)
		}
	}
}

// The kinds of sources and their keys are answered, and sources can read their
// secrets.
func TestSourceKinds(t *testing.T) {
	h, c := openHub(t, "[hub]\nhttp = false\n")
	kinds, err := status.Ask(t.Context(), c, status.SourceKindsQuery, struct{}{})
	if err != nil || len(kinds) != len(h.Systems()) {
		t.Fatalf("%+v, %v", kinds, err)
	}
	for _, k := range kinds {
		if len(k.Keys) == 0 || k.Title == "" || k.Summary() == "" {
			t.Errorf("%+v", k)
		}
	}
	if err := os.WriteFile(filepath.Join(h.Paths.Config, "key"), []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reference, err := tools.ParseSecret("file:key")
	if err != nil {
		t.Fatal(err)
	}
	secret, err := newHubConfig(h.App, h.conf, h.journal, h.log).Reveal(t.Context(), reference)
	if err != nil || secret != "hunter2" {
		t.Errorf("%q, %v", secret, err)
	}
}

func TestReload(t *testing.T) {
	h, c := openHub(t, "[hub]\nhttp = false\n")
	apptest.AwaitSnapshot(t, c, "the sample", hasReadySources("welcome"))
	apptest.WriteConfig(t, h.App, "[hub\n")
	if err := h.reload(t.Context()); err == nil || !strings.Contains(err.Error(), "config.toml:1:5") {
		t.Errorf("got %v", err)
	}
	s := apptest.AwaitSnapshot(t, c, "the broken file", apptest.HasProblemFunc(problems.ConfigBroken))
	if s.Hub.State != status.Degraded || !hasReadySources("welcome")(s) {
		t.Errorf("the hub is %s with %+v", s.Hub.State, s.Sources)
	}
	apptest.WriteConfig(t, h.App, "[hub]\nhttp = false\nidle_after = \"1h\"\n")
	if err := h.reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = apptest.AwaitSnapshot(t, c, "that a restart is needed", apptest.HasProblemFunc(problems.HubNeedsRestart))
	if apptest.HasProblemFunc(problems.ConfigBroken)(s) || s.Hub.State != status.Ready || !slices.Equal(s.Hub.PendingSettings, []string{"hub.idle_after"}) {
		t.Errorf("the hub is %s with %+v, and %q wait", s.Hub.State, s.Problems, s.Hub.PendingSettings)
	}
	apptest.WriteConfig(t, h.App, "[hub]\nhttp = false\n\n[update]\ncheck = false\n") // as it was, and what takes effect at once
	if err := h.reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, c, "that no restart is needed", func(s status.Snapshot) bool {
		return !apptest.HasProblemFunc(problems.HubNeedsRestart)(s) && s.Hub.PendingSettings == nil
	})
}

// A hub cannot know what a broken file was meant to forbid, so it serves nothing
// and does not listen until the file is fixed.
func TestStartWithBrokenConfig(t *testing.T) {
	h, c := openHub(t, "[[source]]\nname = \"notes\"\nreadonly = true\n")
	s := apptest.AwaitSnapshot(t, c, "the broken file", apptest.HasProblemFunc(problems.ConfigBroken))
	if len(s.Sources) > 0 || s.Hub.Endpoint != "" || h.web.port() != 0 {
		t.Errorf("serves %+v at %q", s.Sources, s.Hub.Endpoint)
	}
}

// A damaged journal is a problem that names the file moved aside, in this hub
// and the next, until a person acknowledges it.
func TestDamagedJournal(t *testing.T) {
	a := apptest.New(t)
	apptest.WriteConfig(t, a, "[hub]\nhttp = false\n")
	if err := os.MkdirAll(a.Paths.Journal(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.Paths.Journal(), "journal.db"), []byte(strings.Repeat("noise", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.Paths.Journal(), "journal.key"), []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		h, err := newHubOfThisProcess(Config{App: a, Level: slog.LevelDebug})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := apptest.AwaitSnapshot(t, h.newHubAPI(), "the damage", apptest.HasProblemFunc(problems.JournalDamaged))
		p := s.Problems[slices.IndexFunc(s.Problems, func(p status.Problem) bool { return p.Code == problems.JournalDamaged.Code })]
		if !strings.Contains(p.Fix, "journal.db.damaged-") || p.Action == nil || s.Hub.State != status.Degraded {
			t.Errorf("the hub is %s with %+v", s.Hub.State, p)
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	}
	h, c := openHubOf(t, a)
	apptest.AwaitSnapshot(t, c, "the damage", apptest.HasProblemFunc(problems.JournalDamaged))
	act := status.Action{Verb: status.Acknowledge, Target: problems.JournalDamaged.Code}
	if _, err := c.Preview(t.Context(), act); err != nil {
		t.Error(err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.Acknowledge, Target: "port.taken"}); err == nil {
		t.Error("what is still wrong was acknowledged")
	}
	if err := c.Do(t.Context(), act); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, c, "no damage", func(s status.Snapshot) bool {
		return !apptest.HasProblemFunc(problems.JournalDamaged)(s) && s.Hub.State == status.Ready
	})
	if shown := h.refreshJournalProblem(nil); len(shown) > 0 {
		t.Errorf("still there: %q", shown)
	}
}
