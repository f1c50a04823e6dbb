package thismachine

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
)

// The kinds of places where Lectern can be installed: the part of an
// Installation's ID before the slash.
const (
	clientInstallKind  = "client"
	skillInstallKind   = "skill"
	serviceInstallKind = "service"
)

const notInstalled = "not installed"

// installations lists the places on this machine by reading files only.
func (m *Machine) installations() []status.Installation {
	list := append(m.clientInstallations(), m.pluginInstallation())
	list = append(append(list, m.skillInstallations()...),
		toInstallation(serviceInstallKind, "Start at login", m.planner.Machine().FindService(m.planner.Service())))
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range list {
		// Next steps are worth showing only while everything is in order.
		if list[i].State == status.Ready {
			list[i].Note = cmp.Or(list[i].Note, m.next[list[i].ID])
		}
	}
	return list
}

func (m *Machine) clientInstallations() []status.Installation {
	list := []status.Installation{}
	for _, s := range m.planner.ClientStates() {
		if s.Client.Retired() != "" && s.Condition == installer.Absent {
			continue
		}
		i := toInstallation(clientInstallKind+"/"+s.Client.ID, s.Client.Title, s.Finding)
		i.LastSeen, i.Sources, i.Bytes = s.LastSeen, strings.Join(s.Sources, ","), s.Bytes
		list = append(list, i)
	}
	return list
}

func (m *Machine) skillInstallations() []status.Installation {
	here := m.planner.Machine()
	list := []status.Installation{}
	text, err := m.planner.SkillText()
	for _, c := range installer.Clients() {
		if !c.HasSkills() || c.Retired() != "" {
			continue
		}
		f := here.FindSkill(c, installer.Skill{Name: app.Name, Text: text})
		if err != nil {
			f.Condition, f.Note = installer.Broken, err.Error()
		}
		list = append(list, toInstallation(skillInstallKind+"/"+c.ID, "Skill for "+c.Title, f))
	}
	return list
}

// toInstallation converts an installer's finding for the panel.
func toInstallation(id, title string, f installer.Finding) status.Installation {
	i := status.Installation{ID: id, Title: title, Detected: f.Detected, Condition: string(f.Condition), File: f.File, Note: f.Note}
	switch f.Condition {
	case installer.Absent:
		i.State, i.Condition = status.Stopped, notInstalled
	case installer.Elsewhere:
		i.State = status.Stopped
	case installer.Configured, installer.Installed:
		i.State = status.Ready
	case installer.Outdated, installer.Foreign, installer.Broken:
		i.State = status.Degraded
	}
	return i
}

func (m *Machine) pluginInstallation() status.Installation {
	i := status.Installation{ID: install.PluginID, Title: install.PluginTitle, State: status.Degraded, Condition: string(installer.Broken)}
	g, err := m.planner.PluginWithFiles("")
	if err != nil {
		i.State, i.Condition, i.Note = status.Stopped, notInstalled, err.Error()
		return i
	}
	s, err := m.planner.Machine().PluginState(g)
	i.Detected, i.File, i.Version = s.ApplicationFound, s.Folder, s.Version
	if err != nil {
		i.Note = err.Error()
		return i
	}
	settings := s.HasToken && s.TokenMatches && s.PortMatches && s.Private
	switch {
	case !s.Installed:
		i.State, i.Condition = status.Stopped, notInstalled
	case s.Current && settings && !s.Disabled:
		i.State, i.Condition = status.Ready, string(installer.Installed)
	case !s.Current || s.Disabled:
		i.Condition, i.Note = string(installer.Outdated), install.PluginSummary(s)
	default:
		i.Condition, i.Note = "settings differ", install.PluginSettingsSummary(s, g.Port)
	}
	return i
}

var errUnknownInstallation = errors.New("not found; `lectern client list --all` lists the clients")

// proposeInstall proposes to install Lectern somewhere, or to remove it.
func (m *Machine) proposeInstall(ctx context.Context, a status.Action) (*installer.Proposal, error) {
	add := a.Verb == status.Install
	kind, id, _ := strings.Cut(a.Target, "/")
	usual := install.ClientConnection{Name: app.Name}
	switch {
	case kind == clientInstallKind && add:
		if a.Sources != "" {
			usual.Sources = strings.Split(a.Sources, ",")
		}
		return m.planner.ProposeConnectClient(id, usual)
	case kind == clientInstallKind:
		return m.planner.ProposeDisconnectClient(id, usual)
	case kind == skillInstallKind && add:
		return m.planner.ProposeInstallSkill([]string{id})
	case kind == skillInstallKind:
		return m.planner.ProposeRemoveSkill([]string{id})
	case a.Target == install.PluginID && add:
		return m.planner.ProposeInstallPlugin("")
	case a.Target == install.PluginID:
		return m.planner.ProposeRemovePlugin("")
	case a.Target == serviceInstallKind && add:
		return m.planner.ProposeInstallService(ctx)
	case a.Target == serviceInstallKind:
		return m.planner.ProposeRemoveService(ctx)
	default:
		return nil, errUnknownInstallation
	}
}
