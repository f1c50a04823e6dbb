// Package house holds the rules of the house: tests that read the whole repository.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root     = "../.." // seen from here
	module   = "github.com/lectern-mcp/lectern"
	terminal = "charm.land" // bubbletea, lipgloss, bubbles
	mcpGo    = "github.com/mark3labs/mcp-go"
)

// A layer says which of our own packages, and which outside ones, the packages
// it matches may import. The reason is printed when a rule is broken, so it is
// written for whoever just broke it.
type layer struct {
	pkg    string   // path.Match pattern, relative to the module
	may    []string // our own packages it may import; nil means none
	never  []string // outside packages (with all below them) it may not import
	reason string
}

// layers is DESIGN's table. First match wins, so exact names stand before
// patterns. Never widen a row to get a build through: move the code.
var layers = []layer{
	{"status", nil, []string{"net", "os", terminal, mcpGo}, "status is plain data: everybody imports it, so it imports nobody"},
	{"status/loopback", []string{"status", "internal/*"}, []string{terminal, mcpGo}, "both ends of the status wire live here and nowhere else"},
	{"status/statustest", []string{"status"}, []string{terminal, mcpGo}, "a suite knows only what it tests"},
	{"config", []string{"internal/*"}, []string{"net", terminal, mcpGo}, "config is read by cmd and handed on as values"},
	{"tools", []string{"internal/nearest", "status"}, []string{"net", "os", terminal, mcpGo}, "tools is the vocabulary: no I/O, no MCP; Problems and checks have one type, in status"},
	{"tools/all", []string{"tools", "tools/*"}, []string{"net", "os", terminal, mcpGo}, "all is only a list"},
	{"tools/doc", []string{"tools"}, []string{"net", "os", terminal, mcpGo}, "doc renders declarations; it does not write files"},
	{"tools/toolstest", []string{"status", "tools"}, []string{terminal, mcpGo}, "a suite knows only what it tests"},
	{"tools/toolstest/memo", []string{"status", "tools"}, []string{"os", terminal, mcpGo}, "the template shows what a System needs: tools, the Problem types of status, and net/http for its routes"},
	{"tools/markdown/internal/editordoc", nil, []string{"net", "os", "database/sql", "time", terminal, mcpGo}, "editordoc turns text into nodes and back: it opens nothing and knows no clock"},
	{"tools/markdown/internal/mirror", []string{"internal/folder", "internal/textmerge"}, []string{"net", "os", "database/sql", "time", terminal, mcpGo}, "mirror is arithmetic on trees: it opens nothing and knows no clock"},
	{"tools/markdown/internal/pagestore", []string{"internal/sqlstore", "tools/markdown/internal/mirror"}, []string{"os", terminal, mcpGo}, "pagestore keeps pages in tables; which side is right is for mirror"},
	{"tools/markdown/internal/pagesync", []string{"tools/markdown/internal/mirror"}, []string{"net", "os", "database/sql", terminal, mcpGo}, "pagesync carries out plans between two sides that it does not open"},
	{"tools/*", []string{"status", "tools", "internal/*"}, []string{mcpGo, terminal}, "a system knows its own files or its Peer, never how it is served; systems do not know each other"},
	{"bridge", []string{"internal/*"}, []string{mcpGo, terminal}, "bridge moves frames; it does not know what they mean"},
	{"bridge/*", []string{"bridge", "internal/*"}, []string{mcpGo, terminal}, "a fake Peer speaks frames, like the bridge"},
	{"supervisor", []string{"status", "internal/*"}, []string{mcpGo, terminal}, "supervisor keeps things running; it does not know what they do"},
	{"supervisor/*", []string{"supervisor", "status", "status/loopback", "internal/*"}, []string{mcpGo, terminal}, "the daemon's locks, sockets and frames; it does not know what is served"},
	{"journal", []string{"tools", "status", "internal/*"}, []string{mcpGo, terminal}, "journal records and reverts"},
	{"installer", []string{"config", "status", "internal/*"}, []string{mcpGo, terminal}, "installer edits files; it must work when nothing runs"},
	{"installer/*", []string{"installer", "config", "status", "internal/*"}, []string{mcpGo, terminal}, "installer edits files; it must work when nothing runs"},
	{"plugin", nil, []string{"net", "os", terminal, mcpGo}, "plugin carries files; installer puts them somewhere"},
	{"hub/policy", []string{"tools"}, []string{"net", "os", terminal, mcpGo}, "policy is a pure function: it decides, and hub acts on it"},
	{"hub/approval", []string{"hub/policy", "tools", "status", "internal/safetext"}, []string{"net", "os", terminal, mcpGo}, "approval holds calls until a person decides; which calls those are, what runs them and how clients are asked is others' work"},
	{"hub/hubtest", []string{"status", "tools"}, []string{terminal, mcpGo}, "a test kit knows only what tests share: it does not know the hub"},
	{"hub/mcp", []string{"hub/approval", "hub/policy", "status", "tools", "internal/*"}, []string{terminal}, "mcp speaks the protocol; what a call may do and does is the hub's, behind the interface mcp.Hub"},
	{"hub", []string{"hub/mcp", "hub/approval", "hub/policy", "bridge", "journal", "status", "tools", "internal/*"}, []string{terminal, mcpGo}, "hub joins the parts; it takes Systems as an argument, so it never names one, and hub/mcp speaks MCP"},
	{"cmd/lectern", []string{"config", "hub/policy", "installer", "installer/update", "internal/*", "journal", "plugin", "status", "supervisor", "supervisor/*", "tools", "tools/all", "tui"}, []string{mcpGo}, "a command reads flags and calls a room under cmd/lectern/internal, or asks the hub; it opens no source and speaks no MCP"},
	{"cmd/lectern/internal/app", []string{"config", "hub/policy", "status", "supervisor/daemon", "tools", "internal/*"}, []string{"net", terminal, mcpGo}, "app is what a process was given; it asks nobody"},
	{"cmd/lectern/internal/app/apptest", []string{"cmd/lectern/internal/app", "config", "plugin", "status", "tools/all"}, []string{terminal, mcpGo}, "an App for tests knows no room that uses one"},
	{"cmd/lectern/internal/problems", []string{"status"}, []string{"net", terminal, mcpGo}, "problems are declarations: hub process, panel and doctor share them"},
	{"cmd/lectern/internal/discover", []string{"config", "status", "tools", "internal/*"}, []string{"net", terminal, mcpGo}, "discovery looks at folders; it opens no source and edits no configuration"},
	{"cmd/lectern/internal/configedit", []string{"cmd/lectern/internal/app", "cmd/lectern/internal/discover", "config", "status", "tools", "internal/*"}, []string{"net", terminal, mcpGo}, "an edit of the configuration must not need a hub"},
	{"cmd/lectern/internal/install", []string{"cmd/lectern/internal/app", "config", "installer", "plugin", "status", "tools", "tools/doc", "internal/*"}, []string{"net", terminal, mcpGo}, "install plans what installer does; it must work when nothing runs"},
	{"cmd/lectern/internal/hubproc", []string{"cmd/lectern/internal/app", "cmd/lectern/internal/configedit", "cmd/lectern/internal/discover", "cmd/lectern/internal/doctor", "cmd/lectern/internal/install", "cmd/lectern/internal/problems", "bridge", "config", "hub", "hub/*", "journal", "status", "status/loopback", "supervisor", "supervisor/daemon", "tools", "internal/*"}, []string{terminal, mcpGo}, "the hub process runs without a terminal, and only hub speaks MCP"},
	{"cmd/lectern/internal/thismachine", []string{"cmd/lectern/internal/app", "cmd/lectern/internal/discover", "cmd/lectern/internal/install", "cmd/lectern/internal/problems", "config", "installer", "installer/update", "status", "supervisor", "supervisor/daemon", "internal/*"}, []string{terminal, mcpGo}, "the panel's side of this computer asks the hub through status and never opens one"},
	{"cmd/lectern/internal/doctor", []string{"cmd/lectern/internal/app", "cmd/lectern/internal/install", "cmd/lectern/internal/problems", "config", "installer", "installer/update", "journal", "plugin", "status", "supervisor/daemon", "tools", "internal/*"}, []string{terminal, mcpGo}, "the doctor works when no hub is running, and prints nothing itself"},
	{"cmd/*", []string{"installer/bundle", "internal/*"}, []string{mcpGo}, "the programs of a release know its files, not the product"},
	{"tui", []string{"status", "tui/*"}, []string{"os", "net", "io/fs", mcpGo}, "the panel sees the product through status alone"},
	{"tui/theme", []string{"status", "internal/safetext"}, []string{"os", "net", "io/fs", mcpGo}, "theme is where text meets the terminal, so it alone escapes it; see docs/adr/0011"},
	{"tui/widget", []string{"tui/theme"}, []string{"os", "net", "io/fs", mcpGo}, "a widget draws values into cells; it knows no pane, no snapshot and no action"},
	{"tui/logview", []string{"status", "tui/theme", "tui/widget"}, []string{"os", "net", "io/fs", mcpGo}, "the log view keeps and draws lines; what is done with them is for the pane to decide"},
	{"tui/prose", []string{"tui/theme"}, []string{"os", "net", "io/fs", mcpGo}, "prose lays out text; where it comes from and where it is shown is for others"},
	{"tui/*", []string{"status", "tui/*"}, []string{"os", "net", "io/fs", mcpGo}, "a pane is a function from a snapshot to text: no I/O"},
	{"internal/loopnet", []string{"internal/atomicfile"}, []string{terminal, mcpGo}, "token files are replaced in one step, like every other file"},
	{"internal/atomicfile", []string{"internal/rename"}, []string{terminal, mcpGo}, "a file is replaced by system calls that package os does not have"},
	{"internal/folder", []string{"internal/rename"}, []string{terminal, mcpGo}, "a file moves to a free name by a system call; how one is written is the Writer's"},
	{"internal/audit", []string{"internal/sqlstore"}, []string{terminal, mcpGo}, "the audit is a table; what a call is and who reads it is for others"},
	{"internal/sqlstore", []string{"internal/filelock", "internal/sqliteconn"}, []string{terminal, mcpGo}, "sqlstore keeps tables; whose they are and what they mean is for others"},
	{"internal/sqlstore/pgtest", nil, []string{terminal, mcpGo}, "a test kit starts a server; it does not know what is kept in it"},
	{"internal/pauses", []string{"internal/atomicfile"}, []string{terminal, mcpGo}, "the file of pauses is replaced in one step, like every other file"},
	{"internal/*", nil, []string{terminal, mcpGo}, "internal packages are leaves"},
}

