package configedit

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

func (Editor) proposeSetOption(c config.Config, a status.Action) (Proposal, error) {
	o := a.Option
	if o == nil {
		return Proposal{}, errors.New("set option: missing key")
	}
	s, err := c.Setting(o.Key)
	if err != nil {
		return Proposal{}, err
	}
	edit, err := c.SetOption(o.Key, o.Value)
	if err != nil {
		return Proposal{}, err
	}
	title := "Set " + o.Key + " to " + o.Value
	if o.Value == "" {
		title = "Reset " + o.Key + " to " + cmp.Or(s.Default, `""`)
	}
	p := newConfigProposal(title, edit)
	if s.Restart && edit.HasChanges() {
		p.warn("the change takes effect when the hub is restarted: `lectern hub restart`, or r in the panel")
	}
	return p, nil
}

func (Editor) proposeAllowOrigin(c config.Config, a status.Action) (Proposal, error) {
	origin := a.Target
	edit, err := c.AllowOrigin(origin)
	if err != nil {
		return Proposal{}, fmt.Errorf("allow origin: %w", err)
	}
	p := newConfigProposal("Let plugins from "+origin+" connect", edit)
	pages := "every page from " + origin
	switch {
	case origin == "null":
		pages = "every sandboxed page of any web site has this origin and"
	case origin == "file://":
		pages = "every page that is opened from a file"
	case strings.HasPrefix(origin, "http"):
		pages = "every page of that web site"
	}
	p.warn("%s may try to connect; it cannot do anything without the plugins' token", pages)
	return p, nil
}
