package installer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

// twoInstances are the usual Lectern and one with a LECTERN_HOME, on one machine.
func twoInstances(t *testing.T) (usual, trial Machine, usualServer, trialServer Server) {
	t.Helper()
	usual = testMachine(t, "linux")
	usual.Run = recordCalls(new([]string), nil)
	trial = usual
	trial.State = filepath.Join(t.TempDir(), "trial")
	usualServer, trialServer = testServer(usual), testServer(usual)
	trialServer.Env = map[string]string{homeVariable: "/trial"}
	return usual, trial, usualServer, trialServer
}

func risks(p *Proposal) string { return strings.Join(p.Plan.Risks, "\n") }

// Removing one instance of Lectern leaves alone what another has installed, and
// says so.
func TestInstancesStayApart(t *testing.T) {
	usual, trial, server, trialServer := twoInstances(t)
	for _, id := range []string{"codex", "cursor", "goose"} {
		p, err := usual.Install(client(t, id), server, ConnectOptions{})
		apply(t, p, err)
	}
	p, err := usual.InstallSkill([]Client{client(t, "codex")}, skill("one"))
	apply(t, p, err)
	p, err = usual.InstallService(t.Context(), testService())
	apply(t, p, err)
	before := tree(t, usual.Home)

	trialService := testService()
	trialService.Env = map[string]string{homeVariable: "/trial"}
	p, err = trial.Uninstall(t.Context(), trialServer, "lectern", trialService, testPlugin(), OwnFiles{})
	if err != nil || p.Changes() {
		t.Fatalf("%v; it would %v", err, p.Plan.Steps)
	}
	for _, want := range []string{
		".codex/config.toml stays as it is: its entry belongs to the Lectern without LECTERN_HOME", ".cursor/mcp.json stays", "goose/config.yaml stays",
		"SKILL.md stays, because this Lectern did not install it", "lectern.service stays, because it runs another Lectern",
	} {
		if !strings.Contains(risks(p), want) {
			t.Errorf("nothing says that %s:\n%s", want, risks(p))
		}
	}
	if _, err := trial.Remove(client(t, "cursor"), trialServer, ConnectOptions{}); err == nil || !strings.Contains(err.Error(), "stays, because it belongs to the Lectern without LECTERN_HOME") {
		t.Errorf("remove: %v", err)
	}
	if f := trial.Find(client(t, "cursor"), trialServer); f.Condition != Elsewhere {
		t.Errorf("found %+v", f)
	}
	if after := tree(t, usual.Home); len(after) != len(before) {
		t.Errorf("before %v, after %v", before, after)
	}
}

// An entry follows the instance that wrote it last, whatever receipts say.
func TestEntryFollowsItsLastInstance(t *testing.T) {
	usual, trial, server, trialServer := twoInstances(t)
	c := client(t, "cursor")
	p, err := trial.Install(c, trialServer, ConnectOptions{})
	apply(t, p, err)
	p, err = usual.Install(c, server, ConnectOptions{})
	apply(t, p, err)
	if !strings.Contains(risks(p), "belongs to the Lectern with LECTERN_HOME=/trial and is replaced") {
		t.Errorf("risks %q", p.Plan.Risks)
	}
	p, err = trial.Uninstall(t.Context(), trialServer, "lectern", Service{}, testPlugin(), OwnFiles{})
	if err != nil || slices.ContainsFunc(p.Plan.Steps, func(s status.Step) bool { return strings.Contains(s.Description, "mcp.json") }) {
		t.Errorf("%v, %v", err, p.Plan.Steps)
	}
}

// Entries at an address name no instance: their receipt tells.
func TestAddressBelongsToItsReceipt(t *testing.T) {
	usual, trial, server, trialServer := twoInstances(t)
	c := client(t, "codex")
	p, err := usual.Install(c, server, ConnectOptions{HTTP: true})
	apply(t, p, err)
	if f := trial.Find(c, trialServer); f.Condition != Elsewhere {
		t.Errorf("the trial found %+v", f)
	}
	if f := usual.Find(c, server); f.Condition != Configured {
		t.Errorf("the usual Lectern found %+v", f)
	}
}

