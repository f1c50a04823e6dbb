package approval

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// maxComparedBytes bounds the bytes before and after that the diffs of one call
// compare. An agent writes less at once; only moves of many files have more.
const maxComparedBytes = 32 << 20

// A changeDescription is everything that a call would do, as a person reads it: nothing
// is left out but bytes that are not text, and texts beyond maxComparedBytes.
type changeDescription struct {
	targets        []status.ApprovalTarget // in the order of the Changes, then the calls that read
	added, removed int                     // lines, of all targets
	text           string                  // for each target its headline and its diff
	cut            bool                    // not every text could be compared
	edit           *textChange             // what a person may edit; nil: nothing
}

// describeChanges works out what people are shown of r. It takes time that grows with
// what the call would write.
func (r Request) describeChanges() changeDescription {
	out := changeDescription{edit: r.textChange()}
	var b strings.Builder
	left := maxComparedBytes
	from, to := map[int]bool{}, map[int]int{}
	for _, m := range r.findMoves() {
		from[m.From], to[m.To] = true, m.From
	}
	for i, change := range r.Changes {
		if from[i] { // it is told where it goes
			continue
		}
		target := status.ApprovalTarget{Name: r.targetName(i), Action: changeAction(change)}
		if old, moves := to[i]; moves {
			target.From, target.Action, change.Before = r.targetName(old), "move", r.Changes[old].Before
		}
		size := len(change.Before.Data) + len(change.After.Data)
		body := tooLongNotice(change)
		if size <= left {
			left -= size
			var compared udiff.UnifiedDiff
			if body, compared, target.Added, target.Removed = diffStatesWithHunks(change, out.edit != nil); out.edit != nil {
				out.edit.addHunks(compared)
			}
		} else {
			out.cut = true
		}
		if body == "" && target.From != "" {
			body = "its text stays the same\n"
		}
		out.addTarget(&b, target, body)
	}
	for _, read := range r.Reads {
		out.addTarget(&b, status.ApprovalTarget{Name: read, Action: "call"}, "")
	}
	if !r.ChangesKnown {
		fmt.Fprintf(&b, "%s with %s\n", r.Call.Tool, r.Args)
	}
	out.text = b.String()
	return out
}

func (c *changeDescription) addTarget(b *strings.Builder, t status.ApprovalTarget, body string) {
	t.Offset = b.Len()
	fmt.Fprintf(b, "%s\n%s", safetext.Line(headline(t)), body)
	if body != "" && !strings.HasSuffix(body, "\n") {
		b.WriteByte('\n')
	}
	t.Bytes = b.Len() - t.Offset
	c.targets, c.added, c.removed = append(c.targets, t), c.added+t.Added, c.removed+t.Removed
}

// targetBody is the text of a target without its headline.
func (c *changeDescription) targetBody(t status.ApprovalTarget) string {
	_, body, _ := strings.Cut(c.text[t.Offset:t.Offset+t.Bytes], "\n")
	return body
}

// headline says what becomes of a target: "change a.md (+4001 −1)".
func headline(t status.ApprovalTarget) string {
	return strings.TrimSpace(t.Action + " " + t.FullName() + " " + formatLineCounts(t.Added, t.Removed))
}

// formatLineCounts is "(+4001 −1)"; empty if no line is counted.
func formatLineCounts(added, removed int) string {
	if added+removed == 0 {
		return ""
	}
	return fmt.Sprintf("(+%d −%d)", added, removed)
}

func changeAction(c tools.Change) string {
	switch {
	case !c.Before.Exists:
		return "create"
	case !c.After.Exists && !c.AfterUnknown:
		return "delete"
	}
	return "change"
}

// diff is a Change as a unified diff with the lines that it adds and removes, or a
// line that says why there is none.
func diff(c tools.Change) (text string, added, removed int) {
	text, _, added, removed = diffStatesWithHunks(c, false)
	return text, added, removed
}

// splitContextLines is how many lines of context stand around a hunk where more of them
// would join changes among which a person may choose.
const splitContextLines = 1

