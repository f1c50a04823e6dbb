package configedit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/discover"
	"github.com/lectern-mcp/lectern/config"
)

// findSameSource is the source that opens what s opens. A second source for it would
// have rules of its own, so that each allows what the other forbids; only a name
// of its own shows that a person wants that.
func findSameSource(sources []config.Source, s config.Source) (config.Source, bool) {
	for _, old := range sources {
		same := old.Path == "" && old.Kind == s.Kind && string(old.Options) == string(s.Options)
		if s.Path != "" {
			same = discover.SameFolder(old.Path, s.Path)
		}
		if same && (s.Name == "" || s.Name == old.Name) {
			return old, true
		}
	}
	return config.Source{}, false
}

// proposeExistingSource plans to add what old opens already. It changes nothing if old is as
// was asked for, and is an error otherwise: weaker rules would open old, and
// stricter ones in a second source would close nothing.
func proposeExistingSource(c config.Config, old, wanted config.Source, n newSource) (Proposal, error) {
	opens := cmp.Or(app.Source{Source: old}.Location(), "it")
	flags, ok := n.sourceSetArguments(old, wanted)
	if ok && len(flags) == 0 {
		p := newConfigProposal(fmt.Sprintf("Source %s already opens %s; nothing to change", old.Name, opens), c.Unchanged())
		p.Source, p.Folder = old, n.folder
		return p, nil
	}
	second := "for a second view of it with rules of its own, give that a name: --name NAME"
	if !ok {
		return Proposal{}, fmt.Errorf("add source: %s is open already as %s, of kind %s; %s", opens, old.Name, old.Kind, second)
	}
	return Proposal{}, fmt.Errorf("add source: %s is open already as %s. To change it: lectern source set %s %s; %s",
		opens, old.Name, old.Name, strings.Join(flags, " "), second)
}

// sourceSetArguments are the arguments of `lectern source set` that make old what a
// person asked for; ok is false if none can. What they did not ask for stays.
func (n newSource) sourceSetArguments(old, wanted config.Source) (arguments []string, ok bool) {
	if old.Kind != wanted.Kind {
		return nil, false
	}
	before, after := map[string]any{}, map[string]any{}
	if json.Unmarshal(old.Options, &before) != nil || json.Unmarshal(wanted.Options, &after) != nil {
		return nil, false
	}
	for _, key := range app.ConfigKeys(n.kind) {
		typed, given := n.keys[key.Name]
		from, _ := before[key.Name].(string)
		to, _ := after[key.Name].(string)
		same := reflect.DeepEqual(before[key.Name], after[key.Name]) || key.Type == config.Folder && discover.SameFolder(from, to)
		if given && !same {
			arguments = append(arguments, quoteShellWord(key.Name+"="+typed))
		}
	}
	if wanted.ReadOnly && !old.ReadOnly {
		arguments = append(arguments, "--read-only")
	}
	if wanted.Ask != nil && !containsAll(old.Ask, wanted.Ask) {
		arguments = append(arguments, "--ask")
	}
	arguments = append(arguments, privacyRuleArguments("--exclude", old.Exclude, wanted.Exclude)...)
	return append(arguments, privacyRuleArguments("--only", old.Only, wanted.Only)...), true
}

func privacyRuleArguments(flag string, old, wanted []string) (arguments []string) {
	if wanted == nil || containsAll(old, wanted) && containsAll(wanted, old) {
		return nil
	}
	for _, rule := range wanted {
		arguments = append(arguments, flag, quoteShellWord(rule))
	}
	return arguments
}

func containsAll(list, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(list, w) })
}

// quoteShellWord is a word as a person can paste it into a shell.
func quoteShellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
