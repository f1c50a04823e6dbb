package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// askWithin bounds a check that asks plugins, each of which may have to wait
// for its Logseq.
const askWithin = 2 * time.Minute

// windowWithin leaves a person time to hide a window.
const windowWithin = 10 * time.Minute

// diagnosis asks the plugin that has p's graph, once in a visit.
func (v *visit) diagnosis(ctx context.Context, p status.Peer) (diagnosis, error) {
	key := graphOf(p)
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.diagnoses[key]
	if !ok {
		known.diagnosis, known.err = v.asking(ctx, key)
		v.diagnoses[key] = known
	}
	return known.diagnosis, known.err
}

// A diagnosed graph, or why not.
type diagnosed struct {
	diagnosis
	err error
}

// graphOf is what the bridge knows a graph by: two may have one name.
func graphOf(p status.Peer) string {
	if p.Graph != "" {
		return p.Graph
	}
	return p.Name
}

// lookAtWindow times a question that goes through Logseq's editor, as all
// writes do, and changes nothing. Where a person is at hand, it does so again
// while the window is hidden.
func lookAtWindow(ctx context.Context, v *visit, p status.Peer) status.Check {
	d, err := v.diagnosis(ctx, p)
	if c, over := undiagnosed(d, err); over {
		return c
	}
	seen := windowWords(d)
	if d.Hidden || d.Editor.Error != "" || v.ask == nil {
		if !d.Hidden && d.Editor.Error == "" {
			seen += "; not tried while it is hidden: run `lectern doctor logseq.window` in a terminal"
		}
		return windowCheck(d, seen)
	}
	if !v.ask(fmt.Sprintf("Hide the window of Logseq that shows %s: minimise it, or go to another desktop. Come back here and leave it hidden.", p.Name)) {
		return windowCheck(d, seen+"; not tried while it is hidden")
	}
	d, err = v.asking(ctx, graphOf(p))
	if c, over := undiagnosed(d, err); over {
		return c
	}
	return windowCheck(d, seen+"; then "+windowWords(d))
}

// undiagnosed says why nothing was measured, if so.
func undiagnosed(d diagnosis, err error) (c status.Check, over bool) {
	switch {
	case errors.Is(err, errOldPlugin):
		return doubt(err.Error(), "Run: lectern plugin install, then restart Logseq."), true
	case err != nil:
		return bad(err.Error(), "See the plugin's page in Logseq: its toolbar opens it."), true
	case d.Editor == nil || d.Database == nil:
		return skipped("no graph is open"), true
	}
	return c, false
}

// windowWords say what was measured.
func windowWords(d diagnosis) string {
	window := "with the window in sight"
	if d.Hidden {
		window = "with the window hidden"
	}
	return fmt.Sprintf("%s the editor %s and the database %s", window, d.Editor.words(), d.Database.words())
}

func (t timed) words() string {
	if t.Error != "" {
		return fmt.Sprintf("gave no answer within %d ms (%s)", t.Millis, t.Error)
	}
	return fmt.Sprintf("answers in %d ms", t.Millis)
}

func windowCheck(d diagnosis, seen string) status.Check {
	switch {
	case d.Database.Error != "":
		return bad(seen, "Logseq itself is stuck: restart it.")
	case d.Editor.Error != "" && d.Hidden:
		return doubt(seen, "While the window is hidden agents can read, and what they write happens when it is shown again. Leave it in sight while agents write, or update Logseq.")
	case d.Editor.Error != "":
		return doubt(seen, "Reading works and writing may not. Bring Logseq's window to the front and look again.")
	default:
		return good("%s", seen)
	}
}

// lookAtNamespaces says whose properties a graph has. One that a plugin makes
// for a name that is not there lies in the plugin's own namespace.
func lookAtNamespaces(ctx context.Context, v *visit, p status.Peer) status.Check {
	d, err := v.diagnosis(ctx, p)
	if c, over := undiagnosed(d, err); over {
		return c
	}
	if p.Kind != "db" {
		return good("a file graph has no namespaces")
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(d.Namespaces)) {
		words = append(words, fmt.Sprintf("%s %d", name, d.Namespaces[name]))
	}
	found := "properties: " + orNothing(strings.Join(words, ", "))
	if v.tryWrites {
		return v.lookByWriting(ctx, p, found)
	}
	return good("%s; whether a plugin may set those of user.property was not tried: run `lectern doctor logseq.properties --try-writes`", found)
}
