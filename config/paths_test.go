package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/config"
)

func TestPathsFor(t *testing.T) {
	for name, c := range map[string]struct {
		goos, home string
		env        map[string]string
		want       config.Paths
		file       string
	}{
		"linux": {
			"linux", "/home/me", nil,
			config.Paths{
				Config: "/home/me/.config/lectern", Data: "/home/me/.local/share/lectern",
				State: "/home/me/.local/state/lectern",
			},
			"/home/me/.config/lectern/config.toml",
		},
		"xdg": {
			"linux", "/home/me",
			map[string]string{
				"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d/", "XDG_STATE_HOME": "relative", "XDG_RUNTIME_DIR": "/run/user/7",
			},
			config.Paths{Config: "/c/lectern", Data: "/d/lectern", State: "/home/me/.local/state/lectern"},
			"/c/lectern/config.toml",
		},
		"macOS": {
			"darwin", "/Users/me",
			map[string]string{"XDG_RUNTIME_DIR": "/x"},
			config.Paths{
				Config: "/Users/me/Library/Application Support/lectern", Data: "/Users/me/Library/Application Support/lectern/data",
				State: "/Users/me/Library/Application Support/lectern/state",
			},
			"/Users/me/Library/Application Support/lectern/config.toml",
		},
		"windows": {
			"windows", `C:\Users\me`,
			map[string]string{"APPDATA": `C:\Users\me\AppData\Roaming`},
			config.Paths{
				Config: `C:\Users\me\AppData\Roaming\lectern`, Data: `C:\Users\me\AppData\Local\lectern\data`,
				State: `C:\Users\me\AppData\Local\lectern\state`,
			},
			`C:\Users\me\AppData\Roaming\lectern\config.toml`,
		},
		"one directory": {
			"linux", "",
			map[string]string{"LECTERN_HOME": "/l", "XDG_RUNTIME_DIR": "/run"},
			config.Paths{Config: "/l", Data: "/l/data", State: "/l/state"},
			"/l/config.toml",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.PathsFor(func(k string) string { return c.env[k] }, c.goos, c.home)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" || got.File() != c.file {
				t.Errorf("file %s\n%s", got.File(), d)
			}
		})
	}
}

func TestPathsForNeedsAHome(t *testing.T) {
	none := func(string) string { return "" }
	if _, err := config.PathsFor(none, "linux", ""); err == nil || !strings.Contains(err.Error(), "LECTERN_HOME") {
		t.Errorf("got %v", err)
	}
	relative := func(k string) string { return map[string]string{"LECTERN_HOME": "x"}[k] }
	if _, err := config.PathsFor(relative, "linux", "/home"); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("got %v", err)
	}
}

func TestNameFor(t *testing.T) {
	taken := func(n string) bool { return n == "notes" || n == "notes-2" }
	for path, want := range map[string]string{
		"/x/My Notes (Work)": "my-notes-work", "/x/Café": "cafe", "/x/Заметки": "markdown", "/x/notes": "notes-3",
		"/": "markdown", "/x/---": "markdown", "/x/" + strings.Repeat("a", 60): strings.Repeat("a", 40),
	} {
		if got := config.NameFor(path, "markdown", taken); got != want || config.CheckName(got) != nil {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// What clients leave out of the environment, or write into it without moving anything, changes
// nothing: the hub is found by the state folder alone.
func TestEnvironmentsThatMoveNothing(t *testing.T) {
	usual, err := config.PathsFor(func(string) string { return "" }, "linux", "/home/me")
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "LECTERN_HOME"} {
		values := []string{"", "relative", "./x", "~/x"}
		switch variable {
		case "LECTERN_HOME": // which is an error where it is relative
			values = []string{""}
		case "XDG_RUNTIME_DIR":
			values = append(values, "/run/user/7", "/missing")
		case "XDG_STATE_HOME":
			values = append(values, "/home/me/.local/state", "/home/me/.local/state/")
		}
		for _, value := range values {
			env := map[string]string{variable: value}
			got, err := config.PathsFor(func(name string) string { return env[name] }, "linux", "/home/me")
			if err != nil || got != usual {
				t.Errorf("%s=%s: %+v, %v", variable, value, got, err)
			}
		}
	}
}

// Only what moves a folder is to be passed on to other programs.
func TestFolderVariables(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		goos string
		want map[string]string
	}{
		"nothing":        {nil, "linux", map[string]string{}},
		"usual places":   {map[string]string{"XDG_CONFIG_HOME": "/home/me/.config/", "XDG_STATE_HOME": "/home/me/.local/state"}, "linux", map[string]string{}},
		"not absolute":   {map[string]string{"XDG_DATA_HOME": "data"}, "linux", map[string]string{}},
		"no folder ours": {map[string]string{"XDG_RUNTIME_DIR": "/run/user/7", "XDG_CACHE_HOME": "/c"}, "linux", map[string]string{}},
		"moved": {
			map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"},
			"freebsd",
			map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"},
		},
		"a slash more":     {map[string]string{"XDG_STATE_HOME": "/s//", "XDG_DATA_HOME": "/"}, "linux", map[string]string{"XDG_STATE_HOME": "/s", "XDG_DATA_HOME": "/"}},
		"all in one":       {map[string]string{"LECTERN_HOME": "/l", "XDG_STATE_HOME": "/s"}, "linux", map[string]string{"LECTERN_HOME": "/l"}},
		"macOS":            {map[string]string{"XDG_STATE_HOME": "/s"}, "darwin", map[string]string{}},
		"Windows":          {map[string]string{"XDG_STATE_HOME": "/s", "APPDATA": `C:\a`}, "windows", map[string]string{}},
		"macOS all in one": {map[string]string{"LECTERN_HOME": "/l"}, "darwin", map[string]string{"LECTERN_HOME": "/l"}},
	} {
		got := config.FolderVariables(func(name string) string { return c.env[name] }, c.goos, "/home/me")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
