package hub

import (
	"cmp"
	"time"
)

// Limits bound what agents may cost. A zero field takes its default.
type Limits struct {
	Deadline      time.Duration // of one call: 30 s
	Approval      time.Duration // for a person to answer: 50 s, since many clients give up after 60
	Form          time.Duration // for a client to come back with what its user said: 5 min, or Approval if that is more
	Grace         time.Duration // for calls in flight when their session ends: 5 s
	Write         time.Duration // for a client that does not read: 30 s
	Idle          time.Duration // of an HTTP session: 30 min
	InFlight      int           // calls of one session at once, others wait: 32
	Waiting       int           // requests of one session not yet answered: 256
	Answer        int           // bytes of one answer: 1 MiB
	Queue         int           // bytes of one session's unread answers: 2 MiB
	Frame         int           // bytes of one message on a stream: 16 MiB
	Pending       int           // bytes of one stream's requests in flight: 64 MiB
	Body          int64         // bytes of one HTTP body: 4 MiB
	Large         int           // bytes from which a message waits for its turn: 256 KiB
	LargeAtOnce   int           // large messages handled at once by the hub: 2
	Sessions      int           // HTTP sessions: 64
	Subscriptions int           // of one session: 1,000

	// What one client may do; 0: unlimited.
	CallsPerMinute          int
	SessionWrites           int // of one session
	DeletesPerMinute        int // targets; more trip the client's circuit breaker
	RewrittenBytesPerMinute int // likewise
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Deadline:      cmp.Or(l.Deadline, 30*time.Second),
		Approval:      cmp.Or(l.Approval, 50*time.Second),
		Form:          cmp.Or(l.Form, max(5*time.Minute, l.Approval)),
		Grace:         cmp.Or(l.Grace, 5*time.Second),
		Write:         cmp.Or(l.Write, 30*time.Second),
		Idle:          cmp.Or(l.Idle, 30*time.Minute),
		InFlight:      cmp.Or(l.InFlight, 32),
		Waiting:       cmp.Or(l.Waiting, 256),
		Answer:        cmp.Or(l.Answer, 1<<20),
		Queue:         cmp.Or(l.Queue, 2<<20),
		Frame:         cmp.Or(l.Frame, 16<<20),
		Pending:       cmp.Or(l.Pending, 64<<20),
		Body:          cmp.Or(l.Body, 4<<20),
		Large:         cmp.Or(l.Large, 256<<10),
		LargeAtOnce:   cmp.Or(l.LargeAtOnce, 2),
		Sessions:      cmp.Or(l.Sessions, 64),
		Subscriptions: cmp.Or(l.Subscriptions, 1000),

		CallsPerMinute: l.CallsPerMinute, SessionWrites: l.SessionWrites,
		DeletesPerMinute: l.DeletesPerMinute, RewrittenBytesPerMinute: l.RewrittenBytesPerMinute,
	}
}
