package toolstest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// commonKeys are the keys that every [[source]] table has; a System must not
// declare one of the same name.
var commonKeys = []string{"name", "kind", "read_only", "effects", "ask", "exclude", "only"}

// checkConfigKeys checks the keys of the configuration: people set them one by
// one, so they are described, flat, and of types that can be typed.
func checkConfigKeys(r Reporter, m *tools.Manifest) {
	r.Helper()
	if m.RemoteKey != "" && m.Config.Properties[m.RemoteKey] == nil {
		r.Errorf("the key of a service elsewhere, %s, is no configuration key", m.RemoteKey)
	}
	for name, p := range m.Config.Properties {
		what := "configuration key " + name
		if !argumentName.MatchString(name) || slices.Contains(commonKeys, name) {
			r.Errorf("%s: a name must be letters, digits, _ and -, and not one that every source has", what)
		}
		if p.Description == "" {
			r.Errorf("%s: has no description", what)
		}
		if !canBeTyped(p) {
			r.Errorf("%s: must be text, a whole number, a boolean, a list or a map of texts, a folder or a secret", what)
		}
		if isSecret(p) && (p.Default != nil || p.Examples != nil || p.Enum != nil) {
			r.Errorf("%s: a secret has no default, examples or choices", what)
		}
	}
}

func canBeTyped(p *jsonschema.Schema) bool {
	switch p.Type {
	case "string", "integer", "boolean":
		return true
	case "array":
		return p.Items != nil && p.Items.Type == "string"
	case "object":
		return p.AdditionalProperties != nil && p.AdditionalProperties.Type == "string"
	}
	return false
}

func isSecret(p *jsonschema.Schema) bool { return p.Format == "secret-reference" }

func checkSample(r Reporter, m *tools.Manifest) {
	r.Helper()
	s := m.Sample
	if s == nil {
		return
	}
	if s.Title == "" {
		r.Errorf("sample: has no title, from which the source gets its name")
	}
	if key := m.Config.Properties[s.Key]; (s.Files == nil) != (s.Key == "") || s.Key != "" && (key == nil || key.Format != "folder") {
		r.Errorf("sample: key %q must be a folder of the configuration if there are files, and empty if there are none", s.Key)
	}
	for key := range s.Keys {
		if m.Config.Properties[key] == nil {
			r.Errorf("sample: %q is no configuration key", key)
		}
	}
}

func checkEnvironment(r Reporter, m *tools.Manifest) {
	r.Helper()
	for _, v := range m.Environment {
		if !variableName.MatchString(v.Name) || v.Doc == "" || m.Config.Properties[v.Key] == nil {
			r.Errorf("variable %q: needs a name of capitals, a description, and a configuration key; it has %q", v.Name, v.Key)
		}
	}
	if len(m.Environment) > 0 && !slices.ContainsFunc(m.Environment, func(v tools.EnvironmentVariable) bool { return v.Required }) {
		r.Errorf("environment: no variable is required, so the source would always be there")
	}
}

// checkSecrets opens a source whose secrets cannot be read, and one whose
// secrets are in the configuration itself: the error says what to do, and the
// secret is in no error.
func checkSecrets(s *suite) {
	s.Helper()
	const secret = "zz-hunter2"
	for name, p := range s.manifest.Config.Properties {
		if !isSecret(p) {
			continue
		}
		for _, value := range []any{secret, []string{secret}} {
			raw, err := json.Marshal(map[string]any{name: value})
			if err != nil {
				s.Fatalf("marshal: %v", err)
			}
			o, err := s.kind.Open(s.ctx(), raw, newEnv("one"))
			if err == nil {
				_ = o.Close()
				s.Errorf("open with a secret as %s: no error", name)
			} else if strings.Contains(err.Error(), secret) {
				s.Errorf("open with a secret as %s: the error repeats it", name)
			}
		}
		checkSecretUse(s, name, secret)
	}
}

// checkSecretUse opens the fixture with a secret for a key: one that cannot be
// read, and one that neither errors nor the log may repeat.
func checkSecretUse(s *suite, name, secret string) {
	s.Helper()
	fixture := s.fixture(s.tb)
	config := map[string]any{}
	raw, err := json.Marshal(fixture.Config)
	if err != nil || json.Unmarshal(raw, &config) != nil {
		s.Fatalf("the fixture's configuration is no object: %v", err)
	}
	if config == nil {
		config = map[string]any{}
	}
	config[name] = "env:ZZ"
	if raw, err = json.Marshal(config); err != nil {
		s.Fatalf("marshal: %v", err)
	}
	var log bytes.Buffer
	open := func(reveal tools.Reveal) error {
		env := newEnv("one")
		env.Peer, env.Privacy, env.Reveal, env.Log = fixture.Peer, fixture.Privacy, reveal, slog.New(slog.NewTextHandler(&log, nil))
		o, err := s.kind.Open(s.ctx(), raw, env)
		if err == nil {
			err = errors.Join(o.Check(s.ctx()), o.Close())
		}
		return err
	}
	unreadable := tools.Errorf(tools.Unavailable, "read secret env:ZZ: the variable is not set")
	err = open(func(context.Context, tools.Secret) (string, error) { return "", unreadable })
	if err != nil && tools.AsError(err).Code != tools.Unavailable {
		s.Errorf("open with %s that cannot be read: want unavailable, got %v", name, err)
	}
	err = open(func(_ context.Context, r tools.Secret) (string, error) {
		if r.IsZero() {
			return "", nil
		}
		return secret, nil
	})
	if err != nil && strings.Contains(err.Error(), secret) {
		s.Errorf("open with %s: the error repeats the secret", name)
	}
	if strings.Contains(log.String(), secret) {
		s.Errorf("open with %s: the secret is in the log", name)
	}
}
