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
	ch, err := status.Open(ctx, fx.cfg.Client, status.PagesQuery, w.Source)
	if err != nil {
		return factMsg{tab: tab, fact: pane.Fact{Want: w, Err: err}}
	}
	return nextFact(ctx, tab, w, ch, func(f *pane.Fact, l status.PageList) { f.Pages = l })()
}

// page reads a page and lays it out. That takes a long one a while, and so is
// done here.
func (fx effects) page(ctx context.Context, w pane.PageIn) (status.PageText, []prose.Row, error) {
	p, err := status.Ask(ctx, fx.cfg.Client, status.PageQuery, status.PageRef{Source: w.Source, Name: w.Page})
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
