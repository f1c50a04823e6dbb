package logseq

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func peerSpec() *tools.PeerSpec[Config] {
	return &tools.PeerSpec[Config]{
		Skill:    "2.5.0", // with plugin/src/skill.ts
		Name:     func(c Config) string { return c.Graph },
		Describe: describeHello,
		Code:     peerCode,
		// Logseq gives these origins to the frames of its plugins.
		Origins: []string{"lsp://logseq.io", "lsp://logseq.com"},
		Opened:  openedFolders,
		Setup: []string{
			"Run: lectern plugin install",
			"Restart Logseq.",
			"Open the graph in Logseq; lectern status then shows the source as ready.",
		},
	}
}

// hello is the plugin's description of itself and of its Logseq.
type hello struct {
	Logseq       string   `json:"logseq_version"`
	Plugin       string   `json:"plugin_version"`
	SDK          string   `json:"sdk_version"`
	Skill        string   `json:"skill_version"`
	Session      string   `json:"session"` // new at every start of the plugin
	Capabilities []string `json:"api_capabilities"`
	Methods      []string `json:"methods"`
	// Lacking has, by capability, the methods that Logseq lacks for it.
	Lacking  map[string][]string `json:"lacking"`
	ReadOnly bool                `json:"read_only"` // a setting of the plugin
	Graph    struct {
		Name string `json:"name"` // as people know it
		URL  string `json:"url"`
		Kind string `json:"kind"` // db or file; empty: no graph is open
	} `json:"graph"`
	// hostName is the graph's name as Logseq itself tells it.
	hostName string
}

// Logseq puts these before the name of a graph: 2.x also where plugins ask for
// the name, though people never see it.
const (
	dbGraphPrefix   = "logseq_db_"
	fileGraphPrefix = "logseq_local_"
)

// bareGraphName is the name of a graph without Logseq's prefix.
func bareGraphName(name string) string {
	for _, prefix := range []string{dbGraphPrefix, fileGraphPrefix} {
		if bare, ok := strings.CutPrefix(name, prefix); ok && bare != "" {
			return bare
		}
	}
	return name
}

// parseHello returns what it could read even with an error.
func parseHello(raw json.RawMessage) (*hello, error) {
	h := &hello{}
	err := json.Unmarshal(raw, h)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s has the wrong type", wrong.Field)
	}
	h.hostName, h.Graph.Name = h.Graph.Name, bareGraphName(h.Graph.Name)
	return h, err
}

// Limits of a hello: a version is a few characters, a list has a few dozen
// entries, and all of it is shown to people.
const (
	maxVersionBytes = 128
	maxHelloEntries = 1000
)

func (h *hello) validate() error {
	for _, text := range []string{h.Logseq, h.Plugin, h.SDK, h.Skill, h.Session} {
		if len(text) > maxVersionBytes {
			return fmt.Errorf("a version or session has more than %d bytes", maxVersionBytes)
		}
	}
	if len(h.Capabilities) > maxHelloEntries || len(h.Methods) > maxHelloEntries || len(h.Lacking) > maxHelloEntries {
		return fmt.Errorf("api_capabilities, methods or lacking has more than %d entries", maxHelloEntries)
	}
	if !slices.Contains([]string{"", "db", "file"}, h.Graph.Kind) {
		return errors.New("graph.kind is neither db nor file")
	}
	return nil
}

// describeHello reads the hello of a plugin. One that has no logseq_version is
// of another application.
func describeHello(raw json.RawMessage) (info tools.PeerInfo, mine bool, err error) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // what is no object has no members
	if members["logseq_version"] == nil {
		return info, false, nil
	}
	h, err := parseHello(raw)
	if err == nil {
		err = h.validate()
	}
	if err != nil {
		return info, true, err
	}
	info.Key = cmp.Or(h.Graph.URL, h.hostName, "session "+h.Session)
	for _, name := range []string{h.Graph.Name, h.hostName, h.Graph.URL, bareGraphName(h.Graph.URL)} {
		if name != "" && !slices.Contains(info.Names, name) {
			info.Names = append(info.Names, name)
		}
	}
	if h.Graph.Name != "" {
		info.SourceKeys = map[string]string{"graph": h.Graph.Name}
	}
	for _, f := range []status.Fact{
		{Name: "Logseq", Value: h.Logseq},
		{Name: "plugin", Value: h.Plugin},
		{Name: "graph", Value: map[string]string{"db": "DB", "file": "file"}[h.Graph.Kind]},
		{Name: "SDK", Value: h.SDK},
		{Name: "skill", Value: h.Skill},
		{Name: "address", Value: h.Graph.URL},
	} {
		if f.Value != "" {
			info.Facts = append(info.Facts, f)
		}
	}
	for _, c := range Capabilities() {
		if c.Has(h.Graph.Kind) {
			info.Capabilities = append(info.Capabilities, status.Capability{Key: c.Key, Title: c.Title, Reason: h.missingReason(c)})
		}
	}
	return info, true, nil
}

// missingReason says why this Logseq does not offer c; empty: it does.
func (h *hello) missingReason(c Capability) string {
	version, lacking := cmp.Or(h.Logseq, "of an unknown version"), h.Lacking[c.Key]
	switch {
	case slices.Contains(h.Capabilities, c.Key):
		return ""
	case h.Graph.Kind == "":
		return "no graph is open"
	case !c.Has(h.Graph.Kind):
		return "a " + graphKindTitle(h.Graph.Kind) + " does not support it"
	case len(lacking) > 0:
		return fmt.Sprintf("this Logseq (%s) has no method %s", version, cleanMessage(strings.Join(lacking, ", ")))
	case len(h.Capabilities) == 0:
		return "the plugin has not reported its capabilities"
	case c.writes() && h.ReadOnly:
		return "the plugin is set to read-only in its Logseq settings"
	case (c.Key == "datascript.query" || c.Key == "query.own") && slices.Contains(h.Capabilities, "pages.read"):
		return "the plugin hides pages or tags, and a query could reveal them"
	default:
		return fmt.Sprintf("this Logseq (%s) does not support it: update Logseq and the plugin", version)
	}
}

// openedFolders learns from the names of Logseq's cache files which folders it
// has opened as file graphs.
func openedFolders(home fs.FS) (folders []string) {
	entries, err := fs.ReadDir(home, ".logseq/graphs")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".transit"), fileGraphPrefix)
		path := filepath.FromSlash(strings.ReplaceAll(name, "++", "/"))
		if ok && filepath.IsAbs(path) {
			folders = append(folders, path)
		}
	}
	return folders
}

// peerCode is the meaning of an error code that the plugin sent.
func peerCode(code string) tools.Code {
	switch code {
	case "NOT_FOUND":
		return tools.NotFound
	case "INVALID_INPUT":
		return tools.Invalid
	case capabilityMissingCode:
		return tools.Unavailable
	case "TIMEOUT":
		return tools.Timeout
	default:
		return tools.Internal
	}
}
