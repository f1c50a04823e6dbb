// Package loopback carries a status.Access over HTTP on a control socket. Both
// ends are here, [Handler] and [Dial], so the wire is nobody else's business.
//
// It neither listens nor decides who may connect: internal/loopnet does. The
// hub's shell serves the Handler; whoever watches a hub from another process
// dials.
//
// The wire: POST to a path below /v1/ with a JSON body; the answer is a stream
// of JSON messages, one a line. Either side of the wire may be of another
// build, so a reader ignores fields that it does not know in an answer, while
// the hub refuses them in a request: it must not do half of what was asked.
package loopback

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// The hub writes an empty line every beat while it has nothing else to say.
// A peer that is silent, or that takes nothing, for the length of silence is
// given up.
const (
	beat    = 10 * time.Second
	silence = 25 * time.Second
)

// The most bytes of a request, of one that calls a tool, and of one message of
// an answer.
const (
	maxRequest = 64 << 10
	maxCall    = 4<<20 + 4<<10
	maxMessage = 4 << 20
)

const (
	watchPath   = "/v1/watch"
	logsPath    = "/v1/logs"
	previewPath = "/v1/preview"
	doPath      = "/v1/do"

	callsPath    = "/v1/calls"
	toolsPath    = "/v1/tools"
	callPath     = "/v1/call"
	checkPath    = "/v1/check"
	settingsPath = "/v1/settings"

	pagesPath  = "/v1/pages"
	pagePath   = "/v1/page"
	searchPath = "/v1/search"
)

// ErrGone says that the hub went away before it had answered: what was asked
// of it may have been done or not.
var ErrGone = errors.New("the hub went away before it answered")

// errSilent is the cause when a peer is given up.
var errSilent = errors.New("the hub has been silent for " + silence.String())

// A toolsRequest asks for what a client sees.
type toolsRequest struct {
	Scope  string `json:"scope"`
	Client string `json:"client"`
}

// A callRequest asks for one call of a tool.
type callRequest struct {
	Source string          `json:"source"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args,omitempty"`
}

// A checkRequest asks for checks by how their names begin.
type checkRequest struct {
	Prefix string `json:"prefix"`
}

// A pageRequest asks for the pages of a source, or for one by its name.
type pageRequest struct {
	Source string `json:"source"`
	Name   string `json:"name,omitempty"`
}

// A searchRequest asks a source to search.
type searchRequest struct {
	Source string `json:"source"`
	Query  string `json:"query"`
}

// message is one line of an answer; one of its fields is set.
type message struct {
	Snapshot *status.Snapshot `json:"snapshot,omitempty"`
	Line     *status.Line     `json:"line,omitempty"`
	Plan     *status.Plan     `json:"plan,omitempty"`

	Call     *status.Call      `json:"call,omitempty"`
	Changes  *status.Changes   `json:"changes,omitempty"`
	Tools    *[]status.Tool    `json:"tools,omitempty"`
	Result   json.RawMessage   `json:"result,omitempty"` // of a tool
	Refused  *status.CallError `json:"refused,omitempty"`
	Check    *status.Check     `json:"check,omitempty"`
	Settings *[]status.Setting `json:"settings,omitempty"`

	Pages  *status.PageList `json:"pages,omitempty"`
	Page   *status.PageText `json:"page,omitempty"`
	Search *status.Search   `json:"search_result,omitempty"`

	Done  bool   `json:"done,omitempty"` // carried out; nothing follows
	Error string `json:"error,omitempty"`
}

// failure is the error that m is, or nil.
func (m message) failure() error {
	switch {
	case m.Refused != nil:
		return m.Refused
	case m.Error != "":
		return errors.New(m.Error)
	}
	return nil
}
