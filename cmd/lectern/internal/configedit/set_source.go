package configedit

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// defaultAskEffects are what a source that asks before anything is written asks about.
var defaultAskEffects = []string{string(tools.Writes), string(tools.Deletes), string(tools.Runs)}

func (e Editor) proposeSetSource(c config.Config, a status.Action) (Proposal, error) {
	if a.Change == nil {
		return Proposal{}, errors.New("set source: missing what to change")
	}
	old, err := e.configuredSource(c, a.Target)
	if err != nil {
		return Proposal{}, fmt.Errorf("set source: %w", err)
	}
	wanted, err := applySourceChange(old, *a.Change)
	if err != nil {
		return Proposal{}, fmt.Errorf("set source: %w", err)
	}
	keys, err := e.ResolveKeyPaths(old.Kind, a.Change.Keys)
	if err != nil {
		return Proposal{}, fmt.Errorf("set source: %w", err)
	}
	edit, source, err := c.SetSource(old.Name, wanted, keys)
	if err == nil && len(keys) > 0 {
		err = e.checkSourceOptions(source)
	}
	if isInputError(err) {
		return Proposal{}, app.UsageErrorf("set source: %w", err)
	}
	if err != nil {
		return Proposal{}, fmt.Errorf("set source: %w", err)
	}
	p := newConfigProposal("Change source "+old.Name, edit)
	p.Source = source
	if edit.HasChanges() {
		e.warnAboutChange(&p, c, old)
	}
	return p, nil
}

// configuredSource is the source of the file with this name. The error for any
// other says why it cannot be changed.
func (e Editor) configuredSource(c config.Config, name string) (config.Source, error) {
	if s, ok := c.Source(name); ok {
		return s, nil
	}
	for _, s := range e.Sources(c) {
		switch {
		case s.Name != name:
		case s.Sample != nil:
			return config.Source{}, fmt.Errorf(
				"%s is the sample source, which has no settings; `lectern source add PATH` opens notes of your own", name)
		default:
			return config.Source{}, fmt.Errorf("%s comes from the environment (%s); change that", name, s.Variable)
		}
	}
	return config.Source{}, e.UnknownSourceError(c, name)
}

// UnknownSourceError is the error for a name that no source has.
func (e Editor) UnknownSourceError(c config.Config, name string) error {
	var names []string
	for _, s := range e.Sources(c) {
		names = append(names, s.Name)
	}
	return fmt.Errorf("no source named %q%s (sources: %s)", name, didYouMean(name, names), cmp.Or(strings.Join(names, ", "), "none"))
}

// applySourceChange is old with the changes that are common to all kinds.
func applySourceChange(old config.Source, change status.SourceChange) (s config.Source, err error) {
	s = old
	s.Name = cmp.Or(change.Name, old.Name)
	if change.ReadOnly != nil {
		s.ReadOnly = *change.ReadOnly
	}
	if change.Tools != nil {
		s.Tools = change.Tools
		if len(s.Tools) == 0 {
			s.Tools = nil
		}
	}
	if change.Ask != nil {
		s.Ask = []string{}
		if *change.Ask {
			s.Ask = defaultAskEffects
		}
	}
	if onlyReads := func(e string) bool { return e == string(tools.Reads) }; s.ReadOnly {
		if change.Ask != nil && *change.Ask {
			return s, errors.New("a read-only source writes nothing to ask about; leave out --ask, or add --read-only=false")
		}
		if slices.ContainsFunc(s.Effects, func(e string) bool { return !onlyReads(e) }) {
			s.Effects = nil // read_only grants reading alone
		}
		s.Ask = slices.DeleteFunc(slices.Clone(s.Ask), func(e string) bool { return !onlyReads(e) })
		if len(s.Ask) == 0 {
			s.Ask = nil
		}
	}
	if s.Exclude, err = applyPrivacyRuleChange("exclude", old.Exclude, change.Exclude); err != nil {
		return s, err
	}
	s.Only, err = applyPrivacyRuleChange("only", old.Only, change.Only)
	return s, err
}

