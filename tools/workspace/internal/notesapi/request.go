// Package notesapi is the REST API of workspaces as a function from a request to a
// response: scripts, tools and HTTP take the same path through it.
//
// It knows no HTTP server and asks nobody for permission. What a caller writes is
// collected in an [Overlay], which its own later requests see; that says what it
// would change before anything is written, and then writes all of it or nothing.
// tools/workspace imports it. Start reading at [Routes], then [Overlay].
package notesapi

import (
	"encoding/json"
	"net/url"
	"time"
)

// A Request is one call of a route.
type Request struct {
	Method string
	Path   string          // as in a URL, without the query: /workspaces/ws/notes
	Query  url.Values      // may be nil
	Body   json.RawMessage // empty: none
	// WithoutLinks leaves out of a note its links and what is wrong with it, which take the
	// longest to find.
	WithoutLinks bool
	Bounds       Bounds // of a list
}

// A Response is the answer to a [Request].
type Response struct {
	Status int
	Header map[string]string // may be nil
	Body   json.RawMessage   // empty if Status is 204; an error is {"detail": …}
	// Note names the note which was read; empty: none was.
	Note NoteName
	// Hidden means that a write was refused because of what is hidden from agents.
	Hidden bool
}

// A NoteName is what rules name a note by.
type NoteName struct{ Workspace, ID, Class string }

// A Caller is who writes. Times, ids and revision ids of what is written come from
// Began and Seed alone: two runs of the same requests with the same Caller on the
// same workspaces write the same. If Began is zero, they come from the clock and
// from the system's random numbers.
type Caller struct {
	Author string // kept with each revision: a client's name
	Run    string // id of the script's run; empty: none
	Began  time.Time
	Seed   uint64
}
