package installer

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// A Service is a program that runs from login on, without a screen.
type Service struct {
	Bin  string            // absolute path
	Args []string          // "supervise"
	Env  map[string]string // variables that it needs; nil: none
	User string            // number of the user, which launchd asks for
}

// The names of the service on each system.
const (
	unitName        = "lectern.service"
	launchAgentName = "io.github.lectern-mcp.lectern"
	runKey          = `HKCU\Software\Microsoft\Windows\CurrentVersion\Run`
	runValue        = "Lectern"
)

// A definition is how one system knows the service.
type definition struct {
	path        string // of its file; empty: it is not a file
	text        string
	start, stop [][]string // programs to run after the file is written, and before it is removed
	afterRemove [][]string // and after it was removed
	status      []string
	value       string // what stands in the registry, where it is not a file
}

func (m Machine) definition(s Service) (definition, error) {
	switch m.OS {
	case "linux":
		ctl := func(words ...string) []string { return append([]string{"systemctl", "--user"}, words...) }
		return definition{
			path: m.path(xdg + "/systemd/user/" + unitName), text: unitFile(s),
			start:       [][]string{ctl("daemon-reload"), ctl("enable", "--now", unitName)},
			stop:        [][]string{ctl("disable", "--now", unitName)},
			afterRemove: [][]string{ctl("daemon-reload")},
			status:      ctl("is-active", unitName),
		}, nil
	case "darwin":
		domain := "gui/" + s.User
		path := m.path("~/Library/LaunchAgents/" + launchAgentName + ".plist")
		return definition{
			path: path, text: launchAgentFile(s, filepath.Join(m.State, ServiceLog)),
			start:  [][]string{{"launchctl", "bootstrap", domain, path}},
			stop:   [][]string{{"launchctl", "bootout", domain + "/" + launchAgentName}},
			status: []string{"launchctl", "print", domain + "/" + launchAgentName},
		}, nil
	case "windows":
		value := `"` + s.Bin + `" ` + strings.Join(s.Args, " ")
		return definition{
			start:  [][]string{{"reg", "add", runKey, "/v", runValue, "/t", "REG_SZ", "/d", value, "/f"}},
			stop:   [][]string{{"reg", "delete", runKey, "/v", runValue, "/f"}},
			status: []string{"reg", "query", runKey, "/v", runValue},
			value:  value,
		}, nil
	default:
		return definition{}, fmt.Errorf("install service: %s has no service manager that we know; run `lectern supervise` from what starts your programs", m.OS)
	}
}

// ServiceLog is the file in the state folder that launchd writes what the
// service says to; elsewhere the system keeps that.
const ServiceLog = "service.log"

// serviceMarker stands in the files that are ours.
const serviceMarker = "Written by lectern service install"

// InstallService proposes to run the service from now on.
func (m Machine) InstallService(ctx context.Context, s Service) (*Proposal, error) {
	d, err := m.definition(s)
	if err != nil {
		return nil, err
	}
	p := m.proposal("Run the hub from login on")
	x := receipt{Kind: serviceReceipt, ID: m.OS, Path: d.path}
	restart := false
	if d.path == "" {
		if said, ok := m.query(ctx, d.status); ok && strings.Contains(said, d.value) {
			p.Said = "the service is there already, in " + runKey
			return p, nil
		}
		p.step(status.Step{What: "note it in " + m.receiptsFile()}, func(context.Context) error { return m.addReceipt(x) })
	} else {
		before, err := m.serviceFile(d.path)
		if err != nil {
			return nil, err
		}
		if string(before) != d.text {
			ch := change{path: d.path, before: before, after: []byte(d.text), perm: 0o644, receipt: x}
			p.step(status.Step{What: ch.describe(), Diff: ch.diff()}, func(context.Context) error { return m.apply(ch) })
			restart = before != nil
		} else if _, ok := m.query(ctx, d.status); ok {
			p.Said = "the service runs already; it is in " + d.path
			return p, nil
		}
	}
	if restart {
		m.addRunSteps(p, d.stop, true)
	}
	m.addRunSteps(p, d.start, false)
	if m.OS == "windows" {
		p.After = append(p.After, "it starts when you log in; until then the first client starts the hub")
	}
	if m.OS == "linux" {
		p.After = append(p.After, "to keep it running while you are logged out: loginctl enable-linger")
	}
	return p, nil
}

// serviceFile reads a definition that is ours; nil: there is none.
func (m Machine) serviceFile(path string) ([]byte, error) {
	text, err := readFile(path)
	if err == nil && text != nil && !bytes.Contains(text, []byte(serviceMarker)) {
		return nil, fmt.Errorf("%s is not ours; move it away first", path)
	}
	return text, err
}

// addRunSteps proposes to run programs; harmless: their failing means that there
// was nothing to do.
func (m Machine) addRunSteps(p *Proposal, list [][]string, harmless bool) {
	for _, argv := range list {
		p.step(status.Step{What: "run " + shellLine(argv, m.OS)}, func(ctx context.Context) error {
			said, err := m.Run(ctx, argv)
			if err != nil && !harmless {
				return fmt.Errorf("%w: %s", err, strings.TrimSpace(said))
			}
			return nil
		})
	}
}

// RemoveService proposes to stop the service and not to start it again.
func (m Machine) RemoveService(ctx context.Context, s Service) (*Proposal, error) {
	d, err := m.definition(s)
	if err != nil {
		return nil, err
	}
	p := m.proposal("Stop the hub's service and remove it")
	old, err := m.findReceipt(serviceReceipt, d.path, "")
	if err != nil {
		return nil, err
	}
	x := receipt{Kind: serviceReceipt, ID: m.OS, Path: d.path}
	if old != nil {
		x = *old
	}
	if d.path == "" {
		if said, ok := m.query(ctx, d.status); !ok || !strings.Contains(said, runValue) {
			p.Said = "there is no service"
			return p, nil
		}
		m.addRunSteps(p, d.stop, false)
		p.step(status.Step{What: "forget it in " + m.receiptsFile()}, func(context.Context) error { return m.deleteReceipt(x) })
		return p, nil
	}
	text, err := m.serviceFile(d.path)
	if err != nil {
		return nil, err
	}
	if text == nil {
		p.Said = "there is no service: " + d.path + " is not there"
		return p, nil
	}
	m.addRunSteps(p, d.stop, true)
	ch := change{path: d.path, before: text, receipt: x}
	p.step(status.Step{What: ch.describe()}, func(context.Context) error { return m.revert(ch) })
	m.addRunSteps(p, d.afterRemove, true)
	return p, nil
}

// ServiceState says how the service is, in words, and where it is defined.
func (m Machine) ServiceState(ctx context.Context, s Service) (state, where string, err error) {
	d, err := m.definition(s)
	if err != nil {
		return "", "", err
	}
	said, runs := m.query(ctx, d.status)
	if d.path == "" {
		if runs {
			return "installed", runKey, nil
		}
		return "not installed", runKey, nil
	}
	text, err := m.serviceFile(d.path)
	switch {
	case err != nil:
		return "", "", err
	case text == nil:
		return "not installed", d.path, nil
	case string(text) != d.text:
		return "outdated: run `lectern service install`", d.path, nil
	case !runs:
		return "installed, not running", d.path, nil
	case m.OS == "linux":
		return "installed, " + strings.TrimSpace(said), d.path, nil
	default:
		return "installed, running", d.path, nil
	}
}
