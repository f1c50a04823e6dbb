package pane

import "bytes"

// A crew is what the lines of a log tell of clients: who they are, and whose
// the sessions of the hub are that writes now. A line names its client, its
// session, or neither.
type crew struct {
	names []string          // of clients, in the order of their first lines
	of    map[string]string // client by session
	// fresh says that the client of a session has become known: lines of before
	// may be that client's.
	fresh bool
}

// crewMost bounds the names and the sessions that are kept.
const crewMost = 4096

// learn takes what a line tells.
func (c *crew) learn(text []byte) {
	client := attribute(text, " client=")
	if len(client) == 0 {
		return
	}
	name := ""
	for _, known := range c.names {
		if known == string(client) {
			name = known
		}
	}
	if name == "" && len(c.names) < crewMost {
		name = string(client)
		c.names = append(c.names, name)
	}
	session := attribute(text, " session=")
	if len(session) == 0 || c.of[string(session)] == name || len(c.of) >= crewMost {
		return
	}
	if c.of == nil {
		c.of = map[string]string{}
	}
	c.of[string(session)], c.fresh = name, true
}

// anew forgets the sessions: another hub counts its own.
func (c *crew) anew() { clear(c.of) }

// owns reports whether a line is about a client.
func (c *crew) owns(client string, text []byte) bool {
	if name := attribute(text, " client="); len(name) > 0 {
		return string(name) == client
	}
	session := attribute(text, " session=")
	return len(session) > 0 && c.of[string(session)] == client
}

// attribute is the value after a name, without quotes; empty: there is none. It
// is part of text.
func attribute(text []byte, name string) []byte {
	i := bytes.Index(text, []byte(name))
	if i < 0 {
		return nil
	}
	value := text[i+len(name):]
	end := byte(' ')
	if len(value) > 0 && value[0] == '"' {
		value, end = value[1:], '"'
	}
	if i := bytes.IndexByte(value, end); i >= 0 {
		value = value[:i]
	}
	return value
}
