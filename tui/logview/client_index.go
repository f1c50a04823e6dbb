package logview

import (
	"slices"
	"strings"
)

// A clientIndex is what the lines of a log tell of clients: who they are, and
// whose the sessions of the hub are that writes now. A line names its client,
// its session, or neither.
type clientIndex struct {
	names     []string          // of clients, in the order of their first lines
	bySession map[string]string // client by session
	// changed says that the client of a session has become known: lines of before
	// may be that client's.
	changed bool
}

// maxClientIndexEntries bounds the names and the sessions that are kept.
const maxClientIndexEntries = 4096

// observe takes what a line tells.
func (c *clientIndex) observe(text string) {
	client := attributeValue(text, " client=")
	if client == "" {
		return
	}
	if !slices.Contains(c.names, client) {
		if len(c.names) == maxClientIndexEntries {
			return
		}
		c.names = append(c.names, client)
	}
	session := attributeValue(text, " session=")
	if session == "" || c.bySession[session] == client || len(c.bySession) >= maxClientIndexEntries {
		return
	}
	if c.bySession == nil {
		c.bySession = map[string]string{}
	}
	c.bySession[session], c.changed = client, true
}

// forgetSessions forgets the sessions: another hub counts its own.
func (c *clientIndex) forgetSessions() { clear(c.bySession) }

// isLineOfClient reports whether a line is about a client.
func (c *clientIndex) isLineOfClient(client, text string) bool {
	if name := attributeValue(text, " client="); name != "" {
		return name == client
	}
	session := attributeValue(text, " session=")
	return session != "" && c.bySession[session] == client
}

// attributeValue is the value after a name, without quotes; empty: there is
// none.
func attributeValue(text, name string) string {
	_, value, _ := strings.Cut(text, name)
	end := " "
	if rest, quoted := strings.CutPrefix(value, `"`); quoted {
		value, end = rest, `"`
	}
	value, _, _ = strings.Cut(value, end)
	return value
}
