package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lectern-mcp/lectern/config"
)

var schema = config.Schema{
	Kinds: map[string][]config.Key{
		"markdown": {{Name: "path", Type: config.Folder, Description: "the folder that holds the pages", Required: true}, {Name: "tenant", Type: config.Text}},
		"cards": {
			{Name: "url", Type: config.Text},
			{Name: "limit", Type: config.Integer},
			{Name: "open", Type: config.Boolean},
			{Name: "tags", Type: config.List},
			{Name: "titles", Type: config.Map},
			{Name: "key", Type: config.Secret},
			{Name: "inbox", Type: config.Folder},
		},
	},
	Tools: map[string][]string{"markdown": {"get_tree", "move_page"}},
	CheckSecret: func(reference string) error {
		if !strings.HasPrefix(reference, "env:") && !strings.HasPrefix(reference, "file:") {
			return errors.New("not a reference")
		}
		return nil
	},
	Home:     "/home/me",
	Effects:  []string{"read", "write", "delete", "run", "admin"},
	Verdicts: []string{"allow", "always", "ask", "deny"},
	CheckPrivacyRule: func(rule, _ string) error {
		if strings.HasPrefix(rule, "colour:") {
			return errors.New("colour: is not a privacy rule")
		}
		return nil
	},
}

const file = "/etc/lectern/config.toml"

func TestParse(t *testing.T) {
	got, err := config.Parse(file, []byte("\ufeff"+`# mine
[hub]
port = 4000
idle_after = "1h30m"
http = false

[bridge]
plain_token = true
origins = ["file://", "null"]

[[source]]
name = "notes"
kind = "markdown"
path = "~/notes"
tenant = "a"
read_only = true
effects = ["read"]
exclude = ["Private/**", "#secret"]
only = ["namespace:Work"]

[[source]]
name = "rel"
kind = "markdown"
path = "here"

[[source]]
name = "wiki"
kind = "cards"
url = "http://127.0.0.1:1"

[update]
check = false
mirror = "https://example.com/lectern"
pin = "1.2.3"

[limits]
approval = "1m"

[[client]]
name = "cursor"
source = "notes"
token = true
effects = ["read"]
ask = ["read"]
elicit = false

[[rule]]
do = "deny"
client = "c*"
proven = true
source = "n?"
effects = ["write"]
tool = "*_page"
path = "a/**"
schema = "ab"
`), schema)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{
		Path:    file,
		Hub:     config.Hub{Port: 4000, IdleAfter: 90 * time.Minute, DataMarker: true, OwnChanges: true},
		Limits:  config.Limits{Deadline: 30 * time.Second, InFlight: 32, Approval: time.Minute, BreakerDeletes: 100, BreakerBytes: 32 << 20},
		Journal: config.Journal{Keep: 90 * 24 * time.Hour, Max: 512},
		Bridge:  config.Bridge{PlainToken: true, Origins: []string{"file://", "null"}},
		Update:  config.Update{Check: false, Mirror: "https://example.com/lectern", Pin: "1.2.3"},
		Sources: []config.Source{
			{
				Name: "notes", Kind: "markdown", Path: "/home/me/notes", ReadOnly: true, Effects: []string{"read"}, Exclude: []string{"Private/**", "#secret"}, Only: []string{"namespace:Work"},
				Options: []byte(`{"path":"/home/me/notes","tenant":"a"}`), Line: 11,
			},
			{Name: "rel", Kind: "markdown", Path: "/etc/lectern/here", Options: []byte(`{"path":"/etc/lectern/here"}`), Line: 21},
			{Name: "wiki", Kind: "cards", Options: []byte(`{"url":"http://127.0.0.1:1"}`), Line: 26},
		},
		Clients: []config.Client{{Name: "cursor", Source: "notes", Token: true, Effects: []string{"read"}, Ask: []string{"read"}, Elicit: new(bool), Line: 39}},
		Rules: []config.Rule{{
			Do: "deny", Client: "c*", Proven: true, Source: "n?", Effects: []string{"write"}, Tool: "*_page", Path: "a/**", Schema: "ab", Line: 47,
		}},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(config.Config{})); d != "" {
		t.Error(d)
	}
}

