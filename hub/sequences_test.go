package hub

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// Two agents call a folder of Markdown through a hub with its journal, in
// made-up sequences, while a person edits the files. Every call that changes
// something leaves one Change for each file and folder it changed; taking all
// back brings back the identical tree, and that again; and whatever is taken
// back, nothing that the person did is lost. SEQUENCES asks for more of them.
func TestSequencesThroughTheHub(t *testing.T) {
	count, wrote := 0, 0
	for seeds := range slices.Chunk(slices.Collect(toolstest.SequenceSeeds()), 50) { // a hub has so many sources
		d := newFolders(t, len(seeds))
		for i, seed := range seeds {
			q := &episode{T: t, folders: d, dir: d.trees[i], source: fmt.Sprintf("n%d", i), rand: rand.New(rand.NewPCG(uint64(seed), 7)), mine: map[string]entry{}, known: map[string]bool{}}
			q.play()
			wrote += q.wrote
			count++
			if t.Failed() {
				t.Fatalf("sequence %d: %s", seed, strings.Join(q.log, "; "))
			}
		}
	}
	if wrote < 3*count {
		t.Errorf("only %d calls of %d sequences wrote anything", wrote, count)
	}
}

// folders are sources of one hub, with their trees.
type folders struct {
	hub    *Hub
	trees  []string
	views  []*toolset
	agents [2]*session
}

func newFolders(t *testing.T, n int) *folders {
	t.Helper()
	top := t.TempDir()
	d := &folders{}
	var sources []Source
	for i := range n {
		dir := filepath.Join(top, fmt.Sprintf("n%d", i))
		for name, mode := range map[string]fs.FileMode{"Work": 0o750, "Work/Sub": 0o755} {
			if err := os.MkdirAll(filepath.Join(dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range map[string]string{
			"A.md": "---\ntitle: A\n---\n\nSee [[B]] and [c](Work/C.md).\n", "B.md": "caf\xe9 is Latin-1\n", "Work/C.md": "\xef\xbb\xbfCRLF\r\n[[A]]\r\n", "Work/Sub/D.md": "no end of line",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), []fs.FileMode{0o600, 0o644, 0o664}[len(text)%3]); err != nil {
				t.Fatal(err)
			}
		}
		options, err := json.Marshal(map[string]string{"path": dir})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{Name: fmt.Sprintf("n%d", i), Kind: "markdown", Options: options})
		d.trees = append(d.trees, dir)
	}
	log := slog.New(slog.DiscardHandler)
	j := journal.New(journal.Options{Dir: filepath.Join(top, "journal"), Now: time.Now, Log: log})
	d.hub = New(Config{
		Systems: []tools.Kind{markdown.System()}, Sources: sources, Version: "1", Skill: "1", State: hubtest.NewFakeSnapshotStore(), Now: time.Now, Log: log, Journal: j,
		Limits: Limits{CallsPerMinute: 1 << 30},
	})
	if err := d.hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.hub.Close(); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	for i := range n {
		d.views = append(d.views, newToolset(d.hub.sources.sourcesInScope(fmt.Sprintf("n%d", i)), (*source).defaultAccess, false))
	}
	for i := range d.agents {
		d.agents[i] = d.hub.sessions.newPersonSession("", "")
		d.agents[i].SetClientInfo(fmt.Sprintf("agent %d", i), "")
	}
	return d
}

// An entry is a file or folder as it is on disk.
type entry struct {
	mode fs.FileMode
	data string
}

