package workspace

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// A scriptRun is a script under way, with what it has written so far.
type scriptRun struct {
	id      string
	overlay *notesapi.Overlay
	dryRun  bool
	// maxNotes is how many notes it may change.
	maxNotes int
	calls    []ScriptCall
	partial  []partialList
	// announced is what calls before the one that commits have announced.
	announced []announcement
}

// A partialList is a list that a script was answered in part.
type partialList struct{ list, next string }

// noteList notes whether a script was answered a part of a list: where it did not say how
// much it wants, and until it asks for the rest.
func (r *scriptRun) noteList(method, path, asked, limit, next string) {
	r.partial = slices.DeleteFunc(r.partial, func(p partialList) bool { return asked != "" && p.next == asked })
	if next != "" && limit == "" {
		r.partial = append(r.partial, partialList{method + " " + path, next})
	}
}

// partialLists are the lists that were read in part, each once.
func (r *scriptRun) partialLists() (lists []string) {
	for _, p := range r.partial {
		if !slices.Contains(lists, p.list) {
			lists = append(lists, p.list)
		}
	}
	return lists
}

// scriptRuns are the runs of a source by id: the requests of a script come back as
// calls of tools, which find it here.
type scriptRuns struct {
	mu    sync.Mutex
	by    map[string]*scriptRun
	ended []runRecord // oldest first
	// source has the runs of the source that these, on a draft of it, prepare; nil:
	// they are the source's.
	source *scriptRuns
}

// A runRecord is a run that has ended.
type runRecord struct {
	id, client, status string
	began              time.Time
	changed, calls     int // in the workspace; to other sources, as far as they were made
	dryRun             bool
	usage              ScriptUsage
}

// wrote says for people what a run changed.
func (r runRecord) wrote() string {
	text := fmt.Sprintf("%d changed", r.changed)
	if r.dryRun {
		text = fmt.Sprintf("%d would change", r.changed)
	}
	if r.calls > 0 {
		text += fmt.Sprintf(", %d in other sources", r.calls)
	}
	return text
}

// countDone is how many writes to other sources were made.
func countDone(calls []ScriptCall) (n int) {
	for _, c := range calls {
		if c.Outcome == callDone {
			n++
		}
	}
	return n
}

// maxRunRecords is how many runs are remembered. The audit has all.
const maxRunRecords = 100

// newest are the runs that ended, newest first.
func (s *scriptRuns) newest() []runRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.ended)
	slices.Reverse(list)
	return list
}

func newScriptRuns() *scriptRuns { return &scriptRuns{by: map[string]*scriptRun{}} }

// runID is the same each time that the hub runs a call, like everything that a call
// writes.
func runID(c tools.CallContext) string { return fmt.Sprintf("run-%016x", c.Seed) }

// add gives a run its id.
func (s *scriptRuns) add(r *scriptRun, c tools.CallContext) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.id = runID(c)
	for n := 2; s.by[r.id] != nil; n++ { // only without a hub are seeds equal
		r.id = fmt.Sprintf("%s-%d", runID(c), n)
	}
	s.by[r.id] = r
}

func (s *scriptRuns) find(id string) (*scriptRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.by[id]; r != nil {
		return r, nil
	}
	return nil, tools.Errorf(tools.Invalid, "no script with the run %.40q is under way", id)
}

// end forgets a run, and remembers how it ended. One that fails on a draft is not made
// for good.
func (s *scriptRuns) end(r *scriptRun, record runRecord) {
	record.id = r.id
	s.mu.Lock()
	delete(s.by, r.id)
	s.mu.Unlock()
	switch {
	case s.source == nil:
		s.remember(record)
	case record.status != succeeded:
		s.source.remember(record)
	}
}

func (s *scriptRuns) remember(record runRecord) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended = append(s.ended, record); len(s.ended) > maxRunRecords {
		s.ended = slices.Delete(s.ended, 0, 1)
	}
}
