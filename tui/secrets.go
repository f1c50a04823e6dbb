package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
)

var errNoTokens = errors.New("there are no tokens here")

// reveal reads a token for the pane of a tab, and for nobody else.
func (fx effects) reveal(tab int, r pane.Reveal) tea.Cmd {
	return func() tea.Msg {
		f := pane.Fact{Want: pane.Token{Of: r.Token}, Err: errNoTokens}
		if fx.cfg.Token != nil {
			f.Token, f.Err = fx.cfg.Token(r.Token)
		}
		return factMsg{tab: tab, fact: f}
	}
}

func (fx effects) copyToken(c pane.CopyToken) tea.Cmd {
	deed := "copy the token of the " + c.Token
	if fx.cfg.CopyToken == nil {
		return tell(failed(deed, errNoTokens))
	}
	return func() tea.Msg {
		how, err := fx.cfg.CopyToken(c.Token)
		if err != nil {
			return toldMsg{failed(deed, err)}
		}
		return toldMsg{succeeded("the token of the " + c.Token + ": " + how)}
	}
}
