package installer

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer/internal/entry"
)

// A Server is Lectern as a client gets to know it.
type Server struct {
	Name    string   // of the entry: small letters, digits, hyphens
	Bin     string   // absolute path of our binary: desktop clients do not know the shell's PATH
	Sources []string // the sources to open; empty: all
	URL     string   // the hub's address, with the sources; empty: HTTP is off
	// Env are the variables that say where our files are; none: in the usual folders.
	// See config.FolderVariables.
	Env map[string]string

	args []string // of Bin for one client
}

// clientFlag is the option of `lectern serve` that names the client.
const clientFlag = "--client"

// forClient is the server as one client runs it. The client's name is no
// secret: `lectern serve` reads the token of that name itself, so that none is
// in other programs' files.
func (s Server) forClient(c Client) Server {
	s.args = []string{"serve"}
	if !c.unnamed {
		s.args = append(s.args, clientFlag, c.ID)
	}
	if len(s.Sources) > 0 {
		s.args = append(s.args, strings.Join(s.Sources, ","))
	}
	return s
}

// homeVariable tells instances of Lectern on one machine apart.
const homeVariable = "LECTERN_HOME"

// folderVariables are in the entry if the user has moved Lectern's files: the client
// would otherwise start one with other files.
var folderVariables = []string{homeVariable, "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}

// substitute replaces the variables of a row by the server's values. token is
// the value of $TOKEN.
func (s Server) substitute(f entry.Fields, token string) entry.Fields {
	if f == nil {
		return nil
	}
	filled, _ := s.substituteValue(f, token).(entry.Fields)
	return filled
}

func (s Server) substituteValue(v any, token string) any {
	switch v := v.(type) {
	case string:
		if v == "$ARGS" {
			return s.args
		}
		return s.replacer(token).Replace(v)
	case []string:
		return s.substituteList(v, token)
	case entry.Fields:
		filled := make(entry.Fields, len(v))
		for i, f := range v {
			filled[i] = entry.Field{Key: f.Key, Value: s.substituteValue(f.Value, token)}
		}
		return filled
	default:
		return v
	}
}

// substituteList replaces the variables of a list, such as a command.
func (s Server) substituteList(list []string, token string) []string {
	filled := []string{}
	for _, w := range list {
		switch {
		case w == "$ARGS":
			filled = append(filled, s.args...)
		case w != "$ENV":
			filled = append(filled, s.replacer(token).Replace(w))
		default:
			for _, v := range describeEnv(s.Env) {
				filled = append(filled, "--env", v)
			}
		}
	}
	return filled
}

func (s Server) replacer(token string) *strings.Replacer {
	return strings.NewReplacer("$NAME", s.Name, "$BIN", s.Bin, "$URL", s.URL, "$TOKEN", token)
}

// commandLine is a client's own command; $JSON is the entry with its name.
func (s Server) commandLine(argv []string, f entry.Fields, token string) []string {
	if i := slices.Index(argv, "$JSON"); i >= 0 {
		argv = slices.Clone(argv)
		argv[i] = s.namedEntryJSON(f)
		return argv
	}
	return s.substituteList(argv, token)
}

// namedEntryJSON is the entry with its name inside.
func (s Server) namedEntryJSON(f entry.Fields) string {
	return entry.Compact(append(entry.Fields{{Key: "name", Value: s.Name}}, f...))
}

// deepLink replaces the variables of a link.
func (s Server) deepLink(link string, f entry.Fields) string {
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	args := make([]string, len(s.args))
	for i, a := range s.args {
		args[i] = "arg=" + escape(a)
	}
	return strings.NewReplacer(
		"$ARGS", strings.Join(args, "&"), "$CONFIG", escape(base64.StdEncoding.EncodeToString([]byte(entry.Compact(f)))),
		"$JSON", escape(s.namedEntryJSON(f)), "$NAME", escape(s.Name), "$BIN", escape(s.Bin),
	).Replace(link)
}

// A entryTarget is what an entry runs or connects to. It tells ours from others.
type entryTarget struct {
	argv []string
	url  string
	env  map[string]string // its folder variables
	// proves: its environment holds a client's token, which a person has put there.
	proves bool
}

// parseEntryTarget reads an entry under any names that clients give its fields.
func (m Machine) parseEntryTarget(e map[string]any) entryTarget {
	var t entryTarget
	for _, key := range []string{"command", "cmd"} {
		switch v := e[key].(type) {
		case string:
			t.argv = append([]string{v}, stringList(e["args"])...)
		case []any:
			t.argv = stringList(v)
		}
	}
	for _, key := range []string{"url", "httpUrl", "serverUrl", "uri"} {
		if v, ok := e[key].(string); ok {
			t.url = v
		}
	}
	for _, key := range envKeys {
		if env, ok := e[key].(map[string]any); ok && t.url == "" {
			t.env = m.readFolderVariables(env)
			_, t.proves = env[clientTokenVariable]
		}
	}
	return t
}

// clientTokenVariable holds a client's token where `lectern serve` has no --client.
const clientTokenVariable = "LECTERN_CLIENT_TOKEN" //nolint:gosec // the name of a variable

// sources are those that the entry asks for; none: all.
func (t entryTarget) sources() []string {
	list := ""
	if u, err := url.Parse(t.url); t.url != "" && err == nil {
		list = strings.TrimPrefix(strings.TrimPrefix(u.Path, "/mcp"), "/")
	}
	for i := 2; i < len(t.argv); i++ {
		switch {
		case t.argv[i] == clientFlag:
			i++
		case !strings.HasPrefix(t.argv[i], "-"):
			list = t.argv[i]
		}
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// unprovenNote says that agents of an entry only claim the client's name; empty:
// they prove it, or an address does not tell.
func (t entryTarget) unprovenNote(c Client) string {
	if c.unnamed || t.url != "" || t.proves || slices.Contains(t.argv, clientFlag) {
		return ""
	}
	return "its agents only claim their name; `lectern client install " + c.ID + "` lets them prove it"
}

// envKeys are what clients call the environment of a command.
var envKeys = []string{"env", "environment", "envs"}

func stringList(v any) []string {
	list, _ := v.([]any)
	var words []string
	for _, x := range list {
		if s, ok := x.(string); ok {
			words = append(words, s)
		}
	}
	return words
}

func (t entryTarget) equal(o entryTarget) bool {
	return slices.Equal(t.argv, o.argv) && t.url == o.url && maps.Equal(t.env, o.env)
}

// isLectern reports whether it leads to a Lectern: this one, one in another
// folder, or a hub.
func (t entryTarget) isLectern(s Server) bool {
	if len(t.argv) > 0 {
		name := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(t.argv[0], `\`, "/"))), ".exe")
		return t.argv[0] == s.Bin || name == "lectern" && len(t.argv) > 1 && t.argv[1] == "serve"
	}
	u, err := url.Parse(t.url)
	if err != nil || t.url == "" {
		return false
	}
	host := u.Hostname()
	return (host == "127.0.0.1" || host == "localhost") && (u.Path == "/mcp" || strings.HasPrefix(u.Path, "/mcp/")) &&
		(s.URL == "" || u.Port() == urlPort(s.URL))
}

// belongsTo reports whether this instance of Lectern made the entry: a command
// says by its folder variables which instance it runs, an address only by its receipt.
// Without LECTERN_HOME an address at our port is ours as well, and so is a command
// that lacks some of our other variables: see missingVariables.
func (t entryTarget) belongsTo(s Server, recorded bool) bool {
	if len(t.argv) == 0 {
		return recorded || s.Env[homeVariable] == ""
	}
	for name, value := range t.env {
		if s.Env[name] != value {
			return false
		}
	}
	return t.env[homeVariable] == s.Env[homeVariable]
}

// missingVariables are our folder variables that the entry does not set, as NAME=VALUE.
func (t entryTarget) missingVariables(s Server) []string {
	missing := maps.Clone(s.Env)
	maps.DeleteFunc(missing, func(name, value string) bool { return t.env[name] == value })
	return describeEnv(missing)
}

// differences are our folder variables and those of the entry where they are not equal, as
// what to do about; empty: they are equal, or name two instances.
func (t entryTarget) differences(s Server) string {
	if t.url != "" || t.env[homeVariable] != "" || s.Env[homeVariable] != "" {
		return ""
	}
	passed, own := maps.Clone(t.env), maps.Clone(s.Env)
	maps.DeleteFunc(passed, func(name, value string) bool { return s.Env[name] == value })
	maps.DeleteFunc(own, func(name, value string) bool { return t.env[name] == value })
	or := func(list []string) string { return cmp.Or(strings.Join(list, " "), "the usual folders") }
	return "it starts Lectern with " + or(describeEnv(passed)) + ", and here are " + or(describeEnv(own))
}

// readFolderVariables are the folder variables that count in the environment of an
// entry.
func (m Machine) readFolderVariables(env map[string]any) map[string]string {
	value := func(name string) string { text, _ := env[name].(string); return text }
	return config.FolderVariables(value, m.OS, m.Home)
}

// describeEnv writes variables as NAME=VALUE, in the order of their names.
func describeEnv(env map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// owner names the instance of Lectern that the entry runs.
func (t entryTarget) owner() string {
	switch {
	case t.url != "":
		return "the Lectern at " + t.url
	case len(t.env) == 0:
		return "the Lectern without " + homeVariable
	}
	return "the Lectern with " + strings.Join(describeEnv(t.env), " ")
}

func urlPort(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Port()
}

// String is for messages.
func (t entryTarget) String() string {
	if t.url != "" {
		return t.url
	}
	b, err := json.Marshal(t.argv)
	if err != nil || len(t.argv) == 0 {
		return "nothing"
	}
	return string(b)
}
