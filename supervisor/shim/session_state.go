package shim

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
)

// sessionState is what the shim repeats to a new hub of a session that began with
// another one, and which of the session's tools only read. In the stateless
// protocol (from 2026-07-28 on) requests carry everything themselves.
type sessionState struct {
	initializeParams []byte // params of initialize; nil: not received
	initialized      bool   // it was answered
	initializedSent  bool   // notifications/initialized was sent
	toolsListChanged bool   // the hub announced tools.listChanged
	logLevel         []byte // params of the last logging/setLevel
	subscriptions    [][]byte
	readOnly         map[string]bool // by tool

	prefix  string
	seq     int
	replays map[string]chan struct{} // replayed requests, by id; closed when answered
}

func newSessionState() sessionState {
	return sessionState{readOnly: map[string]bool{}, prefix: rand.Text(), replays: map[string]chan struct{}{}}
}

// recordRequest remembers the requests that change the session.
func (p *sessionState) recordRequest(m message) {
	switch m.method {
	case "initialize":
		p.initializeParams, p.initialized, p.initializedSent = bytes.Clone(m.params), false, false
	case "notifications/initialized":
		p.initializedSent = true
	case "logging/setLevel":
		p.logLevel = bytes.Clone(m.params)
	case "resources/subscribe":
		p.forgetSubscription(m)
		p.subscriptions = append(p.subscriptions, bytes.Clone(m.params))
	case "resources/unsubscribe":
		p.forgetSubscription(m)
	}
}

func (p *sessionState) forgetSubscription(m message) {
	uri := decodeString(m.param("uri"))
	p.subscriptions = slices.DeleteFunc(p.subscriptions, func(params []byte) bool {
		return decodeString(message{params: params}.param("uri")) == uri
	})
}

// repeatable reports whether a request can be sent twice without harm.
func (p *sessionState) repeatable(c *pendingCall) bool {
	switch c.method {
	case "initialize", "ping", "server/discover", methodListen, "logging/setLevel", "completion/complete",
		"tools/list", "prompts/list", "prompts/get",
		"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe":
		return true
	case methodCallTool:
		return p.readOnly[c.tool]
	}
	return false
}

// recordResult reads the answer that describes the session. The client relies on the
// same one.
func (p *sessionState) recordResult(method string, result []byte) {
	if method != "initialize" {
		return
	}
	var answer struct {
		Capabilities struct {
			Tools struct {
				ListChanged bool `json:"listChanged"`
			} `json:"tools"`
		} `json:"capabilities"`
	}
	p.initialized = json.Unmarshal(result, &answer) == nil
	p.toolsListChanged = answer.Capabilities.Tools.ListChanged
}

// recordReadOnlyTools takes over what a hub says of its tools.
func (p *sessionState) recordReadOnlyTools(m message) {
	var names []string
	if json.Unmarshal(m.param("tools"), &names) != nil {
		return
	}
	clear(p.readOnly)
	for _, name := range names {
		p.readOnly[name] = true
	}
}

// newReplayRequest makes a request of the shim itself. Its answer is not for the client.
func (p *sessionState) newReplayRequest(method string, params []byte) (f []byte, answered <-chan struct{}) {
	p.seq++
	id := `"lectern-` + p.prefix + "-" + strconv.Itoa(p.seq) + `"`
	done := make(chan struct{})
	p.replays[id] = done
	if params == nil {
		params = []byte("{}")
	}
	return []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + string(params) + `}`), done
}

// takeReplayAnswer reports whether m answers a request of the shim itself.
func (p *sessionState) takeReplayAnswer(m message) bool {
	done, ok := p.replays[m.idKey()]
	if ok {
		close(done)
		delete(p.replays, m.idKey())
	}
	return ok
}
