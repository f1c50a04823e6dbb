package status

import "time"

// MaxRunningCalls is how many calls under way a [Snapshot] lists.
const MaxRunningCalls = 100

// A RunningCall is a call of an agent, of a source's own client or of a person
// that has not ended. Calls that a call makes are part of it.
type RunningCall struct {
	Name string `json:"name"` // "s3.12": what [CancelCall] takes
	// ID is that of the [Call] which it will be when it has ended; 0: it will not be
	// recorded.
	ID      int64     `json:"id,string,omitempty"`
	Began   time.Time `json:"began"`
	Session string    `json:"session"`
	Client  string    `json:"client"`
	Proven  bool      `json:"proven,omitempty"` // the client presented the token made for it
	Source  string    `json:"source"`
	Tool    string    `json:"tool"`
	Effect  string    `json:"effect"`            // that the tool declares
	Targets []string  `json:"targets,omitempty"` // what it touches, as far as that is known by now, as in [Call]
	Waiting bool      `json:"waiting,omitempty"` // for a person: it is one of the Approvals, too
}
