package app

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/tools"
)

// A Source is a knowledge base that a hub opens.
type Source struct {
	config.Source
	// Sample is set for the source that is served while the configuration has
	// none.
	Sample *tools.Sample
	// Variable is the environment variable that asks for the source; empty for
	// any other.
	Variable string
	// Data is the folder that the source has of its own; empty: it has none.
	Data string
}

// Location is what the source opens, for people: its folder, or else those of its
// keys that are text, or else its own folder.
func (s Source) Location() string {
	values := map[string]any{}
	if s.Path != "" {
		return s.Path
	}
	if len(s.Options) > 0 && json.Unmarshal(s.Options, &values) != nil {
		return s.Data
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if text, ok := values[key].(string); ok {
			parts = append(parts, key+"="+text)
		}
	}
	return cmp.Or(strings.Join(parts, " "), s.Data)
}

// Sources are those of the configuration and of the environment, and a sample if
// there are none.
func (a *App) Sources(c config.Config) []Source {
	var list []Source
	for _, s := range c.Sources {
		list = append(list, Source{Source: s})
	}
	for _, s := range a.EnvironmentSources() {
		if _, taken := c.Source(s.Name); !taken {
			list = append(list, s)
		}
	}
	if s, ok := a.sampleSource(); ok && len(list) == 0 {
		list = append(list, s)
	}
	for i, s := range list {
		if m, known := a.FindKind(s.Kind); known && m.Folders {
			list[i].Data = filepath.Join(a.Paths.SourceData(), SourceFolderName(s.Kind, s.Name))
		}
	}
	return list
}

// sampleSource is the first sample with files that a System brings.
func (a *App) sampleSource() (Source, bool) {
	for _, k := range a.Systems() {
		m := k.Manifest()
		if m.Sample != nil && m.Sample.Files != nil {
			name, keys := a.SampleSourceKeys(m)
			s := config.Source{Name: name, Kind: m.Name, Path: keys[m.Sample.Key], Options: optionsJSON(m, keys)}
			return Source{Source: s, Sample: m.Sample}, true
		}
	}
	return Source{}, false
}

// SampleSourceKeys are the name of the source with a System's sample, and its keys as
// people type them. The key of its folder names a folder that may not exist yet.
func (a *App) SampleSourceKeys(m *tools.Manifest) (name string, keys map[string]string) {
	name = config.NameFor(m.Sample.Title, m.Name, func(string) bool { return false })
	keys = map[string]string{}
	maps.Copy(keys, m.Sample.Keys)
	if m.Sample.Key != "" {
		keys[m.Sample.Key] = filepath.Join(a.Paths.Data, name)
	}
	return name, keys
}

// HasEnvironmentSources reports whether EnvironmentSources has any.
func (a *App) HasEnvironmentSources() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(a.Environment())), a.areRequiredSet)
}

// EnvironmentSources are the sources that environment variables ask for.
func (a *App) EnvironmentSources() (list []Source) {
	if !a.HasEnvironmentSources() {
		return nil
	}
	for _, k := range a.Systems() {
		m := k.Manifest()
		if !a.areRequiredSet(m.Environment) {
			continue
		}
		required := m.Environment[slices.IndexFunc(m.Environment, isVariableRequired)]
		keys := map[string]string{}
		for _, v := range m.Environment {
			if value := a.environmentValue(m, v); value != "" {
				keys[v.Key] = value
			}
		}
		s := config.Source{
			Name: cmp.Or(required.Source, m.Name), Kind: m.Name, Options: optionsJSON(m, keys), Effects: a.environmentEffects(), Ask: []string{},
			Tools: a.environmentTools(m),
		}
		for _, key := range ConfigKeys(m) {
			if key.Type == config.Folder && s.Path == "" {
				s.Path = keys[key.Name]
			}
		}
		list = append(list, Source{Source: s, Variable: required.Name})
	}
	return list
}

// allowEnv names the effects that agents have in the sources of the environment.
const allowEnv = "LECTERN_ALLOW"

// toolsEnv names the tools that agents see in the sources of the environment, besides the
// default list of each: [config.AllTools], or names separated by commas.
const toolsEnv = "LECTERN_TOOLS"

// environmentTools are the tools of a kind that toolsEnv names; nil: none.
func (a *App) environmentTools(m *tools.Manifest) (named []string) {
	for _, name := range splitList(a.Getenv(toolsEnv)) {
		if t, ok := m.Tool(name); name == config.AllTools || ok && !t.Unlisted {
			named = append(named, name)
		}
	}
	return named
}

// checkEnvironmentTools refuses names in toolsEnv that no source of the environment has, or
// that allowEnv leaves out.
func (a *App) checkEnvironmentTools() error {
	var known, taken []string
	for _, k := range a.Systems() {
		m := k.Manifest()
		if !a.areRequiredSet(m.Environment) {
			continue
		}
		known, taken = append(known, a.ConfigSchema().Tools[m.Name]...), append(taken, a.environmentTools(m)...)
	}
	for _, name := range splitList(a.Getenv(toolsEnv)) {
		if len(known) > 0 && !slices.Contains(taken, name) {
			hint := ""
			if near := nearest.Word(name, known); near != "" {
				hint = ", did you mean " + near + "?"
			}
			return UsageErrorf("%s: no tool named %q%s (want %s, or names separated by commas)", toolsEnv, name, hint, config.AllTools)
		}
	}
	return a.checkAllowedTools()
}

