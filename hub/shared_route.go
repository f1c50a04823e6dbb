package hub

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/tools"
)

// matchNamedSource finds which of several sources a path of the specification is
// for: the one that its first segment names. Where it names none of them, the
// match has all of them and no source; false: the System does not name sources,
// so that each is only at its own path.
func matchNamedSource(found []routeMatch, path string) (routeMatch, bool) {
	shared := routeMatch{route: found[0].route, base: found[0].base}
	for _, m := range found {
		if !m.source.kind.Manifest().Routes.NamesSource {
			return routeMatch{}, false
		}
		segment, _, _ := strings.Cut(strings.TrimPrefix(path[len(m.base):], "/"), "/")
		if segment == m.source.conf.Name {
			return m, true
		}
		shared.several = append(shared.several, m.source)
	}
	return shared, true
}

// refuseShared answers a request for a path that several sources serve and that
// names none of them, with where those are that the caller may read.
func (r Routes) refuseShared(w http.ResponseWriter, req *http.Request, m routeMatch) {
	name := r.hub.clientOf(req)
	client, p := policy.Client{Name: name, Proven: name != ""}, r.hub.policy.Load()
	var paths []string
	for _, src := range m.several {
		if slices.Contains(src.accessOf(p, client).effects, tools.Reads) {
			paths = append(paths, sourceRoutePrefix+src.conf.Name)
		}
	}
	if len(paths) == 0 {
		loopnet.WriteError(w, req, http.StatusNotFound, "not found: nothing is served at this path") // as the guard says it
		return
	}
	slices.Sort(paths)
	loopnet.WriteError(w, req, http.StatusNotFound, fmt.Sprintf("%s is served by several sources, and this path names none of them. "+
		"Use %s in place of %s.", m.base, strings.Join(paths, " or "), m.base))
}
