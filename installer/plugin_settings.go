package installer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/aymanbagabas/go-udiff"
	"github.com/tailscale/hujson"

	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// The settings of the plugin that we write. All others are the user's.
const (
	portKey  = "port"
	tokenKey = "token"
)

// pluginSettings are the part of a settings file that matters here.
type pluginSettings struct {
	text     []byte // nil: there is no file
	fields   map[string]json.RawMessage
	port     int
	token    string
	disabled bool // in Logseq's list of plugins
}

// readSettings reads a settings file.
func readSettings(path string) (s pluginSettings, err error) {
	if s.text, err = readFileNoLink(path); err != nil || len(s.text) == 0 {
		return s, err
	}
	if err = json.Unmarshal(s.text, &s.fields); err == nil && s.fields == nil {
		err = errors.New("it is not an object")
	}
	if err != nil {
		return s, fmt.Errorf("read settings: %s: %w; fix it, or remove it and lose your settings of the plugin", path, err)
	}
	// A person may have typed values of other types; they are not what we wrote.
	_ = json.Unmarshal(s.fields[portKey], &s.port)
	_ = json.Unmarshal(s.fields[tokenKey], &s.token)
	_ = json.Unmarshal(s.fields["disabled"], &s.disabled)
	return s, nil
}

// withHub is the text with port and token; the rest stays as it is.
func (s pluginSettings) withHub(port int, token string) ([]byte, error) {
	if len(s.fields) == 0 {
		text, err := json.MarshalIndent(struct {
			Port  int    `json:"port"`
			Token string `json:"token"`
		}{port, token}, "", "  ")
		return append(text, '\n'), err
	}
	text, err := s.patch([]patchEdit{{"add", "/" + portKey, port}, {"add", "/" + tokenKey, token}})
	if err != nil {
		return nil, err
	}
	var now struct {
		Port  int    `json:"port"`
		Token string `json:"token"`
	}
	if err := json.Unmarshal(text, &now); err != nil || now.Port != port || now.Token != token {
		return nil, fmt.Errorf("it has %s or %s twice; remove one", portKey, tokenKey)
	}
	return text, nil
}

// withoutHub is the text without port and token.
func (s pluginSettings) withoutHub() ([]byte, error) {
	var edits []patchEdit
	for _, key := range []string{portKey, tokenKey} {
		if _, ok := s.fields[key]; ok {
			edits = append(edits, patchEdit{Op: "remove", Path: "/" + key})
		}
	}
	if edits == nil {
		return s.text, nil
	}
	return s.patch(edits)
}

// A patchEdit is an operation of a JSON Patch.
type patchEdit struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch is the text after a JSON Patch, which keeps comments and spaces.
func (s pluginSettings) patch(edits []patchEdit) ([]byte, error) {
	patch, err := json.Marshal(edits)
	if err != nil {
		return nil, err
	}
	v, err := hujson.Parse(s.text)
	if err != nil {
		return nil, err
	}
	if err := v.Patch(patch); err != nil {
		return nil, err
	}
	return v.Pack(), nil
}

// redacted is the text with a placeholder instead of the token.
func (s pluginSettings) redacted(placeholder string) string {
	if _, ok := s.fields[tokenKey]; !ok {
		return string(s.text)
	}
	text, err := s.withHub(s.port, placeholder)
	if err != nil {
		return ""
	}
	return string(text)
}

// writeSettings proposes to write port and token. The plan does not show the
// token; it is read when the step is carried out.
func (g pluginInstall) writeSettings(p *Proposal, path string, token func() (loopnet.Token, error)) error {
	old, err := readSettings(path)
	if err != nil {
		return err
	}
	if old.disabled {
		p.risk("the plugin is disabled in Logseq's list of plugins, and stays disabled")
	}
	before, after := "[another token]", "[the plugins' token]"
	if g.Token.Matches(old.token) {
		before = after
	}
	shown, err := old.withHub(g.Port, after)
	if err != nil {
		return fmt.Errorf("edit settings: %s: %w", path, err)
	}
	ch := fileChange{
		path: path, before: old.text, after: shown, perm: 0o600,
		receipt: receipt{Kind: settingsReceipt, ID: g.ID, Name: g.ID, Path: path},
	}
	step := status.Step{Description: ch.describe() + ", private to you", Diff: udiff.Unified(path, path, old.redacted(before), string(shown))}
	p.Add(step, func(context.Context) error {
		token, err := token()
		if err != nil {
			return err
		}
		if ch.after, err = old.withHub(g.Port, token.Reveal()); err != nil {
			return err
		}
		if ch.before != nil {
			if err := os.Chmod(path, 0o600); err != nil {
				return fmt.Errorf("make settings private: %w", err)
			}
		}
		return g.machine.apply(ch)
	})
	return nil
}

// isConnected reports whether settings lead to the hub, and only the user can
// read them.
func (g pluginInstall) isConnected(s pluginSettings) bool {
	return s.port == g.Port && g.Token.Matches(s.token) && g.isPrivate()
}

// isPrivate reports whether only the user can read the settings.
func (g pluginInstall) isPrivate() bool {
	info, err := os.Stat(g.settingsFile)
	return err == nil && (g.machine.OS == "windows" || info.Mode().Perm()&0o077 == 0)
}

// ensureToken is the plugins' token, which it creates if there is none.
func (g Plugin) ensureToken() (loopnet.Token, error) {
	if g.Token.Reveal() != "" {
		return g.Token, nil
	}
	return g.MakeToken()
}

// RotatePluginToken proposes to create a new token with MakeToken, in the file
// at path, and to write it into the settings of every Logseq that has the plugin.
func (m Machine) RotatePluginToken(plugin Plugin, path string) (*Proposal, error) {
	g := m.pluginInstall(plugin)
	p := m.proposal("Replace the plugins' token")
	var made loopnet.Token
	p.add("write a new token to "+path, func() (err error) {
		made, err = g.MakeToken()
		return err
	})
	paths, err := g.settingsFiles()
	if err != nil {
		return nil, err
	}
	g.Token = loopnet.Token{} // the old one no longer counts
	for _, path := range paths {
		if err := g.writeSettings(p, path, func() (loopnet.Token, error) { return made, nil }); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		p.risk("no Logseq is known to have the plugin")
	} else {
		p.NextSteps = append(p.NextSteps, "restart Logseq: it reads the settings of plugins when it starts")
	}
	p.risk("a connected plugin stays connected until Logseq or the hub restarts")
	return p, nil
}
