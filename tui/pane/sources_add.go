package pane

import (
	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

func (p Sources) handleFormKey(k Press) (Pane, Intent) {
	switch {
	case key.Matches(k, p.keys.Back):
		p.adding = false
		return p, nil
	case key.Matches(k, p.keys.Enter):
		next, added := p.form.BuildSource()
		if p.form = next; added == nil {
			return p, nil
		}
		return p, IntentFor(status.Action{Verb: status.AddSource, Source: added})
	}
	p.form = p.form.HandleKey(k)
	return p, nil
}

// takeKinds makes the kinds of sources known to the form. Without an answer it
// still adds folders.
func (p Sources) takeKinds(f Result) Sources {
	p.askedKinds = true
	p.form.kinds = f.Kinds
	return p
}

func (f SourceForm) section(t theme.Theme) widget.Section {
	return widget.Section{Title: "Add a source", Min: 4, Preferred: len(f.configKeys()) + 4 + maxPathRows, Rows: func(w, _ int) []string {
		return f.Rows(t, w)
	}}
}
