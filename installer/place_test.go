package installer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func testService() Service {
	return Service{
		Bin: `/opt/my "100%" tools/lectern`, Args: []string{"supervise"}, User: "501",
		Env: map[string]string{"LECTERN_HOME": "/home/me & co"},
	}
}

// The service on each system: what is proposed, the file, and what removing
// does.
func TestService(t *testing.T) {
	for _, goos := range systems {
		t.Run(goos, func(t *testing.T) {
			m := testMachine(t, goos)
			s := testService()
			if goos == "windows" {
				s = Service{Bin: `C:\Program Files\Lectern\lectern.exe`, Args: []string{"supervise"}}
			}
			var calls []string
			nothing := errors.New("exit status 1")
			m.Run = func(_ context.Context, argv []string) (string, error) {
				calls = append(calls, strings.Join(argv, " "))
				return "", nothing
			}
			p, err := m.InstallService(t.Context(), s)
			nothing = nil
			apply(t, p, err)
			got := &txtar.Archive{Files: []txtar.File{{Name: "plan", Data: []byte(planText(m, p))}}}
			for _, f := range filesIn(t, m.Home) {
				if filepath.Base(f) != ReceiptsName {
					got.Files = append(got.Files, txtar.File{Name: filepath.Base(f), Data: []byte(strings.ReplaceAll(string(read(t, f)), m.Home, "~"))})
				}
			}
			m.Run = func(_ context.Context, argv []string) (string, error) {
				calls = append(calls, strings.Join(argv, " "))
				return "active\n" + runValue + ` REG_SZ "C:\Program Files\Lectern\lectern.exe" supervise`, nil
			}
			again, err := m.InstallService(t.Context(), s)
			if err != nil || again.Changes() {
				t.Errorf("again: %v, want nothing to do", err)
			}
			state, _, err := m.ServiceState(t.Context(), s)
			if err != nil || !strings.HasPrefix(state, "installed") {
				t.Errorf("state %q, %v", state, err)
			}
			gone, err := m.RemoveService(t.Context(), s)
			apply(t, gone, err)
			got.Files = append(got.Files, txtar.File{Name: "removing", Data: []byte(planText(m, gone))})
			got.Files = append(got.Files, txtar.File{Name: "calls", Data: []byte(strings.ReplaceAll(strings.Join(calls, "\n"), m.Home, "~") + "\n")})
			compare(t, filepath.Join("testdata", "service-"+goos+".txtar"), txtar.Format(got))
			if left := filesIn(t, m.Home); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// systemd itself has no complaint about the unit, where it is installed.
func TestUnitIsValid(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not on PATH")
	}
	bin, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	unit := filepath.Join(t.TempDir(), unitName)
	s := testService()
	s.Bin = bin
	write(t, unit, []byte(unitFile(s)), 0o644)
	cmd := exec.CommandContext(t.Context(), analyze, "--user", "verify", "--man=no", unit)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), unitName+":") {
		t.Errorf("%v: %s", err, said)
	}
}

func TestServiceThatIsNotOurs(t *testing.T) {
	m := testMachine(t, "linux")
	path := m.path(xdg + "/systemd/user/" + unitName)
	write(t, path, []byte("[Unit]\n"), 0o644)
	if _, err := m.InstallService(t.Context(), testService()); err == nil || !strings.Contains(err.Error(), "does not belong to Lectern") {
		t.Errorf("install: %v", err)
	}
	if _, err := m.RemoveService(t.Context(), testService()); err == nil || !strings.Contains(err.Error(), "does not belong to Lectern") {
		t.Errorf("remove: %v", err)
	}
}

func skill(text string) Skill {
	return Skill{Name: "lectern", Text: fmt.Appendf(nil, "---\nname: lectern\n---\n<!-- Generated from the declarations in tools/. -->\n%s\n", text)}
}

func TestSkill(t *testing.T) {
	m := testMachine(t, "linux")
	write(t, filepath.Join(m.Home, ".claude", "settings.json"), []byte("{}"), 0o600)
	clients := []Client{client(t, "claude-code"), client(t, "cline"), client(t, "kimi-code")}
	p, err := m.InstallSkill(clients, skill("one"))
	apply(t, p, err)
	claude := filepath.Join(m.Home, ".claude/skills/lectern/SKILL.md")
	shared := filepath.Join(m.Home, ".agents/skills/lectern/SKILL.md")
	for _, step := range p.Plan.Steps {
		if step.Diff != "" || !strings.HasSuffix(step.Description, "SKILL.md (5 lines)") {
			t.Errorf("the plan shows %q and a diff of %d bytes", step.Description, len(step.Diff))
		}
	}
	if len(p.Plan.Steps) != 2 || !isFile(claude) || !isFile(shared) {
		t.Errorf("steps %v", p.Plan.Steps)
	}
	if p, err := m.InstallSkill(clients, skill("one")); err != nil || p.Changes() {
		t.Errorf("again: %v, want nothing to do", err)
	}
	p, err = m.InstallSkill(clients, skill("two"))
	apply(t, p, err)
	if what := p.Plan.Steps[0].Description; !strings.HasSuffix(what, "SKILL.md (+1 −1 lines)") {
		t.Errorf("the update is shown as %s", what)
	}
	if string(read(t, claude)) != string(skill("two").Text) || string(read(t, shared)) != string(skill("two").Text) {
		t.Errorf("%s; %s", read(t, claude), read(t, shared))
	}
	p, err = m.RemoveSkill(Clients(), "lectern")
	apply(t, p, err)
	if left := filesIn(t, m.Home); len(left) != 1 || isFolder(filepath.Join(m.Home, ".agents")) || isFolder(filepath.Join(m.Home, ".claude", "skills")) {
		t.Errorf("left behind: %v", left)
	}

	write(t, claude, []byte("---\nname: lectern\n---\nmine\n"), 0o600)
	if _, err := m.InstallSkill(clients, skill("one")); err == nil || !strings.Contains(err.Error(), "does not belong to Lectern; move it away first") {
		t.Errorf("over another skill: %v", err)
	}
	if p, err := m.RemoveSkill(Clients(), "lectern"); err != nil || p.Changes() {
		t.Errorf("of another skill: %v, want nothing to do", err)
	}
	if _, err := m.InstallSkill([]Client{client(t, "zed")}, skill("one")); err == nil {
		t.Error("a client without skills was not refused")
	}
}

// Everything that was put anywhere goes and nothing else does. Without the
// record, what does not name its instance stays, and the plan says so.
func TestUninstall(t *testing.T) {
	for _, lost := range []bool{false, true} {
		m := testMachine(t, "linux")
		m.Run = recordCalls(new([]string), nil)
		mine := filepath.Join(m.Home, ".cursor", "mcp.json")
		write(t, mine, []byte(`{"mcpServers": {"lectern": {"command": "other"}}}`), 0o600)
		kept := filepath.Join(m.Home, ".codex", "config.toml")
		write(t, kept, []byte("a = 1\n"), 0o600)
		for _, id := range []string{"codex", "zed", "goose", "vscode"} {
			p, err := m.Install(client(t, id), testServer(m), ConnectOptions{})
			apply(t, p, err)
		}
		p, err := m.InstallSkill([]Client{client(t, "codex")}, skill("one"))
		apply(t, p, err)
		p, err = m.InstallService(t.Context(), testService())
		apply(t, p, err)
		token := filepath.Join(m.State, "client.token")
		write(t, token, []byte("x"), 0o600)
		write(t, filepath.Join(m.State, "theirs"), []byte("x"), 0o600)
		if lost {
			if err := os.Remove(m.receipts().file); err != nil {
				t.Fatal(err)
			}
		}
		p, err = m.Uninstall(t.Context(), testServer(m), "lectern", testService(), testPlugin(), OwnFiles{Files: []string{token, m.receipts().file}, Folders: []string{m.State}})
		apply(t, p, err)
		left := strings.Join(filesIn(t, m.Home), "\n")
		for _, want := range []string{mine, kept, filepath.Join(m.State, "theirs")} {
			if !strings.Contains(left, want) {
				t.Errorf("record lost: %v: %s is gone", lost, want)
			}
		}
		if n := len(filesIn(t, m.Home)); !lost && n != 3 {
			t.Errorf("left behind:\n%s", left)
		}
		if saysSo := strings.Contains(strings.Join(p.Plan.Risks, "\n"), "SKILL.md stays, because this Lectern did not install it"); saysSo != lost {
			t.Errorf("record lost: %v: risks %q", lost, p.Plan.Risks)
		}
		if !lost && strings.Contains(left, "SKILL.md") || strings.Contains(left, ".service") || strings.Contains(string(read(t, kept)), "lectern") {
			t.Errorf("record lost: %v: left behind:\n%s", lost, left)
		}
		again, err := m.Uninstall(t.Context(), testServer(m), "lectern", testService(), testPlugin(), OwnFiles{})
		if err != nil || again.Changes() {
			t.Errorf("record lost: %v: again: %v, %v", lost, err, again.Plan.Steps)
		}
	}
}