// checkAllowedTools refuses tools in toolsEnv whose effect allowEnv does not name.
func (a *App) checkAllowedTools() error {
	for _, s := range a.EnvironmentSources() {
		k := slices.IndexFunc(a.Systems(), func(k tools.Kind) bool { return k.Manifest().Name == s.Kind })
		for _, name := range s.Tools {
			if t, ok := a.Systems()[k].Manifest().Tool(name); ok && !slices.Contains(s.Effects, string(t.Effect)) {
				return UsageErrorf("%s: the tool %s needs %s, which %s does not allow", toolsEnv, name, t.Effect, allowEnv)
			}
		}
	}
	return nil
}

// EnvironmentVariables are those that belong to no System, with what they are for.
func EnvironmentVariables() []tools.EnvironmentVariable {
	return []tools.EnvironmentVariable{
		{Name: toolsEnv, Doc: "tools besides the default list: " + config.AllTools + ", or names separated by commas"},
		{Name: allowEnv, Doc: "what agents may do: some of read, write, delete, run, which it is when omitted, and admin"},
	}
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// environmentEffects is what agents may do in the sources of the environment,
// of which nobody is asked anything: there is no panel to ask on.
func (a *App) environmentEffects() []string {
	allowed := []string{string(tools.Reads), string(tools.Writes), string(tools.Deletes), string(tools.Runs)}
	if value := a.Getenv(allowEnv); value != "" {
		allowed = splitList(value)
	}
	return allowed
}

// CheckEnvironment says what is wrong with the variables that belong to no System.
func (a *App) CheckEnvironment() error {
	for _, word := range a.environmentEffects() {
		if !slices.Contains(EffectNames(), word) {
			return UsageErrorf("%s: invalid effect %q (want some of %s, separated by commas)", allowEnv, word, strings.Join(EffectNames(), ", "))
		}
	}
	return a.checkEnvironmentTools()
}

func isVariableRequired(v tools.EnvironmentVariable) bool { return v.Required }

// areRequiredSet reports whether all that are Required are set, and there is one.
func (a *App) areRequiredSet(variables []tools.EnvironmentVariable) bool {
	return slices.ContainsFunc(variables, isVariableRequired) &&
		!slices.ContainsFunc(variables, func(v tools.EnvironmentVariable) bool { return v.Required && a.Getenv(v.Name) == "" })
}

// environmentValue is what a variable gives its key; empty if it is not set.
func (a *App) environmentValue(m *tools.Manifest, v tools.EnvironmentVariable) string {
	value := a.Getenv(v.Name)
	i := slices.IndexFunc(ConfigKeys(m), func(k config.Key) bool { return k.Name == v.Key })
	if value == "" || i < 0 {
		return value
	}
	switch ConfigKeys(m)[i].Type {
	case config.Folder:
		if abs, err := filepath.Abs(value); err == nil {
			return abs
		}
	case config.Secret:
		return "env:" + v.Name
	}
	return value
}

// optionsJSON are typed keys of a System as JSON.
func optionsJSON(m *tools.Manifest, typed map[string]string) json.RawMessage {
	values := map[string]any{}
	for _, k := range ConfigKeys(m) {
		if text, ok := typed[k.Name]; ok {
			values[k.Name] = k.Parse(text)
		}
	}
	b, err := json.Marshal(values)
	if err != nil {
		panic(err) // texts, numbers and lists of them cannot fail
	}
	return b
}

// ParseEffects converts effects as the configuration spells them. Nil stays nil,
// which is the default and not "none".
func ParseEffects(words []string) []tools.Effect {
	if words == nil {
		return nil
	}
	granted := []tools.Effect{}
	for _, word := range words {
		granted = append(granted, tools.Effect(word))
	}
	return granted
}

// EffectNames are the effects in the order shown to people.
func EffectNames() (names []string) {
	for _, e := range tools.Effects() {
		names = append(names, string(e))
	}
	return names
}

// GrantedEffects are the effects that every client has in the source, and those of them
// that agents need a person's approval for. byDefault: the configuration does
// not say which.
func (s Source) GrantedEffects() (effects, ask []tools.Effect, byDefault bool) {
	effects, ask = policy.ResolveSourceEffects(s.ReadOnly, ParseEffects(s.Effects), ParseEffects(s.Ask))
	return effects, ask, !s.ReadOnly && s.Effects == nil && s.Ask == nil
}

// DescribeGranted is GrantedEffects as words that follow "agents".
func (s Source) DescribeGranted() string {
	granted, ask, _ := s.GrantedEffects()
	return policy.DescribeEffects(granted, ask)
}
