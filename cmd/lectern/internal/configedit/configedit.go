// Package configedit plans and makes the changes of the configuration file that
// people ask for, on the command line or on the panel: sources, grants,
// settings, allowed origins and approval rules. The file's syntax is config's;
// reading the file again is the hub's. The commands and the hub process import
// it.
//
// Start reading at [Editor].
package configedit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/discover"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/status"
)

// An Editor changes the configuration file of its App.
type Editor struct{ *app.App }

// A Proposal is an edit of the configuration, with what a person wants to know
// before agreeing to it.
type Proposal struct {
	Edit   config.Edit
	Plan   status.Plan
	Source config.Source   // added, changed or removed
	Folder discover.Folder // of an added source; zero: it has none

	sample fs.FS    // is written to Folder first; nil: there is none
	remove []string // folders that are removed afterwards
}

// Propose plans what an action asks of the configuration.
func (e Editor) Propose(a status.Action) (Proposal, error) {
	c, err := e.Config()
	if err != nil {
		return Proposal{}, err
	}
	return e.propose(c, a)
}

func (e Editor) propose(c config.Config, a status.Action) (Proposal, error) {
	edit, ok := proposalFuncs[a.Verb]
	if !ok {
		return Proposal{}, fmt.Errorf("%s does not change the configuration", a.Verb)
	}
	return edit(e, c, a)
}

// proposalFuncs are the actions that change the configuration.
var proposalFuncs = map[status.Verb]func(Editor, config.Config, status.Action) (Proposal, error){
	status.AddSource:    Editor.proposeAddSource,
	status.SetSource:    Editor.proposeSetSource,
	status.RemoveSource: Editor.proposeRemoveSource,
	status.SetGrant:     Editor.proposeSetGrant,
	status.SetOption:    Editor.proposeSetOption,
	status.AllowOrigin:  Editor.proposeAllowOrigin,
}

// Verbs are those of the actions that change the configuration.
func Verbs() []status.Verb { return slices.Collect(maps.Keys(proposalFuncs)) }

// ApplyAction makes the edit that an action asks for.
func (e Editor) ApplyAction(ctx context.Context, a status.Action) (Proposal, error) {
	return e.planAndSaveEdit(ctx, func(c config.Config) (Proposal, error) { return e.propose(c, a) })
}

// ProposeApprovalRule plans to append an approval rule.
func (e Editor) ProposeApprovalRule(rule config.Rule) (Proposal, error) {
	c, err := e.Config()
	if err != nil {
		return Proposal{}, err
	}
	return newApprovalRuleProposal(c, rule)
}

// AddApprovalRule appends an approval rule.
func (e Editor) AddApprovalRule(ctx context.Context, rule config.Rule) error {
	_, err := e.planAndSaveEdit(ctx, func(c config.Config) (Proposal, error) { return newApprovalRuleProposal(c, rule) })
	return err
}

func newApprovalRuleProposal(c config.Config, rule config.Rule) (Proposal, error) {
	edit, err := c.AddRule(rule)
	return newConfigProposal("Add a rule", edit), err
}

// planAndSaveEdit plans an edit and makes it. When another program writes the file in
// between, it plans again on the new content.
func (e Editor) planAndSaveEdit(ctx context.Context, plan func(config.Config) (Proposal, error)) (_ Proposal, err error) {
	unlock, err := config.Lock(e.Paths.File())
	if err != nil {
		return Proposal{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for {
		c, err := e.Config()
		if err != nil {
			return Proposal{}, err
		}
		p, err := plan(c)
		if err != nil {
			return Proposal{}, err
		}
		if p.sample != nil {
			if err := discover.WriteSample(p.sample, p.Folder.Path); err != nil {
				return Proposal{}, err
			}
		}
		err = p.Edit.Save()
		raced := errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists)
		if err == nil {
			return p, removeFolders(p.remove)
		}
		if !raced || ctx.Err() != nil {
			return p, err
		}
	}
}

func newConfigProposal(title string, edit config.Edit) Proposal {
	plan := status.Plan{Title: title, Steps: []status.Step{}, Risks: []string{}}
	if edit.HasChanges() {
		plan.Steps = append(plan.Steps, status.Step{Description: "edit " + edit.Path, Diff: edit.Diff()})
	}
	return Proposal{Edit: edit, Plan: plan}
}

func (p *Proposal) warn(format string, args ...any) {
	p.Plan.Risks = append(p.Plan.Risks, fmt.Sprintf(format, args...))
}
