package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// answerWithin is how long the running hub may take to show itself.
const answerWithin = 5 * time.Second

func statusCommand(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the hub, its sources, agents and problems",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			snap, err := w.snapshot(c.Context())
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(w.out, snap)
			} else {
				err = writeStatus(w.out, snap)
			}
			if err == nil && !runs(snap) {
				err = &exitError{code: exitNoHub}
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "the snapshot as JSON, for scripts")
	return c
}

func runs(s status.Snapshot) bool {
	return s.Hub.State == status.Ready || s.Hub.State == status.Degraded
}

// snapshot is what the running hub shows of itself. It starts none.
func (w *world) snapshot(ctx context.Context) (status.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	shots, err := w.client(nil).Watch(ctx)
	if err != nil {
		return status.Snapshot{}, err
	}
	snap, ok := <-shots
	if !ok {
		return snap, fmt.Errorf("ask hub: it did not answer within %s; see %s", answerWithin, w.logFile())
	}
	return snap, nil
}

// settleWithin is how long plain waits for sources that are just opening.
const settleWithin = 2 * time.Second

// settled is snapshot once no source is about to open any more, or the last
// one where that takes long.
func (w *world) settled(ctx context.Context) (status.Snapshot, error) {
	last, err := w.snapshot(ctx)
	if err != nil {
		return last, err
	}
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	shots, err := w.client(nil).Watch(ctx)
	if err != nil {
		return last, err
	}
	opening := func(s status.Source) bool { return s.State == status.Starting }
	for slices.ContainsFunc(last.Sources, opening) {
		next, more := <-shots
		if !more {
			break
		}
		last = next
	}
	return last, nil
}

// A sourceState is what a running hub says of one source.
type sourceState struct {
	status.Source
	problems []status.Problem
}

// word is empty where no hub says anything.
func (s sourceState) word() string {
	if s.State == "" {
		return "-"
	}
	if s.Note != "" {
		return fmt.Sprintf("%s: %s", s.State, s.Note)
	}
	return string(s.State)
}

// states asks the hub, if one runs, how the sources are.
func (w *world) states(ctx context.Context) map[string]sourceState {
	states := map[string]sourceState{}
	if _, err := daemon.Ask(ctx, w.hubPaths()); err != nil {
		return states
	}
	snap, err := w.snapshot(ctx)
	if err != nil {
		return states
	}
	for _, s := range snap.Sources {
		state := sourceState{Source: s}
		for _, p := range snap.Problems {
			if p.Component == s.Name {
				state.problems = append(state.problems, p)
			}
		}
		states[s.Name] = state
	}
	return states
}

// tellHub makes a running hub read the configuration again.
func (w *world) tellHub(ctx context.Context) error {
	if _, err := daemon.Ask(ctx, w.hubPaths()); errors.Is(err, daemon.ErrNoHub) {
		return nil
	}
	if err := w.client(nil).Do(ctx, status.Action{Verb: status.Reload}); err != nil {
		return fmt.Errorf("tell hub: the configuration is saved, but the running hub did not take it over: %w", err)
	}
	return nil
}

// writeStatus is the panel as text.
func writeStatus(out io.Writer, s status.Snapshot) error {
	t := newTable(out)
	hub := string(s.Hub.State)
	if runs(s) {
		hub += fmt.Sprintf(", version %s, pid %d, %s", s.Hub.Version, s.Hub.PID, count(int(s.Hub.Calls), "call"))
	}
	if s.Hub.Note != "" {
		hub += ": " + s.Hub.Note
	}
	t.row("hub", hub)
	if s.Hub.Endpoint != "" {
		t.row("http", s.Hub.Endpoint)
	}
	t.row("config", s.Hub.Config)
	for _, src := range s.Sources {
		t.row("source "+src.Name, fmt.Sprintf("%s, %s, %s, %s", src.State, src.Kind, count(src.Tools, "tool"), src.Place))
	}
	for _, a := range s.Sessions {
		who := strings.TrimSpace(a.Client + " " + a.Version)
		if who == "" {
			who = "has not said what it is"
		}
		if a.Proven {
			who += " (by its token)"
		}
		if a.Grants != "" {
			who += ", may " + a.Grants
		}
		t.row("agent "+a.Name, fmt.Sprintf("%s, over %s, %s", who, a.Transport, count(int(a.Calls), "call")))
	}
	for _, p := range s.Peers {
		t.row("peer "+p.Name, fmt.Sprintf("%s graph, application %s, plugin %s over %s, %s", p.Kind, p.App, p.Plugin, p.Transport, count(int(p.Calls), "call")))
	}
	if n := len(s.Approvals); n > 0 {
		t.row("waiting", count(n, "call")+" for your yes; see: lectern approve")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, p := range s.Problems {
		if _, err := fmt.Fprintf(out, "\n%s: %s\n%s\n", p.Severity, safetext.Of(p.Title), indent(string(safetext.Of(p.Fix)))); err != nil {
			return err
		}
	}
	return nil
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