// TestLayers reads the source rather than asking `go list`, so it sees the
// files of every operating system and go test knows when to run it again.
func TestLayers(t *testing.T) {
	t.Chdir(root)
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		checkImports(t, filepath.ToSlash(filepath.Dir(file)), f, used)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(t *testing.T, pkg string, f *ast.File, used map[string]bool) {
	t.Helper()
	row := rowOf(pkg)
	if row == nil {
		if !used[pkg] {
			t.Errorf("%s is in no layer; add it to internal/house/layers_test.go and to ARCHITECTURE.md", pkg)
		}
		used[pkg] = true
		return
	}
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if reason := forbidden(*row, pkg, imp); reason {
			t.Errorf("%s imports %s\n\t%s", pkg, imp, row.reason)
		}
	}
}

// rowOf finds pkg's row; a nested internal package without a row has its
// parent's.
func rowOf(pkg string) *layer {
	if i := slices.IndexFunc(layers, func(l layer) bool { return match(l.pkg, pkg) }); i >= 0 {
		return &layers[i]
	}
	if parent, _, nested := strings.Cut(pkg, "/internal/"); nested {
		return rowOf(parent)
	}
	return nil
}

func forbidden(row layer, pkg, imp string) bool {
	if own, ok := strings.CutPrefix(imp, module+"/"); ok {
		if own == "internal/runtest" {
			return !strings.HasSuffix(pkg, "test") // of test kits all, and nothing that is installed
		}
		if parent, _, nested := strings.Cut(own, "/internal/"); nested && rowOf(pkg) == rowOf(parent) {
			return false // Go's own rule keeps these private
		}
		return !slices.ContainsFunc(row.may, func(pattern string) bool { return match(pattern, own) })
	}
	if imp == "net/url" {
		return false // text alone: it opens nothing, although it lives below net
	}
	return slices.ContainsFunc(row.never, func(no string) bool { return imp == no || strings.HasPrefix(imp, no+"/") })
}

