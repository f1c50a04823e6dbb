package hub_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/pauses"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/org"
)

// A pageHub is a hub with a journal and a record of calls, on a real folder of pages.
type pageHub struct {
	*testHub
	t     *testing.T
	dir   string
	asked chan status.Approval // that begin to wait
}

func startPages(t *testing.T, kind string, change func(*hub.Config)) *pageHub {
	t.Helper()
	p := &pageHub{t: t, dir: t.TempDir(), asked: make(chan status.Approval, 10)}
	config, err := json.Marshal(markdown.Config{Path: tools.Folder(p.dir)})
	if kind == "org" {
		config, err = json.Marshal(org.Config{Path: tools.Folder(p.dir), Emacs: "off"})
	}
	if err != nil {
		t.Fatal(err)
	}
	j := journal.New(journal.Options{Dir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	conf := hub.Config{
		Systems: []tools.Kind{markdown.System(), org.System()}, Journal: j, OwnChanges: true, Policy: policy.New(askWrites(), nil),
		Sources:    []hub.Source{{Name: "notes", Kind: kind, Options: config, AllTools: true}},
		OnApproval: func(a status.Approval) { p.asked <- a },
	}
	if change != nil {
		change(&conf)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	p.testHub = startWith(t, conf)
	return p
}

// question is what a call asks that was started.
func (p *pageHub) question(out <-chan callOutcome) status.Approval {
	p.t.Helper()
	select {
	case a := <-p.asked:
		return a
	case o := <-out:
		p.t.Fatalf("nobody is asked: %s %s %s", o.code, o.text, o.json)
		return status.Approval{}
	}
}

func (p *pageHub) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pageHub) holds(name, want string) {
	p.t.Helper()
	got, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil || string(got) != want {
		p.t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
}

func (p *pageHub) allow(a status.Approval, edit *status.TextEdit) {
	p.t.Helper()
	if err := p.Approvals().Answer(a.ID, true, status.Answer{Shown: true, Edit: edit}); err != nil {
		p.t.Fatal(err)
	}
}

// edit is the person's version of what a would write.
func (p *pageHub) edit(a status.Approval, change func(text string) string) *status.TextEdit {
	p.t.Helper()
	part, err := p.Approvals().ProposedText(status.ApprovalRange{ID: a.ID})
	if err != nil || part.Next != 0 {
		p.t.Fatal(part.Next, err)
	}
	replace := status.ReplaceText(part.Text, change(part.Text))
	return &status.TextEdit{Plan: a.Plan, Replace: &replace}
}

// An agentAnswer is what the agent is told of a call that a person has changed.
type agentAnswer struct {
	ChangedByPerson bool `json:"changed_by_person"`
	Message, Diff   string
}

func changedAnswer(t *testing.T, o callOutcome) (a agentAnswer) {
	t.Helper()
	if err := json.Unmarshal(o.json, &a); err != nil || o.code != "ok" || !a.ChangedByPerson || a.Message == "" {
		t.Errorf("the agent is told %s %s %s", o.code, o.text, o.json)
	}
	return a
}

// spread are the lines of a page with so much between them that each change of one is a
// hunk by itself.
func spread(end string, lines ...string) string {
	return strings.Join(lines, end+strings.Repeat("same"+end, 9)) + end
}

// Of the hunks that a call would write only those are written that the person has
// chosen, in Markdown and in Org, and the byte order mark and the line ends of all
// others stay. The agent, the journal and the audit are told that a person changed it,
// and it can be undone.
func TestChosenHunksAreWritten(t *testing.T) {
	type page struct{ kind, name, before, tool, args, after, diff string }
	for title, tt := range map[string]page{
		"markdown": {
			"markdown", "a.md", spread("\n", "one", "two", "three"),
			"write_page", fmt.Sprintf(`{"path":"a.md","content":%q}`, spread("\n", "1", "2", "3")), spread("\n", "one", "2", "three"), "-two\n+2\n",
		},
		"with CRLF and a byte order mark": {
			"markdown", "a.md", "\ufeff" + spread("\r\n", "old", "x old", "old!"),
			"edit_page", `{"path":"a.md","action":"replace","text":"old","count":3,"content":"new"}`, "\ufeff" + spread("\r\n", "old", "x new", "old!"), "-x old\r\n+x new\r\n",
		},
		"org": {
			"org", "a.org", spread("\n", "* TODO One", "* TODO Two", "* TODO Three"),
			"org-bulk-update", `{"edits":[{"resourceUri":"org://a.org/headline/One","addTags":["x"]},{"resourceUri":"org://a.org/headline/Two","addTags":["x"]}]}`,
			"", "+* TODO Two",
		},
	} {
		t.Run(title, func(t *testing.T) {
			h := startPages(t, tt.kind, nil)
			trail, err := audit.Open(t.Context(), audit.Options{File: filepath.Join(t.TempDir(), "audit.db"), Key: []byte("key"), Now: time.Now, Keep: time.Hour, MaxBytes: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			defer trail.Close()
			h.Calls().SetTrail(trail)
			h.write(tt.name, tt.before)
			out := newAgent(t, h.testHub, cursor).startCall(tt.tool, tt.args)
			a := h.question(out)
			if a.Hunks < 2 {
				t.Fatalf("%d hunks can be chosen: %+v", a.Hunks, a)
			}
			h.allow(a, &status.TextEdit{Plan: a.Plan, Hunks: []int{2}})
			answer := changedAnswer(t, <-out)
			if !strings.Contains(answer.Diff, tt.diff) || strings.Count(answer.Diff, "@@ -") != 1 {
				t.Errorf("the agent is told of\n%s", answer.Diff)
			}
			if tt.after != "" {
				h.holds(tt.name, tt.after)
			}
			found, err := h.Changes().List(t.Context(), status.Filter{})
			if err != nil || len(found.Changes) != 1 || !found.Changes[0].Edited || found.Changes[0].Approval != a.ID {
				t.Fatalf("the journal has %+v, %v", found.Changes, err)
			}
			left := status.PersonEdit{Edited: true, Hunks: a.Hunks, LeftOut: a.Hunks - 1}
			if got := found.Changes[0].PersonEdit; got != left {
				t.Errorf("the journal has %+v, want %+v", got, left)
			}
			calls, err := h.Calls().Stream(t.Context(), status.CallFilter{})
			if err != nil {
				t.Fatal(err)
			}
			for c := range calls {
				if c.PersonEdit != left {
					t.Errorf("the history has %+v, want %+v", c.PersonEdit, left)
				}
			}
			if o := h.Approvals().Outcomes()[0]; o.Hunks != a.Hunks || o.LeftOut != a.Hunks-1 {
				t.Errorf("%d of %d hunks were left out, said: %+v", a.Hunks-1, a.Hunks, o)
			}
			if o := h.Approvals().Outcomes()[0]; !o.Edited || o.Call == nil || o.Call.Code != "" || len(o.Call.Changes) != 1 {
				t.Errorf("the person is told %+v %+v", o, o.Call)
			}
			if err := h.Changes().Undo(t.Context(), status.Filter{IDs: []string{found.Changes[0].ID}}); err != nil {
				t.Error(err)
			}
			h.holds(tt.name, tt.before)
		})
	}
}

// A text of the person's own is written in place of the agent's, and the next call of
// the agent finds it there.
func TestEditedTextReachesThePage(t *testing.T) {
	h := startPages(t, "markdown", nil)
	h.write("a.md", "The release is on 5 December.\n")
	agent := newAgent(t, h.testHub, cursor)
	out := agent.startCall("write_page", `{"path":"a.md","content":"The release is on 12 December.\n"}`)
	a := h.question(out)
	h.allow(a, h.edit(a, func(text string) string { return strings.Replace(text, ".", ", at noon.", 1) }))
	const want = "The release is on 12 December, at noon.\n"
	if answer := changedAnswer(t, <-out); !strings.Contains(answer.Diff, "+"+want) {
		t.Errorf("the agent is told of\n%s", answer.Diff)
	}
	h.holds("a.md", want)
	if got := agent.call("read_page", `{"path":"a.md"}`); !strings.Contains(string(got.json)+got.text, "at noon") {
		t.Errorf("the agent reads %s %s", got.text, got.json)
	}
	out = agent.startCall("write_page", `{"path":"a.md","content":"x\n"}`)
	a = h.question(out)
	h.allow(a, h.edit(a, func(text string) string { return text }))
	if o := <-out; o.code != "ok" || strings.Contains(string(o.json), "changed_by_person") {
		t.Errorf("of a text that was left as it is the agent is told %s", o.json)
	}
}

// A page that changes between the question and the write: nothing is written, the
// edited text is dropped and the person looks again; the second yes is for the call.
func TestEditOfAPageThatChangesIsDropped(t *testing.T) {
	h := startPages(t, "markdown", nil)
	h.write("a.md", "one\n")
	out := newAgent(t, h.testHub, cursor).startCall("write_page", `{"path":"a.md","content":"two\n"}`)
	a := h.question(out)
	edit := h.edit(a, func(string) string { return "mine\n" })
	h.write("a.md", "one, edited elsewhere\n")
	h.allow(a, edit)
	again := h.question(out)
	if !strings.Contains(again.AskReason, "look again") || again.Plan == a.Plan {
		t.Errorf("asked %+v", again)
	}
	if o := h.Approvals().Outcomes()[0]; !o.Edited || o.Call == nil || !o.Call.AskedAgain {
		t.Errorf("the person is told %+v %+v", o, o.Call)
	}
	h.holds("a.md", "one, edited elsewhere\n")
	if err := h.Approvals().Answer(again.ID, true, status.Answer{Edit: edit}); err == nil || !strings.Contains(err.Error(), "not what you were shown") {
		t.Errorf("an edit of the former page is taken: %v", err)
	}
	h.allow(again, nil)
	if o := <-out; o.code != "ok" || strings.Contains(string(o.json), "changed_by_person") {
		t.Errorf("the agent is told %s %s", o.code, o.json)
	}
	h.holds("a.md", "two\n")
}

// An edit that hides the page, or one of a page that the agent may not read, is
// written, and the agent sees nothing of it.
func TestEditIsNotShownToWhoMayNotReadIt(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*hub.Config)
		edited string
	}{
		"hidden by the edit": {func(c *hub.Config) {
			c.Sources[0].Privacy = tools.Privacy{Exclude: []tools.PrivacyRule{{Tag: "secret"}}}
		}, "#secret swordfish\n"},
		"may not read": {func(c *hub.Config) {
			c.Policy = policy.New([]policy.Grant{{Client: "cursor", Source: "notes", Effects: []tools.Effect{tools.Writes}, Ask: []tools.Effect{tools.Writes}}}, nil)
		}, "swordfish\n"},
		"denied by a rule": {func(c *hub.Config) {
			c.Policy = policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Effects: []tools.Effect{tools.Reads}, Path: "a.md"}})
		}, "swordfish\n"},
		"asked about": {func(c *hub.Config) {
			c.Policy = policy.New(askWrites(), []policy.Rule{{Do: policy.Ask, Effects: []tools.Effect{tools.Reads}, Path: "a.md"}})
		}, "swordfish\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := startPages(t, "markdown", tt.change)
			h.write("a.md", "one\n")
			out := newAgent(t, h.testHub, cursor).startCall("write_page", `{"path":"a.md","content":"two\n"}`)
			a := h.question(out)
			h.allow(a, h.edit(a, func(string) string { return tt.edited }))
			o := <-out
			if answer := changedAnswer(t, o); answer.Diff != "" || strings.Contains(string(o.json), "swordfish") {
				t.Errorf("the agent is told %s", o.json)
			}
			h.holds("a.md", tt.edited)
		})
	}
}

