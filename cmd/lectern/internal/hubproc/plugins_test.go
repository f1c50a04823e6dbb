package hubproc

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/bridge/bridgetest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// logseqHello is the hello of Logseq's plugin. Logseq 2 tells plugins a longer
// name than it shows to people.
func logseqHello(graph string) map[string]any {
	return map[string]any{
		"logseq_version": "2.0.1", "graph": map[string]string{"name": "logseq_db_" + graph, "url": "logseq_db_" + graph, "kind": "db"},
	}
}

// A plugin with the token in the state directory connects to the port, behind
// the guard, over either transport, and a person sees it.
func TestPluginConnects(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	h, client := openHub(t, fmt.Sprintf("[hub]\nport = %d\n", port))
	token, err := loopnet.LoadOrCreateToken(h.Paths.PluginToken())
	if err != nil {
		t.Fatal(err)
	}
	for _, poll := range []bool{false, true} {
		dial := bridgetest.Dial{URL: fmt.Sprintf("http://127.0.0.1:%d", port), Poll: poll}
		if !poll {
			dial.Origin = "lsp://logseq.io"
		}
		graph := fmt.Sprintf("poll %v", poll)
		p, err := bridgetest.Connect(t.Context(), bridgetest.Options{Dial: dial, Token: token, Hello: logseqHello(graph)})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(p.Ack()), fmt.Sprintf(`"command":%q`, h.Exe)) {
			t.Errorf("the plugin is told %s", p.Ack())
		}
		apptest.AwaitSnapshot(t, client, graph, func(s status.Snapshot) bool {
			return len(s.Peers) == 1 && s.Peers[0].Name == graph
		})
		if !poll {
			addOffered(t, client, graph)
		}
		p.Close()
		apptest.AwaitSnapshot(t, client, "no peer", func(s status.Snapshot) bool { return len(s.Peers) == 0 })
	}

	stranger := map[string]any{"zettlr_version": "3"}
	_, err = bridgetest.Connect(t.Context(), bridgetest.Options{Dial: bridgetest.Dial{URL: fmt.Sprintf("http://127.0.0.1:%d", port)}, Token: token, Hello: stranger})
	if err == nil || !strings.Contains(err.Error(), "no plugin of an application that this Lectern works with (Logseq)") {
		t.Errorf("the plugin of an unknown application: %v", err)
	}

	apptest.AwaitSnapshot(t, client, "a Problem with its reason", func(s status.Snapshot) bool {
		return slices.ContainsFunc(s.Problems, func(p status.Problem) bool {
			return p.Code == problems.PluginRefused.Code && strings.Contains(p.Title, "no plugin of an application")
		})
	})
	here := bridgetest.Dial{URL: fmt.Sprintf("http://127.0.0.1:%d", port)}
	if _, err := bridgetest.Connect(t.Context(), bridgetest.Options{Dial: here, Token: bridgetest.NewToken(t), Hello: stranger}); err == nil {
		t.Error("a plugin with another token connects")
	}
	apptest.AwaitSnapshot(t, client, "a Problem with the token", func(s status.Snapshot) bool {
		return slices.ContainsFunc(s.Problems, func(p status.Problem) bool {
			return p.Code == problems.PluginRefused.Code && strings.Contains(p.Title, "token is not this Lectern's") && strings.Contains(p.Fix, "lectern plugin install")
		})
	})
	mended, err := bridgetest.Connect(t.Context(), bridgetest.Options{Dial: here, Token: token, Hello: logseqHello("mended")})
	if err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, client, "no such Problem", func(s status.Snapshot) bool { return !apptest.HasProblemFunc(problems.PluginRefused)(s) })
	mended.Close()

	unknown := bridgetest.Dial{URL: fmt.Sprintf("http://127.0.0.1:%d", port), Origin: "file://"}
	if w, err := unknown.Open(t.Context()); err == nil {
		w.Close()
		t.Fatal("an unknown origin connects")
	}
	s := apptest.AwaitSnapshot(t, client, "a Problem with the origin", apptest.HasProblemFunc(problems.PluginOriginUnknown))
	problem := s.Problems[slices.IndexFunc(s.Problems, func(p status.Problem) bool { return p.Code == problems.PluginOriginUnknown.Code })]
	let := problem.Action
	if let == nil || *let != (status.Action{Verb: status.AllowOrigin, Target: "file://"}) || !strings.Contains(problem.Fix, "lectern plugin allow file://") {
		t.Fatalf("the Problem is %+v", problem)
	}
	plan, err := client.Preview(t.Context(), *let)
	if err != nil || len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Diff, `+origins = ["file://"]`) || len(plan.Risks) == 0 {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	if err := client.Do(t.Context(), *let); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, client, "no Problem with the origin", func(s status.Snapshot) bool { return !apptest.HasProblemFunc(problems.PluginOriginUnknown)(s) })
	w, err := unknown.Open(t.Context())
	if err != nil {
		t.Fatalf("approved, and yet: %v", err)
	}
	w.Close()

	if runtime.GOOS == "windows" {
		return // has no modes
	}
	if err := os.Chmod(h.Paths.PluginToken(), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := bridgetest.Connect(t.Context(), bridgetest.Options{Dial: bridgetest.Dial{URL: unknown.URL}, Token: token}); err == nil {
		t.Error("a token that others may have read counts")
	}
	apptest.AwaitSnapshot(t, client, "a Problem with the token", apptest.HasProblemFunc(problems.PluginTokenRefused))
}

// addOffered adds the source that the notice about a plugin without one offers,
// which ends the notice.
func addOffered(t *testing.T, client status.Client, graph string) {
	t.Helper()
	s := apptest.AwaitSnapshot(t, client, "a notice of "+graph, apptest.HasProblemFunc(problems.PluginWithoutSource))
	notice := s.Problems[slices.IndexFunc(s.Problems, func(p status.Problem) bool { return p.Code == problems.PluginWithoutSource.Code })]
	if notice.Title != "Logseq has "+graph+" open, but no source opens it" || !strings.Contains(notice.Fix, `lectern source add logseq graph="`+graph+`"`) {
		t.Errorf("the notice is %+v", notice)
	}
	if err := client.Do(t.Context(), *notice.Action); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, client, "the source, and no notice", func(s status.Snapshot) bool {
		return !apptest.HasProblemFunc(problems.PluginWithoutSource)(s) && slices.ContainsFunc(s.Sources, func(s status.Source) bool { return s.Name == "poll-false" })
	})
}
