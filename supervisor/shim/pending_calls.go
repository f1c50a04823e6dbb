package shim

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/lectern-mcp/lectern/internal/frame"
)

// A pendingCall is a request of the client that has no answer yet.
type pendingCall struct {
	seq       uint64
	id        []byte
	method    string
	tool      string // of a tools/call
	frame     []byte // nil: it is too long to be kept
	givenBack bool   // by the last hub, which had not begun it
	attempts  int
	cancelled bool // the client no longer waits
}

// maxSendAttempts is how often a request is sent to hubs that are lost. Of a call that
// only reads, nothing is lost by asking again; but it may be what brings hubs down.
const maxSendAttempts = 4

// maxCancelledCalls bounds the cancelled calls that are remembered in case the hub
// answers them all the same.
const maxCancelledCalls = 256

type pendingCalls struct {
	open      map[string][]*pendingCall // by id; several with one are an error of the client that the hub answers
	seq       uint64
	listening int // of open, subscriptions, which have no end
	cancelled int
	count     int // all in open, counting more
}

func newPendingCalls() pendingCalls { return pendingCalls{open: map[string][]*pendingCall{}} }

const (
	methodListen   = "subscriptions/listen"
	methodCallTool = "tools/call"
)

// add notes a request that is about to be sent.
func (c *pendingCalls) add(f []byte, m message) {
	c.seq++
	one := &pendingCall{seq: c.seq, id: bytes.Clone(m.id), method: m.method, attempts: 1}
	if m.method == methodCallTool {
		one.tool = decodeString(m.param("name"))
	}
	if len(f) <= frame.MaxResendBytes {
		one.frame = f
	}
	c.open[m.idKey()] = append(c.open[m.idKey()], one)
	c.count++
	if one.method == methodListen {
		c.listening++
	}
}

// takeAnswered removes and returns the call that an answer is for, or nil.
func (c *pendingCalls) takeAnswered(key string) *pendingCall {
	one := c.newestWithID(key)
	if one == nil {
		return nil
	}
	c.setCallsWithID(key, c.open[key][:len(c.open[key])-1])
	c.uncountCall(one)
	return one
}

// newestWithID is the newest call with this id, or nil.
func (c *pendingCalls) newestWithID(key string) *pendingCall {
	if list := c.open[key]; len(list) > 0 {
		return list[len(list)-1]
	}
	return nil
}

// setCallsWithID makes list the calls with this id.
func (c *pendingCalls) setCallsWithID(key string, list []*pendingCall) {
	if c.open[key] = list; len(list) == 0 {
		delete(c.open, key)
	}
}

func (c *pendingCalls) uncountCall(one *pendingCall) {
	c.count--
	switch {
	case one.cancelled:
		c.cancelled--
	case one.method == methodListen:
		c.listening--
	}
}

// countAwaited counts the calls whose answer the client waits for. A subscription's
// only answer is that it ended.
func (c *pendingCalls) countAwaited() int { return c.count - c.listening - c.cancelled }

// markCancelled notes that the client no longer waits for an answer, which the hub
// may or may not send.
func (c *pendingCalls) markCancelled(m message) {
	one := c.newestWithID(message{id: m.param("requestId")}.idKey())
	if one == nil || one.cancelled || one.method == "initialize" {
		return
	}
	if c.cancelled >= maxCancelledCalls {
		c.removeMatching(func(one *pendingCall) bool { return one.cancelled })
	}
	if one.method == methodListen {
		c.listening--
	}
	one.cancelled = true
	c.cancelled++
}

// giveBack notes that the hub shut down and had begun no call that has no answer. How
// often that happens is for people to decide.
func (c *pendingCalls) giveBack() {
	for _, list := range c.open {
		for _, one := range list {
			one.givenBack, one.attempts = true, 0
		}
	}
}

