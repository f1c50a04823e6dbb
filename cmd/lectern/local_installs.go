package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
)

// The kinds of places that Lectern can be put into: what stands before the
// slash in the ID of an Install.
const (
	clientPlace  = "client"
	pluginPlace  = "plugin"
	skillPlace   = "skill"
	servicePlace = "service"
)

// logseqPlugin is the ID of the one plugin.
const logseqPlugin = pluginPlace + "/logseq"

// installed lists the places on this machine, by its files alone.
func (l *local) installed() []status.Installation {
	list := append(l.clientPlaces(), l.pluginPlace())
	list = append(append(list, l.skillPlaces()...), l.servicePlace())
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range list {
		// What to do next is worth knowing only as long as all went well.
		if list[i].State == status.Ready {
			list[i].Note = cmp.Or(list[i].Note, l.next[list[i].ID])
		}
	}
	return list
}

func (l *local) clientPlaces() []status.Installation {
	m := l.machine()
	server, _ := l.server(l.configured())
	list := []status.Installation{}
	for _, c := range installer.Clients() {
		f := m.Find(c, server)
		if c.Retired() != "" && f.Condition == installer.Absent {
			continue
		}
		list = append(list, found(clientPlace+"/"+c.ID, c.Title, f))
	}
	return list
}

func (l *local) skillPlaces() []status.Installation {
	m := l.machine()
	list := []status.Installation{}
	text, err := l.skillText()
	for _, c := range installer.Clients() {
		if !c.HasSkills() || c.Retired() != "" {
			continue
		}
		f := m.FindSkill(c, installer.Skill{Name: skillName, Text: text})
		if err != nil {
			f.Condition, f.Note = installer.Broken, err.Error()
		}
		list = append(list, found(skillPlace+"/"+c.ID, "Skill for "+c.Title, f))
	}
	return list
}

func (l *local) servicePlace() status.Installation {
	return found(servicePlace, "Start at login", l.machine().FindService(l.service()))
}

// found is a finding as the panel is told of it.
func found(id, title string, f installer.Finding) status.Installation {
	i := status.Installation{ID: id, Title: title, Here: f.Detected, Condition: string(f.Condition), File: f.File, Note: f.Note}
	switch f.Condition {
	case installer.Absent:
		i.State, i.Condition = status.Stopped, "not there"
	case installer.Connected, installer.Placed:
		i.State = status.Ready
	case installer.Outdated, installer.Foreign, installer.Broken:
		i.State = status.Degraded
	}
	return i
}

// pluginPlace is how Logseq has the plugin.
func (l *local) pluginPlace() status.Installation {
	i := status.Installation{ID: logseqPlugin, Title: "Logseq plugin", State: status.Degraded, Condition: string(installer.Broken)}
	g, err := l.carriedFor("")
	if err != nil {
		i.State, i.Condition, i.Note = status.Stopped, "not there", err.Error()
		return i
	}
	s, err := l.machine().PluginState(g)
	i.Here, i.File, i.Version = s.Here, s.Folder, s.Version
	if err != nil {
		i.Note = err.Error()
		return i
	}
	settings := s.HasToken && s.TokenRight && s.PortRight && s.Private
	switch {
	case !s.Installed:
		i.State, i.Condition = status.Stopped, "not there"
	case s.Current && settings && !s.Disabled:
		i.State, i.Condition = status.Ready, string(installer.Placed)
	case !s.Current || s.Disabled:
		i.Condition, i.Note = string(installer.Outdated), pluginWords(s)
	default:
		i.Condition, i.Note = "settings differ", settingsWords(s, g.Port)
	}
	return i
}

// errNoPlace is for an ID that names nothing.
var errNoPlace = errors.New("there is no such place; see `lectern client list --all`")

// put proposes to put Lectern into a place, or to take it out.
func (l *local) put(ctx context.Context, a status.Action) (*installer.Proposal, error) {
	in := a.Verb == status.Install
	kind, id, _ := strings.Cut(a.Target, "/")
	usual := tie{name: entryName}
	switch {
	case kind == clientPlace && in:
		return l.connectClient(id, usual)
	case kind == clientPlace:
		return l.disconnectClient(id, usual)
	case kind == skillPlace && in:
		return l.installSkill([]string{id})
	case kind == skillPlace:
		return l.removeSkill([]string{id})
	case a.Target == logseqPlugin && in:
		return l.installPlugin("")
	case a.Target == logseqPlugin:
		return l.removePlugin("")
	case a.Target == servicePlace && in:
		return l.machine().InstallService(ctx, l.service())
	case a.Target == servicePlace:
		return l.machine().RemoveService(ctx, l.service())
	default:
		return nil, errNoPlace
	}
}
