package cards

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// pages lets a person browse the cards on the panel, as an administrator: each with
// what is below it and what became of it.
func pages() *tools.Pages[*Wiki] {
	return &tools.Pages[*Wiki]{
		List: func(w *Wiki, ctx context.Context, q tools.PageQuery) (tools.PageList, error) {
			if w.local == nil {
				return tools.PageList{}, tools.Errorf(tools.NotFound, "the wiki %s is on another server", w.name)
			}
			return w.local.listPages(ctx, q)
		},
		Read: func(w *Wiki, ctx context.Context, name string) (tools.PageText, error) {
			if w.local == nil {
				return tools.PageText{}, tools.Errorf(tools.NotFound, "the wiki %s is on another server", w.name)
			}
			return w.local.readPage(ctx, name)
		},
	}
}

func (l *local) listPages(ctx context.Context, q tools.PageQuery) (tools.PageList, error) {
	offset := 0
	if q.After != "" {
		var err error
		if offset, err = strconv.Atoi(q.After); err != nil || offset < 0 {
			return tools.PageList{}, tools.Errorf(tools.Conflict, "the list of pages has changed").WithHint("List them again from the first.")
		}
	}
	f := cardstore.Search{WithVirtual: true, Sort: "name", Limit: q.Limit, Offset: offset}
	if q.Match != "" {
		f.Names = []string{q.Match}
	}
	cards, total, err := l.store.Search(ctx, l.owner(), f)
	if err != nil {
		return tools.PageList{}, err
	}
	list := tools.PageList{Pages: []tools.PageInfo{}, Total: total}
	for _, c := range cards {
		list.Pages = append(list.Pages, tools.PageInfo{Name: string(c.Name), Size: int64(len(c.Content)), Modified: c.UpdatedAt})
	}
	if offset+len(cards) < total && len(cards) > 0 {
		list.Next = strconv.Itoa(offset + len(cards))
	}
	return list, nil
}

func (l *local) readPage(ctx context.Context, name string) (tools.PageText, error) {
	const most = 50
	by := l.owner()
	c, revisions, total, err := l.store.History(ctx, by, name, false, most)
	if errors.Is(err, cardstore.ErrNotFound) {
		return tools.PageText{}, tools.Errorf(tools.NotFound, "no card named %.80q", name)
	}
	if err != nil {
		return tools.PageText{}, err
	}
	_, children, below, err := l.store.Children(ctx, by, name, 1, cardstore.Search{Sort: "name", Limit: most})
	if err != nil {
		return tools.PageText{}, err
	}
	text, err := l.api.Markdown(c.Content)
	if err != nil {
		text = c.Content
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n---\n\nType %s.\n", strings.TrimSpace(text), c.Type)
	if below > 0 {
		fmt.Fprintf(&b, "\n## Below it (%d)\n\n", below)
	}
	for _, child := range children {
		fmt.Fprintf(&b, "- [[%s]] (%s)\n", child.Name, child.Type)
	}
	fmt.Fprintf(&b, "\n## History (%d)\n\n", total)
	for _, r := range revisions {
		fmt.Fprintf(&b, "- %s: %s by %s (%s)\n", r.At.UTC().Format(time.DateTime), r.Action, r.Actor, strings.Join(r.Changes, ", "))
	}
	return tools.PageText{Text: b.String(), MIME: "text/markdown"}, nil
}
