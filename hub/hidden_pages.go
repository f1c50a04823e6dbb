package hub

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// sourceRuleProblem is about rules of exclude or only that match nothing.
var sourceRuleProblem = status.ProblemType{
	Code: "source.rule", Severity: status.Notice,
	Description: "A privacy rule of the source matches no page, folder or file: it hides nothing, or under only it shows nothing. It may be " +
		"misspelt, or name something that is not there yet.",
	Title: "source {source}: these privacy rules match nothing: {rules}",
	Fix: "Compare them with the names in the source and correct them in the configuration. Then run `lectern source show {source}`, which " +
		"counts again.",
}

// CountHiddenPages answers [status.HiddenPagesQuery].
func (a PersonAPI) CountHiddenPages(ctx context.Context, source string) (status.HiddenPages, error) {
	_, src, err := a.callerForSource(source)
	if err != nil {
		return status.HiddenPages{}, err
	}
	return withSourceRef(ctx, src, func(ctx context.Context, open *sourceRef) (status.HiddenPages, error) {
		return open.countHiddenPages(ctx)
	})
}

// countHiddenPages counts what the rules of the source hide, and shows it.
func (ref *sourceRef) countHiddenPages(ctx context.Context) (status.HiddenPages, error) {
	c, ok := tools.As[tools.HiddenPageCounter](ref.OpenedSource)
	if !ok {
		return status.HiddenPages{}, tools.Errorf(tools.Unavailable, "a source of kind %s cannot count what is hidden",
			ref.report.source.conf.Kind)
	}
	pages, err := catchPanic(func() (status.HiddenPages, error) { return c.CountHiddenPages(ctx) })
	if err == nil {
		ref.report.reportHiddenPages(pages)
	}
	return pages, err
}

// reportHiddenPages shows how much is hidden, and the rules that match nothing.
func (r *reporter) reportHiddenPages(pages status.HiddenPages) {
	if len(pages.Unmatched) > 0 {
		r.raise(sourceRuleProblem, status.Args{"rules": strings.Join(pages.Unmatched, ", ")})
	} else {
		r.Clear(sourceRuleProblem)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && r.source.conf.Privacy.Any() {
		pages.Unmatched = slices.Clone(pages.Unmatched)
		r.hidden = &pages
	}
	r.source.hub.snapshot.requestUpdate()
}
