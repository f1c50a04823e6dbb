package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
)

func (w *world) journalDir() string { return filepath.Join(w.places.State, "journal") }

// newJournal is the hub's. It touches nothing until it is needed.
func (w *world) newJournal(conf config.Config, log *slog.Logger) *journal.Journal {
	return journal.New(journal.Options{
		Dir: w.journalDir(), Now: w.now, Log: log, Keep: conf.Journal.Keep, MaxBytes: int64(conf.Journal.Max) << 20,
	})
}

func changesCommand(w *world) *cobra.Command {
	var p status.Filter
	var since string
	var asJSON bool
	c := &cobra.Command{
		Use:   "changes",
		Short: "List what agents changed, or show a change",
		Long: "List what agents changed in your knowledge bases, newest first. `lectern changes\n" +
			"show ID` shows a change as a diff; `lectern undo` takes changes back.",
		Example: "  lectern changes --since 2h\n  lectern changes --source notes --json\n  lectern changes show c12",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if p.Limit < 0 {
				return usagef("--limit %d: give the number of changes, or 0 for 100", p.Limit)
			}
			var err error
			if p.Since, err = w.moment(since); err != nil {
				return err
			}
			return w.listChanges(c.Context(), p, asJSON)
		},
	}
	pickFlags(c, &p, &since)
	c.Flags().IntVarP(&p.Limit, "limit", "n", 0, "how many; 0: 100")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	show := &cobra.Command{
		Use: "show ID...", Short: "Show changes as diffs", Args: needs(1, 100, "IDs of changes"),
		RunE: func(c *cobra.Command, ids []string) error { return w.showChanges(c.Context(), ids) },
	}
	c.AddCommand(show, &cobra.Command{
		Use: "acknowledge", Short: "Show no more that a damaged journal was moved aside", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return w.acknowledgeDamage(c.Context()) },
	})
	return c
}

func pickFlags(c *cobra.Command, p *status.Filter, since *string) {
	c.Flags().StringVar(&p.Source, "source", "", "only in this source")
	c.Flags().StringVar(&p.Client, "client", "", "only by clients that call themselves so")
	c.Flags().StringVar(&p.Session, "session", "", "only in this session, such as s3")
	c.Flags().StringVar(since, "since", "", "only from then on: 90m, 2h, 3d ago, or 2026-11-21 or 2026-11-21T15:04")
}

// moment reads a point in time as people give it; empty: none.
func (w *world) moment(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if ago, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := time.ParseDuration(ago + "h"); err == nil && n > 0 {
			return w.now().Add(-24 * n), nil
		}
	}
	if ago, err := time.ParseDuration(s); err == nil && ago > 0 {
		return w.now().Add(-ago), nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--since %q: give a time such as 90m, 2h, 3d, 2026-11-21 or 2026-11-21T15:04", s)
}

func (w *world) listChanges(ctx context.Context, p status.Filter, asJSON bool) error {
	found, err := status.Ask(ctx, w.client(nil), status.ChangesQuery, p)
	if err != nil {
		return noHub(err)
	}
	if asJSON {
		out := json.NewEncoder(w.out)
		out.SetIndent("", "  ")
		return out.Encode(found)
	}
	if len(found.Changes) == 0 {
		w.say("no changes\n")
		return nil
	}
	t := newTable(w.out)
	t.row("ID", "TIME", "CLIENT", "SESSION", "SOURCE", "TOOL", "WHAT", "")
	for _, c := range found.Changes {
		t.row(c.ID, c.Time.Local().Format("2006-01-02 15:04:05"), c.Client, c.Session, c.Source, c.Tool, c.Action+" "+c.Target, listed(c))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if found.More {
		w.say("older ones are not shown; give --limit\n")
	}
	return nil
}

// standing is what there is to say of a change beyond that it was written.
func standing(c status.Change) string {
	var said []string
	if c.Outcome != status.Written {
		said = append(said, string(c.Outcome))
	}
	if c.Undoes != "" {
		said = append(said, "takes back "+c.Undoes)
	}
	if c.CannotUndo != "" {
		said = append(said, c.CannotUndo)
	}
	return strings.Join(said, ", ")
}

// listed is what a list says of a change behind its target.
func listed(c status.Change) string {
	said, why := standing(c), saysWhy(c.Reason)
	if said != "" && why != "" {
		return said + ", " + why
	}
	return said + why
}

// mostListed is how many characters of an agent's reason fit into a list.
const mostListed = 60

// saysWhy is an agent's reason in a list, in its words; empty: it gave none.
func saysWhy(reason string) string {
	if reason == "" {
		return ""
	}
	if short := []rune(reason); len(short) > mostListed {
		reason = string(short[:mostListed]) + "…"
	}
	return "says: " + reason
}

func (w *world) showChanges(ctx context.Context, ids []string) error {
	found, err := status.Ask(ctx, w.client(nil), status.ChangesQuery, status.Filter{IDs: ids})
	if err != nil {
		return noHub(err)
	}
	for _, id := range ids {
		if _, ok := found.Diffs[id]; !ok {
			return usagef("there is no change %.40q; `lectern changes` lists them", id)
		}
	}
	for _, c := range found.Changes {
		said := standing(c)
		if said != "" {
			said = ", " + said
		}
		w.say("%s: %s by %s (%s) with %s in %s, %s%s\n", c.ID, line(c.Action+" "+c.Target), line(c.Client), line(c.Session), line(c.Tool), line(c.Source),
			c.Time.Local().Format("2006-01-02 15:04:05"), line(said))
		if c.Reason != "" {
			w.say("why, as it says: %s\n", line(c.Reason))
		}
		w.say("%s", w.diff(found.Diffs[c.ID]))
	}
	return nil
}

// diff is a unified diff made safe for the terminal, and coloured on one.
func (w *world) diff(s string) string {
	safe := string(safetext.Of(s))
	if !isTerminal(w.out) || w.env("NO_COLOR") != "" || w.env("TERM") == "dumb" {
		return safe
	}
	var b strings.Builder
	for l := range strings.Lines(safe) {
		colour := ""
		switch {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
			colour = "\x1b[1m"
		case strings.HasPrefix(l, "@@"):
			colour = "\x1b[36m"
		case strings.HasPrefix(l, "+"):
			colour = "\x1b[32m"
		case strings.HasPrefix(l, "-"):
			colour = "\x1b[31m"
		}
		if colour == "" {
			b.WriteString(l)
			continue
		}
		b.WriteString(colour + strings.TrimSuffix(l, "\n") + "\x1b[0m\n")
	}
	return b.String()
}
