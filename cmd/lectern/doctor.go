package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/status"
)

func doctorCommand(w *world) *cobra.Command {
	var asJSON, tryWrites bool
	c := &cobra.Command{
		Use:   "doctor [CHECK]",
		Short: "Look at everything that can be wrong, and say what to do",
		Long: "Looks at configuration, files, hub, port, sources, Logseq, clients and versions, and\n" +
			"changes nothing. In a terminal `lectern doctor logseq` asks you to hide Logseq's window\n" +
			"for a moment, because what Logseq does then can only be seen.\n" +
			"CHECK is the name of one check or the beginning of several, such as hub or logseq.\n" +
			"It ends with status 1 when something is bad; a doubt is none.",
		Args:              needs(0, 1, "at most the name of a check"),
		ValidArgsFunction: w.completeCheck,
		RunE: func(c *cobra.Command, args []string) error {
			prefix := ""
			if len(args) > 0 {
				prefix = args[0]
			}
			return w.seeDoctor(c.Context(), doctor{world: w, tryWrites: tryWrites}, prefix, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "the checks as JSON, when all are done")
	c.Flags().BoolVar(&tryWrites, "try-writes", false, "also write to Logseq, on a page that is made for it and deleted again")
	return c
}

// seeDoctor runs the checks whose names begin with prefix and says what they
// found.
func (w *world) seeDoctor(ctx context.Context, d doctor, prefix string, asJSON bool) error {
	if !asJSON && w.onTerminal() && isTerminal(w.in) {
		d.ask = w.askToAct
	}
	names := d.names()
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, prefix) }) {
		msg := fmt.Sprintf("no check is called %q", prefix)
		if near := nearest.Word(prefix, append(groups(names), names...)); near != "" {
			msg += ", did you mean " + near + "?"
		}
		return usagef("%s (there are: %s)", msg, strings.Join(names, ", "))
	}
	found, err := d.Check(ctx, prefix)
	if err != nil {
		return err
	}
	all := []status.Check{}
	page := w.reportOf(names)
	for c := range found {
		all = append(all, c)
		if !asJSON {
			page.check(c)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(w.out, all)
	} else {
		page.sum(all)
	}
	if err == nil && slices.ContainsFunc(all, func(c status.Check) bool { return c.Result == status.CheckFail }) {
		err = &exitError{code: exitFailed}
	}
	return err
}

// askToAct asks a person to do something and waits until they say so; false:
// they would rather not.
func (w *world) askToAct(request string) bool {
	w.say("\n%s\nPress Enter when it is done, or type n and Enter to leave this out. ", line(request))
	answer, err := readLine(w.in)
	return err == nil && !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "n")
}

// groups are the beginnings of names, up to the first dot.
func groups(names []string) []string {
	var list []string
	for _, name := range names {
		group, _, _ := strings.Cut(name, ".")
		list = append(list, group)
	}
	return slices.Compact(list)
}

// completeCheck proposes names of checks to a shell.
func (w *world) completeCheck(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := doctor{world: w}.names()
	return append(groups(names), names...), cobra.ShellCompDirectiveNoFileComp
}
