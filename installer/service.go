package installer

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A Service is a program that runs in the background from login.
type Service struct {
	Bin  string            // absolute path
	Args []string          // "supervise"
	Env  map[string]string // variables that it needs; nil: none
	User string            // numeric id of the user, for launchd
}

// The names of the service on each system.
const (
	unitName        = "lectern.service"
	launchAgentName = "io.github.lectern-mcp.lectern"
	runKey          = `HKCU\Software\Microsoft\Windows\CurrentVersion\Run`
	runValue        = "Lectern"
)

// A serviceDefinition is how one operating system defines the service.
type serviceDefinition struct {
	path        string // of its file; empty: it is in the registry
	text        string
	start, stop [][]string // programs to run after the file is written and before it is removed
	afterRemove [][]string // programs to run after it was removed
	status      []string
	value       string // in the registry
}

func (m Machine) definition(s Service) (serviceDefinition, error) {
	switch m.OS {
	case "linux":
		ctl := func(words ...string) []string { return append([]string{"systemctl", "--user"}, words...) }
		return serviceDefinition{
			path: m.path(xdg + "/systemd/user/" + unitName), text: unitFile(s),
			start:       [][]string{ctl("daemon-reload"), ctl("enable", "--now", unitName)},
			stop:        [][]string{ctl("disable", "--now", unitName)},
			afterRemove: [][]string{ctl("daemon-reload")},
			status:      ctl("is-active", unitName),
		}, nil
	case "darwin":
		domain := "gui/" + s.User
		path := m.path("~/Library/LaunchAgents/" + launchAgentName + ".plist")
		return serviceDefinition{
			path: path, text: launchAgentFile(s, filepath.Join(m.State, ServiceLog)),
			start:  [][]string{{"launchctl", "bootstrap", domain, path}},
			stop:   [][]string{{"launchctl", "bootout", domain + "/" + launchAgentName}},
			status: []string{"launchctl", "print", domain + "/" + launchAgentName},
		}, nil
	case "windows":
		value := `"` + s.Bin + `" ` + strings.Join(s.Args, " ")
		return serviceDefinition{
			start:  [][]string{{"reg", "add", runKey, "/v", runValue, "/t", "REG_SZ", "/d", value, "/f"}},
			stop:   [][]string{{"reg", "delete", runKey, "/v", runValue, "/f"}},
			status: []string{"reg", "query", runKey, "/v", runValue},
			value:  value,
		}, nil
	default:
		return serviceDefinition{}, fmt.Errorf("install service: Lectern knows no service manager of %s; have `lectern supervise` started at "+
			"login yourself", m.OS)
	}
}

// ServiceLog is the file in the state folder that launchd writes the service's
// output to; other systems keep it themselves.
const ServiceLog = "service.log"

// serviceMarker is in every service file of ours.
const serviceMarker = "Written by lectern service install"

// InstallService proposes to run the service from now on.
func (m Machine) InstallService(ctx context.Context, s Service) (*Proposal, error) {
	d, err := m.definition(s)
	if err != nil {
		return nil, err
	}
	p := m.proposal("Run the hub at login")
	r := receipt{Kind: serviceReceipt, ID: m.OS, Path: d.path}
	if d.path == "" {
		if output, ok := m.query(ctx, d.status); ok && strings.Contains(output, d.value) {
			p.Message = "the service is installed already, in " + runKey
			return p, nil
		}
		p.add("add a receipt to "+m.receipts().file, func() error { return m.receipts().add(r) })
	} else {
		before, err := readServiceFile(d.path)
		if err != nil {
			return nil, err
		}
		if string(before) != d.text {
			p.applyChange(fileChange{path: d.path, before: before, after: []byte(d.text), perm: 0o644, receipt: r})
			if before != nil {
				p.addRunSteps(d.stop, true)
			}
		} else if _, ok := m.query(ctx, d.status); ok {
			p.Message = "the service is running already, as defined in " + d.path
			return p, nil
		}
	}
	p.addRunSteps(d.start, false)
	switch m.OS {
	case "windows":
		p.NextSteps = append(p.NextSteps, "it starts when you log in; until then the first client starts the hub")
	case "linux":
		p.NextSteps = append(p.NextSteps, "to keep it running while you are logged out: loginctl enable-linger")
	}
	return p, nil
}

