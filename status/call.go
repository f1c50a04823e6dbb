package status

import "time"

// Asked is the Code of a Call that was answered with a question to the client's
// user. The client repeats it with their answer, and that is a Call of its own.
const Asked = "asked"

// A Call is one call of a tool by an agent, after it has ended. It holds no
// content, only names and sizes.
type Call struct {
	// ID tells when the call began, and orders calls by that, over all hubs; 0: it
	// is not recorded.
	ID            int64         `json:"id,string,omitempty"`
	Seq           uint64        `json:"seq"`  // counts up by one over all calls of a hub; 0: of an earlier one
	Time          time.Time     `json:"time"` // when it began
	Session       string        `json:"session"`
	Client        string        `json:"client"`
	Proven        bool          `json:"proven,omitempty"` // the client presented the token made for it
	Source        string        `json:"source"`
	Tool          string        `json:"tool"`
	Effect        string        `json:"effect"`
	Duration      time.Duration `json:"duration_ns"`
	Waited        time.Duration `json:"waited_ns,omitempty"` // of that, for a person
	RequestBytes  int           `json:"request_bytes"`       // of the arguments
	ResponseBytes int           `json:"response_bytes"`      // of the answer
	Code          string        `json:"code,omitempty"`      // of the error, or Asked; empty: it succeeded
	Message       string        `json:"message,omitempty"`   // of the error, without what it quotes
	Approval      string        `json:"approval,omitempty"`  // the ID of the Approval or Permit that let it through; empty: nobody was asked
	Refused       bool          `json:"refused,omitempty"`   // it was not run
	Changes       []string      `json:"changes,omitempty"`
	Targets       []string      `json:"targets,omitempty"`     // what it touched, as far as its tool tells: at most 20 names, shortened
	Found         *int          `json:"found,omitempty"`       // how many results its answer has; nil: it was no search, or failed
	FoundTotal    int           `json:"found_total,omitempty"` // how many there are in all, if that is known to be more
	// Words are what was searched for, shortened. Only the hub that ran the call has them,
	// in its memory: they are recorded nowhere.
	Words string `json:"words,omitempty"`
	PersonEdit
	Missed uint64 `json:"missed,omitempty"` // calls before this one that were dropped because the reader was slow
	// Event is what happened between calls: [AgentConnected], [AgentLeft],
	// [HubStarted], or the Verb of what a person did to Client. Message says it in
	// words. It is empty for calls, and delivered only to those who ask for events.
	Event string `json:"event,omitempty"`
}

// The events that no person causes by an Action.
const (
	AgentConnected = "agent.connected"
	AgentLeft      = "agent.left"
	HubStarted     = "hub.started"
)

// Failed reports whether the call ended with an error.
func (c *Call) Failed() bool { return c.Code != "" && c.Code != Asked }

// ByPerson reports whether the Call is an event that a person caused.
func (c *Call) ByPerson() bool {
	return c.Event != "" && c.Event != AgentConnected && c.Event != AgentLeft && c.Event != HubStarted
}

// Worked is how long the call took without waiting for a person.
func (c *Call) Worked() time.Duration { return c.Duration - c.Waited }

// A CallFilter selects calls. A hub keeps the last few thousand.
type CallFilter struct {
	After  uint64 `json:"after,omitempty"`  // skip those up to and including this number
	Follow bool   `json:"follow,omitempty"` // go on as calls end
	Events bool   `json:"events,omitempty"` // events, too
}

// A RecordedCallFilter selects calls of this hub and of earlier ones.
type RecordedCallFilter struct {
	CallSearch

	Before int64 `json:"before,string,omitempty"` // only calls that began before the one with this ID; 0: all
	Limit  int   `json:"limit,omitempty"`         // 0: 100; at most 1,000
	Events bool  `json:"events,omitempty"`        // events, too
}

// RecordedCalls is a part of what a [RecordedCallFilter] selects, newest first.
type RecordedCalls struct {
	Calls []Call `json:"calls"`
	// Next is Before for the next part, of older calls; 0: there is none. A part may
	// be empty though another follows.
	Next int64 `json:"next,string,omitempty"`
	// Reached is the time back to which this part has all that is selected, if Next is
	// set.
	Reached time.Time `json:"reached,omitzero"`
}
