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
func (fx effects) pages(ctx context.Context, tab int, w pane.PagesQuery) tea.Msg {
	if fx.cfg.Browser == nil {
		return resultMsg{tab: tab, result: pane.Result{Query: w, Err: errNoBrowser}}
	}
	ch, err := fx.cfg.Browser.Pages(ctx, w.Source)
	if err != nil {
		return resultMsg{tab: tab, result: pane.Result{Query: w, Err: err}}
	}
	return nextResult(ctx, tab, w, ch, func(f *pane.Result, l status.PageList) { f.Pages = l })()
}

// page reads a page and lays it out. That takes a long one a while, and so is
// done here.
func (fx effects) page(ctx context.Context, w pane.PageQuery) (status.PageText, []prose.Row, error) {
	if fx.cfg.Browser == nil {
		return status.PageText{}, nil, errNoBrowser
	}
	p, err := fx.cfg.Browser.Page(ctx, w.Source, w.Page)
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
			Text: fmt.Sprintf("The page goes on: it has %d KB, and the first %d KB are shown.", p.Size>>10, have>>10), Kind: prose.Strong,
		}})
	}
	return p, rows, err
}
