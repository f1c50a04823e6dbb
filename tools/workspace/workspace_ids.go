package workspace

import (
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/tools"
)

// workspaceIDs are the ids of the workspaces of all open sources in a process, each of
// one source: URIs and paths name a workspace and no source. nil compares nothing.
type workspaceIDs struct {
	mu     sync.Mutex
	owners []*workspaceOwner
}

// A workspaceOwner is an open source with what it owns.
type workspaceOwner struct {
	source string
	ids    []string
}

// add has a source own ids, unless another one owns one of them. A source that is
// opened again owns what it owned before.
func (s *workspaceIDs) add(source string, ids []string) (*workspaceOwner, error) {
	if s == nil {
		return nil, nil //nolint:nilnil // there is nothing to own
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if other := s.otherLocked(source, id); other != "" {
			return nil, tools.Errorf(tools.Unavailable, "the workspace %s is also in source %s", id, other).
				WithHint("Ids of workspaces are unique among all sources. Give the source another name or database, or remove one of the two.")
		}
	}
	o := &workspaceOwner{source, slices.Clone(ids)}
	s.owners = append(s.owners, o)
	return o, nil
}

// extend adds an id to what an owner has; false: another source owns it.
func (s *workspaceIDs) extend(o *workspaceOwner, id string) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.otherLocked(o.source, id) != "" {
		return false
	}
	o.ids = append(o.ids, id)
	return true
}

// isTaken reports whether another source than the one of this name owns an id.
func (s *workspaceIDs) isTaken(source, id string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.otherLocked(source, id) != ""
}

func (s *workspaceIDs) remove(o *workspaceOwner) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owners = slices.DeleteFunc(s.owners, func(one *workspaceOwner) bool { return one == o })
}

func (s *workspaceIDs) otherLocked(source, id string) string {
	for _, o := range s.owners {
		if o.source != source && slices.Contains(o.ids, id) {
			return o.source
		}
	}
	return ""
}
