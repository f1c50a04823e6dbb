package thismachine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

func TestToken(t *testing.T) {
	a := apptest.New(t)
	showToken := func(target string) (string, error) {
		text, _, err := ReadToken(a, target)
		return text, err
	}
	if _, err := showToken("clients"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("before a hub ran: %v", err)
	}
	for of, file := range map[string]string{"clients": a.Paths.SharedClientToken(), "plugin": a.Paths.PluginToken()} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		made, err := loopnet.LoadOrCreateToken(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := showToken(of); err != nil || got != made.Reveal() {
			t.Errorf("%s: %q, %v", of, got, err)
		}
	}
	if _, err := showToken("../client"); err == nil {
		t.Error("a token of no name is read")
	}
	if err := os.Chmod(a.Paths.SharedClientToken(), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := showToken("clients"); err == nil {
		t.Errorf("a token that others can read is shown: %q", text)
	}
}

// The plan of a new token names the agents that it disconnects, and no others.
func TestTokenPlanNamesDisconnectedAgents(t *testing.T) {
	a := newIsolatedApp(t)
	var f statustest.Fake
	l := newMachine(a, &f)
	said := func(sessions ...status.Session) string {
		t.Helper()
		s := status.Snapshot{Seq: 1, Hub: status.Hub{Component: status.Component{State: status.Ready}}, Sessions: sessions}
		f.Set(s)
		plan, err := l.Preview(t.Context(), status.Action{Verb: status.RotateToken, Target: "clients"})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(plan.Risks, "\n")
	}
	got := said(
		status.Session{Client: "zed", Transport: status.HTTP}, status.Session{Client: "cursor", Transport: status.HTTP}, status.Session{Client: "zed", Transport: status.HTTP},
		status.Session{Client: "claude", Transport: status.Stdio}, status.Session{Client: "codex", Transport: status.HTTP, Proven: true},
	)
	if !strings.Contains(got, "refused from then on: cursor, zed\n") && !strings.HasSuffix(got, "refused from then on: cursor, zed") {
		t.Errorf("the risks are %s", got)
	}
	if got := said(); !strings.Contains(got, "no agent is connected with this token now") {
		t.Errorf("without agents the risks are %s", got)
	}
}
