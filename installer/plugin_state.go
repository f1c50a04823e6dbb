package installer

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// A PluginState is what of the plugin is installed in Logseq's folder.
type PluginState struct {
	Folder, Settings string // which may not exist
	ApplicationFound bool   // Logseq has a folder here: it has run
	Installed        bool
	Version          string // of the Lectern that installed it; empty: unknown
	Current          bool   // every file is as this build carries it
	Port             int    // in the settings; 0: none
	PortMatches      bool   // it is the hub's
	TokenMatches     bool   // it is the plugins' token
	HasToken         bool   // there is some token
	Private          bool   // other users cannot read the settings
	Disabled         bool   // disabled in Logseq
}

// PluginState reads the state and changes nothing.
func (m Machine) PluginState(plugin Plugin) (PluginState, error) {
	g := m.pluginInstall(plugin)
	s := PluginState{Folder: g.folder, Settings: g.settingsFile, ApplicationFound: isFolder(g.home)}
	if err := g.checkFolder(); err != nil {
		return s, err
	}
	set, err := readSettings(g.settingsFile)
	if err != nil {
		return s, err
	}
	s.Port, s.PortMatches, s.Disabled = set.port, set.port == g.Port, set.disabled
	s.HasToken, s.TokenMatches = strings.TrimSpace(set.token) != "", g.Token.Matches(set.token)
	s.Private = set.text == nil || g.isPrivate()
	if s.Installed = isFile(filepath.Join(g.folder, packageFile)); !s.Installed {
		return s, nil
	}
	text, err := readFileNoLink(filepath.Join(g.folder, versionFile))
	if err != nil {
		return s, err
	}
	var about struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(text, &about) == nil {
		s.Version = about.Version
	}
	p := m.proposal("")
	if err := g.writeFiles(p); err != nil {
		return s, err
	}
	s.Current = !p.Changes()
	return s, nil
}
