package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A textChange is the change to the text of one page, which a person may allow in
// part, or with a text of their own.
type textChange struct {
	tools.Change

	plan  string // digest of the change
	hunks []textHunk
}

// A textHunk puts text in the place of the bytes start to end of the text before.
type textHunk struct {
	start, end int
	text       string
}

// textChange is the change that a person may edit; nil: there is none.
func (r Request) textChange() *textChange {
	if !r.TextTarget || !r.ChangesKnown || r.OnlyOnce || len(r.Changes) != 1 || len(r.Reads) > 0 {
		return nil
	}
	c := r.Changes[0]
	before, after := c.Before, c.After
	switch {
	case !before.Exists || !after.Exists || c.AfterUnknown || before.Mode != after.Mode,
		!isText(before.Data) || !isText(after.Data) || len(before.Data)+len(after.Data) > maxComparedBytes:
		return nil
	}
	digest := sha256.New()
	for _, part := range []string{c.Target, string(before.Data), string(after.Data)} {
		digest.Write(fmt.Appendf(nil, "%d ", len(part)))
		digest.Write([]byte(part))
	}
	return &textChange{Change: c, plan: hex.EncodeToString(digest.Sum(nil)[:8])}
}

// addHunks adds the hunks of the diff that people are shown, by their numbers there.
func (c *textChange) addHunks(diff udiff.UnifiedDiff) {
	lines := lineStarts(string(c.Before.Data))
	for _, h := range diff.Hunks {
		first, count := h.FromLine-1, 0
		var text strings.Builder
		for _, line := range h.Lines {
			if line.Kind != udiff.Insert {
				count++
			}
			if line.Kind != udiff.Delete {
				text.WriteString(line.Content)
			}
		}
		c.hunks = append(c.hunks, textHunk{start: lines[first], end: lines[first+count], text: text.String()})
	}
}

// lineStarts is where each line of text begins, and where the last one ends.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '\n') + 1
		if n == 0 {
			n = len(text) - i
		}
		i += n
		starts = append(starts, i)
	}
	return starts
}

// editedChange is the Change as a person has made it; nil: it is what the call would write.
func (c *textChange) editedChange(e status.TextEdit) (*tools.Change, error) {
	if c == nil {
		return nil, errors.New("this call cannot be allowed in part or with another text; only a change to the text of one page can")
	}
	if e.Plan != c.plan {
		return nil, errors.New("what the call would change is not what you were shown; look at it again")
	}
	text, err := c.editedText(e)
	switch {
	case err != nil:
		return nil, err
	case !isText([]byte(text)):
		return nil, errors.New("the new text is not UTF-8 text, or holds a null byte")
	case text == string(c.After.Data):
		return nil, nil //nolint:nilnil // see above
	case text == string(c.Before.Data):
		return nil, errors.New("that leaves the page as it is. Do you want to deny the call?")
	}
	edited := c.Change
	edited.After.Data = []byte(text)
	return &edited, nil
}

func (c *textChange) editedText(e status.TextEdit) (string, error) {
	switch {
	case e.Replace != nil && len(e.Hunks) > 0:
		return "", errors.New("choose hunks or edit the text, not both")
	case e.Replace != nil:
		return replaceRange(string(c.After.Data), *e.Replace)
	case len(e.Hunks) == 0:
		return "", errors.New("no hunk is chosen. Do you want to deny the call?")
	}
	return c.applyHunks(e.Hunks)
}

// applyHunks is the text before with only the hunks of these numbers applied.
func (c *textChange) applyHunks(numbers []int) (string, error) {
	for _, n := range numbers {
		if n < 1 || n > len(c.hunks) {
			return "", fmt.Errorf("there is no hunk %d; the change has hunks 1 to %d", n, len(c.hunks))
		}
	}
	before, at := string(c.Before.Data), 0
	var b strings.Builder
	for i, h := range c.hunks {
		if slices.Contains(numbers, i+1) {
			b.WriteString(before[at:h.start] + h.text)
			at = h.end
		}
	}
	b.WriteString(before[at:])
	return b.String(), nil
}

func replaceRange(text string, r status.TextReplacement) (string, error) {
	if r.From < 0 || r.To < r.From || r.To > len(text) {
		return "", fmt.Errorf("bytes %d to %d are not in the text, which has %d bytes", r.From, r.To, len(text))
	}
	return text[:r.From] + r.Text + text[r.To:], nil
}

// ProposedText answers [status.ProposedTextQuery].
func (q *Queue) ProposedText(r status.ApprovalRange) (status.ApprovalText, error) {
	c, err := q.textChange(r.ID)
	if err != nil {
		return status.ApprovalText{}, err
	}
	return textFromOffset(string(c.After.Data), r.From), nil
}

// PlanEdit is what would be written if a pending call were allowed with e.
func (q *Queue) PlanEdit(id string, e status.TextEdit) (status.Plan, error) {
	c, err := q.textChange(id)
	if err != nil {
		return status.Plan{}, err
	}
	edited, err := c.editedChange(e)
	switch {
	case err != nil:
		return status.Plan{}, err
	case edited == nil:
		edited = &c.Change
	}
	body, added, removed := diff(*edited)
	shown, cut := headAndTail(body, maxStepDiffBytes)
	return status.Plan{
		Title: "Write your version of " + c.Target, Risks: []string{}, Cut: cut,
		Steps: []status.Step{{Description: headline(status.ApprovalTarget{
			Name: c.Target, Action: changeAction(*edited), Added: added,
			Removed: removed,
		}), Diff: shown}},
	}, nil
}

func (q *Queue) textChange(id string) (*textChange, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.pending[id]
	switch {
	case p == nil:
		return nil, errNotPending(id)
	case p.text == nil:
		return nil, fmt.Errorf("%s does not change the text of one page, so it is allowed as it is or not at all", id)
	}
	return p.text, nil
}
