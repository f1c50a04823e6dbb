package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// provenPrefix marks a client on the command line that has proved its name.
const provenPrefix = "proven:"

func policyCommand(c *cli) *cobra.Command {
	return newParentCommand(&cobra.Command{Use: "policy", Short: "Explain or test what the configuration lets agents do"},
		policyExplainCommand(c), policyTestCommand(c))
}

func policyExplainCommand(c *cli) *cobra.Command {
	var isNew bool
	cmd := &cobra.Command{
		Use:   "explain CLIENT SOURCE/TOOL [JSON|-]",
		Short: "Show whether a call would be allowed, and which line decides that",
		Long: "Show whether a call would be allowed, and which line of the configuration decides\n" +
			"that. CLIENT is the name that the client claims; " + provenPrefix + "NAME is a client that shows\n" +
			"its token. What a call would change is known only when it is made, so the paths in\n" +
			"its arguments are used instead.",
		Example: "  lectern policy explain cursor notes/delete_page '{\"path\": \"Journal/today.md\"}'",
		Args:    requireArgumentCount(2, 3, "a client, SOURCE/TOOL and the tool's arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			if err := c.checkClientName(cmd.Context(), conf, strings.TrimPrefix(args[0], provenPrefix), isNew); err != nil {
				return err
			}
			var raw json.RawMessage
			if len(args) == 3 {
				if raw, err = readToolArguments(args[2], c.in); err != nil {
					return err
				}
			}
			d, err := evaluatePolicy(c.App, conf, args[0], args[1], raw)
			if err != nil {
				return err
			}
			c.printValue(struct {
				Verdict string `json:"verdict"`
				Reason  string `json:"reason"`
				Route   string `json:"verdict_over_http,omitempty"`
				Role    string `json:"role,omitempty"`
				Setting string `json:"setting,omitempty"`
				Line    int    `json:"line,omitempty"`
			}{string(d.Verdict), d.Reason, string(d.request), d.role, d.Setting, d.Line})
			c.printf("%s: %s\n", string(d.Verdict), d.Reason)
			if d.request != "" && d.request != d.Verdict {
				c.printf("as a request over HTTP, at %s: %s: a person is asked about these only where a grant or rule names the client\n",
					d.path, string(d.request))
			}
			if d.role != "" {
				c.printf("role: %s\n", d.role)
			}
			if d.Setting != "" {
				c.printf("to allow it without asking: %s\n", d.Setting)
			}
			if d.Line > 0 {
				c.printf("%s:%d\n", conf.Path, d.Line)
			}
			return nil
		},
	}
	addAllowUnknownClientFlag(cmd, &isNew)
	return cmd
}

// A policyEvaluation is what a hub decides about a call.
type policyEvaluation struct {
	policy.Decision
	role    string         // the client's; empty: the System has none
	request policy.Verdict // on the same as a request over HTTP; empty: the System answers none
	path    string         // of such requests
}

// evaluatePolicy decides as a hub with this configuration would, as far as the
// arguments tell what is changed.
func evaluatePolicy(a *app.App, conf config.Config, client, call string, args json.RawMessage) (d policyEvaluation, err error) {
	name, tool, ok := strings.Cut(call, "/")
	if !ok {
		return d, usageErrorf("invalid call %q (want SOURCE/TOOL, such as notes/read_page)", call)
	}
	sources := a.Sources(conf)
	names := []string{}
	for _, s := range sources {
		names = append(names, s.Name)
	}
	i := slices.Index(names, name)
	if i < 0 {
		return d, fmt.Errorf("source %q not found%s (sources: %s)", name, didYouMean(name, names), strings.Join(names, ", "))
	}
	source := sources[i]
	kinds := a.Systems()
	k := slices.IndexFunc(kinds, func(k tools.Kind) bool { return k.Manifest().Name == source.Kind })
	if k < 0 {
		d.Verdict, d.Reason = policy.Deny, fmt.Sprintf("this build does not support the kind of source %s", name)
		return d, nil
	}
	info, ok := kinds[k].Manifest().Tool(tool)
	if !ok && conf.Hub.OwnChanges {
		info, ok = tools.OwnChangesKind().Manifest().Tool(tool)
	}
	if !ok {
		return d, errUnknownTool(name, tool, toolNames(kinds[k]))
	}
	clientName, proven := strings.CutPrefix(client, provenPrefix)
	object := map[string]any{}
	if len(args) > 0 && json.Unmarshal(args, &object) != nil {
		object = nil
	}
	texts, complete := policy.ArgumentTexts(object)
	most := tools.Effects()
	if source.ReadOnly {
		most = most[:1]
	}
	p := app.NewPolicy(conf, sources)
	byKey := app.IsKeyClient(clientName)
	who := policy.Client{Name: clientName, Proven: proven || byKey}
	if roles := kinds[k].Manifest().Roles; len(roles) > 0 {
		d.role = cmp.Or(p.Role(who, name), source.Role, roles[0].Name)
	}
	if !info.AllowsRole(d.role) {
		d.Verdict = policy.Deny
		d.Reason = fmt.Sprintf("%s is %s in source %s, and the tool is for %s", clientName, d.role, name, strings.Join(info.Roles, ", "))
		return d, nil
	}
	granted, _, _ := source.GrantedEffects()
	q := policy.Request{
		Client: who, Source: name, SourceEffects: granted, MaxEffects: most,
		Tool: tool, Effect: info.Effect, ToolDigest: policy.ToolDigest(info), Targets: pathLikeTexts(texts), Texts: texts,
		TextsIncomplete: !complete, Route: byKey,
	}
	d.Decision = p.Decide(q)
	if kinds[k].Manifest().Routes != nil {
		q.Route = true
		d.request, d.path = p.Decide(q).Verdict, "/sources/"+name
	}
	return d, nil
}

