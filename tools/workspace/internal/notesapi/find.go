package notesapi

import (
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// Find returns the route of a request and the names in its path; false if there is none.
func (a *API) Find(method, path string) (r Route, names PathNames, ok bool) {
	var room pathParts
	found, parts, err := a.routes.find(method, path, &room)
	if err != nil {
		return Route{}, PathNames{}, false
	}
	return found.Route, newPathNames(found, parts), true
}

// Effect returns what a request does; false if there is no route for it.
func (a *API) Effect(method, path string) (tools.Effect, bool) {
	var room pathParts
	found, _, err := a.routes.find(method, path, &room)
	if err != nil {
		return "", false
	}
	return found.Effect, true
}

// As has the Overlay's requests come from another caller.
func (o *Overlay) As(c Caller) *Overlay {
	notestore.SetWriter(o.draft, notestore.View{Author: c.Author, Run: c.Run, Began: c.Began, Seed: c.Seed})
	return o
}
