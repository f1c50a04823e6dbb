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

// The plugin's settings that are ours. All others are the user's.
const (
	portKey  = "port"
	tokenKey = "token"
)

// settings are what a settings file says that matters here.
type settings struct {
	text     []byte // nil: there is no file
	fields   map[string]json.RawMessage
	port     int
	token    string
	disabled bool // in Logseq's list of plugins
}

// readSettings reads a settings file.
func readSettings(path string) (s settings, err error) {
	if s.text, err = readFileNoLink(path); err != nil || len(s.text) == 0 {
		return s, err
	}
	if err = json.Unmarshal(s.text, &s.fields); err == nil && s.fields == nil {
		err = errors.New("it is not an object")
	}
	if err != nil {
		return s, fmt.Errorf("read settings: %s: %w; mend it, or remove it and lose what you have set for the plugin", path, err)
	}
	// What a person typed may be of any type; it is then not what we wrote.
	_ = json.Unmarshal(s.fields[portKey], &s.port)
	_ = json.Unmarshal(s.fields[tokenKey], &s.token)
	_ = json.Unmarshal(s.fields["disabled"], &s.disabled)
	return s, nil
}

// withHub is the text with port and token, all else as it was.
func (s settings) withHub(port int, token string) ([]byte, error) {
	if len(s.fields) == 0 {
		text, err := json.MarshalIndent(struct {
			Port  int    `json:"port"`
			Token string `json:"token"`
		}{port, token}, "", "  ")
		return append(text, '\n'), err
	}
	type edit struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	text, err := s.patch([]edit{{"add", "/" + portKey, port}, {"add", "/" + tokenKey, token}})
	if err != nil {
		return nil, err
	}
	var now struct {
		Port  int    `json:"port"`
		Token string `json:"token"`
	}
	if err := json.Unmarshal(text, &now); err != nil || now.Port != port || now.Token != token {
		return nil, fmt.Errorf("%s or %s stands in it twice; remove one", portKey, tokenKey)
	}
	return text, nil
}

// withoutHub is the text without port and token.
func (s settings) withoutHub() ([]byte, error) {
	type edit struct {
		Op   string `json:"op"`
		Path string `json:"path"`
	}
	if len(s.fields) == 0 {
		return s.text, nil
	}
	edits := []edit{}
	for _, key := range []string{portKey, tokenKey} {
		if _, ok := s.fields[key]; ok {
			edits = append(edits, edit{"remove", "/" + key})
		}
	}
	return s.patch(edits)
}

// patch is the text after a JSON Patch, which leaves comments and spaces be.
func (s settings) patch(edits any) ([]byte, error) {
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

// redacted is the text with words in the place of the token.
func (s settings) redacted(words string) string {
	if _, ok := s.fields[tokenKey]; !ok {
		return string(s.text)
	}
	text, err := s.withHub(s.port, words)
	if err != nil {
		return ""
	}
	return string(text)
}

// writeSettings proposes to write port and token, which is asked for when it is
// needed. The plan does not show it.
func (m Machine) writeSettings(p *Proposal, g Plugin, path string, token func() (loopnet.Token, error)) error {
	old, err := readSettings(path)
	if err != nil {
		return err
	}
	if old.disabled {
		p.risk("the plugin is switched off in Logseq's list of plugins, and stays so")
	}
	before, after := "[another token]", "[the plugins' token]"
	if g.Token.Matches(old.token) {
		before = after
	}
	shown, err := old.withHub(g.Port, after)
	if err != nil {
		return fmt.Errorf("edit settings: %s: %w", path, err)
	}
	ch := change{
		path: path, before: old.text, after: shown, perm: 0o600,
		receipt: receipt{Kind: settingsReceipt, ID: g.ID, Name: g.ID, Path: path},
	}
	step := status.Step{What: ch.describe() + ", private to you", Diff: udiff.Unified(path, path, old.redacted(before), string(shown))}
	p.step(step, func(context.Context) error {
		token, err := token()
		if err != nil {
			return err
		}
		if ch.after, err = old.withHub(g.Port, token.Reveal()); err != nil {
			return err
		}
		if ch.before != nil {
			if err := os.Chmod(path, 0o600); err != nil {
				return fmt.Errorf("make private: %w", err)
			}
		}
		return m.apply(ch)
	})
	return nil
}

// settingsMatch reports whether the settings at path lead to the hub, and are nobody
// else's to read.
func (m Machine) settingsMatch(g Plugin, path string) (bool, error) {
	s, err := readSettings(path)
	if err != nil || s.port != g.Port || !g.Token.Matches(s.token) {
		return false, err
	}
	return m.isPrivate(path), nil
}

func (m Machine) isPrivate(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (m.OS == "windows" || info.Mode().Perm()&0o077 == 0)
}

// ensureToken is the plugins' token, made where there is none.
func (g Plugin) ensureToken() (loopnet.Token, error) {
	if g.Token.Reveal() != "" {
		return g.Token, nil
	}
	return g.MakeToken()
}

// RotatePluginToken proposes to make a new token and to write it into the
// settings of every Logseq that has the plugin. MakeToken makes it, at place.
func (m Machine) RotatePluginToken(g Plugin, place string) (*Proposal, error) {
	p := m.proposal("Replace the plugins' token")
	var made loopnet.Token
	p.step(status.Step{What: "write a new token to " + place}, func(context.Context) (err error) {
		made, err = g.MakeToken()
		return err
	})
	paths, err := m.settingsFiles(g)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		g := g
		g.Token = loopnet.Token{} // none that is there is right any more
		if err := m.writeSettings(p, g, path, func() (loopnet.Token, error) { return made, nil }); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		p.risk("no Logseq has the plugin, as far as we know")
	} else {
		p.After = append(p.After, "restart Logseq, which reads the settings of plugins when it starts")
	}
	p.risk("a plugin that is connected now stays so until Logseq or the hub restarts")
	return p, nil
}