// While a client has a form, a person edits the text in the panel; it is written when
// the client comes back.
func TestEditWhileAClientHasAForm(t *testing.T) {
	h := startPages(t, "markdown", nil)
	h.write("a.md", "one\n")
	c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
	params := func(state string) string {
		if state != "" {
			state = fmt.Sprintf(`,"requestState":%q`, state)
		}
		return `{"name":"write_page","arguments":{"path":"a.md","content":"two\n"},` + formsMeta + state + `}`
	}
	f := isForm(t, c.Ask("tools/call", params("")).Result)
	a := <-h.asked
	h.allow(a, h.edit(a, func(string) string { return "mine\n" }))
	h.holds("a.md", "one\n")
	raw := c.Ask("tools/call", params(f.RequestState)).Result
	var r hubtest.CallResult
	if err := json.Unmarshal(raw, &r); err != nil || r.IsError || !strings.Contains(string(r.Structured), `"changed_by_person":true`) {
		t.Errorf("told %s, %v", raw, err)
	}
	h.holds("a.md", "mine\n")
}

// A pause that begins after the question stops an edited write too.
func TestEditedWriteIsPaused(t *testing.T) {
	h := startPages(t, "markdown", func(c *hub.Config) { c.Pauses = pauses.Open(filepath.Join(t.TempDir(), "paused.json"), time.Now) })
	h.write("a.md", "one\n")
	out := newAgent(t, h.testHub, cursor).startCall("write_page", `{"path":"a.md","content":"two\n"}`)
	a := h.question(out)
	if err := h.Limiter().PauseWrites(""); err != nil {
		t.Fatal(err)
	}
	h.allow(a, h.edit(a, func(string) string { return "mine\n" }))
	if o := <-out; o.code == "ok" {
		t.Errorf("told %s", cmp.Or(o.text, string(o.json)))
	}
	h.holds("a.md", "one\n")
}
