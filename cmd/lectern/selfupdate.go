package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/internal/safetext"
)

// updateFlags are what a person asks of `lectern self-update`.
type updateFlags struct {
	update.Wish

	check, rollback, json bool
}

func selfUpdateCommand(w *world) *cobra.Command {
	var f updateFlags
	c := &cobra.Command{
		Use:   "self-update",
		Short: "Install the newest release in place of this binary, or go back",
		Long: "Install the newest release in place of this binary. Everything is verified before\n" +
			"anything is replaced; the binary that was there stays beside it, the hub is\n" +
			"restarted once its calls in flight have ended, and agents stay connected. A new\n" +
			"hub that does not serve brings the old binary back by itself.\n\n" +
			"The panel tells of a new release, once a day at most. LECTERN_NO_UPDATE_CHECK=1,\n" +
			"DO_NOT_TRACK=1 or [update] check = false in the configuration end that.",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.valid(); err != nil {
				return err
			}
			conf, err := w.updating()
			if err != nil {
				return err
			}
			return w.selfUpdate(c.Context(), conf, f)
		},
	}
	c.Flags().BoolVar(&f.check, "check", false, "only say which versions there are")
	c.Flags().StringVar(&f.Version, "version", "", "install this version, such as 1.2.3")
	c.Flags().BoolVar(&f.AllowDowngrade, "allow-downgrade", false, "install an older version than the present one")
	c.Flags().BoolVar(&f.rollback, "rollback", false, "go back to the binary before the present one")
	c.Flags().BoolVar(&f.DryRun, "dry-run", false, "do everything but install")
	c.Flags().BoolVar(&f.json, "json", false, "say the result as JSON")
	return c
}

func (f updateFlags) valid() error {
	if f.check && (f.rollback || f.DryRun || f.AllowDowngrade || f.Version != "") {
		return usagef("--check goes with --json alone; see `lectern self-update --help`")
	}
	if f.rollback && (f.Version != "" || f.AllowDowngrade) {
		return usagef("--rollback goes to the previous binary, whatever its version; to choose one: --version VERSION --allow-downgrade")
	}
	return nil
}

// selfUpdate does what f asks and says how it went.
func (w *world) selfUpdate(ctx context.Context, conf update.Config, f updateFlags) error {
	conf.Progress = w.progress()
	u, err := update.New(conf)
	if err != nil {
		return err
	}
	if f.check {
		return w.sayVersions(ctx, u, f.json)
	}
	var res update.Result
	if f.rollback {
		res, err = u.Rollback(ctx, f.DryRun)
	} else {
		res, err = u.Apply(ctx, f.Wish)
	}
	if e, ok := errors.AsType[*update.StepError](err); ok {
		w.note("to install by hand: %s\n", safetext.Line(e.Manual))
	}
	if err != nil {
		return err
	}
	if f.json {
		return writeJSON(w.out, res)
	}
	switch {
	case res.Changed:
		w.say("lectern %s is installed in place of %s; back: lectern self-update --rollback\n", res.To, res.From)
	case res.DryRun && res.To != res.From:
		w.say("lectern %s would be installed in place of %s\n", res.To, res.From)
	default:
		w.say("lectern %s is installed already\n", res.From)
	}
	return nil
}

func (w *world) sayVersions(ctx context.Context, u *update.Updater, asJSON bool) error {
	state, err := u.Check(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(w.out, state)
	}
	t := newTable(w.out)
	t.row("installed", state.Installed)
	if state.Running != state.Installed {
		t.row("running", state.Running)
	}
	t.row("available", state.Available)
	if state.Pinned != "" {
		t.row("pinned", state.Pinned)
	}
	switch {
	case state.Newer && state.Managed != "":
		t.row("to update", state.Command)
	case state.Newer:
		t.row("to update", "lectern self-update")
	}
	return t.Flush()
}

// progress writes a line for each step; on a terminal the download counts up
// in its own.
func (w *world) progress() func(update.Progress) {
	counting := false
	return func(p update.Progress) {
		note := string(safetext.Line(p.Note))
		if p.Step == update.Download {
			note = fmt.Sprintf("%.1f of %.1f MB, %.1f MB/s", float64(p.Done)/1e6, float64(max(p.Total, p.Done))/1e6, p.Rate/1e6)
			if last := p.Total == p.Done && p.Rate == 0; last {
				note = fmt.Sprintf("%.1f MB", float64(p.Done)/1e6)
			} else if !isTerminal(w.err) {
				return
			} else {
				counting = true
				w.note("\r%-10s %s\x1b[K", p.Step, note)
				return
			}
		}
		if counting {
			counting = false
			w.note("\r")
		}
		w.note("%-10s %s\n", p.Step, note)
	}
}
