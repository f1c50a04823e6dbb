package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A script may give --yes to every command, whether or not it asks.
func TestEveryCommandAcceptsYes(t *testing.T) {
	c, err := newCLI(nil, nil, nil, []string{"LECTERN_HOME=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	root := rootCommand(c)
	addKindCommands(root, c, []string{"--help"})
	eachCommand(root, func(cmd *cobra.Command) {
		if err := cmd.ParseFlags([]string{"--yes"}); err != nil {
			t.Errorf("%s: %v", cmd.CommandPath(), err)
		}
	})
}

// Whatever names something that Lectern knows is completed.
func TestNamesAreCompleted(t *testing.T) {
	c, err := newCLI(nil, nil, nil, []string{"LECTERN_HOME=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"SOURCE", "CLIENT", "TOOL", "EFFECT", "EFFECTS", "SESSION", "COMPONENT", "LEVEL", "OUTCOME", "ROLE", "KIND", "ID", "NAME", "KEY", "SOURCE/TOOL"}
	// These are names that the person makes up, or numbers.
	made := []string{"name", "before"}
	eachCommand(rootCommand(c), func(cmd *cobra.Command) {
		names := slices.ContainsFunc(strings.FieldsFunc(cmd.Use, func(r rune) bool { return strings.ContainsRune(" []|.=", r) }), func(w string) bool {
			return slices.Contains(words, w)
		})
		if names && cmd.ValidArgsFunction == nil {
			t.Errorf("%s completes no argument", cmd.UseLine())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			word, _ := pflag.UnquoteUsage(f)
			_, completed := cmd.GetFlagCompletionFunc(f.Name)
			if slices.Contains(words, word) && !completed && !slices.Contains(made, f.Name) {
				t.Errorf("%s completes no --%s", cmd.CommandPath(), f.Name)
			}
		})
	})
}
