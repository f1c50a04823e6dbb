package installer

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/installer/internal/entry"
	"github.com/lectern-mcp/lectern/internal/nearest"
)

// A Client is an MCP client: a row of the table.
//
// In the texts of a row, $NAME is the entry's name, $BIN our binary, $ARGS its
// arguments (spread in a list), $ENV options that set Env, $URL the
// hub's address and $TOKEN the token or a reference to it.
type Client struct {
	ID    string // "claude-code", for the command line
	Title string // "Claude Code"

	format    entry.Format
	parents   []string            // keys that lead to the entries
	list      bool                // the entries are a list, not a table
	paths     map[string][]string // templates by GOOS, the preferred one first; none: we cannot edit it
	pasteHint string              // where to paste the entry, if we cannot edit it

	newLayout *entryLayout // of newer versions, beside the older one; nil: there is one layout

	project string // path in a project's folder; empty: none

	stdio    entry.Fields // the entry; nil: not supported
	http     entry.Fields
	envKey   string // key of the environment of a command; empty: env
	tokenRef string // how its files refer to a variable with the token; empty: they cannot

	program        string   // its name on PATH
	add            []string // command of its own that adds an entry
	addHTTP        []string
	remove         []string // command of its own that removes one
	report         []string // command of its own that says how the entry is
	prefersCommand bool     // it rewrites its file while it runs: its own command is safer

	link     string   // deep link that adds the entry; $CONFIG is its JSON in base 64, $JSON its JSON with the name, URL-encoded
	skills   []string // folders where it looks for skills
	nextStep string   // what to do then
	trusted  string   // its file of the folders in which it starts MCP servers at all; empty: it starts them everywhere
	retired  string   // why not to use it any more
	unnamed  bool     // it is no one client, so it has no name to prove
}

// Clients are all known clients, in the order in which they are shown.
func Clients() []Client {
	return slices.Concat(assistants(), editors(), agents(), others())
}

// Find is the client with this ID. The error suggests a similar one.
func Find(id string) (Client, error) {
	all := Clients()
	ids := make([]string, len(all))
	for i, c := range all {
		if c.ID == id {
			return c, nil
		}
		ids[i] = c.ID
	}
	msg := fmt.Sprintf("unknown client %q", id)
	if near := nearest.Word(id, ids); near != "" {
		msg += ", did you mean " + near + "?"
	}
	return Client{}, fmt.Errorf("%s; see `lectern client list`", msg)
}

// Retired says why the client should no longer be used; empty: it can be.
func (c Client) Retired() string { return c.retired }

// HasName reports whether the client has a name to prove: its ID.
func (c Client) HasName() bool { return !c.unnamed }

// SupportsHTTP reports whether the client can reach the hub by its address.
func (c Client) SupportsHTTP() bool { return c.http != nil }

// NextStep is what to do once the entry is installed; empty: nothing.
func (c Client) NextStep() string { return c.nextStep }

// A entryLayout is where the entries are in a file, and what they look like.
type entryLayout struct {
	parents     []string
	stdio, http entry.Fields
}

// withDetectedLayout is the client with the layout of its file. Newer versions
// read the older layout as well, so the newer one is used only if the file has
// it already and has no entry of that name in the older.
func (c Client) withDetectedLayout(text []byte, name string) Client {
	if c.newLayout == nil {
		return c
	}
	if old, err := c.location(name).Get(text); err != nil || old != nil {
		return c
	}
	last := len(c.newLayout.parents) - 1
	table, err := entry.Location{Format: c.format, Parents: c.newLayout.parents[:last], Name: c.newLayout.parents[last]}.Get(text)
	if err != nil || table == nil {
		return c
	}
	for _, v := range table {
		if _, ok := v.(map[string]any); !ok {
			return c // an entry of the older layout has the name of the table
		}
	}
	c.parents, c.stdio, c.http = c.newLayout.parents, c.newLayout.stdio, c.newLayout.http
	return c
}

func (c Client) location(name string) entry.Location {
	return entry.Location{Format: c.format, Parents: c.parents, List: c.list, Name: name}
}

// Editable reports whether the client has a file on this system that we can edit.
func (c Client) Editable(m Machine) bool { return len(c.paths[m.OS]) > 0 }

// file is the user's file that the client reads: the first of its paths that
// exists, else the first whose folder exists, else the first.
func (c Client) file(m Machine) (string, error) {
	var all []string
	for _, template := range c.paths[m.OS] {
		path := m.path(template)
		if !strings.Contains(template, "*") {
			all = append(all, path)
			continue
		}
		// The folder's name ends in an id of the installed application.
		star := strings.Index(path, "*")
		end := star + strings.IndexRune(path[star:], filepath.Separator)
		found, err := filepath.Glob(path[:end])
		if err != nil {
			return "", fmt.Errorf("find %s: %w", c.Title, err)
		}
		if len(found) > 1 {
			return "", fmt.Errorf("find %s: several are installed (%s); paste the snippet of `lectern client show %s` into the right one",
				c.Title, strings.Join(found, ", "), c.ID)
		}
		for _, dir := range found {
			all = append(all, dir+path[end:])
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("cannot edit the configuration of %s on %s; paste the snippet of `lectern client show %s` instead", c.Title, m.OS,
			c.ID)
	}
	for _, exists := range []func(string) bool{isFile, func(p string) bool { return isFolder(filepath.Dir(p)) }} {
		if i := slices.IndexFunc(all, exists); i >= 0 {
			return all[i], nil
		}
	}
	return all[0], nil
}

// Detected reports whether the client seems to be installed.
func (c Client) Detected(m Machine) bool {
	if c.program != "" && m.LookPath(c.program) != "" {
		return true
	}
	path, err := c.file(m)
	if err != nil {
		return c.Editable(m) // several are installed
	}
	return isFile(path) || filepath.Dir(path) != m.Home && isFolder(filepath.Dir(path))
}

// everyOS is for paths that are the same on every system.
func everyOS(templates ...string) map[string][]string {
	return map[string][]string{"linux": templates, "darwin": templates, "windows": templates}
}

// byOS is for paths that differ.
func byOS(linux, darwin, windows string) map[string][]string {
	return map[string][]string{"linux": {linux}, "darwin": {darwin}, "windows": {windows}}
}

// alsoOn adds paths on one system.
func alsoOn(paths map[string][]string, goos string, more ...string) map[string][]string {
	paths = maps.Clone(paths)
	paths[goos] = append(slices.Clone(paths[goos]), more...)
	return paths
}
