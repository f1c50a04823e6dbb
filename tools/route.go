package tools

// Routes are the HTTP requests that the sources of a System answer. The Source
// is then an http.Handler. It is served at /sources/NAME, and at Mount too if it
// is the only source of its System, or NamesSource says that a path is its own.
//
// A handler knows the caller by [CallContextOf]. It reads as it likes, and writes
// only by [CallContext].Call of a tool of its own source (which may be
// [Spec].Unlisted), so that grants, policy, privacy, journal and audit hold.
// The Authorization header has been removed from its request.
type Routes struct {
	Mount string  `json:"mount"` // the specification's path: "/api/mcp"
	List  []Route `json:"list"`
	// NamesSource says that a path below Mount whose first segment is the name of a
	// source belongs to that source, also where the System has several. Other paths
	// are then answered with where the sources are.
	NamesSource bool `json:"names_source,omitempty"`
}

// A Route is one path that a System serves. Whatever is not listed is refused
// before the source hears of it.
type Route struct {
	Path    string    `json:"path"`               // below the mount; everything below it too if it ends in a slash
	Methods []string  `json:"methods"`            // "GET" allows HEAD
	MaxBody int64     `json:"max_body,omitempty"` // bytes; 0: no body
	Types   []string  `json:"types,omitempty"`    // of a body; nil: application/json
	Stream  bool      `json:"stream,omitempty"`   // the answer has no deadline
	Auth    RouteAuth `json:"auth,omitempty"`
	// OpenKey is a key of the source's configuration, true or false: while it is
	// true, programs on this machine need no token. Empty: they always do.
	OpenKey string `json:"open_key,omitempty"`
	Purpose string `json:"purpose"` // for documents: "Exchange an API key for a token"
}

// RouteAuth is how a Route knows its callers.
type RouteAuth string

// The ways of a Route to know its callers.
const (
	AuthToken  RouteAuth = ""       // a token of Lectern's: a client's or the source's own key
	AuthSource RouteAuth = "source" // a token of Lectern's or one that the [Authenticator] knows
	AuthOpen   RouteAuth = "open"   // anybody: the Identity is zero
)
