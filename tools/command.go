package tools

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// A Command is something that a person does to a source from the shell:
// `lectern cards key add NAME`. It runs in the hub.
type Command[S Source] struct {
	CommandInfo
	// Run writes plain text for a person to out. It may return an [Error].
	Run func(s S, ctx context.Context, call CommandCall, out io.Writer) error
	// Complete proposes values for an argument. Nil: no proposals.
	Complete func(s S, ctx context.Context, argument, prefix string) []string
}

// CommandInfo is the part of a Command that is pure data.
type CommandInfo struct {
	Name string            `json:"name"` // one or two words: "key add"
	Doc  string            `json:"description"`
	Args []CommandArgument `json:"arguments,omitempty"`
	// Confirm is the question that a person answers first; empty: none.
	Confirm string `json:"confirm,omitempty"`
	// Grant is what the command lets a client of the source's own do; nil: it is about
	// none.
	Grant *CommandGrant `json:"-"`
	// AfterAdd has `lectern source add` give the command to a source that it has added;
	// nil: it does not.
	AfterAdd *CommandAfterAdd `json:"-"`
}

// A CommandGrant is a grant for a client of the source's own, of [ClientCaller]. A
// person sees and confirms the edit of the configuration before the command runs, and
// may choose other effects.
type CommandGrant struct {
	Client  func(source string, args map[string]string) string // as the hub names it
	Effects []Effect
}

// CommandAfterAdd is how a Command is given to a source that was just added.
type CommandAfterAdd struct {
	Args map[string]string
	// WithoutKey is a key of the configuration: with it the command is not given; empty:
	// it always is.
	WithoutKey string
}

// CommandArgument is one argument of a Command, given by position if it is Required
// or Positional, and as --NAME otherwise.
type CommandArgument struct {
	Name     string `json:"name"`
	Doc      string `json:"description"`
	Required bool   `json:"required,omitempty"`
	// Positional means that it may be left out. It comes after those that are required.
	Positional bool `json:"positional,omitempty"`
	// Folder means that the value is a path, which is made absolute.
	Folder bool `json:"folder,omitempty"`
	// PathOrName means that a value with a dot or a separator is a path, which is made
	// absolute; another one is a name.
	PathOrName bool `json:"path_or_name,omitempty"`
	// Flag means that it is given as --NAME without a value, and is then true.
	Flag bool `json:"flag,omitempty"`
}

// IsPath reports whether a value that a person gave is a path.
func (a CommandArgument) IsPath(value string) bool {
	return value != "" && (a.Folder || a.PathOrName && strings.ContainsAny(value, `./\`))
}

// A CommandCall is a Command as a person gave it.
type CommandCall struct {
	Args map[string]string // by name; an optional one that was not given is missing
	JSON bool              // [CommandCall.PrintList] prints JSON
	// Context reaches the journal and other sources, as for a tool.
	Context CallContext
}

// PrintList prints a list: columns with headings, or in JSON an array of objects.
func (c CommandCall) PrintList(out io.Writer, headings []string, rows [][]string) error {
	if c.JSON {
		list := make([]map[string]string, len(rows))
		for i, cells := range rows {
			list[i] = map[string]string{}
			for at, heading := range headings {
				list[i][strings.ReplaceAll(strings.ToLower(heading), " ", "_")] = cells[at]
			}
		}
		return json.NewEncoder(out).Encode(list)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, cells := range append([][]string{headings}, rows...) {
		_, _ = io.WriteString(table, strings.Join(cells, "\t")+"\n") // errors come with Flush
	}
	return table.Flush()
}

// A Check is one look that the doctor takes at a source: SYSTEM.NAME.
type Check[S Source] struct {
	Name    string        // [a-z]+
	Title   string        // a few words for people: "the plugin answers"
	Timeout time.Duration // 0: 20 s
	// Look returns what was found; a Check that has nothing to look at is skipped
	// and says why. Name and Title of the answer are filled in.
	Look func(s S, ctx context.Context, d Doctor) status.Check
}

// A Doctor is who asks for a Check.
type Doctor interface {
	// Interactive reports whether there is a person to ask.
	Interactive() bool
	// Ask asks a person to do something in another program, and reports whether
	// they say that it is done; false when nobody can be asked.
	Ask(ctx context.Context, request string) bool
	// MayWrite reports whether a Check may write something and take it back.
	MayWrite() bool
}

// A Sample is a small knowledge base to try a System with.
type Sample struct {
	Title string
	Files fs.FS             // copied to a new folder; nil: no folder
	Key   string            // the configuration key that gets that folder; empty: none
	Keys  map[string]string // further configuration keys
}

// An EnvironmentVariable makes a source without a configuration: when all that
// are Required are set, `lectern serve` opens a source of the System from them.
type EnvironmentVariable struct {
	Name     string `json:"name"` // "MIRROR_DIR"
	Key      string `json:"key"`  // the configuration key that gets its value, or a reference to it if the key is a Secret
	Doc      string `json:"description"`
	Required bool   `json:"required,omitempty"`
	// Positional means that it may be left out. It comes after those that are required.
	Positional bool `json:"positional,omitempty"`
	// Source names the source, on the first that is Required; empty: the System's
	// name.
	Source string `json:"source,omitempty"`
}
