package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/doctor"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
)

func doctorCommand(c *cli) *cobra.Command {
	var asJSON, tryWrites bool
	cmd := &cobra.Command{
		Use:   "doctor [CHECK]",
		Short: "Check everything that can be wrong, and say what to do",
		Long: "Checks configuration, files, hub, port, sources, plugins, clients and versions, and\n" +
			"changes nothing. In a terminal a check may ask you to do something in another program.\n" +
			"CHECK is the name of one check or the beginning of several, such as hub, or the kind\n" +
			"of a source.\n" +
			"Exit status is 1 if a check fails; warnings do not count.",
		Args: requireArgumentCount(0, 1, "at most one check"),
		ValidArgsFunction: newCompletionFunc(func(args []string) []string {
			if len(args) > 0 {
				return nil
			}
			return prependCheckGroups(c.newDoctor().Names())
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			d := c.newDoctor()
			d.TryWrites = tryWrites
			if !asJSON && c.hasScreen() && isTerminal(c.in) {
				d.Ask = c.requestActionAndWait
			}
			return runDoctor(cmd.Context(), c.console, d, strings.Join(args, ""), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON when all are done")
	cmd.Flags().BoolVar(&tryWrites, "try-writes", false, "also let checks write to sources and undo what they wrote")
	return cmd
}

func (c *cli) newDoctor() doctor.Doctor {
	return doctor.Doctor{
		Planner: c.planner(), Snapshot: c.hub().SnapshotAfterOpen, API: c.hub().API(),
		Updater: func(conf config.Update) (*update.Updater, error) {
			return update.New(thismachine.NewUpdateConfig(c.App, conf, slog.New(slog.DiscardHandler)))
		},
	}
}

// runDoctor runs the checks whose names begin with prefix and prints the
// results.
func runDoctor(ctx context.Context, c console, d doctor.Doctor, prefix string, asJSON bool) error {
	names := d.Names()
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, prefix) }) {
		return usageErrorf("unknown check %q%s (checks: %s)", prefix, didYouMean(prefix, prependCheckGroups(names)), strings.Join(names, ", "))
	}
	results, err := d.Check(ctx, prefix)
	if err != nil {
		return err
	}
	all := []status.Check{}
	report := newDoctorReport(c, names)
	for result := range results {
		all = append(all, result)
		if !asJSON {
			report.printResult(result)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if asJSON {
		err = c.writeJSON(all)
	} else {
		report.printSummary(all)
	}
	if err == nil && slices.ContainsFunc(all, func(c status.Check) bool { return c.Result == status.CheckFail }) {
		err = &exitError{code: exitFailed}
	}
	return err
}

// requestActionAndWait asks a person to do something, waits until it is done, and reports
// whether it was.
func (c console) requestActionAndWait(request string) bool {
	c.printf("\n%s\nPress Enter when it is done, or type n and Enter to skip this. ", request)
	answer, err := readLine(c.in)
	return err == nil && !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "n")
}

// prependCheckGroups are the groups of checks, which are the parts before the dots, and
// the checks.
func prependCheckGroups(names []string) []string {
	var groups []string
	for _, name := range names {
		group, _, _ := strings.Cut(name, ".")
		groups = append(groups, group)
	}
	return append(slices.Compact(groups), names...)
}

// A doctorReport is what `lectern doctor` prints, line by line as results come.
type doctorReport struct {
	console

	width   int // of the longest name
	colored bool
}

func newDoctorReport(c console, names []string) doctorReport {
	r := doctorReport{console: c, colored: c.wantsColors()}
	for _, name := range names {
		r.width = max(r.width, len(name))
	}
	return r
}

// printResult prints one result, and below it what to do.
func (r doctorReport) printResult(c status.Check) {
	on, off := "", ""
	if r.colored {
		on, off = resultColors[c.Result], "\x1b[0m"
	}
	_, _ = fmt.Fprintf(r.out, "%s%-7s%s  ", on, c.Result, off)
	r.printf("%-*s  %s\n", r.width, c.Name, cmp.Or(c.Detail, c.Title))
	if c.Fix != "" {
		r.printf("%*s%s\n", r.width+11, "", c.Fix)
	}
}

// printSummary prints the number of checks with each result.
func (r doctorReport) printSummary(all []status.Check) {
	counts := map[status.CheckResult]int{}
	for _, c := range all {
		counts[c.Result]++
	}
	var parts []string
	for _, result := range []status.CheckResult{status.CheckOK, status.CheckWarn, status.CheckFail, status.CheckSkipped} {
		if n := counts[result]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, result))
		}
	}
	r.printf("\n%s\n", strings.Join(parts, ", "))
}

// resultColors are escape sequences of the terminal.
var resultColors = map[status.CheckResult]string{
	status.CheckOK: "\x1b[32m", status.CheckWarn: "\x1b[33m", status.CheckFail: "\x1b[31m", status.CheckSkipped: "\x1b[2m",
}