// A client that would start Lectern with other folders is named; installing again corrects it.
func TestEntryWithOtherFolders(t *testing.T) {
	m := testMachine(t, "linux")
	m.Run = recordCalls(new([]string), nil)
	usual := testServer(m)
	var err error
	if usual.Bin, err = os.Executable(); err != nil { // one that exists
		t.Fatal(err)
	}
	moved, other := usual, usual
	moved.Env = map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}
	other.Env = map[string]string{"XDG_STATE_HOME": "/other"}
	for _, id := range []string{"codex", "cursor", "goose", "opencode", "zed"} {
		c := client(t, id)
		p, err := m.Install(c, usual, ConnectOptions{ByFile: true})
		apply(t, p, err)
		if f := m.Find(c, moved); f.Condition != Outdated || !strings.Contains(f.Note, "does not pass XDG_CONFIG_HOME=/c XDG_STATE_HOME=/s") {
			t.Errorf("%s without the variables: %s, %s", id, f.Condition, f.Note)
		}
		p, err = m.Install(c, moved, ConnectOptions{ByFile: true})
		apply(t, p, err)
		if !strings.Contains(risks(p), "passes XDG_CONFIG_HOME=/c XDG_STATE_HOME=/s") {
			t.Errorf("%s: risks %s", id, risks(p))
		}
		if f := m.Find(c, moved); f.Condition != Configured {
			t.Errorf("%s with the variables: %s, %s", id, f.Condition, f.Note)
		}
		for _, s := range []Server{usual, other} {
			if f := m.Find(c, s); f.Condition != Elsewhere || !strings.Contains(f.Note, "the Lectern with XDG_CONFIG_HOME=/c XDG_STATE_HOME=/s") {
				t.Errorf("%s, another's: %s, %s", id, f.Condition, f.Note)
			}
		}
		p, err = m.Install(c, usual, ConnectOptions{ByFile: true})
		apply(t, p, err)
		if f := m.Find(c, usual); f.Condition != Configured {
			t.Errorf("%s in the usual folders again: %s, %s", id, f.Condition, f.Note)
		}
	}
	// What an entry says without moving anything is no difference; what moves is said, whichever side does.
	c := client(t, "cursor")
	for name, tt := range map[string]struct {
		entry, here map[string]string
		condition   Condition
		says        string
	}{
		"the usual folder by name": {map[string]string{"XDG_STATE_HOME": filepath.Join(m.Home, ".local", "state")}, nil, Configured, ""},
		"not absolute":             {map[string]string{"XDG_STATE_HOME": "state", "XDG_DATA_HOME": ""}, nil, Configured, ""},
		"a slash more":             {map[string]string{"XDG_STATE_HOME": "/s/"}, map[string]string{"XDG_STATE_HOME": "/s"}, Configured, ""},
		"moved there":              {map[string]string{"XDG_STATE_HOME": "/s"}, nil, Elsewhere, "starts Lectern with XDG_STATE_HOME=/s, and here are the usual folders"},
		"moved to two":             {map[string]string{"XDG_STATE_HOME": "/s"}, map[string]string{"XDG_STATE_HOME": "/o"}, Elsewhere, "with XDG_STATE_HOME=/s, and here are XDG_STATE_HOME=/o"},
		"another instance":         {map[string]string{homeVariable: "/l"}, nil, Elsewhere, ""},
		"all in one, and more":     {map[string]string{homeVariable: "/l", "XDG_STATE_HOME": "/s"}, map[string]string{homeVariable: "/l"}, Configured, ""},
	} {
		written, here := usual, usual
		written.Env, here.Env = tt.entry, tt.here
		p, err := m.Install(c, written, ConnectOptions{ByFile: true})
		apply(t, p, err)
		f := m.Find(c, here)
		if f.Condition != tt.condition || (f.Difference != "") != (tt.says != "") || !strings.Contains(f.Difference, tt.says) {
			t.Errorf("%s: %s, %s, difference %q", name, f.Condition, f.Note, f.Difference)
		}
	}
	if link := client(t, "goose").Link(moved); link != "" {
		t.Errorf("a link that does not say where Lectern is: %s", link)
	}
	if line := client(t, "claude-code").Command(m, moved, false); !strings.Contains(line, "--env XDG_CONFIG_HOME=/c --env XDG_STATE_HOME=/s") {
		t.Errorf("command %s", line)
	}
}
