// Package install plans how Lectern gets into other programs on this machine:
// MCP clients, an application's plugin folder, skills, the service that starts at
// login. The plans themselves are installer's; this package fills in what they
// need to know about this build and its configuration. The commands and the
// panel's side (package machine) apply the plans after a person has agreed.
//
// Start reading at [Planner].
package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/doc"
)

// A Planner makes plans for the machine and the configuration of its App.
type Planner struct{ *app.App }

// programTimeout bounds how long another program's own command may take: Claude
// Code starts a runtime first.
const programTimeout = time.Minute

// Machine is this computer, for installer. Programs are started here and
// nowhere else: those that a plan names, with the arguments that it shows.
func (p Planner) Machine() installer.Machine {
	return installer.Machine{
		OS: runtime.GOOS, Home: p.Home, Env: p.Getenv, State: p.Paths.State, Now: p.Now, Run: p.runProgram, LookPath: p.lookPath,
	}
}

// lookPath is the path of a program on the PATH of the App; empty: it is not installed, or lies in
// the current directory, which is not to be trusted.
func (p Planner) lookPath(name string) string {
	for _, dir := range filepath.SplitList(p.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// runProgram runs a program without a terminal and waits for it.
func (p Planner) runProgram(ctx context.Context, argv []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, programTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // it is in the plan that a person agreed to
	cmd.Env = p.Environ
	output, err := cmd.CombinedOutput()
	if err != nil {
		return string(output), fmt.Errorf("run %s: %w", argv[0], err)
	}
	return string(output), nil
}

// ServerEntry is our entry as clients get it. hint tells the person what to do
// first; empty: nothing.
func (p Planner) ServerEntry() (s installer.Server, hint string) {
	return p.serverAt(p.configuredEndpoint())
}

// serverAt is ServerEntry with an HTTP address; empty: HTTP is off.
func (p Planner) serverAt(endpoint string) (s installer.Server, hint string) {
	bin, hint := p.StableBinary()
	return installer.Server{Name: app.Name, Bin: bin, URL: endpoint, Env: p.folderVariables()}, hint
}

// configuredEndpoint is the HTTP address that the configuration asks for.
func (p Planner) configuredEndpoint() string {
	conf, err := p.Config()
	if err != nil || !conf.Hub.HTTP {
		return ""
	}
	return fmt.Sprintf("http://127.0.0.1:%d/mcp", conf.Hub.Port)
}

// StableBinary is the path to write into other programs' files. `go run`
// builds into a temporary directory; then it is where `go install` puts the
// binary, and hint says to run that first.
func (p Planner) StableBinary() (path, hint string) {
	if !strings.Contains(filepath.ToSlash(p.Exe), "/go-build") {
		return p.Exe, ""
	}
	dir := p.Getenv("GOBIN")
	if dir == "" {
		dir = filepath.Join(p.Home, "go", "bin")
		if gopath := filepath.SplitList(p.Getenv("GOPATH")); len(gopath) > 0 && gopath[0] != "" {
			dir = filepath.Join(gopath[0], "bin")
		}
	}
	name := "lectern"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name), " (first: go install ./cmd/lectern)"
}

// Service is `lectern supervise` as the system runs it at login.
func (p Planner) Service() installer.Service {
	bin, _ := p.StableBinary()
	return installer.Service{Bin: bin, Args: []string{"supervise"}, User: strconv.Itoa(os.Getuid()), Env: p.folderVariables()}
}

// folderVariables are what other programs must pass on to find this Lectern.
func (p Planner) folderVariables() map[string]string {
	return config.FolderVariables(p.Getenv, runtime.GOOS, p.Home)
}

// A ClientConnection says how a client is to be connected. Name is required.
type ClientConnection struct {
	Name    string   // of our entry in the client
	Sources []string // the sources to open; empty or AllSourcesArgument: all
	Project string   // the project whose file is edited; empty: the user's file
	HTTP    bool     // by the hub's address rather than by a command
	ByFile  bool     // edit the file even where the client has a command for it
}

// ResolveConnection resolves c to what installer needs.
func (p Planner) ResolveConnection(c ClientConnection) (s installer.Server, where installer.ConnectOptions, hint string, err error) {
	s, hint = p.ServerEntry()
	if err := config.CheckName(c.Name); err != nil {
		return s, where, "", app.UsageErrorf("--name: %w", err)
	}
	s.Name = c.Name
	if len(c.Sources) > 0 && !slices.Equal(c.Sources, AllSourcesArgument()) {
		s.Sources = c.Sources
		if s.URL != "" {
			s.URL += "/" + strings.Join(c.Sources, ",")
		}
	}
	where = installer.ConnectOptions{HTTP: c.HTTP, ByFile: c.ByFile}
	if c.Project != "" {
		if where.Project, err = filepath.Abs(c.Project); err != nil {
			return s, where, "", fmt.Errorf("find project: %w", err)
		}
	}
	return s, where, hint, nil
}

// AllSourcesArgument stands for no limit where one could be kept.
func AllSourcesArgument() []string { return []string{"all"} }

// RefuseUnknownSources refuses names of which there is no source: a client that asks for
// one gets nothing at all. opening are sources that there will be.
func (p Planner) RefuseUnknownSources(names []string, opening ...string) error {
	if len(names) == 0 || slices.Equal(names, AllSourcesArgument()) {
		return nil
	}
	conf, err := p.Config()
	if err != nil {
		return err
	}
	known := opening
	for _, s := range p.App.Sources(conf) {
		known = append(known, s.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			hint := ""
			if near := nearest.Word(name, known); near != "" {
				hint = ", did you mean " + near + "?"
			}
			return app.UsageErrorf("--sources: no source named %q%s (sources: %s)", name, hint, strings.Join(known, ", "))
		}
	}
	return nil
}

// FindClient is the client with this ID.
func FindClient(id string) (installer.Client, error) {
	cl, err := installer.Find(id)
	if err != nil {
		return cl, app.UsageErrorf("%w", err)
	}
	return cl, nil
}

// ProposeConnectClient proposes to add Lectern to a client's configuration. Where c names
// no sources, those stay that the client's entry is limited to.
func (p Planner) ProposeConnectClient(id string, c ClientConnection) (*installer.Proposal, error) {
	cl, err := FindClient(id)
	if err != nil {
		return nil, err
	}
	if len(c.Sources) == 0 && c.Project == "" {
		s, _ := p.ServerEntry()
		s.Name = c.Name
		c.Sources = p.Machine().Find(cl, s).Sources
	}
	s, where, hint, err := p.ResolveConnection(c)
	if err != nil {
		return nil, err
	}
	proposal, err := p.Machine().Install(cl, s, where)
	if err != nil {
		return nil, err
	}
	p.planTokenCreation(proposal, cl, c.HTTP)
	if hint != "" && proposal.Changes() {
		proposal.Plan.Risks = append(proposal.Plan.Risks, "the entry runs "+s.Bin+hint)
	}
	return proposal, nil
}

// ProposeDisconnectClient proposes to remove Lectern from a client's configuration.
func (p Planner) ProposeDisconnectClient(id string, c ClientConnection) (*installer.Proposal, error) {
	cl, err := FindClient(id)
	if err != nil {
		return nil, err
	}
	s, where, _, err := p.ResolveConnection(c)
	if err != nil {
		return nil, err
	}
	proposal, err := p.Machine().Remove(cl, s, where)
	if err == nil {
		p.planTokenRemoval(proposal, cl)
	}
	return proposal, err
}

// ProposeInstallService proposes to run the hub from now on, and at login.
func (p Planner) ProposeInstallService(ctx context.Context) (*installer.Proposal, error) {
	return p.Machine().InstallService(ctx, p.Service())
}

// ProposeRemoveService proposes to stop the service for good.
func (p Planner) ProposeRemoveService(ctx context.Context) (*installer.Proposal, error) {
	return p.Machine().RemoveService(ctx, p.Service())
}

// SkillText is SKILL.md for the kinds of the configured sources, because an agent
// reads all of it; for every kind where no source is configured.
func (p Planner) SkillText() ([]byte, error) {
	used := map[string]bool{}
	if conf, err := p.Config(); err == nil {
		for _, s := range conf.Sources {
			used[s.Kind] = true
		}
	}
	var systems []*tools.Manifest
	for _, k := range p.Systems() {
		if m := k.Manifest(); len(used) == 0 || used[m.Name] {
			systems = append(systems, m)
		}
	}
	return doc.Skill(tools.SkillVersion(p.Systems()), systems, tools.OwnChangesKind().Manifest())
}

// SkillIsOutdated reports whether a client has another text of the skill than
// [Planner.SkillText]: of another version, or of other kinds of sources.
func (p Planner) SkillIsOutdated() bool {
	text, err := p.SkillText()
	if err != nil {
		return false
	}
	m := p.Machine()
	return slices.ContainsFunc(installer.Clients(), func(cl installer.Client) bool {
		return cl.HasSkills() && m.FindSkill(cl, installer.Skill{Name: app.Name, Text: text}).Condition == installer.Outdated
	})
}

// ProposeInstallSkill proposes to put the skill where the clients with these IDs look
// for skills; without IDs, the clients on this machine.
func (p Planner) ProposeInstallSkill(ids []string) (*installer.Proposal, error) {
	m := p.Machine()
	clients, err := skillClients(ids, func(cl installer.Client) bool { return cl.Detected(m) })
	if err != nil {
		return nil, err
	}
	text, err := p.SkillText()
	if err != nil {
		return nil, err
	}
	return m.InstallSkill(clients, installer.Skill{Name: app.Name, Text: text})
}

// ProposeRemoveSkill proposes to remove the skill; without IDs, from all clients.
func (p Planner) ProposeRemoveSkill(ids []string) (*installer.Proposal, error) {
	clients, err := skillClients(ids, func(installer.Client) bool { return true })
	if err != nil {
		return nil, err
	}
	return p.Machine().RemoveSkill(clients, app.Name)
}

// skillClients are the clients with these IDs; without IDs, those that have
// skills and pass the filter.
func skillClients(ids []string, wanted func(installer.Client) bool) ([]installer.Client, error) {
	var list []installer.Client
	for _, id := range ids {
		cl, err := installer.Find(strings.TrimSpace(id))
		if err != nil {
			return nil, app.UsageErrorf("--client: %w", err)
		}
		if !cl.HasSkills() {
			return nil, errors.New(cl.Title + " has no known folder for skills")
		}
		list = append(list, cl)
	}
	if len(ids) > 0 {
		return list, nil
	}
	for _, cl := range installer.Clients() {
		if cl.HasSkills() && wanted(cl) {
			list = append(list, cl)
		}
	}
	return list, nil
}
