package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
)

// clientCommand is about the MCP clients on this machine: their configuration
// files, not their sessions.
func clientCommand(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "client",
		Short: "Connect MCP clients, such as Claude Code, Cursor or Codex",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(clientListCommand(w), clientShowCommand(w), clientInstallCommand(w), clientRemoveCommand(w), clientCheckCommand(w), clientTokenCommand(w))
	return c
}

// entryName is what a client calls our entry, unless a person says otherwise.
const entryName = "lectern"

// A tie is what the flags say of how a client is to be connected.
type tie struct {
	name, source, project string
	http, byFile          bool
}

func (t *tie) flags(c *cobra.Command) {
	c.Flags().StringVar(&t.name, "name", entryName, "what the client calls the entry")
	c.Flags().StringVar(&t.project, "project", "", "a project's folder, whose file is edited instead of yours")
	c.Flags().BoolVar(&t.byFile, "by-file", false, "edit the file even where the client has a command of its own")
}

// more are the flags that say what the entry is to hold.
func (t *tie) more(c *cobra.Command) {
	c.Flags().StringVar(&t.source, "source", "", "open this source to the client and no other")
	c.Flags().BoolVar(&t.http, "http", false, "connect by the hub's address rather than by a command")
}

func (w *world) tied(t tie) (installer.Server, installer.Where, string, error) {
	endpoint := w.configured()
	s, hint := w.server(endpoint)
	if err := config.CheckName(t.name); err != nil {
		return s, installer.Where{}, "", usagef("--name: %v", err)
	}
	s.Name = t.name
	if t.source != "" {
		if err := config.CheckName(t.source); err != nil {
			return s, installer.Where{}, "", usagef("--source: %v", err)
		}
		s.Args = append(s.Args, t.source)
		if endpoint != "" {
			s.URL += "/" + t.source
		}
	}
	where := installer.Where{HTTP: t.http, ByFile: t.byFile}
	if t.project != "" {
		abs, err := filepath.Abs(t.project)
		if err != nil {
			return s, where, "", fmt.Errorf("find project: %w", err)
		}
		where.Project = abs
	}
	return s, where, hint, nil
}

func clientListCommand(w *world) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the clients, and which of them have Lectern",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			m := w.machine()
			s, _ := w.server(w.configured())
			t := newTable(w.out)
			t.row("CLIENT", "HERE", "LECTERN", "FILE")
			hidden := 0
			for _, cl := range installer.Clients() {
				f := m.Find(cl, s)
				if !all && !f.Detected || cl.Retired() != "" && f.Condition == installer.Absent {
					hidden++
					continue
				}
				t.row(cl.ID, yesNo(f.Detected), string(f.Condition), place(f))
			}
			if err := t.Flush(); err != nil {
				return err
			}
			if hidden > 0 && !all {
				w.say("%d more are known and not on this machine; see `lectern client list --all`\n", hidden)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also those that are not on this machine")
	return c
}

