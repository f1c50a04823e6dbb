package tools

import (
	"strings"
	"time"
)

// An Identity is who calls. The zero value is nobody known, who has the least
// rights there are.
type Identity struct {
	Client  string // as policy, journal and audit name it; a key of a System is "key:NAME"
	Proven  bool   // it showed a secret made for Client; a mere claim may lose rights and never wins any
	Role    string // one of [System].Roles; the least unless the user or a token assigned another; empty: the System has none
	Account string // the person behind the client, as a token says; empty: the user who runs the hub
	Session string // the agent's session; empty: none
	Via     Via
	// ExpiresAt is when the token ends that an [Authenticator] accepted; zero: not
	// known.
	ExpiresAt time.Time
}

// Via is the way by which a call came in.
type Via string

// The ways in.
const (
	ViaStdio  Via = "stdio"  // MCP over `lectern serve`
	ViaHTTP   Via = "http"   // MCP over HTTP
	ViaRoute  Via = "route"  // a request to a System's own route
	ViaPerson Via = "person" // the panel or a command
	ViaSource Via = "source" // the source itself, by its [ClientCaller]
)

// A Role is what a caller may be to a System with [System].Roles.
type Role struct {
	Name string `json:"name"` // [a-z]+
	Doc  string `json:"description"`
}

// IsOwnClient reports whether a name is that of a client of a source's own, which
// only the source can use: see [ClientCaller].
func IsOwnClient(name string) bool {
	word, rest, _ := strings.Cut(name, ":")
	source, of, _ := strings.Cut(rest, "/")
	return word != "" && source != "" && of != ""
}
