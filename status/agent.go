package status

import "time"

// MaxAgents is how many agents an [AgentsQuery] answers.
const MaxAgents = 200

// An Agent is a client by the name that it gave, connected or not, as the record
// of calls knows it.
type Agent struct {
	Client   string    `json:"client"`
	Proven   bool      `json:"proven,omitempty"` // when it was last seen it had presented the token made for it
	Session  string    `json:"session"`          // the last
	LastSeen time.Time `json:"last_seen"`        // when it called or left
	LastTool string    `json:"last_tool,omitempty"`
	Source   string    `json:"source,omitempty"` // of that call
}
