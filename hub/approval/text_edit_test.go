package approval_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// rewriteText is a call that changes the text of one page.
func rewriteText(before, after string) approval.Request {
	r := request(rewrite("a.md", before, after))
	r.TextTarget = true
	return r
}

// A waitingCall is one call that waits, in a queue of its own.
type waitingCall struct {
	t *testing.T
	q *approval.Queue
	a status.Approval

	ended chan struct{}
	grant *approval.Grant
	err   error
}

func newWaitingCall(t *testing.T, r approval.Request) *waitingCall {
	t.Helper()
	asked := make(chan status.Approval, 1)
	q := approval.NewQueue(approval.Config{
		Timeout: 50 * time.Second, FormTimeout: time.Minute, UseWithin: 30 * time.Second, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Changed: func() {}, OnApproval: func(a status.Approval) { asked <- a },
	})
	c := &waitingCall{t: t, q: q, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		c.grant, c.err = q.WaitForDecision(t.Context(), r, approval.WaitingClient{Progress: func(float64, float64, string) {}})
	}()
	c.a = <-asked
	return c
}

// allow allows the call with what edit makes of it, and returns what is then written:
// nil is what the call would write.
func (c *waitingCall) allow(edit status.TextEdit) *tools.Change {
	c.t.Helper()
	edit.Plan = c.a.Plan
	if err := c.q.Answer(c.a.ID, true, status.Answer{Shown: true, Edit: &edit}); err != nil {
		c.t.Fatal(err)
	}
	<-c.ended
	if c.err != nil {
		c.t.Fatal(c.err)
	}
	return c.grant.Edited
}

// diff is the diff that the person is shown, and its hunks.
func (c *waitingCall) diff() (hunks []string) {
	c.t.Helper()
	full, err := c.q.ApprovalText(status.ApprovalRange{ID: c.a.ID})
	if err != nil || full.Next != 0 {
		c.t.Fatal(full.Next, err)
	}
	for i, line := range strings.SplitAfter(full.Text, "\n") {
		switch {
		case strings.HasPrefix(line, "@@ "):
			hunks = append(hunks, line)
		case i > 2 && len(hunks) > 0:
			hunks[len(hunks)-1] += line
		}
	}
	return hunks
}

// randomText has lines that often repeat, with the ends that files have.
func randomText(r *rand.Rand) string {
	end := []string{"\n", "\r\n"}[r.IntN(2)]
	text := []string{"", "\ufeff"}[r.IntN(2)]
	for range r.IntN(60) {
		text += fmt.Sprintf("line %d%s", r.IntN(12), end)
	}
	if r.IntN(3) == 0 {
		text += "no end"
	}
	return text
}

// editRandomly changes, drops and adds some lines.
func editRandomly(r *rand.Rand, text string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		switch r.IntN(12) {
		case 0:
		case 1:
			b.WriteString("new " + line)
		case 2:
			b.WriteString(line + "added\n")
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// Changes of one page that only lines of context join can be chosen one by one.
func TestCloseChangesAreHunksOfTheirOwn(t *testing.T) {
	const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"
	after := strings.NewReplacer("2\n", "two\n", "6\n", "six\n", "10\n", "ten\n").Replace(before)
	c := newWaitingCall(t, rewriteText(before, after))
	if c.a.Hunks != 3 || len(c.diff()) != 3 {
		t.Fatalf("%d hunks can be chosen, shown are %q", c.a.Hunks, c.diff())
	}
	edited := c.allow(status.TextEdit{Hunks: []int{1, 3}})
	if got, want := string(edited.After.Data), strings.NewReplacer("2\n", "two\n", "10\n", "ten\n").Replace(before); got != want {
		t.Errorf("written %q, want %q", got, want)
	}
}

// Exactly the hunks that a person has chosen are written, byte for byte, as git would
// apply them: all of them are the call itself, and the other lines stay as they were.
func TestChosenHunksAreWhatGitApplies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not here")
	}
	r := rand.New(rand.NewPCG(18, 2))
	several := 0
	for n := range 150 {
		before := randomText(r)
		after := editRandomly(r, before)
		if before == after {
			continue
		}
		c := newWaitingCall(t, rewriteText(before, after))
		hunks := c.diff()
		if len(hunks) != c.a.Hunks || len(hunks) == 0 {
			t.Fatalf("case %d: %d hunks are shown, %d can be chosen", n, len(hunks), c.a.Hunks)
		}
		var chosen []int
		var patch strings.Builder
		patch.WriteString("--- a/page\n+++ b/page\n")
		shift := 0
		for i, hunk := range hunks {
			if r.IntN(2) == 0 && (len(chosen) > 0 || i < len(hunks)-1) {
				continue
			}
			chosen = append(chosen, i+1)
			text, change := moveHunk(t, hunk, shift)
			patch.WriteString(text)
			shift += change
		}
		if len(chosen) > 0 && len(chosen) < len(hunks) {
			several++
		}
		want := applyPatch(t, git, before, patch.String())
		switch edited := c.allow(status.TextEdit{Hunks: chosen}); {
		case len(chosen) == len(hunks):
			if edited != nil || want != after {
				t.Fatalf("case %d: all hunks are not the call itself", n)
			}
		case edited == nil || string(edited.After.Data) != want || string(edited.Before.Data) != before:
			t.Fatalf("case %d, hunks %v of %d:\n%q\nbecame, by the queue and by git,\n%+v\n%q", n, chosen, len(hunks), before, edited, want)
		}
	}
	if several < 50 {
		t.Errorf("only %d cases leave something out", several)
	}
}