func treeOf(t testing.TB, dir string) map[string]entry {
	t.Helper()
	tree := map[string]entry{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, now := filepath.ToSlash(file[len(dir)+1:]), entry{mode: info.Mode()}
		if e.IsDir() {
			tree[name+"/"] = now
			return nil
		}
		data, err := os.ReadFile(file)
		now.data = string(data)
		tree[name] = now
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A written is a call that changed something.
type written struct {
	id   string           // of one of its Changes
	left map[string]entry // its targets, as it left them; the zero entry: nothing
}

// An episode is one sequence.
type episode struct {
	*testing.T
	*folders

	dir, source string
	rand        *rand.Rand
	tree        map[string]entry // as it is now
	wrote       int
	calls       []written        // oldest first
	known       map[string]bool  // IDs of the Changes of calls
	mine        map[string]entry // what the person did since an agent last wrote there; the zero entry: removed it
	log         []string
}

func (q *episode) play() {
	q.Helper()
	q.tree = treeOf(q, q.dir)
	start, alone := q.tree, q.rand.IntN(2) == 0
	for range 10 {
		if who := q.rand.IntN(3); who == 2 && !alone {
			q.edit()
		} else {
			q.agent(who % 2)
		}
	}
	switch {
	case q.wrote == 0:
	case alone:
		end := q.tree
		q.undoes(status.Filter{Source: q.source}, start)
		back, err := q.hub.Changes().List(q.Context(), status.Filter{Source: q.source, Limit: 1000})
		if err != nil {
			q.Fatal(err)
		}
		var redo []string
		for _, c := range back.Changes {
			if c.Undoes != "" {
				redo = append(redo, c.ID)
			}
		}
		if len(redo) > 0 {
			q.undoes(status.Filter{IDs: redo}, end)
		}
	default:
		q.tries(status.Filter{Source: q.source}, q.calls...)
		for _, c := range slices.Backward(q.calls) {
			q.tries(status.Filter{IDs: []string{c.id}}, c)
		}
	}
}

func (q *episode) undoes(p status.Filter, want map[string]entry) {
	q.Helper()
	if err := q.hub.Changes().Undo(q.Context(), p); err != nil {
		q.Errorf("no one else edited: %v", err)
		return
	}
	if got := treeOf(q, q.dir); !maps.Equal(got, want) {
		q.Errorf("%+v was taken back, but the tree is not as it was: %s", p, apart(want, got))
	}
}

// tries takes calls back that the person's edits may be in the way of. Where
// the person has put back what a call left, that is no edit of it.
func (q *episode) tries(p status.Filter, calls ...written) {
	q.Helper()
	before := treeOf(q, q.dir)
	err := q.hub.Changes().Undo(q.Context(), p)
	after := treeOf(q, q.dir)
	if err != nil && !maps.Equal(before, after) {
		q.Errorf("%+v was refused with %v, and changed %s", p, err, apart(before, after))
	}
	for name, was := range q.mine {
		asLeft := slices.ContainsFunc(calls, func(c written) bool { left, ok := c.left[name]; return ok && left == was })
		switch {
		case after[name] == was:
		case asLeft:
			delete(q.mine, name)
		default:
			q.Errorf("%+v, %v: what the person did to %s is lost: %s", p, err, name, apart(before, after))
		}
	}
}

func apart(a, b map[string]entry) string {
	var all []string
	for name := range maps.Keys(a) {
		if now, there := b[name]; !there || now != a[name] {
			all = append(all, fmt.Sprintf("%s was %v, is %v", name, a[name], now))
		}
	}
	for name := range maps.Keys(b) {
		if _, there := a[name]; !there {
			all = append(all, name+" is new")
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// page is the name of one that may be there.
func (q *episode) page() string {
	names := []string{"A.md", "B.md", "Work/C.md", "Work/Sub/D.md", "Work/New.md", "Deep/Er/E.md", "Work/_index.md"}
	for name := range q.tree {
		if strings.HasSuffix(name, ".md") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[7:])
	return names[q.rand.IntN(len(names))]
}

// agent has one of the agents call, and holds what changed on disk against the
// Changes of that call.
func (q *episode) agent(who int) {
	q.Helper()
	text := []string{"plain\n", "---\ntitle: T\n---\n\n[[A]] [b](B.md)\n", "", strings.Repeat("long\r\n", 400)}[q.rand.IntN(4)] + strconv.Itoa(q.rand.IntN(3))
	var tool string
	var args map[string]any
	switch q.rand.IntN(6) {
	case 0:
		tool, args = "create_page", map[string]any{"title": []string{"New", "A", "Ünï"}[q.rand.IntN(3)], "parentPath": q.page(), "content": text}
	case 1, 2:
		tool, args = "write_page", map[string]any{"path": q.page(), "content": text}
	case 3:
		tool, args = "delete_page", map[string]any{"path": q.page()}
	case 4:
		to := []string{q.page(), "Work", "/", "Else/" + strconv.Itoa(q.rand.IntN(9)) + ".md"}[q.rand.IntN(4)]
		tool, args = "move_page", map[string]any{"sourcePath": q.page(), "destinationPath": to, "update_links": q.rand.IntN(2) == 0}
	default:
		tool, args = "add_attachment", map[string]any{"pagePath": q.page(), "fileName": "f.bin", "data": base64.StdEncoding.EncodeToString([]byte{0, 255, byte(q.rand.IntN(9))})}
	}
	in, err := json.Marshal(args)
	if err != nil {
		q.Fatal(err)
	}
	n, _ := strconv.Atoi(q.source[1:])
	_, err = q.hub.call(q.Context(), caller{session: q.agents[who], client: policy.Client{Name: q.agents[who].ClientName()}, toolset: q.views[n], via: tools.ViaStdio}, mcp.Call{Tool: tool, Args: bytes.Clone(in)})
	q.log = append(q.log, fmt.Sprintf("agent %d %s %.120s %v", who, tool, in, err))
	q.hold(who, err)
}

func (q *episode) hold(who int, callErr error) {
	q.Helper()
	before, after := q.tree, treeOf(q, q.dir)
	q.tree = after
	latest, err := q.hub.Changes().List(q.Context(), status.Filter{Source: q.source, Session: q.agents[who].ID, Limit: 200})
	if err != nil {
		q.Fatal(err)
	}
	changed, left := map[string]int{}, map[string]entry{}
	for _, c := range latest.Changes {
		if !q.known[c.ID] {
			q.known[c.ID] = true
			changed[c.Target]++
		}
	}
	if len(changed) > 0 {
		q.calls = append(q.calls, written{latest.Changes[0].ID, left})
		q.wrote++
	}
	for name, times := range changed {
		delete(q.mine, name) // the agent found what the person had done
		left[name] = after[name]
		if times > 1 {
			q.Errorf("%d Changes of %s in one call", times, name)
		}
		if before[name] == after[name] {
			q.Errorf("a Change of %s, which is as before", name)
		}
	}
	for _, one := range []struct{ a, b map[string]entry }{{before, after}, {after, before}} {
		for name, was := range one.a {
			if now, there := one.b[name]; (!there || now != was) && changed[name] == 0 {
				q.Errorf("%s changed without a Change (%v)", name, callErr)
			}
		}
	}
}

// edit is the person at work.
func (q *episode) edit() {
	q.Helper()
	name := q.page()
	file := filepath.Join(q.dir, filepath.FromSlash(name))
	info, err := os.Stat(file)
	switch what := q.rand.IntN(4); {
	case what == 0 && err == nil:
		err = os.Remove(file)
	case what == 1 && err == nil:
		err = os.Chmod(file, 0o640|info.Mode().Perm()&0o044^0o004)
	default:
		if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
			err = os.WriteFile(file, fmt.Appendf(nil, "by hand %d\n", q.rand.Uint64()), 0o644)
		}
	}
	if err != nil {
		q.Fatal(err)
	}
	q.tree = treeOf(q, q.dir)
	q.mine[name] = q.tree[name]
	q.log = append(q.log, "person "+name)
}
