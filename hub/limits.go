package hub

import (
	"cmp"
	"runtime"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
)

// Limits bound what agents may cost. A zero field takes its default.
type Limits struct {
	mcp.Limits // of the protocol; its defaults are below

	Deadline time.Duration // of one call: 30 s
	Approval time.Duration // for a person to answer: 50 s, since many clients give up after 60
	Form     time.Duration // for a client to come back with what its user said: 5 min, or Approval if that is more
	InFlight int           // calls of one session at once, others wait: 32
	Answer   int           // bytes of one answer: 1 MiB
	// Computing is how many calls that keep a processor busy run at a time, others wait: one
	// less than there are processors, at least one.
	Computing int

	// What one client may do; 0: unlimited.
	CallsPerMinute          int
	SessionWrites           int // of one session
	DeletesPerMinute        int // targets; more trip the client's circuit breaker
	RewrittenBytesPerMinute int // likewise

	// HiddenWritesPerMinute are the writes to one source that privacy rules may refuse
	// before all writes are refused for the rest of the minute: 20, for each proven client,
	// and for all together whose name is not proven.
	HiddenWritesPerMinute int
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Limits: mcp.Limits{
			Grace:         cmp.Or(l.Grace, 5*time.Second),
			Write:         cmp.Or(l.Write, 30*time.Second),
			Idle:          cmp.Or(l.Idle, 30*time.Minute),
			Waiting:       cmp.Or(l.Waiting, 256),
			Queue:         cmp.Or(l.Queue, 2<<20),
			Frame:         cmp.Or(l.Frame, 16<<20),
			Pending:       cmp.Or(l.Pending, 64<<20),
			Body:          cmp.Or(l.Body, 4<<20),
			Large:         cmp.Or(l.Large, 256<<10),
			LargeAtOnce:   cmp.Or(l.LargeAtOnce, 2),
			Sessions:      cmp.Or(l.Sessions, 64),
			Subscriptions: cmp.Or(l.Subscriptions, 1000),
		},
		Deadline: cmp.Or(l.Deadline, 30*time.Second),
		Approval: cmp.Or(l.Approval, 50*time.Second),
		Form:     cmp.Or(l.Form, max(5*time.Minute, l.Approval)),
		InFlight: cmp.Or(l.InFlight, 32),
		Answer:   cmp.Or(l.Answer, 1<<20),

		Computing: cmp.Or(l.Computing, max(runtime.GOMAXPROCS(0)-1, 1)),

		CallsPerMinute: l.CallsPerMinute, SessionWrites: l.SessionWrites,
		DeletesPerMinute: l.DeletesPerMinute, RewrittenBytesPerMinute: l.RewrittenBytesPerMinute,
		HiddenWritesPerMinute: cmp.Or(l.HiddenWritesPerMinute, 20),
	}
}
