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
// In texts of a row, $NAME is the entry's name, $BIN our binary, $ARGS its
// arguments (spread where it stands in a list), $URL the hub's address and
// $TOKEN how the token is said.
type Client struct {
	ID    string // "claude-code"; what people type
	Title string // "Claude Code"

	format entry.Format
	in     []string            // the keys that lead to the entries
	list   bool                // they are a list, not a table
	paths  map[string][]string // templates by GOOS, in order of preference; none: nothing that we can edit
	paste  string              // where to paste, when there is nothing to edit

	newer *layout // of files that are laid out as its newer versions do it; nil: it has one layout

	project string // path in a project's folder; empty: it has none

	stdio entry.Fields // the entry; nil: it cannot
	http  entry.Fields
	env   string // what it calls the environment of a command; empty: env
	token string // how its files refer to a variable that holds the token; empty: it cannot

	program string   // what it is called on PATH
	add     []string // its own command that adds an entry
	addHTTP []string
	drop    []string // its own command that removes one
	live    bool     // it writes its file all the time: its own command is safer

	link    string   // deep link that adds the entry; $CONFIG is the entry's JSON in base 64, $JSON with its name, as a URL has it
	skills  []string // folders where it looks for skills
	after   string   // what to do then
	retired string   // why not to use it any more
}

// Clients is every client that we know, in the order to show them.
func Clients() []Client {
	return slices.Concat(assistants(), editors(), agents(), others())
}

// Find is the client of that name; an error names the nearest.
func Find(id string) (Client, error) {
	all := Clients()
	ids := make([]string, len(all))
	for i, c := range all {
		if c.ID == id {
			return c, nil
		}
		ids[i] = c.ID
	}
	msg := fmt.Sprintf("there is no client %q", id)
	if near := nearest.Word(id, ids); near != "" {
		msg += ", did you mean " + near + "?"
	}
	return Client{}, fmt.Errorf("%s; see `lectern client list`", msg)
}

// Retired says why not to use it any more; empty: it is alive.
func (c Client) Retired() string { return c.retired }

// HTTP reports whether it can reach the hub by its address.
func (c Client) HTTP() bool { return c.http != nil }

// After is what to do once the entry is there; empty: nothing.
func (c Client) After() string { return c.after }

// A layout is where a file holds the entries, and what they look like.
type layout struct {
	in          []string
	stdio, http entry.Fields
}

// as is the client as its file has it: a newer version reads the older layout
// as well, so the newer one is kept to only where a file has it already, and
// holds no entry of that name in the older.
func (c Client) as(text []byte, name string) Client {
	if c.newer == nil {
		return c
	}
	if old, err := c.place(name).Get(text); err != nil || old != nil {
		return c
	}
	last := len(c.newer.in) - 1
	table, err := entry.Place{Format: c.format, In: c.newer.in[:last], Name: c.newer.in[last]}.Get(text)
	if err != nil || table == nil {
		return c
	}
	for _, v := range table {
		if _, ok := v.(map[string]any); !ok {
			return c // it is an entry of the older layout that has this name
		}
	}
	c.in, c.stdio, c.http = c.newer.in, c.newer.stdio, c.newer.http
	return c
}

func (c Client) place(name string) entry.Place {
	return entry.Place{Format: c.format, In: c.in, List: c.list, Name: name}
}

// Editable reports whether it has a file on this machine that we can edit.
func (c Client) Editable(m Machine) bool { return len(c.paths[m.OS]) > 0 }

// file is the user's file that the client reads: the first of its paths that
// exists, or whose folder does, or else the first.
func (c Client) file(m Machine) (string, error) {
	var all []string
	for _, template := range c.paths[m.OS] {
		path := m.path(template)
		if !strings.Contains(template, "*") {
			all = append(all, path)
			continue
		}
		// The folder is the application's, with an identity in its name.
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
		return "", fmt.Errorf("%s has no file that we can edit on %s; paste the snippet of `lectern client show %s` instead", c.Title, m.OS, c.ID)
	}
	for _, exists := range []func(string) bool{isFile, func(p string) bool { return isFolder(filepath.Dir(p)) }} {
		if i := slices.IndexFunc(all, exists); i >= 0 {
			return all[i], nil
		}
	}
	return all[0], nil
}

// Detected reports whether the client seems to be on this machine.
func (c Client) Detected(m Machine) bool {
	if c.program != "" && m.Look(c.program) != "" {
		return true
	}
	path, err := c.file(m)
	if err != nil {
		return c.Editable(m) // several are installed
	}
	return isFile(path) || filepath.Dir(path) != m.Home && isFolder(filepath.Dir(path))
}

// everywhere is for clients whose path is the same on every system.
func everywhere(templates ...string) map[string][]string {
	return map[string][]string{"linux": templates, "darwin": templates, "windows": templates}
}

// on is for clients whose path differs.
func on(linux, darwin, windows string) map[string][]string {
	return map[string][]string{"linux": {linux}, "darwin": {darwin}, "windows": {windows}}
}

// and adds further places to look at on one system.
func and(paths map[string][]string, goos string, more ...string) map[string][]string {
	paths = maps.Clone(paths)
	paths[goos] = append(slices.Clone(paths[goos]), more...)
	return paths
}
