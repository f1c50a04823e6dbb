package memo

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// pages lets a person browse the notes on the panel. Hidden notes are left out
// there too.
func pages() *tools.Pages[*Memo] {
	return &tools.Pages[*Memo]{List: tools.AllPages((*Memo).listAllNotes), Read: (*Memo).noteText, Links: (*Memo).noteLinks}
}

var notePattern = regexp.MustCompile(`\[\[([^\[\]\n]+)\]\]`)

// noteLinks are the [[links]] of a note, and those to it.
func (m *Memo) noteLinks(ctx context.Context, name string) (links tools.PageLinks, err error) {
	own, err := m.Read(ctx, ReadIn{Title(name)})
	if err != nil {
		return links, err
	}
	titles := m.visibleTitles()
	for _, found := range notePattern.FindAllStringSubmatch(own.Text, -1) {
		if slices.Contains(titles, Title(found[1])) {
			links.Out = append(links.Out, tools.PageLink{Page: found[1]})
		} else {
			links.Out = append(links.Out, tools.PageLink{Text: found[1]})
		}
	}
	for _, t := range titles {
		if n, _ := m.note(t); strings.Contains(n.text, "[["+name+"]]") {
			links.In = append(links.In, tools.PageLink{Page: string(t)})
		}
	}
	return links, nil
}

func (m *Memo) listAllNotes(context.Context) ([]tools.PageInfo, error) {
	all := []tools.PageInfo{}
	for _, t := range m.visibleTitles() {
		n, _ := m.note(t)
		all = append(all, tools.PageInfo{Name: string(t), Size: int64(len(n.text))})
	}
	return all, nil
}

func (m *Memo) noteText(ctx context.Context, name string) (tools.PageText, error) {
	n, err := m.Read(ctx, ReadIn{Title(name)})
	if err != nil {
		return tools.PageText{}, err
	}
	return tools.PageText{Text: n.Text, MIME: "text/markdown"}, nil
}