// A fault names its position, what is allowed and the nearest word.
func TestFaults(t *testing.T) {
	source := "[[source]]\nname = \"a\"\nkind = \"markdown\"\npath = \"/a\"\n"
	for text, want := range map[string]string{
		"prot = 1":                                   "1:1: prot: unknown key (allowed: bridge, client, hub, journal, limits, listen, rule, source, system, update)",
		"[hub]\nprot = 1":                            "2:1: hub.prot: unknown key, did you mean port? (allowed: data_marker, http, idle_after, own_changes, port)",
		"[hub]\nport = 70000":                        "2:8: hub.port: must be a whole number from 1 to 65535",
		"[hub]\nport = \"12\"":                       "2:8: hub.port: must be a whole number from 1 to 65535",
		"[hub]\nhttp = 1":                            "2:8: hub.http: must be true or false",
		"[hub]\nidle_after = 10":                     `2:14: hub.idle_after: must be a duration in quotes, such as "90s", "10m" or "1h30m"`,
		"[hub]\nidle_after = \"-1s\"":                `2:14: hub.idle_after: must be at least "0s", got "-1s"`,
		"[bridge]\norigins = \"x\"":                  `2:11: bridge.origins: must be a list of origins, such as ["file://"]`,
		"[logseq]\norigins = [\"*\"]":                `2:12: bridge.origins[0]: must be one origin exactly as the browser sends it`,
		"[logseq]\nplain_token = 1":                  "2:15: bridge.plain_token: must be true or false",
		"hub = 1":                                    "1:7: hub: must be a table, [hub]",
		"hub = {port = 1, htp = true}":               "1:18: hub.htp: unknown key, did you mean http? (allowed: data_marker, http, idle_after, own_changes, port)",
		"[hub]\nport = 1\nport = 2":                  "3:1: not valid TOML: ",
		"[hub\nport = 1":                             "1:5: not valid TOML: ",
		"[[sorce]]":                                  "1:3: sorce: unknown key, did you mean source? (allowed: bridge, client, hub, journal, limits, listen, rule, source, system, update)",
		"[source]\nname = \"a\"":                     "1:2: source: must be written as [[source]], with two brackets, because there may be several",
		"source = [1]":                               "1:1: source: must be a list of tables",
		source + "readonly = true":                   "5:1: source[0].readonly: unknown key, did you mean read_only? (allowed: ask, effects, exclude, kind, name, only, path, read_only, role, tenant, tools)",
		source + "read_only = \"yes\"":               "5:13: source[0].read_only: must be true or false",
		source + "effects = [\"raed\"]":              "5:12: source[0].effects[0]: unknown effect, did you mean read? (allowed: admin, delete, read, run, write)",
		source + "effects = \"read\"":                "5:11: source[0].effects: must be a list of read, write, delete, run, admin, such as [\"read\"]",
		source + source:                              "6:8: source[1].name: a is already the name of the source in line 1; names must be unique",
		"[[source]]\nname=\"a\"":                     "1:3: source[0]: kind is missing (allowed: cards, markdown)",
		"[[source]]\nname=\"a\"\nkindd=\"markdown\"": "3:1: source[0].kindd: unknown key, did you mean kind?",
		"[[source]]\nkind=\"markdown\"":              "1:3: source[0]: name is missing; it is what agents call the source, such as \"notes\"",
		"[[source]]\nkind=\"markdwon\"":              "2:6: source[0].kind: unknown kind, did you mean markdown? (allowed: cards, markdown)",
		"[[source]]\nname=\"My Notes\"":              `2:6: source[0].name: "My Notes" may contain only lower-case letters, digits and hyphens; how about "my-notes"?`,
		source + "tenant = 2\npath2 = inf":           "6:1: source[0].path2: unknown key, did you mean path? (allowed: ask, effects, exclude, kind, name, only, path, read_only, role, tenant, tools)",
		source + "read_only = true\neffects = [\"read\", \"write\"]": "6:20: source[0].effects[1]: a source with read_only = true grants only read; remove one of the two",
		source + "ask = [\"wirte\"]":                                 "5:8: source[0].ask[0]: unknown effect, did you mean write?",
		"[limits]\napproval = \"1s\"":                                `2:12: limits.approval: must be at least "5s", got "1s"`,
		"[[client]]\neffects = [\"read\"]":                           "1:3: client[0]: name is missing",
		"[[client]]\nname = \"\"":                                    "2:8: client[0].name: must be one line of 1 to 400 bytes",
		"[[client]]\nname = \"a\"\nsorce = 1":                        "3:1: client[0].sorce: unknown key, did you mean source?",
		"[[client]]\nname = \"a\"\n[[client]]\nname = \"A\"":         "4:8: client[1].name: A already has a table for the same source in line 1; remove one of the two",
		"[client]\nname = \"a\"":                                     "1:2: client: must be written as [[client]]",
		"[[rule]]\ntool = \"x\"":                                     "1:3: rule[0]: do is missing (allowed: allow, always, ask, deny)",
		"[[rule]]\ndo = \"alow\"":                                    "2:6: rule[0].do: unknown verdict, did you mean allow?",
		"[[rule]]\ndo = \"deny\"\npath = \"[\"":                      `3:8: rule[0].path: "[" is not a valid pattern`,
		"[[rule]]\ndo = \"deny\"\neffects = []":                      "3:1: rule[0].effects: is empty",
		"[[rule]]\ndo = \"always\"\nsource = \"a\"":                  "2:6: rule[0].do: always needs source, and tool or path",
		"[[rule]]\ndo = \"deny\"\nwhom = \"a\"":                      "3:1: rule[0].whom: unknown key",
	} {
		_, err := config.Parse(file, []byte(text), schema)
		if err == nil {
			t.Errorf("%q: no error", text)
			continue
		}
		if want = file + ":" + want; !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %s\nwant %s", text, err, want)
		}
	}
}

