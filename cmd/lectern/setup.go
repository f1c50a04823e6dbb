package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
)

// A textSetup is what `lectern setup` does as text: the panel's wizard, answered by
// flags.
type textSetup struct {
	*cli

	confirm confirmFlags
	folders []string // to open; none: the one that is found
	clients []string // to connect; none: those on this machine
	sources []string // that the clients see; none: those that they see, or all
	opened  []string // names of the sources that are opened
	name    string   // of a source that agents can be asked about
}

func setupCommand(c *cli) *cobra.Command {
	s := textSetup{cli: c}
	cmd := &cobra.Command{
		Use:   "setup [PATH...]",
		Short: "Open your notes to the agents on this machine, step by step",
		Long: "Open your notes to the agents on this machine. On a terminal the panel asks which\n" +
			"notes and which clients. With --yes, --dry-run or a PATH there is no panel: setup opens\n" +
			"the folders that you name, or the one that it finds, connects the clients on this\n" +
			"machine, shows what changes, and asks the clients whether they reach Lectern.\n" +
			"The clients see all sources, or those that you name with --sources.",
		Example: "  lectern setup\n  lectern setup --yes\n  lectern setup ~/Notes --client claude-code,codex --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			s.folders = args
			asText := len(args) > 0 || len(s.sources) > 0 || len(s.clients) > 0 || s.confirm.yes || s.confirm.dryRun
			if !asText && isTerminal(c.in) && c.hasScreen() {
				return runPanel(cmd.Context(), c, panelFlags{setup: true})
			}
			return s.run(cmd.Context())
		},
	}
	s.confirm.register(cmd)
	cmd.Flags().StringSliceVar(&s.clients, "client", nil, "connect these `CLIENTS`; default: those on this machine")
	cmd.Flags().StringSliceVar(&s.sources, "sources", nil,
		"open only these `SOURCES` to the clients, such as notes,work; all opens every source again")
	return cmd
}

func (s *textSetup) run(ctx context.Context) error {
	opening, err := s.planNewSources()
	if err != nil {
		return err
	}
	plan := status.Plan{Title: "Set up Lectern"}
	for _, a := range opening {
		p, err := s.configEditor().Propose(a)
		if err != nil {
			return err
		}
		s.name = p.Source.Name
		s.opened = append(s.opened, p.Source.Name)
		plan.Steps, plan.Risks = append(plan.Steps, p.Plan.Steps...), append(plan.Risks, p.Plan.Risks...)
	}
	connecting, ids, err := s.proposeConnections()
	if err != nil {
		return err
	}
	for _, p := range connecting {
		plan.Steps, plan.Risks = append(plan.Steps, p.Plan.Steps...), append(plan.Risks, p.Plan.Risks...)
		for _, next := range p.NextSteps {
			plan.Risks = append(plan.Risks, "afterwards: "+next)
		}
	}
	if len(plan.Steps) == 0 {
		s.printf("everything is set up already\n")
		return s.checkConnectedClients(ctx, ids)
	}
	done, err := s.confirmAndApplyPlan(ctx, plan, s.confirm, func(ctx context.Context) error {
		for _, a := range opening {
			if _, err := s.configEditor().ApplyAction(ctx, a); err != nil {
				return err
			}
		}
		for _, p := range connecting {
			if err := p.Apply(ctx); err != nil {
				return err
			}
		}
		return s.hub().Reload(ctx)
	})
	if !done {
		return err
	}
	return errors.Join(err, s.checkConnectedClients(ctx, ids))
}

// planNewSources are the folders to open: those named, or the only one that is
// found where none is open yet.
func (s *textSetup) planNewSources() (list []status.Action, err error) {
	conf, err := s.Config()
	if err != nil {
		return nil, err
	}
	for _, folder := range s.folders {
		path, err := filepath.Abs(folder)
		if err != nil {
			return nil, fmt.Errorf("find folder: %w", err)
		}
		list = append(list, status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: path}})
	}
	if len(conf.Sources) > 0 {
		s.name = conf.Sources[0].Name
	}
	if len(list) > 0 || len(conf.Sources) > 0 {
		return list, nil
	}
	found := thismachine.DiscoverSources(s.App)
	var places []string
	for _, f := range found {
		places = append(places, fmt.Sprintf("%s (%s, %s)", f.Location, f.Kind, f.Reason))
	}
	switch len(found) {
	case 0:
		s.printf("no notes were found; agents see the sample until you add a folder: lectern source add PATH\n")
		return nil, nil
	case 1:
		f := found[0]
		s.printf("found %s\n", places[0])
		return []status.Action{{Verb: status.AddSource, Source: &status.NewSource{Name: f.Name, Kind: f.Kind, Location: f.Location}}}, nil
	}
	return nil, usageErrorf("setup: several folders may hold notes; name those to open, as in: lectern setup %s\n%s", found[0].Location,
		strings.Join(places, "\n"))
}

// proposeConnections are the clients to connect: those named, or those on this machine
// that have no entry of Lectern or one that is out of date. ids are all that
// are connected then.
func (s *textSetup) proposeConnections() (list []*installer.Proposal, ids []string, err error) {
	if err := s.planner().RefuseUnknownSources(s.sources, s.opened...); err != nil {
		return nil, nil, err
	}
	for _, id := range s.clients {
		if _, err := install.FindClient(id); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range s.planner().ClientStates() {
		id := c.Client.ID
		usable := c.Detected && c.Client.Retired() == "" && c.File != "" && c.Condition != installer.Foreign && c.Condition != installer.Broken
		if wanted := slices.Contains(s.clients, id); len(s.clients) > 0 && !wanted || len(s.clients) == 0 && !usable {
			continue
		}
		p, err := s.planner().ProposeConnectClient(id, install.ClientConnection{Name: app.Name, Sources: s.sources})
		if err != nil {
			return nil, nil, err
		}
		list, ids = append(list, p), append(ids, id)
	}
	if len(ids) == 0 {
		s.printf("no MCP client was found on this machine; `lectern client list --all` lists those that Lectern knows\n")
	}
	return list, ids, nil
}

// checkConnectedClients lets the clients check that they reach Lectern and says what to ask.
func (s *textSetup) checkConnectedClients(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	s.printf("\n")
	if _, _, err := checkClients(ctx, s.cli, ids); err != nil {
		return err
	}
	s.printf("\nAsk your agent: %s\n", status.FirstQuestion(s.name))
	s.printf("To see what agents do, and to undo it, run: lectern\n")
	return nil
}
