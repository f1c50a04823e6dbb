package install

import (
	"context"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/installer"
)

// A ClientState is how a client and Lectern stand to each other.
type ClientState struct {
	installer.Finding

	LastSeen time.Time // when it was last connected with its token, within a minute; zero: never
	Bytes    int       // of tools that a model sees in each of its sessions; 0: none, or the configuration cannot be read
}

// ClientStates are all known clients. It reads files only.
func (p Planner) ClientStates() (list []ClientState) {
	m := p.Machine()
	server, _ := p.ServerEntry()
	seen := app.ReadSeenClients(p.Paths.SeenClients())
	conf, confErr := p.Config()
	for _, c := range installer.Clients() {
		state := ClientState{Finding: m.Find(c, server), LastSeen: seen[c.ID]}
		if confErr == nil && state.HasEntry() {
			state.Bytes = p.SessionToolBytes(conf, state.Sources)
		}
		list = append(list, state)
	}
	return list
}

// HasEntry reports whether the client would start this Lectern.
func (s ClientState) HasEntry() bool {
	return s.Condition == installer.Configured || s.Condition == installer.Outdated
}

// ReportingClients are the IDs of those clients that can say themselves how their entry is.
func (p Planner) ReportingClients(states []ClientState) (ids []string) {
	m := p.Machine()
	for _, s := range states {
		if s.HasEntry() && s.Client.HasReport(m) {
			ids = append(ids, s.Client.ID)
		}
	}
	return ids
}

// RequestClientReports are what the clients say, all asked at the same time; the zero report
// of one that cannot.
func (p Planner) RequestClientReports(ctx context.Context, states []ClientState) []installer.ClientReport {
	m := p.Machine()
	server, _ := p.ServerEntry()
	reports := make([]installer.ClientReport, len(states))
	var asking sync.WaitGroup
	for i, s := range states {
		if s.HasEntry() && s.Client.HasReport(m) {
			asking.Go(func() { reports[i] = m.Report(ctx, s.Client, server) })
		}
	}
	asking.Wait()
	return reports
}
