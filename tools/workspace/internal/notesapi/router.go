package notesapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/nearest"
)

// handledRoute is a [Route] with its path in parts, of which names begin with a brace.
type handledRoute struct {
	Route
	parts  []string
	handle func(*call) (any, error)
}

// router has the routes by how many parts their paths have.
type router [][]handledRoute

func newRouter() (r router) {
	handlers := handlers()
	for _, route := range Routes() {
		parts := strings.Split(route.Path, "/")
		for len(r) <= len(parts) {
			r = append(r, nil)
		}
		r[len(parts)] = append(r[len(parts)], handledRoute{route, parts, handlers[route.Name]})
	}
	return r
}

// pathParts has room for the parts of the longest route.
type pathParts [8]string

// find returns the route of a request, and its path in parts, which are in room if they
// fit.
func (r router) find(method, path string, room *pathParts) (found *handledRoute, parts []string, err error) {
	if parts, err = splitPath(path, room); err != nil {
		return nil, nil, err
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var fewest int // names in the path
	var allowed []string
	var routes []handledRoute
	if len(parts) < len(r) {
		routes = r[len(parts)]
	}
	for i := range routes {
		route := &routes[i]
		names, fits := matchPath(route.parts, parts)
		switch {
		case !fits:
		case route.Method != method:
			allowed = append(allowed, route.Method)
		case found == nil || names < fewest: // /classes/types is no class
			found, fewest = route, names
		}
	}
	switch {
	case found != nil:
		return found, parts, nil
	case allowed != nil:
		return nil, nil, &Error{
			Status: http.StatusMethodNotAllowed, Detail: fmt.Sprintf("%s does not take %s; it takes %s", path, method, strings.Join(allowed, ", ")),
		}
	}
	return nil, nil, r.unknownPath(path, parts)
}

// unknownPath says which paths there are instead.
func (r router) unknownPath(path string, parts []string) error {
	const inWorkspace = 3 // the place of notes in /workspaces/ws/notes
	if len(parts) <= inWorkspace || parts[1] != "workspaces" {
		return notFound("there is no route %s; paths are /workspaces, /workspaces/ID and below", path)
	}
	var groups, paths []string
	for _, routes := range r {
		for _, route := range routes {
			if len(route.parts) <= inWorkspace {
				continue
			}
			if group := route.parts[inWorkspace]; !slices.Contains(groups, group) {
				groups = append(groups, group)
			}
			if route.parts[inWorkspace] == parts[inWorkspace] && !slices.Contains(paths, route.Path) {
				paths = append(paths, route.Path)
			}
		}
	}
	switch meant := nearest.Word(parts[inWorkspace], groups); {
	case paths != nil:
		return notFound("there is no route %s; paths are %s", path, strings.Join(paths, ", "))
	case meant != "":
		parts[inWorkspace] = meant
		return notFound("there is no route %s; did you mean %s?", path, strings.Join(parts, "/"))
	default:
		return notFound("there is no route %s; a workspace has %s", path, strings.Join(groups, ", "))
	}
}

func splitPath(path string, room *pathParts) ([]string, error) {
	parts := room[:0]
	for part := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
		parts = append(parts, part)
	}
	if !strings.Contains(path, "%") {
		return parts, nil
	}
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return nil, badRequest("the path cannot be read: %v", err)
		}
		parts[i] = plain
	}
	return parts, nil
}

// matchPath reports whether a path, which has as many parts, is one of a route's, and how
// many names it has.
func matchPath(own, parts []string) (names int, fits bool) {
	for i, part := range own {
		switch isName := strings.HasPrefix(part, "{"); {
		case isName && parts[i] != "":
			names++
		case isName || part != parts[i]:
			return 0, false
		}
	}
	return names, true
}

// PathNames are the names in the path of a request.
type PathNames struct {
	route *handledRoute // nil: there is none
	parts pathParts
}

func newPathNames(r *handledRoute, parts []string) (n PathNames) {
	n.route = r
	copy(n.parts[:], parts)
	return n
}

// Get returns the name that stands where the route has {name}; empty: the route has no
// such place.
func (n *PathNames) Get(name string) string {
	if n.route == nil {
		return ""
	}
	for i, part := range n.route.parts {
		if len(part) == len(name)+2 && part[0] == '{' && part[1:len(part)-1] == name {
			return n.parts[i]
		}
	}
	return ""
}
