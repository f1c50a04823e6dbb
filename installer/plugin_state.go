package installer

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// A PluginState is what of the plugin is installed in Logseq's folder.
type PluginState struct {
	Folder, Settings string // which may not exist
	Here             bool   // Logseq has a folder here: it has run
	Installed        bool
	Version          string // of the Lectern that installed it; empty: unknown
	Current          bool   // every file is as this build carries it
	Port             int    // in the settings; 0: none
	PortRight        bool   // it is the hub's
	TokenRight       bool   // it is the plugins' token
	HasToken         bool   // there is some token
	Private          bool   // other users cannot read the settings
	Disabled         bool   // disabled in Logseq
}

// PluginState reads the state and changes nothing.
func (m Machine) PluginState(g Plugin) (PluginState, error) {
	at := m.pluginPaths(g)
	s := PluginState{Folder: at.folder, Settings: at.settings, Here: isFolder(at.home)}
	if err := m.checkFolderIsOurs(at.folder, g.ID); err != nil {
		return s, err
	}
	set, err := readSettings(at.settings)
	if err != nil {
		return s, err
	}
	s.Port, s.PortRight, s.Disabled = set.port, set.port == g.Port, set.disabled
	s.HasToken, s.TokenRight = strings.TrimSpace(set.token) != "", g.Token.Matches(set.token)
	s.Private = set.text == nil || m.isPrivate(at.settings)
	if s.Installed = isFile(filepath.Join(at.folder, packageFile)); !s.Installed {
		return s, nil
	}
	text, err := readFileNoLink(filepath.Join(at.folder, versionFile))
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
	if err := m.pluginFiles(p, g, at.folder); err != nil {
		return s, err
	}
	s.Current = !p.Changes()
	return s, nil
}
