package logseq_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// Two agents and a person work on a graph, and then one agent's calls are taken
// back, as far as they can be, and made again. What the person wrote is never
// lost or overwritten, a refusal changes nothing, and the second time is exact.
// Unlike the suite's sequences these have a person, and neighbours that move.
func TestUndoAmongOthers(t *testing.T) {
	taken, played := 0, 0
	for _, kind := range []string{"db", "file"} {
		for seed := range runtest.Seeds(48, 16, 12) {
			played++
			a := &sharedSession{t: t, rand: rand.New(rand.NewPCG(uint64(seed), 7)), f: fixtureGraph(kind), wrote: map[string]string{}, what: fmt.Sprint(kind, " ", seed)}
			a.desk = openTestSource(t, a.f)
			for range 25 {
				a.step()
			}
			taken += a.undoFirstAgent()
		}
	}
	if taken < 2*played {
		t.Errorf("only %d calls could be taken back", taken)
	}
}

// An sharedSession is one graph and who works on it.
type sharedSession struct {
	t     *testing.T
	desk  *testSource
	f     *fakePeer
	rand  *rand.Rand
	what  string
	n     int
	wrote map[string]string // the person's words, by block
	calls []*changeRecorder // of the first agent
}

func (a *sharedSession) step() {
	a.n++
	who := a.rand.IntN(3)
	if who == 2 {
		a.person()
		return
	}
	tool, args := a.call()
	l := &changeRecorder{f: a.f}
	if _, err := a.desk.open.Call(a.t.Context(), tools.CallContext{Writes: l}, tool, []byte(args)); err != nil {
		return // what was made up need not make sense
	}
	if who == 0 {
		a.calls = append(a.calls, l)
	}
	for uuid, words := range a.wrote { // an agent may change what a person wrote
		if a.reads(uuid) != words {
			delete(a.wrote, uuid)
		}
	}
}

// reads is the text of a block that is not in the recycle bin.
func (a *sharedSession) reads(uuid string) string {
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	s, err := a.f.block(uuid)
	if err != nil || s.page.Recycled {
		return ""
	}
	return s.block().Content
}

// person writes onto a block, or a new one below it or at the end of its page.
func (a *sharedSession) person() {
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	words := fmt.Sprint("by hand ", a.n)
	spots := slices.DeleteFunc(a.f.positions(), func(s blockPosition) bool { return s.page.Recycled })
	if len(spots) == 0 {
		return
	}
	s := spots[a.rand.IntN(len(spots))]
	b := s.block()
	if where := a.rand.IntN(4); where > 0 {
		b = &fakeBlock{UUID: id(10_000 + a.n), Properties: map[string]any{}, Tags: []string{}}
		switch where {
		case 1:
			s.block().Children = append(s.block().Children, b)
		case 2:
			*s.list = slices.Insert(*s.list, s.at, b)
		default:
			s.page.blocks = append(s.page.blocks, b)
		}
	}
	b.Content = words
	a.wrote[b.UUID] = words
}

// call makes a write up.
func (a *sharedSession) call() (tool, args string) {
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	blocks, pages := []string{id(0)}, []string{"Garden"} // which may be gone
	for _, s := range a.f.positions() {
		blocks = append(blocks, s.block().UUID)
	}
	for _, p := range a.f.pages {
		pages = append(pages, p.Name)
	}
	block := func() string { return blocks[a.rand.IntN(len(blocks))] }
	page := func() string { return pages[a.rand.IntN(len(pages))] }
	words := fmt.Sprint("agent ", a.n)
	position := []string{"first", "last"}[a.rand.IntN(2)]
	beside := []string{"before", "after"}[a.rand.IntN(2)]
	all := [][2]string{
		{"create_block", `{"page_name":"` + page() + `","content":"` + words + `","position":"` + position + `"}`},
		{"create_block", `{"sibling_block_uuid":"` + block() + `","content":"` + words + `","position":"` + beside + `"}`},
		{"insert_blocks", `{"parent_block_uuid":"` + block() + `","markdown":"- ` + words + `\n  - below\n- beside"}`},
		{"update_block", `{"block_uuid":"` + block() + `","content":"` + words + `"}`},
		{"update_block", `{"block_uuid":"` + block() + `","properties":{"n":` + fmt.Sprint(a.n) + `}}`},
		{"set_task", `{"block_uuid":"` + block() + `","status":"DOING"}`},
		{"move_block", `{"block_uuid":"` + block() + `","target_page_name":"` + page() + `","position":"` + position + `"}`},
		{"move_block", `{"block_uuid":"` + block() + `","sibling_block_uuid":"` + block() + `","position":"` + beside + `"}`},
		{"move_block", `{"block_uuid":"` + block() + `","target_parent_uuid":"` + block() + `"}`},
		{"delete_block", `{"block_uuid":"` + block() + `","recursive":true}`},
		{"update_page", `{"page_name":"` + page() + `","content_append":"` + words + `","properties":{"n":` + fmt.Sprint(a.n) + `}}`},
		{"rename_page", `{"page_name":"` + page() + `","new_name":"Page ` + fmt.Sprint(a.n) + `"}`},
		{"create_page", `{"title":"New ` + fmt.Sprint(a.n) + `","content":"- ` + words + `"}`},
		{"append_to_journal", `{"content":"` + words + `"}`},
	}
	if a.rand.IntN(20) == 0 {
		return "delete_page", `{"page_name":"` + page() + `","force":true}`
	}
	c := all[a.rand.IntN(len(all))]
	return c[0], c[1]
}

// undoFirstAgent undoes the first agent's calls, the last first, then does what was
// undone again. It answers how many could be undone.
func (a *sharedSession) undoFirstAgent() int {
	before := a.f.digest()
	var undone []*changeRecorder
	for _, l := range slices.Backward(a.calls) {
		was := a.f.digest()
		again := &changeRecorder{f: a.f}
		err := a.desk.open.Restorer().Restore(a.t.Context(), tools.CallContext{Writes: again}, l.back())
		switch e := tools.AsError(err); {
		case err == nil:
			undone = append(undone, again)
		case e.Code != tools.Conflict || a.f.digest() != was:
			a.t.Errorf("%s: undo of %s: %v, changed %v", a.what, l.changes[0].Target, err, a.f.digest() != was)
		}
		for uuid, words := range a.wrote {
			if now := a.reads(uuid); now != words {
				a.t.Fatalf("%s: undo of %s made %q of what a person wrote, %q", a.what, l.changes[0].Target, now, words)
			}
		}
	}
	for _, l := range slices.Backward(undone) {
		if err := a.desk.open.Restorer().Restore(a.t.Context(), tools.CallContext{}, l.back()); err != nil {
			a.t.Fatalf("%s: doing %s again: %v %+v", a.what, l.changes[0].Target, err, tools.AsError(err).Data)
		}
	}
	if diff := cmp.Diff(before, a.f.digest()); diff != "" {
		a.t.Errorf("%s: done again, it is not as before (-before +now):\n%s", a.what, diff)
	}
	return len(undone)
}