// pathLikeTexts are the texts that look like paths.
func pathLikeTexts(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return !strings.ContainsAny(s, "/.") || strings.ContainsAny(s, "\n") })
}

func toolNames(k tools.Kind) (names []string) {
	for _, t := range k.Manifest().Tools {
		names = append(names, t.Name)
	}
	return names
}

func policyTestCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "test FILE",
		Short: "Test the configuration against a table of expected decisions",
		Long: "Test the configuration against a table of expected decisions, one call per line:\n\n" +
			"  # verdict  client              source/tool        arguments\n" +
			"  allow      claude-code         notes/read_page    {\"path\": \"a.md\"}\n" +
			"  ask        proven:claude-code  notes/write_page\n" +
			"  deny       cursor              notes/delete_page\n\n" +
			"Columns are separated by blanks; put names with blanks in double quotes. Arguments\n" +
			"are JSON and optional. The exit status is 1 if a decision differs.",
		Args: requireArgumentCount(1, 1, "a file, or - for stdin"),
		RunE: func(_ *cobra.Command, args []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			in := c.in
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return fmt.Errorf("test policy: %w", err)
				}
				defer f.Close() //nolint:errcheck // it was only read
				in = f
			}
			return testPolicy(c, conf, args[0], in)
		},
	}
}

func testPolicy(c *cli, conf config.Config, name string, in io.Reader) error {
	lines := bufio.NewScanner(in)
	total, failed := 0, 0
	for n := 1; lines.Scan(); n++ {
		e, ok, err := parseExpectation(lines.Text())
		if err != nil {
			return usageErrorf("%s:%d: %w", name, n, err)
		}
		if !ok {
			continue
		}
		total++
		d, err := evaluatePolicy(c.App, conf, e.client, e.call, e.args)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if d.Verdict != e.verdict {
			failed++
			c.printf("%s:%d: got %s, want %s: %s\n", name, n, string(d.Verdict), string(e.verdict), d.Reason)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("test policy: %w", err)
	}
	c.printf("%d of %d as expected\n", total-failed, total)
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

// parseExpectation reads one line; ok is false for an empty line or a comment.
func parseExpectation(line string) (e expectation, ok bool, err error) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return e, false, nil
	}
	var words [3]string
	for i := range words {
		if words[i], line = cutWord(line); words[i] == "" {
			return e, false, errors.New("incomplete line (want VERDICT CLIENT SOURCE/TOOL)")
		}
	}
	e = expectation{policy.Verdict(words[0]), words[1], words[2], json.RawMessage(line)}
	if !slices.Contains([]policy.Verdict{policy.Allow, policy.Ask, policy.Deny}, e.verdict) {
		return e, false, fmt.Errorf("invalid verdict %q (want allow, ask or deny)", words[0])
	}
	if line != "" && !json.Valid(e.args) {
		return e, false, errors.New("the arguments are not valid JSON")
	}
	return e, true, nil
}

// cutWord takes a word, or a text in double quotes, off the beginning of line.
func cutWord(line string) (word, rest string) {
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		if word, rest, ok = strings.Cut(quoted, `"`); ok {
			return word, strings.TrimSpace(rest)
		}
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}
