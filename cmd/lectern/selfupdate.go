package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/internal/safetext"
)

// updateFlags are the flags of `lectern self-update`.
type updateFlags struct {
	update.ApplyOptions

	check, rollback, json bool
}

func selfUpdateCommand(c *cli) *cobra.Command {
	var f updateFlags
	cmd := &cobra.Command{
		Use:   "self-update",
		Short: "Update this binary to the newest release, or roll back",
		Long: "Update this binary to the newest release. Everything is verified before anything is\n" +
			"replaced. The previous binary is kept beside the new one, the hub is restarted when\n" +
			"its calls in flight have ended, and agents stay connected. If the new hub does not\n" +
			"serve, the old binary is restored.\n\n" +
			"The panel checks for a new release at most once a day. LECTERN_NO_UPDATE_CHECK=1,\n" +
			"DO_NOT_TRACK=1 or [update] check = false in the configuration turn that off.",
		Args: rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.validate(); err != nil {
				return err
			}
			conf, err := c.selfUpdateConfig(c.stderrLog())
			if err != nil {
				return err
			}
			return selfUpdate(cmd.Context(), c.console, conf, f)
		},
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "only show the available versions")
	cmd.Flags().StringVar(&f.Version, "version", "", "install this `VERSION`, such as 1.2.3")
	cmd.Flags().BoolVar(&f.AllowDowngrade, "allow-downgrade", false, "allow a version older than the present one")
	cmd.Flags().BoolVar(&f.rollback, "rollback", false, "restore the previous binary")
	cmd.Flags().BoolVar(&f.DryRun, "dry-run", false, "do everything except the installation")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return cmd
}

func (f updateFlags) validate() error {
	if f.check && (f.rollback || f.DryRun || f.AllowDowngrade || f.Version != "") {
		return usageErrorf("--check can only be combined with --json; see `lectern self-update --help`")
	}
	if f.rollback && (f.Version != "" || f.AllowDowngrade) {
		return usageErrorf("--rollback restores the previous binary, whatever its version; to choose a version, use --version VERSION " +
			"--allow-downgrade")
	}
	return nil
}

// selfUpdateConfig is for updates of this binary and its hub. A broken
// configuration is an error, because its mirror and pin are unknown.
func (c *cli) selfUpdateConfig(log *slog.Logger) (update.Config, error) {
	conf, err := c.Config()
	if err != nil {
		return update.Config{}, fmt.Errorf("update lectern: %w", err)
	}
	return thismachine.NewUpdateConfig(c.App, conf.Update, log), nil
}

func selfUpdate(ctx context.Context, c console, conf update.Config, f updateFlags) error {
	conf.Progress = newUpdateProgressPrinter(c)
	u, err := update.New(conf)
	if err != nil {
		return err
	}
	if f.check {
		return showVersions(ctx, c, u, f.json)
	}
	var res update.Result
	if f.rollback {
		res, err = u.Rollback(ctx, f.DryRun)
	} else {
		res, err = u.Apply(ctx, f.ApplyOptions)
	}
	if e, ok := errors.AsType[*update.StepError](err); ok {
		c.warnf("to install by hand: %s\n", e.Manual)
	}
	if err != nil {
		return err
	}
	if f.json {
		return c.writeJSON(res)
	}
	switch {
	case res.Changed:
		c.printf("updated lectern %s to %s; to undo: lectern self-update --rollback\n", res.From, res.To)
	case res.DryRun && res.To != res.From:
		c.printf("would update lectern %s to %s\n", res.From, res.To)
	default:
		c.printf("lectern %s is already installed\n", res.From)
	}
	return nil
}

func showVersions(ctx context.Context, c console, u *update.Updater, asJSON bool) error {
	state, err := u.Check(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return c.writeJSON(state)
	}
	rows := table{{"installed", state.Installed}}
	if state.Running != state.Installed {
		rows.add("running", state.Running)
	}
	rows.add("available", state.Available)
	if state.Pinned != "" {
		rows.add("pinned", state.Pinned)
	}
	switch {
	case state.Newer && state.Managed != "":
		rows.add("to update", state.Command)
	case state.Newer:
		rows.add("to update", "lectern self-update")
	}
	return c.printTable(rows)
}

// newUpdateProgressPrinter prints a line for each step. On a terminal the line of the
// download is updated in place.
func newUpdateProgressPrinter(c console) func(update.Progress) {
	inPlace := false
	return func(p update.Progress) {
		note := string(safetext.Line(p.Note))
		if p.Step == update.Download {
			note = fmt.Sprintf("%.1f of %.1f MB, %.1f MB/s", float64(p.Done)/1e6, float64(max(p.Total, p.Done))/1e6, p.Rate/1e6)
			if last := p.Total == p.Done && p.Rate == 0; last {
				note = fmt.Sprintf("%.1f MB", float64(p.Done)/1e6)
			} else if !isTerminal(c.err) {
				return
			} else {
				inPlace = true
				c.warnf("\r%-10s %s\x1b[K", p.Step, note)
				return
			}
		}
		if inPlace {
			inPlace = false
			c.warnf("\r")
		}
		c.warnf("%-10s %s\n", p.Step, note)
	}
}
