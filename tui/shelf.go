package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/prose"
)

// pages begins to list a source and brings the first pages.
func (fx effects) pages(ctx context.Context, tab int, w pane.PagesOf) tea.Msg {
	if fx.cfg.Shelf == nil {
		return factMsg{tab: tab, fact: pane.Fact{Want: w, Err: errNoShelf}}
	}
	ch, err := fx.cfg.Shelf.Pages(ctx, w.Source)
	if err != nil {
		return factMsg{tab: tab, fact: pane.Fact{Want: w, Err: err}}
	}
	return nextFact(ctx, tab, w, ch, func(f *pane.Fact, l status.PageList) { f.Pages = l })()
}

// page reads a page and lays it out. That takes a long one a while, and so is
// done here.
func (fx effects) page(ctx context.Context, w pane.PageIn) (status.PageText, []prose.Row, error) {
	if fx.cfg.Shelf == nil {
		return status.PageText{}, nil, errNoShelf
	}
	p, err := fx.cfg.Shelf.Page(ctx, w.Source, w.Page)
	if err != nil {
		return status.PageText{}, nil, err
	}
	lay := prose.Lines
	if !w.Raw && p.MIME == "text/markdown" {
		lay = prose.Markdown
	}
	if strings.TrimSpace(p.Text) == "" {
		return p, nil, nil
	}
	rows, err := lay(ctx, p.Text, w.Width)
	if have := int64(len(p.Text)); p.Size > have {
		rows = append(rows, nil, prose.Row{{
			Text: fmt.Sprintf("The page goes on: it has %d KB, and the first %d KB are shown.", p.Size>>10, have>>10), Ink: prose.Strong,
		}})
	}
	return p, rows, err
}