// moveHunk is a hunk whose new lines begin where those before it have moved them, and
// by how many lines it moves what follows.
func moveHunk(t *testing.T, hunk string, shift int) (string, int) {
	t.Helper()
	_, body, _ := strings.Cut(hunk, "\n")
	old, added, removed, context := 0, 0, 0, 0
	if _, err := fmt.Sscanf(hunk, "@@ -%d", &old); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.SplitAfter(body, "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		case strings.HasPrefix(line, " "):
			context++
		}
	}
	start := func(at, lines int) int {
		if lines == 0 {
			return at - 1
		}
		return at
	}
	at := max(old, 1)
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", start(at, removed+context), removed+context, start(at+shift, added+context), added+context, body), added - removed
}

func applyPatch(t *testing.T, git, text, patch string) string {
	t.Helper()
	dir := t.TempDir()
	page := filepath.Join(dir, "page")
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), git, "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s\nto %q", err, out, patch, text)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// A text of the person's own is written as it is, also one of four megabytes of which
// little was edited, and an empty one.
func TestEditedTextIsWritten(t *testing.T) {
	long := strings.Repeat(strings.Repeat("x", 99)+"\n", 40_000)
	for _, tt := range []struct{ before, after, edited string }{
		{"one\n", "two\n", "two, at noon\n"}, {"one\n", "two\n", ""}, {"é\n", "è\n", "ê\n"}, {"", "a\n", "b\n"}, {long + "one\n", long + "two\n", "three\n" + long + "two\n"},
	} {
		c := newWaitingCall(t, rewriteText(tt.before, tt.after))
		var proposed bytes.Buffer
		for from := 0; ; {
			part, err := c.q.ProposedText(status.ApprovalRange{ID: c.a.ID, From: from})
			if err != nil {
				t.Fatal(err)
			}
			proposed.WriteString(part.Text)
			if from = part.Next; from == 0 {
				break
			}
		}
		if proposed.String() != tt.after {
			t.Fatal("the text to edit is not what the call would write")
		}
		replace := status.ReplaceText(tt.after, tt.edited)
		if len(replace.Text) > len(tt.edited) || len(tt.edited) > 1<<20 && len(replace.Text) > 100 {
			t.Errorf("%d bytes travel", len(replace.Text))
		}
		plan, err := c.q.PlanEdit(c.a.ID, status.TextEdit{Plan: c.a.Plan, Replace: &replace})
		if err != nil || len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Description, "change a.md (") {
			t.Errorf("the plan is %+v, %v", plan, err)
		}
		if edited := c.allow(status.TextEdit{Replace: &replace}); edited == nil || string(edited.After.Data) != tt.edited {
			t.Errorf("%.20q is written as %+v", tt.edited, edited)
		}
		if o := c.q.Outcomes()[0]; !o.Edited {
			t.Error("nobody learns that it was edited")
		}
	}
}