// Limits themselves are allowed, and what is beyond them by one is not.
func TestLimitsAreAllowed(t *testing.T) {
	for text, ok := range map[string]bool{
		"[hub]\nport = 1": true, "[hub]\nport = 65535": true, "[hub]\nport = 0": false, "[hub]\nport = 65536": false,
		"[limits]\napproval = \"5s\"": true, "[limits]\napproval = \"4.999s\"": false, "[hub]\nidle_after = \"0s\"": true,
	} {
		if _, err := config.Parse(file, []byte(text), schema); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Faults come in the order of the file.
func TestFaultsAreInOrder(t *testing.T) {
	_, err := config.Parse(file, []byte("[limits]\napproval = \"1s\"\n[hub]\nport = 0\nprot = 1\n"), schema)
	var faults *config.Error
	if !errors.As(err, &faults) || len(faults.Faults) != 3 {
		t.Fatalf("%v", err)
	}
	for i, line := range []int{2, 4, 5} {
		if faults.Faults[i].Line != line {
			t.Errorf("fault %d is in line %d, want %d", i, faults.Faults[i].Line, line)
		}
	}
}

// A mark that cannot be read is a fault of its place, and so is a list of none.
func TestPrivacyRuleFaults(t *testing.T) {
	for _, c := range [][2]string{
		{`exclude = "Private"`, `5:11: source[0].exclude: must be a list of privacy rules, such as ["Private/**", "#secret"]`},
		{`only = []`, "5:1: source[0].only: must be a list of privacy rules"},
		{`exclude = ["a", 1]`, "5:17: source[0].exclude[1]: must be a privacy rule in quotes"},
		{`only = ["a", "colour:red"]`, "5:14: source[0].only[1]: colour: is not a privacy rule"},
	} {
		_, err := config.Parse(file, []byte("[[source]]\nname = \"a\"\nkind = \"markdown\"\npath = \"/a\"\n"+c[0]), schema)
		if want := file + ":" + c[1]; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", c[0], err, want)
		}
	}
}

func TestLoadWithoutFileIsTheDefaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "config.toml")
	c, err := config.Load(path, schema)
	if err != nil {
		t.Fatal(err)
	}
	if c.InFile() || c.Hub.Port != 12740 || !c.Hub.HTTP || c.Path != path {
		t.Errorf("got %+v", c)
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := config.Load(dir, schema); err == nil || !strings.Contains(err.Error(), dir+" is not a regular file") {
		t.Errorf("got %v", err)
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(big, schema); err == nil || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("got %v", err)
	}
}
