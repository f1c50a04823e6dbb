package logview

import "bytes"

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

// maxIndexed bounds the names and the sessions that are kept.
const maxIndexed = 4096

// observe takes what a line tells.
func (c *clientIndex) observe(text []byte) {
	client := attributeValue(text, " client=")
	if len(client) == 0 {
		return
	}
	name := ""
	for _, known := range c.names {
		if known == string(client) {
			name = known
		}
	}
	if name == "" && len(c.names) < maxIndexed {
		name = string(client)
		c.names = append(c.names, name)
	}
	session := attributeValue(text, " session=")
	if len(session) == 0 || c.bySession[string(session)] == name || len(c.bySession) >= maxIndexed {
		return
	}
	if c.bySession == nil {
		c.bySession = map[string]string{}
	}
	c.bySession[string(session)], c.changed = name, true
}

// forgetSessions forgets the sessions: another hub counts its own.
func (c *clientIndex) forgetSessions() { clear(c.bySession) }

// owns reports whether a line is about a client.
func (c *clientIndex) owns(client string, text []byte) bool {
	if name := attributeValue(text, " client="); len(name) > 0 {
		return string(name) == client
	}
	session := attributeValue(text, " session=")
	return len(session) > 0 && c.bySession[string(session)] == client
}

// attributeValue is the value after a name, without quotes; empty: there is
// none. It is part of text.
func attributeValue(text []byte, name string) []byte {
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
