package notesapi

import "github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"

// Find returns the route of a request and the names in its path by those in the
// route's; false if there is none.
func (a *API) Find(method, path string) (r Route, names map[string]string, ok bool) {
	found, names, err := a.find(method, path)
	return found.Route, names, err == nil
}

// As has the Overlay's requests come from another caller.
func (o *Overlay) As(c Caller) *Overlay {
	notestore.SetWriter(o.draft, notestore.View{Author: c.Author, Run: c.Run, Began: c.Began, Seed: c.Seed})
	return o
}
