package logseq

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	// pluginTimeout bounds a check that asks the plugin, which may wait for its
	// Logseq, and writes a page.
	pluginTimeout = time.Minute
	// personTimeout leaves a person time to hide a window.
	personTimeout = 10 * time.Minute
	// diagnoseTimeout is longer than the plugin waits for Logseq, twice.
	diagnoseTimeout = 25 * time.Second
)

// checks look at how the running Logseq behaves.
func checks() []tools.Check[*Graph] {
	return []tools.Check[*Graph]{
		{Name: "release", Title: "This release of Logseq has been tested", Look: withLogseq(graphCheck.checkRelease)},
		{
			Name: "methods", Title: "This Logseq has the expected capabilities", Timeout: pluginTimeout,
			Look: withLogseq(graphCheck.checkMethods),
		},
		{Name: "window", Title: "Writes work while the window is hidden", Look: withLogseq(graphCheck.checkWindow), Timeout: personTimeout},
		{Name: "properties", Title: "The namespaces of properties", Look: withLogseq(graphCheck.checkNamespaces), Timeout: pluginTimeout},
	}
}

// A graphCheck looks at the Logseq that is connected.
type graphCheck struct {
	*Graph

	hello  *hello
	doctor tools.Doctor
}

// withLogseq skips a check while no Logseq is connected.
func withLogseq(look func(graphCheck, context.Context) status.Check) func(*Graph, context.Context, tools.Doctor) status.Check {
	return func(g *Graph, ctx context.Context, d tools.Doctor) status.Check {
		h := g.hello()
		if h == nil {
			return checkResult(status.CheckSkipped, "", "%v", notConnectedError(g.conf.Graph))
		}
		return look(graphCheck{g, h, d}, ctx)
	}
}

func checkResult(result status.CheckResult, fix, detail string, args ...any) status.Check {
	return status.Check{Result: result, Detail: fmt.Sprintf(detail, args...), Fix: fix}
}

const reinstallPlugin = "Run: lectern plugin install, then restart Logseq."

func (c graphCheck) checkRelease(context.Context) status.Check {
	if !Known(c.hello.Logseq) {
		return checkResult(status.CheckWarn, "See the result of logseq.methods, and tell us how it works.",
			"Logseq %s has not been tested", c.hello.Logseq)
	}
	return checkResult(status.CheckOK, "", "Logseq %s", c.hello.Logseq)
}

// checkMethods compares what a Logseq offers with what its kind of graph should.
func (c graphCheck) checkMethods(ctx context.Context) status.Check {
	var missing, additional []string
	all := Capabilities()
	for _, one := range all {
		switch offered := slices.Contains(c.hello.Capabilities, one.Key); {
		case offered && !one.Has(c.hello.Graph.Kind):
			additional = append(additional, one.Key)
		case !offered && one.Has(c.hello.Graph.Kind):
			missing = append(missing, one.Key)
		}
	}
	detail := fmt.Sprintf("%d of %d capabilities", len(c.hello.Capabilities), len(all))
	if len(missing)+len(additional) == 0 {
		return checkResult(status.CheckOK, "", "%s, as expected of a %s graph", detail, c.hello.Graph.Kind)
	}
	if len(additional) > 0 {
		detail += "; not expected: " + strings.Join(additional, ", ")
	}
	if len(missing) > 0 {
		detail += "; missing: " + strings.Join(missing, ", ")
	}
	const see = "See docs/logseq-compatibility.md for what each capability needs."
	d, err := c.diagnose(ctx)
	switch {
	case err == nil && len(d.Missing) > 0:
		return checkResult(status.CheckWarn, "Update Logseq. "+see, "%s; this Logseq lacks %s", detail, strings.Join(d.Missing, ", "))
	case err == nil && len(d.Settings) > 0:
		return checkResult(status.CheckOK, "", "%s; turned off by the plugin's settings: %s", detail, strings.Join(d.Settings, ", "))
	}
	return checkResult(status.CheckWarn, see, "%s", detail)
}

// checkWindow times a question that goes through Logseq's editor, as all writes
// do, and changes nothing. If a person can be asked, it does so again while the
// window is hidden.
func (c graphCheck) checkWindow(ctx context.Context) status.Check {
	d, err := c.diagnose(ctx)
	if failure, failed := diagnosisFailed(d, err); failed {
		return failure
	}
	detail := d.String()
	switch {
	case d.Hidden || d.Editor.Error != "":
		return rateWindow(d, detail)
	case !c.doctor.Interactive():
		return rateWindow(d, detail+"; not tried with the window hidden: run `lectern doctor logseq.window` in a terminal")
	case !c.doctor.Ask(ctx, fmt.Sprintf("Hide the window of Logseq that shows %s: minimise it, or go to another desktop. "+
		"Come back here and leave it hidden.", c.hello.Graph.Name)):
		return rateWindow(d, detail+"; not tried with the window hidden")
	}
	d, err = c.diagnose(ctx)
	if failure, failed := diagnosisFailed(d, err); failed {
		return failure
	}
	return rateWindow(d, detail+"; then "+d.String())
}

func rateWindow(d diagnosis, detail string) status.Check {
	switch {
	case d.Database.Error != "":
		return checkResult(status.CheckFail, "Logseq itself does not respond: restart it.", "%s", detail)
	case d.Editor.Error != "" && d.Hidden:
		return checkResult(status.CheckWarn,
			"While the window is hidden agents can read, but their writes wait until it is shown again. "+
				"Keep it visible while agents write, or update Logseq.", "%s", detail)
	case d.Editor.Error != "":
		return checkResult(status.CheckWarn,
			"Reading works, but writing may not. Bring Logseq's window to the front and run this check again.", "%s", detail)
	default:
		return checkResult(status.CheckOK, "", "%s", detail)
	}
}

// checkNamespaces counts the properties by namespace: one that a plugin creates
// is in the plugin's own namespace, not in that of people.
func (c graphCheck) checkNamespaces(ctx context.Context) status.Check {
	d, err := c.diagnose(ctx)
	if failure, failed := diagnosisFailed(d, err); failed {
		return failure
	}
	if c.hello.Graph.Kind != "db" {
		return checkResult(status.CheckOK, "", "a file graph has no namespaces")
	}
	var counts []string
	for _, name := range slices.Sorted(maps.Keys(d.Namespaces)) {
		counts = append(counts, fmt.Sprintf("%s %d", name, d.Namespaces[name]))
	}
	detail := "properties: " + cmp.Or(strings.Join(counts, ", "), "none")
	if c.doctor.MayWrite() {
		return c.checkPropertyWrite(ctx, detail)
	}
	return checkResult(status.CheckOK, "",
		"%s; to test whether a plugin can set those in user.property, run `lectern doctor logseq.properties --try-writes`", detail)
}