// applyPrivacyRuleChange is a list of privacy rules after a change; nil if none is left.
func applyPrivacyRuleChange(key string, old []string, change status.RuleChange) ([]string, error) {
	rules := slices.Clone(old)
	if change.Replace {
		rules = nil
	}
	for _, rule := range change.Remove {
		i := slices.Index(rules, rule)
		if i < 0 {
			has := "it has none"
			if len(rules) > 0 {
				has = "it has " + strings.Join(rules, ", ")
			}
			return nil, fmt.Errorf("%s: there is no rule %q to remove; %s", key, rule, has)
		}
		rules = slices.Delete(rules, i, i+1)
	}
	for _, rule := range change.Add {
		if err := app.CheckPrivacyRule(rule); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	if len(rules) == 0 {
		return nil, nil
	}
	return rules, nil
}

// ResolveKeyPaths makes the paths among typed keys absolute: a process with another
// working directory may carry the change out.
func (e Editor) ResolveKeyPaths(kind string, typed map[string]string) (map[string]string, error) {
	m, ok := e.FindKind(kind)
	if !ok {
		return nil, app.UsageErrorf("unknown kind %q", kind)
	}
	keys := map[string]string{}
	for name, text := range typed {
		keys[name] = text
		key := keyNamed(m, name)
		file, isFile := strings.CutPrefix(text, "file:")
		switch {
		case text == "":
		case key.Type == config.Folder:
			folder, err := e.inspectFolder(text, kind)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			keys[name] = folder.Path
		case key.Type == config.Secret && isFile && file != "":
			abs, err := filepath.Abs(e.expandHome(file))
			if err != nil {
				return nil, fmt.Errorf("find file of %s: %w", name, err)
			}
			keys[name] = "file:" + abs
		}
	}
	return keys, nil
}

// keyNamed is a key of a kind; the zero value if it has none of that name.
func keyNamed(m *tools.Manifest, name string) config.Key {
	for _, key := range app.ConfigKeys(m) {
		if key.Name == name {
			return key
		}
	}
	return config.Key{}
}

// warnAboutChange says what follows from changing old.
func (e Editor) warnAboutChange(p *Proposal, c config.Config, old config.Source) {
	now := p.Source
	was, is := app.Source{Source: old}.DescribeGranted(), app.Source{Source: now}.DescribeGranted()
	if was != is {
		p.warn("agents %s; until now they %s", is, was)
	}
	for _, rule := range old.Exclude {
		if !slices.Contains(now.Exclude, rule) {
			p.warn("agents see what %q has hidden until now", rule)
		}
	}
	if len(old.Only) > 0 && !slices.Equal(old.Only, now.Only) {
		p.warn("agents see other pages than before: the rules of only change")
	}
	if old.Path != now.Path {
		p.Folder.Path = now.Path
		p.warnOverlaps(withoutSource(c, old.Name))
		p.warn("changes that agents made in %s can be undone only while the source opens it", old.Path)
	}
	if old.Name == now.Name {
		return
	}
	p.warn("grants, the history for undo and the source's own data move to the name %s; `lectern calls` keeps the former name", now.Name)
	p.warn("a client that was installed for %s only must be installed again, for %s", old.Name, now.Name)
	for _, r := range c.Rules {
		before, _ := path.Match(r.Source, old.Name)
		after, _ := path.Match(r.Source, now.Name)
		if r.Source != "" && r.Source != old.Name && before != after {
			applies := map[bool]string{true: "applies to it from now on", false: "no longer applies to it"}[after]
			p.warn("the [[rule]] in line %d for source = %q %s", r.Line, r.Source, applies)
		}
	}
}

func withoutSource(c config.Config, name string) config.Config {
	c.Sources = slices.DeleteFunc(slices.Clone(c.Sources), func(s config.Source) bool { return s.Name == name })
	return c
}
