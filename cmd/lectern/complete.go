package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// completionTimeout bounds how long a person waits at the tab key for what only the
// hub knows.
const completionTimeout = 2 * time.Second

// registerCompletions gives every command that takes names the names that it may
// be given, by the command's path, and every flag by its own name. Both stand in
// one place so that a flag means the same names everywhere.
func registerCompletions(root *cobra.Command, of *cli) {
	c := completer{of}
	arguments := map[string]func(args []string) []string{
		"grant": c.completeGrantArguments, "revoke": c.completeGrantArguments, "policy explain": c.completePolicyExplainArguments,
		"undo": c.completeChanges, "changes show": c.completeChanges, "approve": c.completeApprovals, "approve show": c.completeApprovals,
		"approve end": c.completePermits,
		"tools":       completeFirstArgument(c.completeSources), "hub disconnect": completeFirstArgument(c.completeSessions),
		"serve":        completeFirstArgument(c.completeSources),
		"client token": completeFirstArgument(c.completeClients),
		"doctor":       completeFirstArgument(c.kindNames), "pause": completeFirstArgument(c.completeClients),
		"resume": completeFirstArgument(c.completeClients),
	}
	flags := map[string]func() []string{
		"source": c.completeSources, "sources": c.completeSources, "client": c.completeClients, "session": c.completeSessions,
		"tool":   c.completeTools,
		"effect": app.EffectNames, "ask": app.EffectNames, "role": c.completeRoles, "component": c.completeComponents,
		"level": logLevelNames, "outcome": outcomeNames, "kind": c.kindNames,
	}
	for path, propose := range arguments {
		cmd, _, err := root.Find(strings.Fields(path))
		if err == nil && cmd.CommandPath() == root.Name()+" "+path && cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = newCompletionFunc(propose)
		}
	}
	eachCommand(root, func(cmd *cobra.Command) {
		for name, propose := range flags {
			if flag := cmd.Flags().Lookup(name); flag != nil && flag.Value.Type() != "bool" {
				f := newCompletionFunc(func([]string) []string { return propose() })
				if err := cmd.RegisterFlagCompletionFunc(name, f); err != nil {
					panic(err) // the flag exists, and nothing else registers one
				}
			}
		}
	})
}

// A completer proposes the names that a person may type.
type completer struct{ *cli }

func eachCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, f)
	}
}

// completeFirstArgument proposes words for the first argument only.
func completeFirstArgument(propose func() []string) func([]string) []string {
	return func(args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return propose()
	}
}

func (c completer) completeSources() []string { return c.completeSourceName(nil) }

// completeClients proposes the clients that Lectern knows, and those that called
// lately.
func (c completer) completeClients() []string {
	conf, err := c.Config()
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	names := c.knownClients(ctx, conf)
	if page, err := readAuditRecords(ctx, c.cli, audit.Filter{Limit: 1000}); err == nil {
		for _, call := range page.Calls {
			names = append(names, call.Client)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// completeGrantArguments proposes a client, a source, and effects that were not given.
func (c completer) completeGrantArguments(args []string) []string {
	switch len(args) {
	case 0:
		return append(c.completeClients(), allArgument)
	case 1:
		return append(c.completeSources(), allArgument)
	}
	return slices.DeleteFunc(app.EffectNames(), func(e string) bool { return slices.Contains(args[2:], e) })
}

// completePolicyExplainArguments proposes a client, and then SOURCE/TOOL.
func (c completer) completePolicyExplainArguments(args []string) (words []string) {
	if len(args) == 0 {
		words = c.completeClients()
		for _, name := range c.Paths.ClientTokens().Names() {
			words = append(words, provenPrefix+name)
		}
		return words
	}
	if len(args) > 1 {
		return nil
	}
	for _, source := range c.completeSources() {
		for _, tool := range c.completeCallArguments([]string{source}) {
			words = append(words, source+"/"+tool)
		}
	}
	return words
}

func (c completer) completeTools() (names []string) {
	for _, k := range c.Systems() {
		names = append(names, toolNames(k)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (c completer) completeRoles() (names []string) {
	for _, k := range c.Systems() {
		for _, role := range k.Manifest().Roles {
			names = append(names, role.Name)
		}
	}
	return names
}

// snapshot is the state of the running hub; the zero value if none runs.
func (c completer) snapshot() (s status.Snapshot) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	if _, err := daemon.GetHealth(ctx, c.Paths.Daemon()); err != nil {
		return s
	}
	if snap, err := c.hub().Snapshot(ctx); err == nil && thismachine.HubRunning(snap) {
		return snap
	}
	return s
}

func (c completer) completeSessions() (names []string) {
	for _, s := range c.snapshot().Sessions {
		names = append(names, s.Name+"\t"+s.Client)
	}
	return names
}

func (c completer) completeApprovals(args []string) (ids []string) {
	if len(args) > 0 {
		return nil
	}
	for _, a := range c.snapshot().Approvals {
		ids = append(ids, a.ID+"\t"+a.Client+": "+a.Tool+" in "+a.Source)
	}
	return ids
}

func (c completer) completePermits(args []string) (ids []string) {
	if len(args) > 0 {
		return nil
	}
	for _, p := range c.snapshot().Permits {
		ids = append(ids, p.ID+"\t"+p.Client+" may "+p.ScopeText())
	}
	return ids
}

// completeChanges proposes the newest changes that were not given.
func (c completer) completeChanges(args []string) (ids []string) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	found, err := status.Ask(ctx, c.hub().API(), status.ChangesQuery, status.Filter{})
	if err != nil {
		return nil
	}
	for _, ch := range found.Changes {
		if !slices.Contains(args, ch.ID) {
			ids = append(ids, ch.ID+"\t"+ch.Summary()+" in "+ch.Source)
		}
	}
	return ids
}

// completeComponents proposes what a line of the log can be about.
func (c completer) completeComponents() []string {
	names := append(c.completeSources(), "audit", "config", "http", "hub", "journal", "supervisor", "update")
	slices.Sort(names)
	return slices.Compact(names)
}

func logLevelNames() (names []string) {
	for _, l := range logLevels {
		names = append(names, string(l))
	}
	return names
}

func outcomeNames() (names []string) {
	for _, o := range audit.Outcomes() {
		names = append(names, string(o))
	}
	return names
}

// completeSourceName proposes names of sources for the first argument.
func (c *cli) completeSourceName(args []string) []string {
	conf, err := c.Config()
	if err != nil || len(args) > 0 {
		return nil
	}
	return c.sourceNames(conf)
}