// diffStatesWithHunks is diff with the hunks of the diff. splits: a person may choose
// among them, so changes that only lines of context join are hunks of their own.
func diffStatesWithHunks(c tools.Change, splits bool) (text string, compared udiff.UnifiedDiff, added, removed int) {
	before, after := c.Before.Data, c.After.Data
	switch {
	case c.AfterUnknown && !c.After.Exists:
		return "the application decides what it holds afterwards\n", compared, 0, 0
	case !isText(before) || !isText(after):
		return fmt.Sprintf("%d bytes become %d bytes; they are not text\n", len(before), len(after)), compared, 0, 0
	}
	edits := udiff.Lines(string(before), string(after))
	for _, e := range edits {
		added += countLines(e.New)
		removed += countLines(string(before[e.Start:e.End]))
	}
	unified := func(context int) udiff.UnifiedDiff {
		d, err := udiff.ToUnifiedDiff("before", "after", string(before), edits, context)
		if err != nil { // the edits are of this text
			panic(err)
		}
		return d
	}
	compared = unified(udiff.DefaultContextLines)
	if splits {
		if apart := unified(splitContextLines); len(apart.Hunks) > len(compared.Hunks) {
			compared = apart
		}
	}
	text = compared.String()
	if c.AfterUnknown {
		text += "this is expected; the application decides what it holds afterwards\n"
	}
	if c.Before.Exists && c.After.Exists && c.Before.Mode != c.After.Mode {
		text += fmt.Sprintf("mode %04o becomes %04o\n", c.Before.Mode, c.After.Mode)
	}
	return text, compared, added, removed
}

func tooLongNotice(c tools.Change) string {
	return fmt.Sprintf("%d bytes become %d bytes; they are too long to show\n", len(c.Before.Data), len(c.After.Data))
}

// countLines counts an unfinished last line too.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

func isText(b []byte) bool { return utf8.Valid(b) && !slices.Contains(b, 0) }

// ApprovalTargets answers [status.ApprovalTargetsQuery].
func (q *Queue) ApprovalTargets(r status.ApprovalRange) (status.ApprovalTargets, error) {
	full, err := q.pendingDescription(r.ID)
	if err != nil {
		return status.ApprovalTargets{}, err
	}
	out := status.ApprovalTargets{
		Targets: []status.ApprovalTarget{}, Total: len(full.targets), Added: full.added, Removed: full.removed, Bytes: len(full.text),
	}
	size := 0
	for i := min(max(r.From, 0), out.Total); i < out.Total; i++ {
		if size += len(full.targets[i].Name); i > r.From && (size > status.MaxApprovalText || len(out.Targets) == status.MaxApprovalTargets) {
			out.Next = i
			break
		}
		out.Targets = append(out.Targets, full.targets[i])
	}
	return out, nil
}

// ApprovalText answers [status.ApprovalTextQuery].
func (q *Queue) ApprovalText(r status.ApprovalRange) (status.ApprovalText, error) {
	full, err := q.pendingDescription(r.ID)
	if err != nil {
		return status.ApprovalText{}, err
	}
	return textFromOffset(full.text, r.From), nil
}

// textFromOffset is as much of text from about byte from on as one answer holds.
func textFromOffset(text string, from int) status.ApprovalText {
	from = runeStart(text, min(max(from, 0), len(text)))
	end := len(text)
	if end-from > status.MaxApprovalText {
		end = runeStart(text, from+status.MaxApprovalText)
	}
	out := status.ApprovalText{Text: text[from:end], From: from, Bytes: len(text)}
	if end < len(text) {
		out.Next = end
	}
	return out
}

func (q *Queue) pendingDescription(id string) (changeDescription, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.pending[id]; p != nil {
		return p.full, nil
	}
	return changeDescription{}, errNotPending(id)
}

func errNotPending(id string) error {
	return fmt.Errorf("no call waits for approval with ID %q; `lectern approve` lists them", id)
}

// MarkShown notes that a person was shown everything that a pending call would do.
func (q *Queue) MarkShown(id string) error {
	q.mu.Lock()
	p := q.pending[id]
	if p != nil {
		p.view.Shown = true
	}
	q.mu.Unlock()
	if p == nil {
		return errNotPending(id)
	}
	q.conf.Changed()
	return nil
}

// runeStart is the start of the character at byte i of s.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// truncateWithNote cuts s to limit bytes and a note of how many are missing.
func truncateWithNote(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	kept := safetext.Truncate(s, limit)
	return fmt.Sprintf("%s… (%d more bytes)", kept, len(s)-len(kept))
}

// headAndTail keeps whole lines of the beginning and the end of s, about limit
// bytes in all, and says in between what is missing; cut: something is.
func headAndTail(s string, limit int) (kept string, cut bool) {
	if len(s) <= limit {
		return s, false
	}
	head := strings.LastIndexByte(s[:runeStart(s, max(limit, 0)*2/3)], '\n') + 1
	tail := runeStart(s, len(s)-max(limit, 0)/3)
	if next := strings.IndexByte(s[tail:], '\n'); next >= 0 && tail+next+1 < len(s) {
		tail += next + 1
	} else {
		tail = len(s) // a line longer than the tail: none of it is shown
	}
	missing := s[head:tail]
	return fmt.Sprintf("%s… %d bytes in %d lines are not shown …\n%s", s[:head], len(missing), countLines(missing), s[tail:]), true
}
