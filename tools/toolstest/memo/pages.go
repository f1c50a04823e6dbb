package memo

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// pages lets a person browse the notes on the panel. Hidden notes are left out
// there too.
func pages() *tools.Pages[*Memo] {
	return &tools.Pages[*Memo]{List: tools.AllPages((*Memo).listAllNotes), Read: (*Memo).noteText}
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
