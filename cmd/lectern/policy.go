package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/tools"
)

// proofPrefix marks a client on the command line, and in tables, that has
// proved its name.
const proofPrefix = "proven:"

func policyCommand(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Explain what the configuration lets agents do, or test it",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(policyExplainCommand(w), policyTestCommand(w))
	return c
}

func policyExplainCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "explain CLIENT SOURCE/TOOL [ARGS]",
		Short: "Say what would become of a call, and which line decides it",
		Long: "Say what would become of a call, and which line of the configuration decides it.\n" +
			"CLIENT is what the client calls itself; " + proofPrefix + "NAME is one that shows its token.\n" +
			"What a call would change is known only when it is made; here the paths that its\n" +
			"arguments name stand for it.",
		Example: "  lectern policy explain cursor notes/delete_page '{\"path\": \"Journal/today.md\"}'",
		Args:    needs(2, 3, "a client, a source with a tool, and the tool's arguments"),
		RunE: func(_ *cobra.Command, args []string) error {
			conf, err := w.config()
			if err != nil {
				return err
			}
			var raw json.RawMessage
			if len(args) == 3 {
				if raw, err = w.arguments(args[2]); err != nil {
					return err
				}
			}
			d, err := w.judge(conf, args[0], args[1], raw)
			if err != nil {
				return err
			}
			w.say("%s: %s\n", d.Verdict, line(d.Why))
			if d.Line > 0 {
				w.say("%s:%d\n", line(conf.Path), d.Line)
			}
			return nil
		},
	}
}

// judge decides as a hub with this configuration would, as far as arguments
// tell what is touched.
func (w *world) judge(conf config.Config, client, call string, args json.RawMessage) (policy.Decision, error) {
	source, tool, ok := strings.Cut(call, "/")
	if !ok {
		return policy.Decision{}, usagef("%q names no tool; write SOURCE/TOOL, such as notes/read_page", call)
	}
	sources := w.sources(conf)
	names := []string{}
	for _, s := range sources {
		names = append(names, s.Name)
	}
	i := slices.Index(names, source)
	if i < 0 {
		return policy.Decision{}, fmt.Errorf("no source named %s%s; there are %s", source, meant(source, names), strings.Join(names, ", "))
	}
	for _, k := range w.kinds() {
		if k.Manifest().Name != sources[i].Kind {
			continue
		}
		info, ok := k.Manifest().Tool(tool)
		if !ok && conf.Hub.OwnChanges {
			info, ok = tools.OwnChangesKind().Manifest().Tool(tool)
		}
		if !ok {
			return policy.Decision{Verdict: policy.Deny, Why: fmt.Sprintf("%s has no tool named %s%s", source, tool, meant(tool, toolNames(k)))}, nil
		}
		name, proven := strings.CutPrefix(client, proofPrefix)
		texts, whole := policy.Named(args)
		most := tools.Effects()
		if sources[i].ReadOnly {
			most = most[:1]
		}
		return policyOf(conf).Decide(policy.Request{
			Client: policy.Client{Name: name, Proven: proven}, Source: source, Base: baseOf(sources[i]), Most: most,
			Tool: tool, Effect: info.Effect, Schema: policy.Schema(info), Targets: likePaths(texts), Named: texts, Anything: !whole,
		}), nil
	}
	return policy.Decision{Verdict: policy.Deny, Why: fmt.Sprintf("source %s is of a kind that this build does not open", source)}, nil
}

// likePaths are the texts that look like paths: they stand for what the call
// would change.
func likePaths(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return !strings.ContainsAny(s, "/.") || strings.ContainsAny(s, "\n") })
}

func meant(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

func toolNames(k tools.Kind) (names []string) {
	for _, t := range k.Manifest().Tools {
		names = append(names, t.Name)
	}
	return names
}

func policyTestCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "test FILE",
		Short: "Check what the configuration lets agents do against a table",
		Long: "Check the configuration against a table of what you expect, one call a line:\n\n" +
			"  # verdict  client              source/tool        arguments\n" +
			"  allow      claude-code         notes/read_page    {\"path\": \"a.md\"}\n" +
			"  ask        proven:claude-code  notes/write_page\n" +
			"  deny       cursor              notes/delete_page\n\n" +
			"Columns are parted by blanks; names with blanks stand in double quotes; arguments\n" +
			"are JSON and may be left out. It fails when one call is not judged so.",
		Args: needs(1, 1, "a file, or - for stdin"),
		RunE: func(_ *cobra.Command, args []string) error {
			conf, err := w.config()
			if err != nil {
				return err
			}
			in := w.in
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return fmt.Errorf("test policy: %w", err)
				}
				defer f.Close() //nolint:errcheck // it was only read
				in = f
			}
			return w.testPolicy(conf, args[0], in)
		},
	}
}

func (w *world) testPolicy(conf config.Config, name string, in io.Reader) error {
	lines := bufio.NewScanner(in)
	n, tried, failed := 0, 0, 0
	for lines.Scan() {
		n++
		e, ok, err := parseExpectation(lines.Text())
		if err != nil {
			return usagef("%s:%d: %v", name, n, err)
		}
		if !ok {
			continue
		}
		tried++
		d, err := w.judge(conf, e.client, e.call, e.args)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if d.Verdict != e.verdict {
			failed++
			w.say("%s:%d: expected %s, got %s: %s\n", line(name), n, e.verdict, d.Verdict, line(d.Why))
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("test policy: %w", err)
	}
	w.say("%d of %d as expected\n", tried-failed, tried)
	if failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// An expectation is one line of a table for `lectern policy test`.
type expectation struct {
	verdict      policy.Verdict
	client, call string
	args         json.RawMessage
}

// parseExpectation reads one line; false: there is nothing on it.
func parseExpectation(text string) (e expectation, ok bool, err error) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] == '#' {
		return e, false, nil
	}
	var words [3]string
	for i := range words {
		if words[i], text = nextWord(text); words[i] == "" {
			return e, false, fmt.Errorf("write a verdict, a client and SOURCE/TOOL")
		}
	}
	e = expectation{policy.Verdict(words[0]), words[1], words[2], json.RawMessage(text)}
	if !slices.Contains([]policy.Verdict{policy.Allow, policy.Ask, policy.Deny}, e.verdict) {
		return e, false, fmt.Errorf("%q is no verdict; it is allow, ask or deny", words[0])
	}
	if text != "" && !json.Valid(e.args) {
		return e, false, fmt.Errorf("the arguments are not JSON")
	}
	return e, true, nil
}

// nextWord takes a word, or what stands in double quotes, off text.
func nextWord(text string) (word, rest string) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		if word, rest, ok = strings.Cut(quoted, `"`); ok {
			return word, strings.TrimSpace(rest)
		}
	}
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}
