package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
)

var errNoTokens = errors.New("there are no tokens here")

// revealToken reads a token for the pane of a tab, and for nobody else.
func (fx effects) revealToken(tab int, r pane.RevealToken) tea.Cmd {
	return func() tea.Msg {
		f := pane.Result{Query: pane.TokenQuery{Of: r.Token}, Err: errNoTokens}
		if fx.cfg.Token != nil {
			f.Token, f.Err = fx.cfg.Token(r.Token)
		}
		return resultMsg{tab: tab, result: f}
	}
}

func (fx effects) copyToken(c pane.CopyToken) tea.Cmd {
	deed := "copy the token of the " + c.Token
	if fx.cfg.CopyToken == nil {
		return notify(errorNotice(deed, errNoTokens))
	}
	return func() tea.Msg {
		how, err := fx.cfg.CopyToken(c.Token)
		if err != nil {
			return noticeMsg{errorNotice(deed, err)}
		}
		return noticeMsg{successNotice("the token of the " + c.Token + ": " + how)}
	}
}
