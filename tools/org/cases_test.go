package org_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgvars"
)

// A testCase is a file, operations on it, and what Emacs left.
type testCase struct {
	Name    string            `json:"name"`
	Content string            `json:"content"`
	Extra   map[string]string `json:"extra,omitempty"`
	Vars    map[string]string `json:"vars"`
	Ops     []operation       `json:"ops"`
	Expect  expectation       `json:"expect"`
}

type operation struct {
	Op       string          `json:"op"`
	Where    *location       `json:"where,omitempty"`
	Target   *location       `json:"target,omitempty"`
	Arg      json.RawMessage `json:"arg,omitempty"`
	Key      string          `json:"key,omitempty"`
	Note     *string         `json:"note,omitempty"`
	Template *template       `json:"template,omitempty"`
	Initial  string          `json:"initial,omitempty"`
}

type location struct {
	Title string   `json:"title,omitempty"`
	ID    string   `json:"id,omitempty"`
	Line  int      `json:"line,omitempty"`
	OLP   []string `json:"olp,omitempty"`
	File  bool     `json:"file,omitempty"`
}

type template struct {
	Type       string         `json:"type"`
	Target     *captureTarget `json:"target"`
	Text       string         `json:"text"`
	Prepend    bool           `json:"prepend,omitempty"`
	EmptyLines int            `json:"empty_lines,omitempty"`
}

type captureTarget struct {
	Headline string `json:"headline"`
}

type expectation struct {
	Error *string                    `json:"error"`
	Files map[string]string          `json:"files"`
	Read  map[string]json.RawMessage `json:"read,omitempty"`
}

// caseTime is the moment at which all cases were recorded.
var caseTime = time.Date(2026, 1, 7, 10, 0, 0, 0, time.UTC)

// TestCases replays recorded edits and compares the files byte for byte. The
// files of ORG_CASES, or the shared ones if they are there, run besides our own.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("ORG_CASES"); path != "" {
		files = append(files, path)
	} else if path := sharedFile("cases.json"); path != "" {
		files = append(files, path)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []testCase
		if err := json.Unmarshal(b, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				compareCase(t, c)
			})
		}
	}
}

func compareCase(t *testing.T, c testCase) {
	t.Helper()
	got, err := runCase(c, "/x")
	message := ""
	if err != nil {
		message = err.Error()
	}
	want := ""
	if c.Expect.Error != nil {
		want = *c.Expect.Error
	}
	if (message == "") != (want == "") {
		t.Errorf("error %q, Emacs: %q", message, want)
	}
	for name, text := range c.Expect.Files {
		text = strings.ReplaceAll(text, "{DIR}", "/x")
		if got[name] != text {
			t.Errorf("%s: %s", name, lineDifference(got[name], text))
		}
	}
	for name := range got {
		if _, ok := c.Expect.Files[name]; !ok {
			t.Errorf("there is a file %s, Emacs wrote none", name)
		}
	}
	compareReads(t, c)
}

// A caseFiles is the folder of a case.
type caseFiles struct {
	dir      string
	settings orgfile.Settings
	env      orgedit.Env
	sources  map[string]string
	drafts   map[string]*orgedit.Draft
}

// runCase runs the operations of c on files in dir and returns what they hold
// then.
func runCase(c testCase, dir string) (map[string]string, error) {
	f := caseFiles{dir: dir, settings: orgfile.DefaultSettings(), sources: map[string]string{"t.org": c.Content}, drafts: map[string]*orgedit.Draft{}}
	f.settings.Quirks = orgfile.Org95
	for name, value := range c.Vars {
		if err := orgvars.Set(&f.settings, name, value); err != nil {
			return nil, err
		}
	}
	maps.Copy(f.sources, c.Extra)
	ids := 0
	f.env = orgedit.Env{Now: caseTime, NewID: func() string { ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids) }}
	var failed error
	for _, op := range c.Ops {
		if failed = f.run(op); failed != nil {
			break
		}
	}
	out := map[string]string{}
	maps.Copy(out, f.sources)
	if failed == nil { // Emacs saves at the end, so an error leaves the files alone
		for name, d := range f.drafts {
			if edits := d.Edits(); len(edits) > 0 || f.sources[name] != "" {
				out[name] = string(orgedit.Apply([]byte(f.sources[name]), edits))
			}
		}
	}
	return out, failed
}

func (f *caseFiles) open(name string) (*orgedit.Draft, error) {
	if d, ok := f.drafts[name]; ok {
		return d, nil
	}
	d, err := orgedit.NewDraft([]byte(f.sources[name]), filepath.Join(f.dir, name), f.settings, nil, f.env)
	f.drafts[name] = d
	return d, err
}

// find returns the headline that a location means, -1 for the file.
func find(d *orgedit.Draft, where *location) (int, error) {
	f := d.File()
	switch {
	case where.File:
		return -1, nil
	case where.ID != "":
		if i, ok := f.ByProperty("ID", where.ID); ok {
			return i, nil
		}
		return 0, fmt.Errorf("No id %s", where.ID)
	case where.Line > 0:
		return f.AtLine(where.Line), nil
	case len(where.OLP) > 0:
		if found := f.ByPath(where.OLP); len(found) == 1 {
			return found[0], nil
		}
		return 0, fmt.Errorf("No olp %q", where.OLP)
	}
	for i, h := range f.Headlines {
		if f.Text(h.Title) == where.Title {
			return i, nil
		}
	}
	return 0, fmt.Errorf("No title %s", where.Title)
}

