package installer

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A fact is a row of testdata/facts.tsv, which was gathered apart from the
// table.
type fact struct {
	client, system, format, keys, holds, stdio, http, project, paths string
}

func facts(t *testing.T) []fact {
	t.Helper()
	var list []fact
	for line := range strings.Lines(string(read(t, "testdata/facts.tsv"))) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(f) != 9 {
			t.Fatalf("%q has %d columns, want 9", line, len(f))
		}
		list = append(list, fact{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]})
	}
	return list
}

// The table says what the facts say, of every client and system, and of none
// besides.
func TestTableHoldsTheFacts(t *testing.T) {
	known := map[string]bool{}
	for _, want := range facts(t) {
		known[want.client] = true
		c, err := Find(want.client)
		if err != nil {
			t.Error(err)
			continue
		}
		if c.retired != "" {
			want.stdio, want.http, want.project = "", "-", "-"
		}
		if diff := cmp.Diff(want, clientFact(c, want.system), cmp.AllowUnexported(fact{})); diff != "" {
			t.Errorf("%s on %s (-facts +table):\n%s", c.ID, want.system, diff)
		}
	}
	for _, c := range Clients() {
		if !known[c.ID] {
			t.Errorf("%s is in the table and not in the facts", c.ID)
		}
	}
}

func clientFact(c Client, goos string) fact {
	m := Machine{OS: goos, Home: "/home/me", Env: func(string) string { return "" }}
	f := fact{client: c.ID, system: goos, format: string(c.format), keys: strings.Join(c.parents, "."), holds: "table", http: "-", project: "-", paths: "-"}
	if c.list {
		f.holds = "list"
	}
	f.stdio = strings.Join(slices.DeleteFunc(slices.Sorted(maps.Keys(c.stdio.Map())), func(k string) bool { return k == "envs" }), ",")
	for _, key := range []string{"url", "httpUrl", "serverUrl", "uri"} {
		if _, ok := c.http.Map()[key]; ok {
			f.http = key
		}
	}
	if c.project != "" {
		f.project = c.project
	}
	var paths []string
	for _, template := range c.paths[goos] {
		paths = append(paths, filepath.ToSlash(m.tildePath(m.path(template))))
	}
	if len(paths) > 0 {
		f.paths = strings.Join(paths, ";")
	}
	return f
}

// Every row can be written and read back, for stdio and HTTP, and no text has a
// token or a variable left in it.
func TestRowsAreWhole(t *testing.T) {
	m := testMachine(t, "linux")
	s := testServer(m)
	s.Env = map[string]string{"XDG_CONFIG_HOME": "/else/config", "XDG_STATE_HOME": "/else/where"}
	for _, c := range Clients() {
		if c.retired != "" {
			continue
		}
		for _, overHTTP := range []bool{false, true} {
			snip, ok := c.Snippet(m, s, overHTTP)
			if ok != (!overHTTP || c.http != nil) {
				t.Errorf("%s: a snippet over HTTP: %v", c.ID, ok)
			}
			texts := []string{snip.Text, c.Link(s), c.Command(m, s, overHTTP)}
			for _, text := range texts {
				for _, word := range []string{"$NAME", "$BIN", "$ARGS", "$URL", "$TOKEN", "$ENV", "$JSON", "$CONFIG"} {
					if strings.Contains(strings.ReplaceAll(text, "$"+TokenVariable, ""), word) {
						t.Errorf("%s: %s was not filled in: %s", c.ID, word, text)
					}
				}
			}
			if !overHTTP && (!strings.Contains(snip.Text, "/else/where") || !strings.Contains(snip.Text, "/else/config")) {
				t.Errorf("%s does not say where Lectern is: %s", c.ID, snip.Text)
			}
		}
		fields, _, _ := c.wantedEntry(s.forClient(c), false)
		want := []string{s.Bin, "serve"}
		if c.HasName() {
			want = append(want, "--client", c.ID)
		}
		if got := m.parseEntryTarget(fields.Map()); !slices.Equal(got.argv, want) || !maps.Equal(got.env, s.Env) {
			t.Errorf("%s: an entry that runs %v at %q", c.ID, got.argv, got.env)
		}
		if c.tokenRef == "" && len(c.addHTTP) > 0 {
			t.Errorf("%s: a command that would hold the token", c.ID)
		}
	}
}

func TestLinks(t *testing.T) {
	m := testMachine(t, "linux")
	for id, want := range map[string]string{
		"cursor":    "cursor://anysphere.cursor-deeplink/mcp/install?name=lectern&config=eyJjb21tYW5kIjoiL3Vzci9sb2NhbC9iaW4vbGVjdGVybiIsImFyZ3MiOlsic2VydmUiLCItLWNsaWVudCIsImN1cnNvciJdfQ%3D%3D",
		"lm-studio": "lmstudio://add_mcp?name=lectern&config=eyJjb21tYW5kIjoiL3Vzci9sb2NhbC9iaW4vbGVjdGVybiIsImFyZ3MiOlsic2VydmUiLCItLWNsaWVudCIsImxtLXN0dWRpbyJdfQ%3D%3D",
		"vscode":    "vscode:mcp/install?%7B%22name%22%3A%22lectern%22%2C%22type%22%3A%22stdio%22%2C%22command%22%3A%22%2Fusr%2Flocal%2Fbin%2Flectern%22%2C%22args%22%3A%5B%22serve%22%2C%22--client%22%2C%22vscode%22%5D%7D",
		"goose":     "goose://extension?cmd=%2Fusr%2Flocal%2Fbin%2Flectern&arg=serve&arg=--client&arg=goose&id=lectern&name=lectern&description=Knowledge%20bases",
		"zed":       "",
	} {
		c, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Link(testServer(m)); got != want {
			t.Errorf("%s: %s\nwant %s", id, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for _, c := range []struct{ word, goos, want string }{
		{"/bin/lectern", "linux", "/bin/lectern"},
		{"it's", "linux", `'it'\''s'`},
		{"Bearer ${X}", "darwin", "'Bearer ${X}'"},
		{"", "linux", "''"},
		{`C:\a b\lectern.exe`, "windows", `"C:\a b\lectern.exe"`},
		{`C:\lectern.exe`, "windows", `C:\lectern.exe`},
		{`{"a":1}`, "windows", `'{"a":1}'`},
	} {
		if got := ShellWord(c.word, c.goos); got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.word, c.goos, got, c.want)
		}
	}
}