func match(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// TestLayerRules pins the rules themselves, so that a change of the matcher
// cannot make TestLayers pass by seeing nothing.
func TestLayerRules(t *testing.T) {
	for _, c := range []struct {
		pkg, imp string
		want     bool
	}{
		{"tools/toolstest", module + "/internal/runtest", false},
		{"cmd/lectern", module + "/internal/runtest", true},
		{"tui/pane", "os", true},
		{"tui/pane", "os/exec", true},
		{"tui/pane", module + "/status", false},
		{"tui", module + "/supervisor", true},
		{"tui/widget", module + "/status", true},
		{"tui/widget", module + "/tui/pane", true},
		{"tui/logview", module + "/tui/pane", true},
		{"tui/logview", module + "/tui/widget", false},
		{"tui/prose", module + "/status", true},
		{"hub", module + "/tools/markdown", true},
		{"hub", module + "/supervisor", true},
		{"hub/approval", module + "/hub", true},
		{"hub/approval", mcpGo + "/mcp", true},
		{"hub/approval", module + "/hub/policy", false},
		{"hub", module + "/tools", false},
		{"hub", mcpGo + "/server", true},
		{"hub", module + "/hub/mcp", false},
		{"hub", module + "/config", true},
		{"hub/mcp", module + "/hub", true},
		{"hub/mcp", module + "/journal", true},
		{"hub/mcp", mcpGo + "/server", false},
		{"tools/markdown", module + "/tools/org", true},
		{"tools/markdown", mcpGo + "/mcp", true},
		{"tools/markdown", module + "/internal/folder", false},
		{"tools/markdown/internal/links", module + "/bridge", true},
		{"tools/markdown", module + "/tools/markdown/internal/links", false},
		{"internal/folder", module + "/internal/atomicfile", true},
		{"status", "net/http", true},
		{"tui", "net/url", false},
		{"cmd/lectern", module + "/cmd/lectern/internal/hubproc", false},
		{"cmd/lectern", module + "/hub", true},
		{"cmd/lectern", terminal + "/bubbletea/v2", false},
		{"cmd/lectern", mcpGo + "/mcp", true},
		{"cmd/lectern/internal/hubproc", module + "/tui", true},
		{"cmd/lectern/internal/hubproc", module + "/cmd/lectern/internal/thismachine", true},
		{"cmd/lectern/internal/hubproc", module + "/cmd/lectern/internal/app", false},
		{"cmd/lectern/internal/thismachine", module + "/hub", true},
		{"cmd/lectern/internal/thismachine", module + "/cmd/lectern/internal/hubproc", true},
		{"cmd/lectern/internal/doctor", module + "/hub", true},
		{"cmd/lectern/internal/doctor", module + "/tui", true},
		{"cmd/lectern/internal/problems", module + "/config", true},
		{"cmd/release", module + "/hub", true},
	} {
		if got := forbidden(*rowOf(c.pkg), c.pkg, c.imp); got != c.want {
			t.Errorf("%s importing %s: forbidden = %v, want %v", c.pkg, c.imp, got, c.want)
		}
	}
}
