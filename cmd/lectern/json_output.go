package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// A jsonOutput collects what a command would print, where it was given the --json of
// [addJSONFlags]: a list is an array of objects, everything else one object.
type jsonOutput struct {
	on     bool
	value  any              // what the command said in place of a text; nil: nothing
	list   []map[string]any // rows of a table with headings; nil: none was printed
	fields map[string]any   // rows of a table without
	text   strings.Builder
	warned strings.Builder // printed to stderr
	wrote  bool            // JSON was printed
}

// notJSON are the commands without --json: they serve, ask, or print what is a format already.
func notJSON() []string {
	return []string{
		"lectern", "lectern serve", "lectern supervise", "lectern hub", "lectern call", "lectern logs", "lectern setup", "lectern skill",
		"lectern config", "lectern config edit",
	}
}

// addJSONFlags gives --json to a command and those below it that list or change something
// and have none of their own.
func addJSONFlags(c *cli, cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		addJSONFlags(c, sub)
	}
	parent := cmd.HasSubCommands() && cmd.Annotations["parent"] != ""
	if cmd.RunE == nil || parent || slices.Contains(notJSON(), cmd.CommandPath()) {
		return
	}
	run := cmd.RunE
	if own := cmd.Flags().Lookup("json"); own != nil { // it prints its own, but for errors
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			err := run(cmd, args)
			if own.Value.String() == "true" && err != nil && !c.json.wrote {
				return errors.Join(err, c.writeJSON(c.json.result(err, false)))
			}
			return err
		}
		return
	}
	cmd.Flags().BoolVar(&c.json.on, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		if !c.json.on {
			return err
		}
		changes := len(args) > 0 && cmd.Flags().Lookup("dry-run") != nil
		if writeErr := c.writeJSON(c.json.result(err, changes)); writeErr != nil {
			return writeErr
		}
		return err
	}
}

// result is what is printed when the command has ended with err: of one that changes
// something an object, whatever it lists.
func (o *jsonOutput) result(err error, changes bool) any {
	switch {
	case err == nil && o.value != nil:
		return o.value
	case err == nil && o.list != nil && !changes:
		return o.list
	}
	answer := map[string]any{"ok": err == nil, "messages": o.messages()}
	if o.list != nil {
		answer["items"] = o.list
	}
	maps.Copy(answer, o.fields)
	if err != nil {
		answer["error"] = cmp.Or(string(safetext.Of(err.Error())), strings.TrimSpace(o.warned.String()))
	}
	return answer
}

func (o *jsonOutput) messages() []string {
	lines := []string{}
	for line := range strings.Lines(o.text.String()) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// addTable takes over a table: with headings, or of names and values.
func (o *jsonOutput) addTable(t table) {
	if len(t) > 0 && isHeading(t[0]) {
		o.startList()
		for _, cells := range t[1:] {
			row := map[string]any{}
			for i, name := range t[0] {
				row[fieldName(name)] = ""
				if i < len(cells) {
					row[fieldName(name)] = cells[i]
				}
			}
			o.list = append(o.list, row)
		}
		return
	}
	if o.fields == nil {
		o.fields = map[string]any{}
	}
	for _, cells := range t {
		o.fields[fieldName(cells[0])] = strings.Join(cells[1:], " ")
	}
}

// startList has the command print a list, if only an empty one.
func (o *jsonOutput) startList() {
	if o.list == nil {
		o.list = []map[string]any{}
	}
}

func isHeading(cells []string) bool {
	return len(cells) > 1 && !slices.ContainsFunc(cells, func(cell string) bool {
		return cell == "" || strings.ContainsFunc(cell, func(r rune) bool { return !unicode.IsUpper(r) && r != ' ' })
	})
}

func fieldName(words string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(words)), " ", "_")
}

// printNone says that a list is empty.
func (c console) printNone(format string, args ...any) {
	c.json.startList()
	c.printf(format, args...)
}

// printValue has --json print v; without it the texts around are printed.
func (c console) printValue(v any) { c.json.value = v }

// addCommandText takes over what a command of a System has printed: its list in JSON, or text.
func (o *jsonOutput) addCommandText(text string) {
	var list []map[string]any
	if json.Unmarshal([]byte(text), &list) == nil && list != nil {
		o.list = list
		return
	}
	fmt.Fprint(&o.text, text)
}