func place(f installer.Finding) string {
	if f.File == "" {
		return f.Note
	}
	return f.File
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func clientShowCommand(w *world) *cobra.Command {
	var t tie
	c := &cobra.Command{
		Use:               "show CLIENT",
		Short:             "Show what to paste into a client, or run, to connect it by hand",
		Args:              needs(1, 1, "the name of a client"),
		ValidArgsFunction: completeClient,
		RunE: func(_ *cobra.Command, args []string) error {
			cl, err := findClient(args[0])
			if err != nil {
				return err
			}
			s, _, hint, err := w.tied(t)
			if err != nil {
				return err
			}
			return w.showClient(cl, s, hint, t.http)
		},
	}
	c.Flags().StringVar(&t.name, "name", entryName, "what the client calls the entry")
	t.more(c)
	return c
}

func (w *world) showClient(cl installer.Client, s installer.Server, hint string, overHTTP bool) error {
	m := w.machine()
	snip, ok := cl.Snippet(m, s, overHTTP)
	switch {
	case !ok && cl.Retired() != "":
		return fmt.Errorf("show client: %s: %s", cl.Title, cl.Retired())
	case !ok && !cl.HTTP():
		return fmt.Errorf("show client: %s speaks stdio alone; leave --http out", cl.Title)
	case !ok:
		return fmt.Errorf("show client: HTTP is off in %s; set http = true in [hub]", w.places.File())
	}
	snip.Where += hint
	w.saySnippet(snip)
	if own := cl.Command(m, s, overHTTP); own != "" && own != snip.Text {
		w.say("\nor run\n%s\n", indent(text(own)))
	}
	if link := cl.Link(s); link != "" && !overHTTP {
		w.say("\nor open\n%s\n", indent(text(link)))
	}
	if overHTTP {
		w.say("\nThe token is in %s; it is never written for you.\n", line(w.tokenFile()))
	}
	if cl.After() != "" {
		w.say("\nThen %s.\n", line(cl.After()))
	}
	return nil
}

func (w *world) saySnippet(s status.Snippet) {
	w.say("%s (%s)\n%s\n", line(s.Client), line(s.Where), indent(text(s.Text)))
}

func clientInstallCommand(w *world) *cobra.Command {
	var t tie
	c := w.planned(&cobra.Command{
		Use:   "install CLIENT",
		Short: "Put Lectern into a client's configuration",
		Long: "Put Lectern into a client's configuration. The change is shown first; only our entry\n" +
			"is written, and a copy of the file is kept beside it. Where the client has a command\n" +
			"of its own for this and writes its file all the time, that is run instead.",
		Example:           "  lectern client install claude-code\n  lectern client install cursor --project . --source notes",
		Args:              needs(1, 1, "the name of a client"),
		ValidArgsFunction: completeClient,
	}, func(_ context.Context, args []string) (*installer.Proposal, error) {
		return w.connectClient(args[0], t)
	})
	t.flags(c)
	t.more(c)
	return c
}

// connectClient proposes to put Lectern into a client's configuration.
func (w *world) connectClient(id string, t tie) (*installer.Proposal, error) {
	cl, err := findClient(id)
	if err != nil {
		return nil, err
	}
	s, where, hint, err := w.tied(t)
	if err != nil {
		return nil, err
	}
	p, err := w.machine().Install(cl, s, where)
	if err == nil && hint != "" && p.Changes() {
		p.Plan.Risks = append(p.Plan.Risks, "the entry runs "+s.Bin+hint)
	}
	return p, err
}

func findClient(id string) (installer.Client, error) {
	cl, err := installer.Find(id)
	if err != nil {
		return cl, usagef("%v", err)
	}
	return cl, nil
}

func clientRemoveCommand(w *world) *cobra.Command {
	var t tie
	c := w.planned(&cobra.Command{
		Use:               "remove CLIENT",
		Short:             "Take Lectern out of a client's configuration",
		Long:              "Take Lectern out of a client's configuration. An entry that is not ours stays.",
		Args:              needs(1, 1, "the name of a client"),
		ValidArgsFunction: completeClient,
	}, func(_ context.Context, args []string) (*installer.Proposal, error) {
		return w.disconnectClient(args[0], t)
	})
	t.flags(c)
	return c
}

// disconnectClient proposes to take Lectern out of a client's configuration.
func (w *world) disconnectClient(id string, t tie) (*installer.Proposal, error) {
	cl, err := findClient(id)
	if err != nil {
		return nil, err
	}
	s, where, _, err := w.tied(t)
	if err != nil {
		return nil, err
	}
	return w.machine().Remove(cl, s, where)
}

func clientCheckCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Look whether what clients have of Lectern is in order",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			m := w.machine()
			s, _ := w.server(w.configured())
			bad, seen := 0, 0
			t := newTable(w.out)
			for _, cl := range installer.Clients() {
				f := m.Find(cl, s)
				if f.Condition == installer.Absent {
					continue
				}
				seen++
				if f.Condition != installer.Connected {
					bad++
				}
				t.row(cl.ID, string(f.Condition), f.File, f.Note)
			}
			if err := t.Flush(); err != nil {
				return err
			}
			if seen == 0 {
				w.say("no client has Lectern yet; see `lectern client list`\n")
			}
			if bad > 0 {
				return fmt.Errorf("check clients: %d of them need mending", bad)
			}
			return nil
		},
	}
}

// completeClient proposes names of clients to a shell.
func completeClient(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, c := range installer.Clients() {
		if len(args) == 0 && c.Retired() == "" {
			names = append(names, c.ID+"\t"+c.Title)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
