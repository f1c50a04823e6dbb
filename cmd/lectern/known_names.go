package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// checkClientName refuses the name of a client that nobody has heard of: a rule for a
// misspelled name protects nothing. allowNew accepts it all the same.
func (c *cli) checkClientName(ctx context.Context, conf config.Config, name string, allowNew bool) error {
	if allowNew || name == "" || name == allArgument {
		return nil
	}
	known := c.knownClients(ctx, conf)
	if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
		return nil
	}
	if page, err := readAuditRecords(ctx, c, audit.Filter{Client: name, Limit: 1}); err == nil && len(page.Calls) > 0 {
		return nil
	}
	return usageErrorf("unknown client %q%s; Lectern knows the clients that it can install, those with a token or a grant, "+
		"and those that have called. For one that has never connected, add --new", name, didYouMean(name, known))
}

// knownClients are the names that a client may have, without those that only the
// audit has: the clients that can be installed, those with a token or with a
// table in the configuration, and those that are connected.
func (c *cli) knownClients(ctx context.Context, conf config.Config) (names []string) {
	for _, cl := range installer.Clients() {
		if cl.Retired() == "" {
			names = append(names, cl.ID)
		}
	}
	names = append(names, c.Paths.ClientTokens().Names()...)
	for _, cl := range conf.Clients {
		names = append(names, cl.Name)
	}
	if _, err := daemon.GetHealth(ctx, c.Paths.Daemon()); err == nil {
		if snap, err := c.hub().Snapshot(ctx); err == nil && thismachine.HubRunning(snap) {
			for _, s := range snap.Sessions {
				names = append(names, s.Client)
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
}

// checkSourceNames refuses names that no source has.
func (c *cli) checkSourceNames(names ...string) error {
	conf, err := c.Config()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == "" || name == allArgument || slices.Contains(c.sourceNames(conf), name) {
			continue
		}
		return usageErrorf("%w", c.configEditor().UnknownSourceError(conf, name))
	}
	return nil
}

// checkRecordedSource refuses the name of a source that is not there and of which no call is
// recorded: those of one that was removed can still be found.
func (c *cli) checkRecordedSource(ctx context.Context, name string) error {
	conf, err := c.Config()
	if err != nil || name == "" || slices.Contains(c.sourceNames(conf), name) {
		return nil //nolint:nilerr // what was recorded can be read while the configuration is broken
	}
	if page, err := readAuditRecords(ctx, c, audit.Filter{Source: name, Limit: 1}); err == nil && len(page.Calls) > 0 {
		return nil
	}
	return usageErrorf("--source: %w", c.configEditor().UnknownSourceError(conf, name))
}

func (c *cli) sourceNames(conf config.Config) (names []string) {
	for _, s := range c.Sources(conf) {
		names = append(names, s.Name)
	}
	return names
}

// errUnknownTool is the error for a name that no tool of a source has.
func errUnknownTool(source, tool string, known []string) error {
	return fmt.Errorf("source %s has no tool %q%s; `lectern tools %s` lists them", source, tool, didYouMean(tool, known), source)
}
