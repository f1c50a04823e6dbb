package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// A Diagnosis is what a plugin reports about the Logseq that it runs in; see
// plugin/src/diagnose.ts.
type Diagnosis struct {
	Hidden     bool           `json:"hidden"`             // its window cannot be seen
	Editor     *Timing        `json:"editor,omitempty"`   // nil: no graph is open
	Database   *Timing        `json:"database,omitempty"` // likewise
	Namespaces map[string]int `json:"namespaces"`         // number of properties in each
	Missing    []string       `json:"missing"`            // methods that this Logseq lacks
	Settings   []string       `json:"settings"`           // of the plugin that remove capabilities
}

// A Timing is how one question to Logseq went.
type Timing struct {
	Millis int    `json:"ms"`
	Error  string `json:"error"` // a code; empty: it was answered
}

func (t Timing) String() string {
	if t.Error != "" {
		return fmt.Sprintf("gave no answer within %d ms (%s)", t.Millis, t.Error)
	}
	return fmt.Sprintf("answers in %d ms", t.Millis)
}

func (d Diagnosis) String() string {
	window := "visible"
	if d.Hidden {
		window = "hidden"
	}
	return fmt.Sprintf("with the window %s the editor %s and the database %s", window, d.Editor, d.Database)
}

// ErrOldPlugin is for plugins that cannot diagnose.
var ErrOldPlugin = errors.New("the plugin is older than this Lectern and cannot tell")

type diagnosisResult struct {
	Diagnosis
	err error
}

// askDiagnosis asks the plugin of a graph, once in a run.
func (r *run) askDiagnosis(ctx context.Context, p status.Peer) (Diagnosis, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, found := r.diagnoses[graphKey(p)]
	if !found {
		known.Diagnosis, known.err = r.Diagnose(ctx, graphKey(p))
		r.diagnoses[graphKey(p)] = known
	}
	return known.Diagnosis, known.err
}

// graphKey is how the bridge tells graphs apart: two may have the same name.
func graphKey(p status.Peer) string { return fact(p, "address") }

// checkWindow times a question that goes through Logseq's editor, as all writes
// do, and changes nothing. If a person can be asked, it does so again while the
// window is hidden.
func checkWindow(ctx context.Context, r *run, p status.Peer) status.Check {
	d, err := r.askDiagnosis(ctx, p)
	if c, failed := diagnosisFailed(d, err); failed {
		return c
	}
	detail := d.String()
	switch {
	case d.Hidden || d.Editor.Error != "":
		return rateWindow(d, detail)
	case r.Ask == nil:
		return rateWindow(d, detail+"; not tried with the window hidden: run `lectern doctor logseq.window` in a terminal")
	case !r.Ask(fmt.Sprintf("Hide the window of Logseq that shows %s: minimise it, or go to another desktop. Come back here and leave it hidden.", p.Name)):
		return rateWindow(d, detail+"; not tried with the window hidden")
	}
	d, err = r.Diagnose(ctx, graphKey(p))
	if c, failed := diagnosisFailed(d, err); failed {
		return c
	}
	return rateWindow(d, detail+"; then "+d.String())
}

// diagnosisFailed is the result when nothing was measured.
func diagnosisFailed(d Diagnosis, err error) (c status.Check, failed bool) {
	switch {
	case errors.Is(err, ErrOldPlugin):
		return warn(err.Error(), reinstallPlugin), true
	case err != nil:
		return fail(err.Error(), "See the plugin's page in Logseq, which its toolbar button opens."), true
	case d.Editor == nil || d.Database == nil:
		return skip("no graph is open"), true
	}
	return c, false
}

func rateWindow(d Diagnosis, detail string) status.Check {
	switch {
	case d.Database.Error != "":
		return fail(detail, "Logseq itself does not respond: restart it.")
	case d.Editor.Error != "" && d.Hidden:
		return warn(detail, "While the window is hidden agents can read, but their writes wait until it is shown again. Keep it visible while agents write, or update Logseq.")
	case d.Editor.Error != "":
		return warn(detail, "Reading works, but writing may not. Bring Logseq's window to the front and run this check again.")
	default:
		return ok("%s", detail)
	}
}

// checkProperties counts the properties by namespace: one that a plugin creates
// is in the plugin's own namespace, not in that of people.
func checkProperties(ctx context.Context, r *run, p status.Peer) status.Check {
	d, err := r.askDiagnosis(ctx, p)
	if c, failed := diagnosisFailed(d, err); failed {
		return c
	}
	if graphKind(p) != "db" {
		return ok("a file graph has no namespaces")
	}
	var counts []string
	for _, name := range slices.Sorted(maps.Keys(d.Namespaces)) {
		counts = append(counts, fmt.Sprintf("%s %d", name, d.Namespaces[name]))
	}
	detail := "properties: " + cmp.Or(strings.Join(counts, ", "), "none")
	if r.TryWrites {
		return checkPropertyWrite(ctx, r, p, detail)
	}
	return ok("%s; to test whether a plugin can set those in user.property, run `lectern doctor logseq.properties --try-writes`", detail)
}
