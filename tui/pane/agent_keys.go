package pane

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

// What the keys do that stop an agent, from the least to the most.
const (
	pauseKeyHelp    = "pause its writes: it goes on reading"
	readOnlyKeyHelp = "only read from now on; r again: as before"
	blockKeyHelp    = "block it: no permission, not even to read"
)

// agentKeyIntent is what a key does to the agent of this name, wherever it stands in a
// row; nil: nothing.
func agentKeyIntent(keys Keys, k tea.KeyPressMsg, s status.Snapshot, client string) Intent {
	switch {
	case key.Matches(k, keys.PauseClient):
		return IntentFor(PauseOrResumeAction(pauseStartTime(s, client), client))
	case key.Matches(k, keys.ReadOnly) && isAgentReadOnly(s, client):
		return IntentFor(status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: client, Effects: []string{}, Reset: true}})
	case key.Matches(k, keys.ReadOnly):
		return IntentFor(status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: client, Effects: []string{"read"}}})
	case key.Matches(k, keys.Revoke):
		return IntentFor(status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: client, Effects: []string{}}})
	default:
		return nil
	}
}

// pauseStartTime is when the writes of an agent were paused, which is known of those
// that are connected and of those that a Problem names; zero: they are not.
func pauseStartTime(s status.Snapshot, client string) time.Time {
	for _, one := range s.Sessions {
		if strings.EqualFold(one.Client, client) {
			return one.WritesPaused
		}
	}
	for _, p := range s.Problems {
		if p.Action != nil && p.Action.Verb == status.ResumeWrites && strings.EqualFold(p.Action.Target, client) {
			return p.Since
		}
	}
	return time.Time{}
}

// isAgentReadOnly reports whether a connected agent may only read although its sources
// grant more.
func isAgentReadOnly(s status.Snapshot, client string) bool {
	for _, one := range s.Sessions {
		if strings.EqualFold(one.Client, client) && agentAccessLimitsOf(s, one).readOnlyEverywhere() {
			return true
		}
	}
	return false
}

// agentAccessLimits are the sources in which an agent may do less than they grant to every
// client: only read, or nothing; and how many it may do more in.
type agentAccessLimits struct {
	readOnly, nothing []string
	others            int
}

// agentAccessLimitsOf reads the words that a snapshot has for grants: "notes: read; work:
// nothing". A source that is not among them grants what it grants to every client.
func agentAccessLimitsOf(snap status.Snapshot, s status.Session) (limits agentAccessLimits) {
	named := map[string]bool{}
	for part := range strings.SplitSeq(s.Grants, "; ") {
		source, may, found := strings.Cut(part, ": ")
		if may, _, _ = strings.Cut(" "+may, " as "); !found || strings.TrimSpace(may) == "" { // a role
			continue
		}
		switch named[source] = true; strings.TrimSpace(may) {
		case "read":
			limits.readOnly = append(limits.readOnly, source)
		case "nothing":
			limits.nothing = append(limits.nothing, source)
		default:
			limits.others++
		}
	}
	for _, source := range snap.Sources {
		sees := s.Scope == "" || slices.Contains(strings.Split(s.Scope, ","), source.Name)
		if sees && !named[source.Name] && slices.ContainsFunc(source.Effects, func(e string) bool { return e != "read" }) {
			limits.others++
		}
	}
	return limits
}

func (l agentAccessLimits) readOnlyEverywhere() bool { return len(l.readOnly) > 0 && l.others == 0 }

// text says in a few words where the agent may only read, or nothing; empty: nowhere.
func (l agentAccessLimits) text() string {
	switch {
	case l.readOnlyEverywhere() && len(l.nothing) == 0:
		return "only reads"
	case len(l.readOnly) > 0:
		return "only reads " + strings.Join(l.readOnly, ", ")
	case len(l.nothing) > 0 && l.others == 0:
		return "may do nothing"
	case len(l.nothing) > 0:
		return "nothing in " + strings.Join(l.nothing, ", ")
	default:
		return ""
	}
}
