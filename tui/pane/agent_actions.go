package pane

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

// agentKeyIntent is what a key does to the agent of this name, wherever it stands in a
// row; nil: nothing.
func agentKeyIntent(keys Keys, k tea.KeyPressMsg, s status.Snapshot, client string) Intent {
	switch {
	case key.Matches(k, keys.PauseClient):
		return IntentFor(PauseOrResumeAction(pausedSince(s, client), client))
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

// pausedSince is when the writes of an agent were paused, which is known of those
// that are connected and of those that a Problem names; zero: they are not.
func pausedSince(s status.Snapshot, client string) time.Time {
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
		if strings.EqualFold(one.Client, client) && grantsOnlyRead(one.Grants) {
			return true
		}
	}
	return false
}

// grantsOnlyRead reads the words that a snapshot has for grants: "notes: read; work:
// nothing".
func grantsOnlyRead(grants string) bool {
	reads := false
	for part := range strings.SplitSeq(grants, "; ") {
		_, may, _ := strings.Cut(part, ": ")
		switch may {
		case "read":
			reads = true
		case "nothing":
		default:
			return false
		}
	}
	return reads
}