// needsHub reports whether the client waits for a call that no hub has given back: such a
// call does not start a hub, since a person may have stopped the last one.
func (c *pendingCalls) needsHub() bool {
	for _, list := range c.open {
		if slices.ContainsFunc(list, func(one *pendingCall) bool { return !one.givenBack && !one.cancelled && one.method != methodListen }) {
			return true
		}
	}
	return false
}

// removeUnrepeatable is called when the hub is gone. It removes and returns the calls that
// must not, or cannot, be sent again, in order. repeatable says which have not done harm
// if the hub has begun them.
func (c *pendingCalls) removeUnrepeatable(repeatable func(*pendingCall) bool) []*pendingCall {
	gone := c.removeMatching(func(one *pendingCall) bool {
		tooOften := one.attempts >= maxSendAttempts && one.method != methodListen
		return one.cancelled || one.frame == nil || !one.givenBack && (!repeatable(one) || tooOften)
	})
	return slices.DeleteFunc(gone, func(one *pendingCall) bool { return one.cancelled })
}

// removeAll removes and returns all calls.
func (c *pendingCalls) removeAll() []*pendingCall {
	gone := c.removeMatching(func(*pendingCall) bool { return true })
	return slices.DeleteFunc(gone, func(one *pendingCall) bool { return one.cancelled })
}

// framesForNextAttempt returns the frames to send again, in order.
func (c *pendingCalls) framesForNextAttempt() [][]byte {
	var again []*pendingCall
	for _, list := range c.open {
		again = append(again, list...)
	}
	slices.SortFunc(again, bySeq)
	frames := make([][]byte, len(again))
	for i, one := range again {
		one.attempts++
		one.givenBack = false
		frames[i] = one.frame
	}
	return frames
}

// removeMatching takes out the calls for which which is true, oldest first.
func (c *pendingCalls) removeMatching(which func(*pendingCall) bool) []*pendingCall {
	var gone []*pendingCall
	for key, list := range c.open {
		for _, one := range list {
			if which(one) {
				gone = append(gone, one)
			}
		}
		c.setCallsWithID(key, slices.DeleteFunc(list, which))
	}
	slices.SortFunc(gone, bySeq)
	for _, one := range gone {
		c.uncountCall(one)
	}
	return gone
}

func bySeq(a, b *pendingCall) int { return cmp.Compare(a.seq, b.seq) }

// serverRequests are the requests of the hub that the client has not answered. Hubs
// number them alike, so those of a later hub get ids of the shim's: an answer
// that was meant for one hub, such as a person's consent, never reaches
// another.
type serverRequests struct {
	open     map[string][]byte // id as the client knows it → as the hub does
	lostHubs int               // that were lost
	seq      int
}

// add notes a request and returns the frame as the client is to see it.
func (a *serverRequests) add(f []byte, m message) []byte {
	if a.open == nil {
		a.open = map[string][]byte{}
	}
	if a.lostHubs == 0 {
		a.open[m.idKey()] = bytes.Clone(m.id)
		return f
	}
	a.seq++
	id := []byte(`"lectern-ask-` + strconv.Itoa(a.seq) + `"`)
	a.open[string(id)] = bytes.Clone(m.id)
	return m.replaceFrameID(f, id)
}

// takeAnswer returns the client's answer as the hub is to see it, and false if
// this hub did not ask.
func (a *serverRequests) takeAnswer(f []byte, m message) ([]byte, bool) {
	id, ok := a.open[m.idKey()]
	if !ok {
		return f, false
	}
	delete(a.open, m.idKey())
	if bytes.Equal(id, m.id) {
		return f, true
	}
	return m.replaceFrameID(f, id), true
}

// dropLostRequests forgets the requests of a lost hub, and returns their ids as the client
// knows them.
func (a *serverRequests) dropLostRequests() [][]byte {
	a.lostHubs++
	ids := make([][]byte, 0, len(a.open))
	for id := range a.open {
		ids = append(ids, []byte(id))
	}
	clear(a.open)
	return ids
}
