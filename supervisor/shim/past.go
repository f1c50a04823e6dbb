package shim

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
)

// past is what a new hub must be told of a session that began with another
// one, and what was learned of the session's tools. In the stateless era
// (2026-07-28 on) there is nothing to tell: requests carry everything.
type past struct {
	hello    []byte // params of initialize; nil: never asked
	welcomed bool   // and it was answered
	ready    bool   // notifications/initialized was sent
	changes  bool   // the hub announced tools.listChanged
	level    []byte // params of the last logging/setLevel
	topics   [][]byte
	readOnly map[string]bool // by tool

	prefix  string
	seq     int
	waiting map[string]chan struct{} // replayed requests, by id; closed when answered
}

func newPast() past {
	return past{readOnly: map[string]bool{}, prefix: rand.Text(), waiting: map[string]chan struct{}{}}
}

// note remembers what changes the session.
func (p *past) note(m message) {
	switch m.method {
	case "initialize":
		p.hello, p.welcomed, p.ready = bytes.Clone(m.params), false, false
	case "notifications/initialized":
		p.ready = true
	case "logging/setLevel":
		p.level = bytes.Clone(m.params)
	case "resources/subscribe":
		p.unsubscribe(m)
		p.topics = append(p.topics, bytes.Clone(m.params))
	case "resources/unsubscribe":
		p.unsubscribe(m)
	}
}

func (p *past) unsubscribe(m message) {
	uri := text(m.param("uri"))
	p.topics = slices.DeleteFunc(p.topics, func(params []byte) bool {
		return text(message{params: params}.param("uri")) == uri
	})
}

// reads reports whether asking m twice does no harm.
func (p *past) reads(m message) bool {
	switch m.method {
	case "initialize", "ping", "server/discover", methodListen, "logging/setLevel", "completion/complete",
		"tools/list", "prompts/list", "prompts/get",
		"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe":
		return true
	case "tools/call":
		return p.readOnly[text(m.param("name"))]
	}
	return false
}

// learn reads what answers say about the session. The client relies on the
// same words of the hub.
func (p *past) learn(method string, result []byte) {
	switch method {
	case "initialize":
		var answer struct {
			Capabilities struct {
				Tools struct {
					ListChanged bool `json:"listChanged"`
				} `json:"tools"`
			} `json:"capabilities"`
		}
		p.welcomed = json.Unmarshal(result, &answer) == nil
		p.changes = answer.Capabilities.Tools.ListChanged
	case "tools/list":
		var answer struct {
			Tools []struct {
				Name        string `json:"name"`
				Annotations struct {
					ReadOnlyHint bool `json:"readOnlyHint"`
				} `json:"annotations"`
			} `json:"tools"`
		}
		if json.Unmarshal(result, &answer) != nil {
			return
		}
		for _, tool := range answer.Tools {
			p.readOnly[tool.Name] = tool.Annotations.ReadOnlyHint
		}
	}
}

// replay makes a request of the shim's own, whose answer is not the client's.
func (p *past) replay(method string, params []byte) (f []byte, answered <-chan struct{}) {
	p.seq++
	id := `"lectern-` + p.prefix + "-" + strconv.Itoa(p.seq) + `"`
	done := make(chan struct{})
	p.waiting[id] = done
	if params == nil {
		params = []byte("{}")
	}
	return []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + string(params) + `}`), done
}

// replayed reports whether m answers a request of the shim's own.
func (p *past) replayed(m message) bool {
	done, ok := p.waiting[m.key()]
	if ok {
		close(done)
		delete(p.waiting, m.key())
	}
	return ok
}
