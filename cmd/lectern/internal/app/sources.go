package app

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	// SampleName is the source that is served while the configuration has none.
	SampleName = "welcome"
	// mirrorName is the source that MIRROR_DIR asks for.
	mirrorName = "mirror"
)

// A Source is a knowledge base that a hub opens.
type Source struct {
	config.Source
	Sample bool // the sample vault, which the configuration does not name
}

// Sources are those of the configuration, the mirror that the environment asks
// for, and the sample if there is neither.
func (a *App) Sources(c config.Config) []Source {
	var list []Source
	for _, s := range c.Sources {
		list = append(list, Source{Source: s})
	}
	mirror, wanted := a.Mirror()
	if wanted && !slices.ContainsFunc(list, func(s Source) bool { return s.Name == mirrorName }) {
		list = append(list, mirror)
	}
	if len(list) == 0 {
		dir := a.Paths.Sample()
		list = append(list, Source{
			Source: config.Source{Name: SampleName, Kind: "markdown", Path: dir, Options: jsonObject(map[string]string{"path": dir})}, Sample: true,
		})
	}
	return list
}

// Mirror is the folder of Markdown that MIRROR_DIR names; TENANT_ID is the
// directory inside it.
func (a *App) Mirror() (s Source, wanted bool) {
	dir := a.Getenv("MIRROR_DIR")
	if dir == "" {
		return s, false
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	keys := map[string]string{"path": dir}
	if tenant := a.Getenv("TENANT_ID"); tenant != "" {
		keys["tenant"] = tenant
	}
	return Source{Source: config.Source{Name: mirrorName, Kind: "markdown", Path: dir, Options: jsonObject(keys)}}, true
}

func jsonObject(keys map[string]string) json.RawMessage {
	b, err := json.Marshal(keys)
	if err != nil {
		panic(err) // a map of strings cannot fail
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

// DefaultEffects are what the source grants to every client.
func (s Source) DefaultEffects() []tools.Effect {
	switch {
	case s.ReadOnly:
		return []tools.Effect{tools.Reads}
	case s.Effects == nil:
		return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool { return e == tools.Admin })
	}
	return ParseEffects(s.Effects)
}
