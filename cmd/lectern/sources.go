package main

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/tools"
)

// sampleName is the source that is served while the configuration has none.
const sampleName = "welcome"

// mirrorName is the source that MIRROR_DIR asks for.
const mirrorName = "mirror"

// sources is what the hub opens: those of the configuration, the mirror that
// the environment asks for, and while there is none of either the sample.
func (w *world) sources(c config.Config) []hub.Source {
	var list []hub.Source
	for _, s := range c.Sources {
		list = append(list, hub.Source{
			Name: s.Name, Kind: s.Kind, ReadOnly: s.ReadOnly, Effects: effects(s.Effects), Options: s.Options, Place: s.Path,
			Privacy: privacy(s),
		})
	}
	if dir := w.env("MIRROR_DIR"); dir != "" && !slices.ContainsFunc(list, func(s hub.Source) bool { return s.Name == mirrorName }) {
		list = append(list, w.mirror(dir, w.env("TENANT_ID")))
	}
	if len(list) == 0 {
		list = append(list, w.sample())
	}
	return list
}

// effects keeps nil apart from none at all: nil is the hub's default.
func effects(words []string) []tools.Effect {
	if words == nil {
		return nil
	}
	granted := []tools.Effect{}
	for _, word := range words {
		granted = append(granted, tools.Effect(word))
	}
	return granted
}

// checkMark says what is wrong with a mark.
func checkMark(mark string) error {
	_, err := tools.ParsePrivacyRule(mark)
	return err
}

// privacy is what agents must not see of a source. Its marks were checked when
// the configuration was read; if one cannot be understood all the same,
// everything is hidden.
func privacy(s config.Source) tools.Privacy {
	var p tools.Privacy
	for _, text := range s.Exclude {
		m, err := tools.ParsePrivacyRule(text)
		if err != nil {
			return tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "**"}}}
		}
		p.Exclude = append(p.Exclude, m)
	}
	for _, text := range s.Only {
		m, err := tools.ParsePrivacyRule(text)
		if err != nil {
			return tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "**"}}}
		}
		p.Only = append(p.Only, m)
	}
	return p
}

// mirror is a folder of Markdown with one directory for each tenant.
func (w *world) mirror(dir, tenant string) hub.Source {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	keys := map[string]string{"path": dir}
	if tenant != "" {
		keys["tenant"] = tenant
	}
	return hub.Source{Name: mirrorName, Kind: "markdown", Options: object(keys), Place: dir}
}

func (w *world) sample() hub.Source {
	dir := w.sampleDir()
	return hub.Source{Name: sampleName, Kind: "markdown", Options: object(map[string]string{"path": dir}), Place: dir, Sample: true}
}

func (w *world) sampleDir() string { return filepath.Join(w.places.Data, sampleName) }

// object is a JSON object of strings, which cannot fail.
func object(keys map[string]string) json.RawMessage {
	b, err := json.Marshal(keys)
	if err != nil {
		panic(err)
	}
	return b
}
