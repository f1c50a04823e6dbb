package pane

import (
	"slices"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Resize implements [Resizer].
func (p Sources) Resize(w, h int) Pane {
	p.w, p.h = w, h
	if p.browse != nil {
		next := *p.browse
		next.w, next.h = w, h
		return p.withSourceBrowser(next)
	}
	return p
}

// WantedQuery implements [Querier].
func (p Sources) WantedQuery() Query {
	switch {
	case !IsHubRunning(p.snap):
		return nil
	case (p.adding || p.folder != nil) && !p.askedKinds:
		return SourceKindsQuery{}
	case p.adding:
		return p.form.WantedQuery()
	case p.folder != nil:
		return p.folder.form.WantedQuery()
	case p.browse == nil && p.searchAll != nil:
		return p.searchAll.wantedQuery()
	case p.browse == nil:
		return nil
	}
	return p.browse.wantedQuery()
}

// TakeResult implements [Querier].
func (p Sources) TakeResult(f Result) Pane {
	switch f.Query.(type) {
	case SourceKindsQuery:
		return p.takeKinds(f)
	case CompletePathQuery:
		if p.folder != nil {
			next := sourceFolderForm{p.folder.source, p.folder.form.TakePaths(f).withFolderFocused()}
			p.folder = &next
			return p
		}
		p.form = p.form.TakePaths(f)
		return p
	case SearchAllQuery:
		if p.searchAll != nil {
			next := p.searchAll.takeResult(f)
			p.searchAll = &next
		}
		return p
	default:
	}
	if p.browse == nil {
		return p
	}
	return p.withSourceBrowser(p.browse.takeResult(f))
}

func (p Sources) withSourceBrowser(b sourceBrowser) Sources {
	p.browse = &b
	return p
}

// openSourceBrowser opens the selected source, at its search or at its pages.
func (p Sources) openSourceBrowser(search bool) Sources {
	s, _ := p.selected()
	p.browserCount++
	b := newSourceBrowser(p.keys, p.zone, s.Name, p.w, p.h).setSnapshot(p.snap)
	b.refresh = p.browserCount << 16 // what an earlier one asked comes to this one as nothing
	if search {
		b.focus, b.search.typing, b.search.standalone = focusHits, true, true
	}
	return p.withSourceBrowser(b)
}

// setBrowserSnapshot tells the browser of a snapshot. It is closed with its source,
// and asks another hub again.
func (p Sources) setBrowserSnapshot(s status.Snapshot) Sources {
	if p.browse == nil {
		return p
	}
	there := slices.ContainsFunc(s.Sources, func(one status.Source) bool { return one.Name == p.browse.source })
	if !there {
		p.browse = nil
		return p
	}
	next := p.browse.setSnapshot(s)
	if hubRestarted(p.snap, s) {
		next = next.refreshAll()
	}
	return p.withSourceBrowser(next)
}

// describeCallCounts says how many of the calls may have changed something.
func describeCallCounts(s status.Source) string {
	if s.Calls == 0 {
		return ""
	}
	return "; " + widget.CountWithNoun(s.Calls-min(s.Writes, s.Calls), "read") + ", " + widget.CountWithNoun(s.Writes, "write")
}
