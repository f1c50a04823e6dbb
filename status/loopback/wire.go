// Package loopback carries a status.Client over HTTP on a control socket. Both
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

// The most bytes of a request and of one message of an answer.
const (
	maxRequest = 64 << 10
	maxMessage = 4 << 20
)

const (
	watchPath   = "/v1/watch"
	logsPath    = "/v1/logs"
	previewPath = "/v1/preview"
	doPath      = "/v1/do"
)

// ErrGone says that the hub went away before it had answered: what was asked
// of it may have been done or not.
var ErrGone = errors.New("the hub went away before it answered")

// errSilent is the cause when a peer is given up.
var errSilent = errors.New("the hub has been silent for " + silence.String())

// message is one line of an answer; one of its fields is set.
type message struct {
	Snapshot *status.Snapshot `json:"snapshot,omitempty"`
	Line     *status.Line     `json:"line,omitempty"`
	Plan     *status.Plan     `json:"plan,omitempty"`
	Changes  *status.Changes  `json:"changes,omitempty"`
	Done     bool             `json:"done,omitempty"` // carried out; nothing follows
	Error    string           `json:"error,omitempty"`
}
