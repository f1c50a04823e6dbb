package pane

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// maxGoneAgents is how many agents that left are listed.
const maxGoneAgents = 50

// knownAgents are the agents that were ever recorded, the last seen first; the hub
// need not run for that. It is a value.
type knownAgents struct {
	list     []status.Agent
	outdated int // counts what made list old
	answered int // number of the query that list is the answer to; 0: none yet
}

// markOutdatedOnChange makes the list old when an agent came or left between two snapshots.
func (k knownAgents) markOutdatedOnChange(before, now status.Snapshot) knownAgents {
	if len(before.Sessions) != len(now.Sessions) {
		k.outdated++
	}
	return k
}

// wantedQuery asks for the list; nil: it is not old.
func (k knownAgents) wantedQuery() Query {
	if k.answered == k.outdated+1 {
		return nil
	}
	return AgentsQuery{Refresh: k.outdated + 1}
}

// takeResult takes the list. After an error the former one stays.
func (k knownAgents) takeResult(r Result) knownAgents {
	if q, ok := r.Query.(AgentsQuery); ok {
		k.answered = q.Refresh
		if r.Err == nil {
			k.list = r.Agents
		}
	}
	return k
}

// gone are those that are not connected.
func (k knownAgents) gone(connected []status.Session) []status.Agent {
	var gone []status.Agent
	for _, a := range k.list {
		here := slices.ContainsFunc(connected, func(s status.Session) bool { return strings.EqualFold(s.Client, a.Client) })
		if !here && len(gone) < maxGoneAgents {
			gone = append(gone, a)
		}
	}
	return gone
}
