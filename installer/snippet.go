package installer

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/installer/internal/entry"
	"github.com/lectern-mcp/lectern/status"
)

// tokenPlaceholder stands for the token in snippets of clients that need the
// token itself.
const tokenPlaceholder = "TOKEN"

// Snippet is what to run or to paste to connect a client by hand; false: it
// cannot be connected that way. With overHTTP it connects to the hub's address
// rather than by our command.
func (c Client) Snippet(m Machine, s Server, overHTTP bool) (status.Snippet, bool) {
	s = s.forClient(c)
	fields, add, token := c.wantedEntry(s, overHTTP)
	if fields == nil || c.retired != "" || overHTTP && s.URL == "" {
		return status.Snippet{}, false
	}
	snip := status.Snippet{Client: c.Title}
	if c.prefersCommand && !slices.Contains(add, "$JSON") {
		snip.Destination, snip.Text = "run in a shell", shellLine(s.commandLine(add, fields, token), m.OS)
		return snip, true
	}
	snip.Destination = c.pasteHint
	if path, err := c.file(m); err == nil {
		snip.Destination = m.tildePath(path)
	} else if c.Editable(m) {
		snip.Destination = "its configuration file"
	}
	text, _, err := c.location(s.Name).Set(nil, fields)
	if err != nil {
		return status.Snippet{}, false // a test shows that every row can be written
	}
	snip.Text = strings.TrimSpace(string(text))
	return snip, true
}

// Command is the client's own command that adds the entry, quoted for a shell;
// empty: it has none.
func (c Client) Command(m Machine, s Server, overHTTP bool) string {
	s = s.forClient(c)
	fields, add, token := c.wantedEntry(s, overHTTP)
	if fields == nil || add == nil || c.retired != "" {
		return ""
	}
	return shellLine(s.commandLine(add, fields, token), m.OS)
}

func shellLine(argv []string, goos string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = ShellWord(w, goos)
	}
	return strings.Join(words, " ")
}

// Link is a deep link that adds the entry; empty: the client has none, or its links
// cannot say where our files are.
func (c Client) Link(s Server) string {
	if c.link == "" || c.retired != "" || len(s.Env) > 0 && strings.Contains(c.link, "$ARGS") {
		return ""
	}
	s = s.forClient(c)
	return s.deepLink(c.link, c.withFolderVariables(s, s.substitute(c.stdio, "")))
}

// wantedEntry is the entry that the client should have, and its own command for
// it. They hold a reference to the token, never the token.
func (c Client) wantedEntry(s Server, overHTTP bool) (f entry.Fields, add []string, token string) {
	if !overHTTP {
		return c.withFolderVariables(s, s.substitute(c.stdio, "")), c.add, ""
	}
	if token = c.tokenRef; token == "" {
		token = tokenPlaceholder
	}
	return s.substitute(c.http, token), c.addHTTP, token
}

// withFolderVariables adds to the entry the variables that say where our files are.
func (c Client) withFolderVariables(s Server, f entry.Fields) entry.Fields {
	if len(s.Env) == 0 || f == nil {
		return f
	}
	var variables entry.Fields
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		variables = append(variables, entry.Field{Key: name, Value: s.Env[name]})
	}
	env := entry.Field{Key: cmp.Or(c.envKey, "env"), Value: variables}
	if i := slices.IndexFunc(f, func(x entry.Field) bool { return x.Key == env.Key }); i >= 0 {
		f[i] = env
		return f
	}
	return append(f, env)
}

// Snippets are those of the most common clients and of those on this machine.
func Snippets(m Machine, s Server) []status.Snippet {
	list := []status.Snippet{}
	for _, c := range Clients() {
		usual := c.ID == "claude-code" || c.ID == "claude-desktop" || c.ID == "codex" || c.ID == "cursor" || c.ID == "vscode" ||
			c.ID == "gemini-cli"
		if !usual && (!c.Editable(m) || !c.Detected(m)) {
			continue
		}
		if snip, ok := c.Snippet(m, s, false); ok {
			list = append(list, snip)
		}
	}
	return list
}

// unquotedWord matches words that need no quotes in any shell.
var unquotedWord = regexp.MustCompile(`^[A-Za-z0-9/._+@%:=-]+$`)

// ShellWord quotes a word, if necessary, for the usual shell on goos.
func ShellWord(word, goos string) string {
	switch {
	case goos == "windows" && !unquotedWord.MatchString(strings.ReplaceAll(word, `\`, "/")):
		if strings.Contains(word, `"`) {
			return "'" + strings.ReplaceAll(word, "'", "''") + "'" // PowerShell
		}
		return `"` + word + `"`
	case goos == "windows", unquotedWord.MatchString(word):
		return word
	case strings.ContainsAny(word, "\n\r\t"):
		return strconv.Quote(word)
	default:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
}
