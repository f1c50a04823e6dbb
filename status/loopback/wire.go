// Package loopback carries a status.Client over HTTP on a control socket. Both
// ends are here, [Handler] and [Dial], so no other package knows the wire.
//
// It neither listens nor decides who may connect: internal/loopnet does. The
// hub process serves the Handler; programs that look at a hub from another
// process dial.
//
// The wire: POST /v1/QUERY with the input as JSON; the answer is a stream of JSON
// messages, one a line. Either side may be of another build, so a reader ignores
// fields that it does not know in an answer, while status.HandleQuery refuses
// them in a request: the hub must not do half of what was asked.
package loopback

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// The hub writes an empty line every beat while it has nothing else to send. A
// peer that neither sends nor takes anything for the length of silence is given
// up.
const (
	beat    = 10 * time.Second
	silence = 25 * time.Second
)

// Limits in bytes: a request, which may hold the arguments of a tool, and one
// message of an answer.
const (
	maxRequest = 4<<20 + 4<<10
	maxMessage = 4 << 20
)

const pathPrefix = "/v1/"

// The other methods of status.Client travel as queries too.
var (
	watchQuery   = status.Stream[struct{}, status.Snapshot]{Name: "watch"}
	previewQuery = status.Query[status.Action, status.Plan]{Name: "preview"}
	doQuery      = status.Query[status.Action, struct{}]{Name: "do"}
)

// ErrGone says that the hub went away before it had answered: what was asked of
// it may have been done or not.
var ErrGone = errors.New("the hub went away before it answered")

// errSilent is the cause when a peer is given up.
var errSilent = errors.New("the hub has been silent for " + silence.String())

// message is one line of an answer; one of its fields is set.
type message struct {
	Value   json.RawMessage   `json:"value,omitempty"`
	Refused *status.CallError `json:"refused,omitempty"`
	Error   string            `json:"error,omitempty"`
	Done    bool              `json:"done,omitempty"` // nothing follows
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
