package bridge

import (
	"cmp"
	"time"
)

// Limits bound what a Peer, or its callers, may cost. A zero field means the
// default in its comment.
type Limits struct {
	InFlight          int           // calls of one Peer that are sent and not answered: 64
	Queue             int           // calls of one Peer that wait for a slot; more are refused: 256
	Frame             int           // bytes of one frame: 8 MiB
	Depth             int           // nesting of arrays and objects in a frame: 512
	Hello             time.Duration // from connecting to being authenticated: 5 s
	ReadFrame         time.Duration // from a frame's first byte to its last: 10 s
	WriteFrame        time.Duration // for a Peer to take one frame: 10 s
	Ping              time.Duration // between two pings: 20 s
	Pong              time.Duration // for the answer to a ping: 10 s
	Call              time.Duration // for a call whose context has no deadline: 30 s
	Reconnect         time.Duration // how long a call waits to be sent again: 15 s
	StartupWait       time.Duration // after New, how long a call waits for a Peer to reconnect: 12 s
	Handshakes        int           // links that are not authenticated yet: 16
	Peers             int           // connected at one time: 16
	ConnectsPerSecond int           // connections of one origin in a second: 5
	Unmatched         int           // answers that belong to no call within 10 s; more end the connection: 100
	ListenerQueue     int           // notifications that wait for a listener: 1,024
}

func (l Limits) withDefaults() Limits {
	return Limits{
		InFlight:          cmp.Or(l.InFlight, 64),
		Queue:             cmp.Or(l.Queue, 256),
		Frame:             cmp.Or(l.Frame, 8<<20),
		Depth:             cmp.Or(l.Depth, 512),
		Hello:             cmp.Or(l.Hello, 5*time.Second),
		ReadFrame:         cmp.Or(l.ReadFrame, 10*time.Second),
		WriteFrame:        cmp.Or(l.WriteFrame, 10*time.Second),
		Ping:              cmp.Or(l.Ping, 20*time.Second),
		Pong:              cmp.Or(l.Pong, 10*time.Second),
		Call:              cmp.Or(l.Call, 30*time.Second),
		Reconnect:         cmp.Or(l.Reconnect, 15*time.Second),
		StartupWait:       cmp.Or(l.StartupWait, 12*time.Second),
		Handshakes:        cmp.Or(l.Handshakes, 16),
		Peers:             cmp.Or(l.Peers, 16),
		ConnectsPerSecond: cmp.Or(l.ConnectsPerSecond, 5),
		Unmatched:         cmp.Or(l.Unmatched, 100),
		ListenerQueue:     cmp.Or(l.ListenerQueue, 1024),
	}
}