// An answer that is no edit of what was shown decides nothing: the call waits on.
func TestEditsThatAreNone(t *testing.T) {
	c := newWaitingCall(t, rewriteText("one\ntwo\n", "one\n2\n"))
	for want, edit := range map[string]status.TextEdit{
		"no hunk is chosen. Do you want to deny the call?": {},
		"there is no hunk 2; the change has hunks 1 to 1":  {Hunks: []int{1, 2}},
		"there is no hunk 0":                               {Hunks: []int{0}},
		"leaves the page as it is. Do you want to deny":    {Replace: &status.TextReplacement{To: 6, Text: "one\ntwo\n"}},
		"not both":                                     {Hunks: []int{1}, Replace: &status.TextReplacement{}},
		"bytes 3 to 7 are not in":                      {Replace: &status.TextReplacement{From: 3, To: 7}},
		"bytes -1 to 0 are not in":                     {Replace: &status.TextReplacement{From: -1}},
		"holds a null byte":                            {Replace: &status.TextReplacement{Text: "\x00"}},
		"is not what you were shown; look at it again": {Plan: "other", Hunks: []int{1}},
	} {
		if edit.Plan == "" {
			edit.Plan = c.a.Plan
		}
		if err := c.q.Answer(c.a.ID, true, status.Answer{Edit: &edit}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", edit, err, want)
		}
	}
	for _, scope := range []status.Scope{status.ForSession, status.Always, status.Timed} {
		edit := status.TextEdit{Plan: c.a.Plan, Replace: &status.TextReplacement{Text: "x"}}
		if err := c.q.Answer(c.a.ID, true, status.Answer{Scope: scope, Edit: &edit}); err == nil {
			t.Errorf("an edited call is allowed for %s", scope)
		}
	}
	if len(c.q.Pending()) != 1 {
		t.Fatal("the call waits no more")
	}
	if edited := c.allow(status.TextEdit{Hunks: []int{1}}); edited != nil {
		t.Errorf("the only hunk is an edit: %+v", edited)
	}
	if c.q.Outcomes()[0].Edited {
		t.Error("the call itself counts as edited")
	}
}

// Only a change to the text of one page can be edited.
func TestWhatCannotBeEdited(t *testing.T) {
	text := rewrite("a.md", "one\n", "two\n")
	for name, change := range map[string]func(r *approval.Request){
		"no text":          func(r *approval.Request) { r.TextTarget = false },
		"two targets":      func(r *approval.Request) { r.Changes = append(r.Changes, rewrite("b.md", "", "x")) },
		"a new page":       func(r *approval.Request) { r.Changes[0].Before = tools.State{} },
		"a page that goes": func(r *approval.Request) { r.Changes[0].After = tools.State{} },
		"binary":           func(r *approval.Request) { r.Changes[0].After.Data = []byte{0xff} },
		"a mode":           func(r *approval.Request) { r.Changes[0].After.Mode = 0o600 },
		"unknown":          func(r *approval.Request) { r.Changes[0].AfterUnknown = true },
		"a group":          func(r *approval.Request) { r.OnlyOnce = true },
		"too long":         func(r *approval.Request) { r.Changes[0].After.Data = bytes.Repeat([]byte("x"), 33<<20) },
	} {
		r := rewriteText(string(text.Before.Data), string(text.After.Data))
		change(&r)
		c := newWaitingCall(t, r)
		if c.a.Plan != "" || c.a.Hunks != 0 {
			t.Errorf("%s: it can be edited: %+v", name, c.a)
		}
		if err := c.q.Answer(c.a.ID, true, status.Answer{Edit: &status.TextEdit{Replace: &status.TextReplacement{Text: "x"}}}); err == nil || !strings.Contains(err.Error(), "one page can") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.q.ProposedText(status.ApprovalRange{ID: c.a.ID}); err == nil {
			t.Errorf("%s: its text is given out", name)
		}
		c.q.Close()
		<-c.ended
	}
}
