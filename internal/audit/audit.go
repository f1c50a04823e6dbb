// Package audit is the record of every call: one row of a SQLite table, which
// says who called what on which targets, when, how it ended, how long it took
// and how large it was. Between the calls stand events: agents that connected or
// left, and what people decided.
//
// It holds neither content nor secrets: of the arguments only their size, a
// keyed digest and the names of targets. It is not the log, which says what went
// wrong, and not the journal, which can undo a write. A process that makes calls
// adds them to a [Trail], of which several may write to one file; `lectern calls`
// reads them with a [Reader]. Start reading at [Record].
package audit

import (
	"embed"
	"encoding/json"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A Record is one call that has ended. Empty fields are not known, or do not
// apply.
type Record struct {
	// ID tells when the call began, and orders calls by that.
	ID        int64           `json:"id,string"`
	Time      time.Time       `json:"time"` // when it began, to the microsecond
	Client    string          `json:"client"`
	Proven    bool            `json:"proven"` // the client has shown the token of its name
	Session   string          `json:"session"`
	Transport string          `json:"transport"`
	Role      string          `json:"role,omitempty"`
	Source    string          `json:"source"`
	Tool      string          `json:"tool"`
	Effect    string          `json:"effect"`
	Targets   []string        `json:"targets,omitempty"` // the first [MaxTargets], each at most [MaxTarget] bytes
	Outcome   Outcome         `json:"outcome"`
	Code      string          `json:"code,omitempty"`          // of the error
	Message   string          `json:"message,omitempty"`       // of the error, without what it quotes
	Waited    time.Duration   `json:"waited_ns"`               // for a person
	Worked    time.Duration   `json:"worked_ns"`               // the rest
	Request   int             `json:"request_bytes"`           // of the arguments
	Response  int             `json:"response_bytes"`          // of the answer
	Digest    string          `json:"digest,omitempty"`        // what [Trail.Digest] made of the arguments
	Parent    int64           `json:"parent,omitempty,string"` // the call that made this one
	Changes   []string        `json:"changes,omitempty"`       // IDs in the journal
	Approval  string          `json:"approval,omitempty"`      // the ID of the person's approval that let it through
	Detail    json.RawMessage `json:"detail,omitempty"`        // what the System adds; longer than [MaxDetail] it is left out
}

// An Outcome is how a call ended.
type Outcome string

// The outcomes. Dropped is not a call: its Message says how many records were
// lost since the record before. Neither is Event: its Tool says what happened to
// its Client, and its Message how.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "error"
	Refused Outcome = "refused" // it was not run
	Asked   Outcome = "asked"   // the client was asked for its user's answer, and calls again
	Dropped Outcome = "dropped"
	Event   Outcome = "event"
)

// Outcomes lists every Outcome.
func Outcomes() []Outcome { return []Outcome{OK, Failed, Refused, Asked, Dropped, Event} }

// Bounds of a Record.
const (
	MaxTargets = 20
	MaxTarget  = 256
	MaxDetail  = 4 << 10
)

// A HubDetail is the Detail of a call to which its System adds nothing.
type HubDetail struct {
	ChangedByPerson bool `json:"changed_by_person,omitempty"` // a person had something else written
	Hunks           int  `json:"hunks,omitempty"`             // that the call would have written, if the person chose among them
	LeftOut         int  `json:"left_out,omitempty"`          // of these
	Found           *int `json:"found,omitempty"`             // results in the answer of a search; nil: it was none
	FoundTotal      int  `json:"found_total,omitempty"`       // results in all, if that is more
}

// ReadHubDetail is the [HubDetail] of a record; that of a System has nothing of it.
func ReadHubDetail(r Record) (d HubDetail) {
	if len(r.Detail) > 0 {
		_ = json.Unmarshal(r.Detail, &d) // what is no HubDetail says nothing
	}
	return d
}

// Encode is d as a Detail; nil: there is nothing to say.
func (d HubDetail) Encode() json.RawMessage {
	if d == (HubDetail{}) {
		return nil
	}
	text, err := json.Marshal(d)
	if err != nil { // numbers and booleans marshal
		return nil
	}
	return text
}

//go:embed migrations
var migrations embed.FS

func schema() sqlstore.Schema {
	return sqlstore.Schema{Name: "audit", Migrations: migrations, Folder: "migrations"}
}