// readServiceFile reads a definition of ours; nil: there is none.
func readServiceFile(path string) ([]byte, error) {
	text, err := readFile(path)
	if err == nil && text != nil && !bytes.Contains(text, []byte(serviceMarker)) {
		return nil, fmt.Errorf("%s does not belong to Lectern; move it away first", path)
	}
	return text, err
}

// addRunSteps proposes to run programs. With mayFail their failure means that
// there was nothing to do.
func (p *Proposal) addRunSteps(list [][]string, mayFail bool) {
	for _, argv := range list {
		p.addCommand(argv, func(ctx context.Context) error {
			output, err := p.machine.Run(ctx, argv)
			if err != nil && !mayFail {
				return fmt.Errorf("%w: %s", err, strings.TrimSpace(output))
			}
			return nil
		})
	}
}

// RemoveService proposes to stop the service for good.
func (m Machine) RemoveService(ctx context.Context, s Service) (*Proposal, error) {
	d, err := m.definition(s)
	if err != nil {
		return nil, err
	}
	p := m.proposal("Stop the hub's service and remove it")
	r, _, err := m.receipts().find(receipt{Kind: serviceReceipt, ID: m.OS, Path: d.path})
	if err != nil {
		return nil, err
	}
	if d.path == "" {
		if output, ok := m.query(ctx, d.status); !ok || !strings.Contains(output, runValue) {
			p.Message = "the service is not installed"
			return p, nil
		}
		p.addRunSteps(d.stop, false)
		p.add("delete the receipt from "+m.receipts().file, func() error { return m.receipts().remove(r) })
		return p, nil
	}
	text, err := readServiceFile(d.path)
	if err != nil {
		return nil, err
	}
	if text == nil {
		p.Message = "the service is not installed: " + d.path + " does not exist"
		return p, nil
	}
	p.addRunSteps(d.stop, true)
	p.revertChange(fileChange{path: d.path, before: text, receipt: r}, "")
	p.addRunSteps(d.afterRemove, true)
	return p, nil
}

// removeOwnService joins the removal of the service, if it runs this instance of
// Lectern.
func (p *Proposal) removeOwnService(ctx context.Context, s Service, receipts []receipt) {
	m := p.machine
	d, err := m.definition(s)
	if err != nil {
		return // there can be none
	}
	own := slices.ContainsFunc(receipts, func(r receipt) bool { return r.Kind == serviceReceipt })
	where := runKey
	if d.path != "" {
		text, err := readServiceFile(d.path)
		if text == nil && err == nil {
			return
		}
		own, where = err != nil || s.isDefinedIn(string(text)), d.path
	} else if output, ok := m.query(ctx, d.status); !ok || !strings.Contains(output, runValue) {
		return
	}
	if !own {
		p.risk("the service in %s stays, because it runs another Lectern; `lectern service remove` removes it", where)
		return
	}
	p.joinOrWarn(m.RemoveService(ctx, s))
}

// isDefinedIn reports whether a service file of any version runs the service
// with the same LECTERN_HOME.
func (s Service) isDefinedIn(text string) bool {
	home := s.Env[homeVariable]
	if home == "" {
		return !strings.Contains(text, homeVariable)
	}
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(home)) // writing to a buffer cannot fail
	return strings.Contains(text, "Environment="+quoteUnitWord(homeVariable+"="+home)+"\n") ||
		strings.Contains(text, "<string>"+escaped.String()+"</string>")
}

// ServiceState describes the state of the service, and where it is defined.
func (m Machine) ServiceState(ctx context.Context, s Service) (state, where string, err error) {
	d, err := m.definition(s)
	if err != nil {
		return "", "", err
	}
	output, runs := m.query(ctx, d.status)
	if d.path == "" {
		if runs {
			return "installed", runKey, nil
		}
		return "not installed", runKey, nil
	}
	text, err := readServiceFile(d.path)
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
		return "installed, " + strings.TrimSpace(output), d.path, nil
	default:
		return "installed, running", d.path, nil
	}
}