func (f *caseFiles) run(op operation) error {
	d, err := f.open("t.org")
	if err != nil {
		return err
	}
	i := -1
	where := op.Where
	if op.Op == "capture" {
		where = &location{Title: op.Template.Target.Headline}
	}
	if where != nil && op.Op != "toggle-checkbox" {
		if i, err = find(d, where); err != nil {
			return err
		}
	}
	var arg string
	_ = json.Unmarshal(op.Arg, &arg)
	var note *string
	if op.Op == "todo-note" {
		note = op.Note
	}
	remove := len(op.Arg) == 0 || string(op.Arg) == "null"
	switch op.Op {
	case "todo", "todo-note":
		err = d.SetState(i, arg, note)
		if blocked := (*orgedit.BlockedError)(nil); errors.As(err, &blocked) {
			err = nil // Emacs says nothing
		}
		return err
	case "note":
		d.AddNote(i, *op.Note)
	case "schedule":
		if remove {
			d.RemoveSchedule(i, nil)
			return nil
		}
		return d.Schedule(i, arg, nil)
	case "deadline":
		if remove {
			d.RemoveDeadline(i, nil)
			return nil
		}
		return d.SetDeadline(i, arg, nil)
	case "set-property":
		return d.SetProperty(i, op.Key, arg, nil)
	case "delete-property":
		d.DeleteProperty(i, op.Key)
	case "id-get-create":
		d.CreateID(i)
	case "set-tags":
		var tags []string
		if err := json.Unmarshal(op.Arg, &tags); err != nil {
			return err
		}
		return d.SetTags(i, tags)
	case "priority":
		return d.SetPriority(i, arg)
	case "edit-headline":
		return d.EditHeadline(i, arg)
	case "comment":
		d.ToggleComment(i)
	case "archive-tag":
		d.ToggleArchiveTag(i)
	case "archive":
		return f.archive(d, i)
	case "archive-sibling":
		return d.ArchiveToSibling(i)
	case "promote":
		return d.Promote(i)
	case "demote":
		return d.Demote(i)
	case "refile":
		to, err := find(d, op.Target)
		if err != nil {
			return err
		}
		return d.Refile(i, d, to, nil)
	case "refile-file-top":
		return d.Refile(i, d, -1, nil)
	case "clock-in":
		return d.ClockIn(i)
	case "clock-out":
		return d.ClockOut()
	case "toggle-checkbox":
		return d.ToggleCheckbox(op.Where.Line)
	case "capture":
		t := orgedit.CaptureTemplate{Type: op.Template.Type, Prepend: op.Template.Prepend, EmptyLines: op.Template.EmptyLines}
		t.Text = strings.NewReplacer("%i", op.Initial, "%U", caseTime.Format("[2006-01-02 Mon 15:04]")).Replace(op.Template.Text)
		_, err = d.Capture(i, t)
		return err
	case "read":
	default:
		return fmt.Errorf("unknown op %q", op.Op)
	}
	return nil
}

func (f *caseFiles) archive(d *orgedit.Draft, i int) error {
	place, err := d.ArchivePlace(i)
	if err != nil {
		return err
	}
	target, created := d, false
	if place.File != "" {
		name := filepath.Base(place.File)
		_, known := f.sources[name]
		created = !known && f.drafts[name] == nil
		if target, err = f.open(name); err != nil {
			return err
		}
	}
	return d.Archive(i, target, created, place, filepath.Join(f.dir, "t.org"))
}

// compareReads compares what "expect.read" names.
func compareReads(t *testing.T, c testCase) {
	t.Helper()
	if len(c.Expect.Read) == 0 {
		return
	}
	f, err := orgfile.Parse([]byte(c.Content), "/x/t.org", orgfile.DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range c.Expect.Read {
		switch what {
		case "file-id":
			var id any
			if v, ok := f.Property(-1, "ID"); ok {
				id = v
			}
			compareJSON(t, what, id, want)
		case "todo-keywords":
			got := map[string]any{"not-done": f.Settings.Todo.Names(false), "done": f.Settings.Todo.Names(true)}
			if strings.Contains(string(want), `"sets"`) {
				sets := [][]string{}
				for _, set := range f.Settings.Todo.Sets {
					names := []string{}
					for _, k := range set.Keywords {
						names = append(names, k.Name)
					}
					sets = append(sets, names)
				}
				got["sets"] = sets
			}
			compareJSON(t, what, got, want)
		case "properties":
			compareProperties(t, f, want)
		default:
			t.Errorf("unknown reading %q", what)
		}
	}
}

func compareProperties(t *testing.T, f *orgfile.File, want json.RawMessage) {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(want, &all); err != nil {
		t.Fatal(err)
	}
	var where location
	if err := json.Unmarshal(all["where"], &where); err != nil {
		t.Fatal(err)
	}
	delete(all, "where")
	i := -1
	for n, h := range f.Headlines {
		if f.Text(h.Title) == where.Title {
			i = n
		}
	}
	for key, w := range all {
		if key == "CATEGORY" {
			compareJSON(t, key, f.Category(i), w)
			continue
		}
		var kinds map[string]json.RawMessage
		if err := json.Unmarshal(w, &kinds); err != nil {
			t.Fatal(err)
		}
		for kind, w := range kinds {
			read, ok := map[string]func(int, string) (string, bool){
				"local": f.Property, "inherited": f.InheritedProperty, "selective": f.SelectiveProperty,
			}[kind]
			if !ok {
				t.Errorf("unknown kind of property %q", kind)
				continue
			}
			v, _ := read(i, key)
			compareJSON(t, key+" "+kind, v, w)
		}
	}
}

func compareJSON(t *testing.T, what string, got any, want json.RawMessage) {
	t.Helper()
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if json.Unmarshal(g, &a) != nil || json.Unmarshal(want, &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%s is %s, Emacs: %s", what, g, want)
	}
}
