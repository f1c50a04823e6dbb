package app

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// FindKind finds a System by its name.
func (a *App) FindKind(name string) (m *tools.Manifest, ok bool) {
	for _, k := range a.Systems() {
		if m := k.Manifest(); m.Name == name {
			return m, true
		}
	}
	return nil, false
}

// SourceKinds are the Systems of this build, for people who add a source.
func (a *App) SourceKinds() []status.SourceKind {
	list := []status.SourceKind{}
	for _, k := range a.Systems() {
		m := k.Manifest()
		kind := status.SourceKind{Kind: m.Name, Title: m.Title, Doc: m.Doc, Keys: []status.ConfigKey{}}
		for _, key := range ConfigKeys(m) {
			kind.Keys = append(kind.Keys, status.ConfigKey(key))
		}
		if m.Sample != nil {
			kind.Sample = m.Sample.Title
		}
		list = append(list, kind)
	}
	return list
}

// ConfigKeys are the keys of a System's sources, in the order of its Config.
func ConfigKeys(m *tools.Manifest) (keys []config.Key) {
	for _, name := range m.Config.PropertyOrder {
		p := m.Config.Properties[name]
		keys = append(keys, config.Key{
			Name: name, Type: keyType(p), Description: p.Description, Required: slices.Contains(m.Config.Required, name),
		})
	}
	return keys
}

func keyType(s *jsonschema.Schema) string {
	switch {
	case s.Format == "folder":
		return config.Folder
	case s.Format == "secret-reference":
		return config.Secret
	case s.Type == "integer":
		return config.Integer
	case s.Type == "boolean":
		return config.Boolean
	case s.Type == "array":
		return config.List
	case s.Type == "object":
		return config.Map
	}
	return config.Text
}
