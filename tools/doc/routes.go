package doc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// routeMethods lists what may be done at a path.
func routeMethods(r tools.Route) string {
	methods := strings.Join(r.Methods, ", ")
	if slices.Contains(r.Methods, "GET") {
		methods += ", HEAD"
	}
	if r.Stream {
		methods += " (streams)"
	}
	return methods
}

// routeCallers says what a caller must show.
func routeCallers(r tools.Route) string {
	switch r.Auth {
	case tools.AuthOpen:
		return "nothing"
	case tools.AuthSource:
		return "a token of Lectern's or a key of the source"
	case tools.AuthToken:
	}
	if r.OpenKey != "" {
		return "a token of Lectern's; on this machine nothing, where `" + r.OpenKey + "` is true"
	}
	return "a token of Lectern's"
}

// routeBody says what a request may carry.
func routeBody(r tools.Route) string {
	if r.MaxBody == 0 {
		return "none"
	}
	types := r.Types
	if types == nil {
		types = []string{"application/json"}
	}
	return fmt.Sprintf("%s, at most %d bytes", strings.Join(types, ", "), r.MaxBody)
}
