package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// planTokenCreation proposes to make the token by which a client proves its name. A
// token that exists stays.
func (p Planner) planTokenCreation(proposal *installer.Proposal, c installer.Client, overHTTP bool) {
	if !c.HasName() {
		return
	}
	file := p.Paths.ClientTokens().File(c.ID)
	if !p.Paths.ClientTokens().Has(c.ID) {
		step := status.Step{Description: "make the token that proves the name " + c.ID + ", in " + file}
		proposal.Prepend(step, func(context.Context) error {
			_, err := loopnet.LoadOrCreateToken(file)
			return err
		})
		proposal.Plan.Risks = append(proposal.Plan.Risks, p.renamedClientWarnings(c)...)
		if conf, err := p.Config(); err == nil {
			for _, what := range p.UnaskedOnceProven(conf, c.ID) {
				proposal.Plan.Risks = append(proposal.Plan.Risks, c.ID+" will "+what)
			}
		}
	}
	if overHTTP && proposal.Changes() {
		proposal.NextSteps = append(proposal.NextSteps, "`lectern client token "+c.ID+"` prints that token")
	}
}

// renamedClientWarnings warns that a client's agents are known by its ID from now on, if
// the configuration names clients in another way.
func (p Planner) renamedClientWarnings(c installer.Client) []string {
	conf, err := p.Config()
	if err != nil {
		return nil
	}
	var names []string
	for _, g := range conf.Clients {
		names = append(names, g.Name)
	}
	for _, r := range conf.Rules {
		names = append(names, r.Client)
	}
	for _, name := range names {
		if name != "" && !strings.EqualFold(name, c.ID) && strings.Contains(strings.ToLower(name), strings.SplitN(c.ID, "-", 2)[0]) {
			return []string{fmt.Sprintf("agents of %s are known as %s from now on; grants and rules for %q no longer apply to them",
				c.Title, c.ID, name)}
		}
	}
	return nil
}

// planTokenRemoval proposes to remove the token of a client, unless another entry of
// it stays.
func (p Planner) planTokenRemoval(proposal *installer.Proposal, c installer.Client) {
	tokens := p.Paths.ClientTokens()
	if !c.HasName() || !tokens.Has(c.ID) {
		return
	}
	file := tokens.File(c.ID)
	step := status.Step{Description: "remove the token that proves the name " + c.ID + ", unless another entry of it stays"}
	proposal.Add(step, func(context.Context) error {
		if still, err := p.Machine().IsConnected(c.ID); err != nil || still {
			return err
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove token: %w", err)
		}
		return nil
	})
}
