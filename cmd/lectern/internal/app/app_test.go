package app_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// A token proves one name only, a rotated token counts at once, and no other
// process has a token in its environment.
func TestClientTokens(t *testing.T) {
	a := apptest.New(t)
	tokens := a.Paths.ClientTokens()
	token := func(name string) string {
		made, err := loopnet.RotateToken(tokens.File(name))
		if err != nil {
			t.Fatal(err)
		}
		return made.Reveal()
	}
	cursor, codex := token("cursor"), token("codex")
	for bearer, want := range map[string]string{cursor: "cursor", codex: "codex", "": "", "cursor": "", cursor + " ": ""} {
		if got := tokens.Owner(bearer); got != want {
			t.Errorf("%.12s proves %q, want %q", bearer, got, want)
		}
	}
	if next := token("cursor"); tokens.Owner(cursor) != "" || tokens.Owner(next) != "cursor" {
		t.Error("the old token still counts, or the new one does not")
	}
	if err := os.Chmod(tokens.File("codex"), 0o644); err != nil {
		t.Fatal(err)
	}
	if tokens.Owner(codex) != "" {
		t.Error("a token that others can read still counts")
	}
	a.Environ = append(a.Environ, app.ClientTokenEnv+"=secret", "OTHER=1")
	for _, v := range a.HubConnectConfig(slog.New(slog.DiscardHandler)).Env {
		if strings.Contains(v, "secret") {
			t.Error("the hub is started with a client's token in its environment")
		}
	}
}

// A process that outlives an update of its binary, as panels do, asks no hub to
// make room for a build that no longer exists.
func TestConnectConfigAfterAnUpdate(t *testing.T) {
	a := apptest.New(t)
	log := slog.New(slog.DiscardHandler)
	before := a.HubConnectConfig(log)
	if before.Stale() {
		t.Error("stale from the start")
	}
	if err := os.WriteFile(a.Exe, []byte("another"), 0o755); err != nil {
		t.Fatal(err)
	}
	if to := a.HubConnectConfig(log); !to.Stale() || to.Self != before.Self {
		t.Errorf("stale %v, stamp %+v, want %+v", to.Stale(), to.Self, before.Self)
	}
}
