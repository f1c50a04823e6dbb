package config

import (
	"cmp"
	"errors"
	"strings"
)

// Paths are the directories that Lectern uses on disk. They may not exist yet.
type Paths struct {
	Config string // config.toml and nothing else
	Data   string // what the user would miss: the sample notes
	State  string // what can be lost: logs, tokens, and where the hub is found
}

// File returns the path of the configuration file.
func (p Paths) File() string { return p.Config + string(separator(p.Config)) + "config.toml" }

// PathsFor computes the directories for an operating system, as GOOS spells
// it. The variable LECTERN_HOME puts all of them under one directory.
// Otherwise they follow the XDG base directory specification, ~/Library on
// macOS and the known folders of Windows. home is the user's home directory,
// which may be empty if LECTERN_HOME is set.
func PathsFor(env func(string) string, goos, home string) (Paths, error) {
	at := pathJoiner{env: env, goos: goos, home: home}
	if top := env("LECTERN_HOME"); top != "" {
		if !at.absolute(top) {
			return Paths{}, errors.New("LECTERN_HOME is " + top + "; it must be an absolute path")
		}
		return Paths{Config: top, Data: at.join(top, "data"), State: at.join(top, "state")}, nil
	}
	if !at.absolute(home) {
		return Paths{}, errors.New("there is no home directory; set LECTERN_HOME to a directory for configuration, data and state")
	}
	var p Paths
	switch goos {
	case "windows":
		local := at.envDir("LOCALAPPDATA", "AppData", "Local")
		p.Config = at.join(at.envDir("APPDATA", "AppData", "Roaming"), "lectern")
		p.Data = at.join(local, "lectern", "data")
		p.State = at.join(local, "lectern", "state")
	case "darwin":
		support := at.join(home, "Library", "Application Support", "lectern")
		p = Paths{Config: support, Data: at.join(support, "data"), State: at.join(support, "state")}
	default:
		p.Config = at.join(at.xdgDir("XDG_CONFIG_HOME"), "lectern")
		p.Data = at.join(at.xdgDir("XDG_DATA_HOME"), "lectern")
		p.State = at.join(at.xdgDir("XDG_STATE_HOME"), "lectern")
	}
	return p, nil
}

// FolderVariables are the variables of an environment that move Lectern's folders from
// their usual places, with their values, written alike for equal folders. A program that starts a Lectern must pass them
// on, or the two have different folders.
func FolderVariables(env func(string) string, goos, home string) map[string]string {
	if top := env("LECTERN_HOME"); top != "" {
		return map[string]string{"LECTERN_HOME": trimSeparators(top, goos)}
	}
	moved := map[string]string{}
	if goos == "windows" || goos == "darwin" {
		return moved // no variable moves them, or every program has it
	}
	at := pathJoiner{env: env, goos: goos, home: home}
	for _, variable := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		usual := pathJoiner{env: func(string) string { return "" }, goos: goos, home: home}.xdgDir(variable)
		if dir := trimSeparators(at.xdgDir(variable), goos); dir != usual {
			moved[variable] = dir
		}
	}
	return moved
}

// trimSeparators is dir without separators at its end, so that equal folders are written
// alike.
func trimSeparators(dir, goos string) string {
	set := "/"
	if goos == "windows" {
		set = `/\`
	}
	return cmp.Or(strings.TrimRight(dir, set), dir)
}

// A pathJoiner joins paths as goos does, wherever it runs.
type pathJoiner struct {
	env        func(string) string
	goos, home string
}

// envDir returns the directory that a variable names, or else one under home.
// As the XDG specification says, a relative value is ignored.
func (p pathJoiner) envDir(variable string, under ...string) string {
	if dir := p.env(variable); p.absolute(dir) {
		return dir
	}
	return p.join(p.home, under...)
}

// xdgDir is envDir with the defaults of the XDG specification.
func (p pathJoiner) xdgDir(variable string) string {
	switch variable {
	case "XDG_DATA_HOME":
		return p.envDir(variable, ".local", "share")
	case "XDG_STATE_HOME":
		return p.envDir(variable, ".local", "state")
	}
	return p.envDir(variable, ".config")
}

func (p pathJoiner) join(dir string, names ...string) string {
	sep := "/"
	if p.goos == "windows" {
		sep = `\`
	}
	return strings.TrimRight(dir, sep) + sep + strings.Join(names, sep)
}

func (p pathJoiner) absolute(dir string) bool {
	if p.goos != "windows" {
		return strings.HasPrefix(dir, "/")
	}
	drive := len(dir) > 2 && dir[1] == ':' && (dir[2] == '\\' || dir[2] == '/')
	return drive || strings.HasPrefix(dir, `\\`)
}

// separator returns the separator that dir uses.
func separator(dir string) byte {
	if strings.Contains(dir, `\`) && !strings.HasPrefix(dir, "/") {
		return '\\'
	}
	return '/'
}
