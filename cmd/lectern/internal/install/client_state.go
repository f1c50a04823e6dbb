package install

import (
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
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
	seen := app.ReadSeenClients(p.Paths.Seen())
	conf, confErr := p.Config()
	for _, c := range installer.Clients() {
		state := ClientState{Finding: m.Find(c, server), LastSeen: seen[c.ID]}
		if confErr == nil && state.HasEntry() {
			state.Bytes = p.sessionBytes(conf, state.Sources)
		}
		list = append(list, state)
	}
	return list
}

// HasEntry reports whether the client would start this Lectern.
func (s ClientState) HasEntry() bool {
	return s.Condition == installer.Configured || s.Condition == installer.Outdated
}

func (p Planner) sessionBytes(conf config.Config, sources []string) int {
	_, bytes := p.SessionCost(conf, sources)
	return bytes
}
