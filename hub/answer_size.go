package hub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// maxNestedAnswer is the most that a tool is answered by another one that it calls, in bytes:
// it takes what it needs of that.
const maxNestedAnswer = 16 << 20

// maxAnswer is how long the answer of c may be, in bytes.
func (c *call) maxAnswer(limits Limits) int {
	if c.outer != nil && !c.outer.isRouteRequest() {
		return max(limits.Answer, maxNestedAnswer)
	}
	return limits.Answer
}

// fitAnswer refuses an answer that is too long rather than cut it: half a JSON object is of
// no use. But a call that has written is not told that it failed: its answer is cut.
func fitAnswer(c *call, res tools.Result, limits Limits) (tools.Result, error) {
	limit, written := c.maxAnswer(limits), &c.record.written
	if c.decided.group.isLedBy(c) {
		written = &c.decided.group.written
	}
	err := checkAnswerSize(res, c.tool.info, limit)
	if what := written.text(); err != nil && what != "" {
		return cutAnswer(res, what, limit), nil
	}
	return res, err
}

// checkAnswerSize is the error of an answer that is too long.
func checkAnswerSize(r tools.Result, info tools.ToolInfo, limit int) error {
	size := r.Size()
	if size <= limit {
		return nil
	}
	e := tools.Errorf(tools.Limited, "the answer has %d bytes, more than the limit of %d", size, limit)
	if _, ok := info.In.Properties["limit"]; ok {
		return e.WithHint("Ask for less: use a smaller limit, and offset for the rest.")
	}
	return e.WithHint("Ask for less.")
}

// maxNamedTargets is how many targets a cut answer names.
const maxNamedTargets = 20

// writtenTargets are what a call, or a group of calls, has written or may have, as far as an
// answer names them. They may be added from any goroutine.
type writtenTargets struct {
	mu    sync.Mutex
	names []string // at most one more than an answer names
}

func (w *writtenTargets) add(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.names) <= maxNamedTargets && !slices.Contains(w.names, name) {
		w.names = append(w.names, name)
	}
}

func (w *writtenTargets) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := safetext.Truncate(strings.Join(w.names[:min(len(w.names), maxNamedTargets)], ", "), 4<<10)
	if len(w.names) > maxNamedTargets {
		text += " and others"
	}
	return text
}

// noteWritten keeps that a call, and the group that it belongs to, has written a target.
func (c *call) noteWritten(target string) {
	c.record.written.add(target)
	if c.decided.group != nil {
		c.decided.group.written.add(target)
	}
}

// cutAnswer says what a call has written, and keeps of its answer what fits, in the same
// form: long texts and lists are shorter.
func cutAnswer(res tools.Result, written string, limit int) tools.Result {
	note := fmt.Sprintf("The call was carried out: it wrote %s. Do not repeat it. Its answer of %d bytes is more than the limit of %d, "+
		"so texts and lists in it are cut.", written, res.Size(), limit)
	res.JSON = cutJSON(res.JSON, max(limit-len(note), len("{}")))
	res.Content = []tools.Content{{Kind: tools.Text, Text: note}}
	return res
}

// cutJSON shortens texts and lists until a JSON value has at most limit bytes.
func cutJSON(text json.RawMessage, limit int) json.RawMessage {
	if len(text) <= limit {
		return text
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return json.RawMessage("{}")
	}
	for most := limit / 2; most > 0; most /= 4 {
		if short, err := tools.PlainJSON(shortenValue(value, most)); err == nil && len(short) <= limit {
			return short
		}
	}
	return json.RawMessage("{}")
}

// shortenValue shortens the texts in a value to most bytes, and its lists to as many values
// as a text has lines, about.
func shortenValue(value any, most int) any {
	switch value := value.(type) {
	case string:
		return safetext.Truncate(value, most)
	case []any:
		short := make([]any, min(len(value), most/64+1))
		for i := range short {
			short[i] = shortenValue(value[i], most)
		}
		return short
	case map[string]any:
		short := make(map[string]any, len(value))
		for name, v := range value {
			short[name] = shortenValue(v, most)
		}
		return short
	}
	return value
}
