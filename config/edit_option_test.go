package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetOption(t *testing.T) {
	const file = "# mine\n[hub] # the hub\n# why 1\nport = 1 # not the usual\nhttp = true\n\n[[source]]\nname = \"n\"\nkind = \"k\"\npath = \"/n\"\n"
	schema := Schema{Kinds: map[string][]Key{"k": {{Name: "path", Type: Folder}}}}
	for _, tt := range []struct{ name, text, key, typed, want string }{
		{"in place", file, "hub.port", "4711", strings.Replace(file, "port = 1 #", "port = 4711 #", 1)},
		{"another key of the table", file, "hub.idle_after", "90s", strings.Replace(file, "http = true\n", "http = true\nidle_after = '90s'\n", 1)},
		{"another table", file, "limits.in_flight", "3", file + "\n[limits]\nin_flight = 3\n"},
		{"a list", file, "bridge.origins", "file://, null", file + "\n[bridge]\norigins = ['file://', 'null']\n"},
		{"back to the default", file, "hub.port", "", strings.Replace(file, "port = 1 # not the usual\n", "", 1)},
		{"not there", file, "update.pin", "", file},
		{"windows", strings.ReplaceAll(file, "\n", "\r\n"), "hub.http", "false", strings.ReplaceAll(strings.Replace(file, "http = true", "http = false", 1), "\n", "\r\n")},
		{"no file", "", "hub.port", "3", fileHeader + "\n[hub]\nport = 3\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Default("/c/config.toml", schema)
			if tt.text != "" {
				var err error
				if c, err = Parse("/c/config.toml", []byte(tt.text), schema); err != nil {
					t.Fatal(err)
				}
			}
			edit, err := c.SetOption(tt.key, tt.typed)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(tt.want, "'", `"`), strings.ReplaceAll(string(edit.After), "'", `"`)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ text, key, typed, want string }{
		{"", "hub.prot", "1", "did you mean hub.port?"},
		{"", "hub.port", "many", "hub.port: must be a whole number from 1 to 65535"},
		{"", "hub.port", "70000", "hub.port: must be a whole number from 1 to 65535"},
		{"", "hub.http", "yes", "hub.http: must be true or false"},
		{"", "limits.deadline", "10ms", `limits.deadline: must be at least "1s"`},
		{"", "bridge.origins", "*", "bridge.origins: must be one origin"},
		{"", "hub.idle_after", "1s\"\nport = 1", "hub.idle_after: must be a duration"},
		{"hub.port = 3\n", "hub.http", "false", "with an editor"},
		{"hub = { port = 3 }\n", "hub.http", "false", ""},
	} {
		c, err := Parse("/c/config.toml", []byte(tt.text), Schema{})
		if err != nil {
			t.Fatal(err)
		}
		if edit, err := c.SetOption(tt.key, tt.typed); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s = %s: %v, want %s; the text is %q", tt.key, tt.typed, err, tt.want, edit.After)
		}
	}
}

// Every field of the tables that are there once is a setting, so that people
// can see and set it, and its default can be typed.
func TestEveryFieldIsASetting(t *testing.T) {
	fields := 0
	for _, v := range []any{Hub{}, Limits{}, Journal{}, Bridge{}, Listen{}, Update{}} {
		fields += reflect.TypeOf(v).NumField()
	}
	c := Default("/c/config.toml", Schema{})
	list := c.Settings()
	if len(list) != fields {
		t.Errorf("%d settings, %d fields", len(list), fields)
	}
	for _, s := range list {
		if s.Value != s.Default || s.Set || s.Description == "" {
			t.Errorf("%+v", s)
		}
		if s.Default == "" {
			continue
		}
		edit, err := c.SetOption(s.Key, s.Default)
		if err != nil {
			t.Errorf("%s: %v", s.Key, err)
			continue
		}
		now, err := Parse(c.Path, edit.After, c.schema)
		if err != nil {
			t.Errorf("%s: %v", s.Key, err)
			continue
		}
		if got, err := now.Setting(s.Key); err != nil || got.Value != s.Default || !got.Set || got.Line == 0 {
			t.Errorf("%s = %s reads %+v, %v", s.Key, s.Default, got, err)
		}
	}
}
