package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A proposal is an edit of the configuration with what a person wants to know
// before agreeing to it.
type proposal struct {
	edit   config.Edit
	plan   status.Plan
	source config.Source // added or removed
	folder folder        // of an added source
}

// propose plans what a asks of the configuration.
func (w *world) propose(a status.Action) (proposal, error) {
	c, err := w.config()
	if err != nil {
		return proposal{}, err
	}
	edit, ok := configEdits[a.Verb]
	if !ok {
		return proposal{}, fmt.Errorf("%s does not change the configuration", a.Verb)
	}
	return edit(w, c, a)
}

// configEdits are the actions that change the configuration.
var configEdits = map[status.Verb]func(*world, config.Config, status.Action) (proposal, error){
	status.AddSource: func(w *world, c config.Config, a status.Action) (proposal, error) {
		if a.Source == nil {
			return proposal{}, errors.New("add source: missing PATH")
		}
		return w.proposeAdd(c, *a.Source)
	},
	status.RemoveSource: func(w *world, c config.Config, a status.Action) (proposal, error) {
		return w.proposeRemove(c, a.Target)
	},
	status.AllowOrigin: func(w *world, c config.Config, a status.Action) (proposal, error) {
		return w.proposeOrigin(c, a.Target)
	},
	status.SetGrant: func(w *world, c config.Config, a status.Action) (proposal, error) {
		if a.Grant == nil {
			return proposal{}, errors.New("set grant: missing effects")
		}
		return w.proposeGrant(c, *a.Grant)
	},
	status.SetOption: func(w *world, c config.Config, a status.Action) (proposal, error) {
		return w.proposeOption(c, a.Option)
	},
}

func (w *world) proposeAdd(c config.Config, s status.NewSource) (proposal, error) {
	f, err := look(w.kinds(), w.expand(s.Place), s.Kind)
	if err != nil {
		return proposal{}, err
	}
	for _, mark := range slices.Concat(s.Exclude, s.Only) {
		if err := checkMark(mark); err != nil {
			return proposal{}, fmt.Errorf("add source: %w", err)
		}
	}
	var ask []string
	if s.Ask && !s.ReadOnly {
		ask = []string{string(tools.Writes), string(tools.Deletes), string(tools.Runs)}
	}
	edit, source, err := c.AddSource(config.Source{Name: s.Name, Kind: f.kind, Path: f.place, ReadOnly: s.ReadOnly, Ask: ask, Exclude: s.Exclude, Only: s.Only})
	if err != nil {
		return proposal{}, fmt.Errorf("add source: %w", err)
	}
	p := proposal{edit: edit, source: source, folder: f, plan: planOf("Add source "+source.Name, edit)}
	if !source.ReadOnly && ask == nil {
		p.plan.Risks = append(p.plan.Risks, "agents may read, write and delete in "+f.place+"; a read-only source forbids the latter two")
	}
	if f.place == w.home || f.place == filepath.Dir(f.place) {
		p.plan.Risks = append(p.plan.Risks, f.place+" is far more than notes; a folder inside it is safer")
	}
	for _, other := range c.Sources {
		if other.Name == source.Name || other.Path == "" {
			continue
		}
		switch {
		case other.Path == f.place:
			p.plan.Risks = append(p.plan.Risks, fmt.Sprintf("source %s opens this folder too; what one forbids, the other may allow", other.Name))
		case within(f.place, other.Path):
			p.plan.Risks = append(p.plan.Risks, fmt.Sprintf("it lies inside source %s (%s), which agents see it through as well; what one forbids, the other may allow", other.Name, other.Path))
		case within(other.Path, f.place):
			p.plan.Risks = append(p.plan.Risks, fmt.Sprintf("source %s (%s) lies inside it, and agents see that through both; what one forbids, the other may allow", other.Name, other.Path))
		}
	}
	if len(c.Sources) == 0 {
		p.plan.Risks = append(p.plan.Risks, fmt.Sprintf("the sample %s is no longer served, as there is a source of your own; its files stay in %s",
			sampleName, w.sampleDir()))
	}
	return p, nil
}

// within reports whether place lies below folder, as far as their names tell.
func within(place, folder string) bool {
	rel, err := filepath.Rel(folder, place)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// expand replaces a leading ~, which only shells do by themselves.
func (w *world) expand(place string) string {
	rest, ok := strings.CutPrefix(place, "~")
	if !ok || w.home == "" || rest != "" && !os.IsPathSeparator(rest[0]) {
		return place
	}
	return filepath.Join(w.home, rest)
}

func (w *world) proposeRemove(c config.Config, name string) (proposal, error) {
	source, ok := c.Source(name)
	if !ok && name == sampleName && len(c.Sources) == 0 {
		return proposal{}, fmt.Errorf("remove source: %s is the sample; it is served only until you add a source of your own", name)
	}
	edit, err := c.RemoveSource(name)
	if err != nil {
		return proposal{}, fmt.Errorf("remove source: %w", err)
	}
	p := proposal{edit: edit, source: source, plan: planOf("Remove source "+name, edit)}
	p.plan.Risks = append(p.plan.Risks, "agents lose it at once; its files stay where they are")
	if ok && len(c.Sources) == 1 {
		p.plan.Risks = append(p.plan.Risks, "the sample "+sampleName+" is served again, as no other source is left")
	}
	return p, nil
}

func planOf(title string, edit config.Edit) status.Plan {
	plan := status.Plan{Title: title, Steps: []status.Step{}, Risks: []string{}}
	if edit.HasChanges() {
		plan.Steps = append(plan.Steps, status.Step{What: "edit " + edit.Path, Diff: edit.Diff()})
	}
	return plan
}

// carryOut makes the edit that a asks for. When an editor saves the file in
// between, it plans anew on what that wrote.
func (w *world) carryOut(ctx context.Context, a status.Action) (p proposal, err error) {
	unlock, err := config.Lock(w.places.File())
	if err != nil {
		return proposal{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for {
		p, err := w.propose(a)
		if err != nil {
			return proposal{}, err
		}
		err = p.edit.Save()
		raced := errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists)
		if !raced || ctx.Err() != nil {
			return p, err
		}
	}
}
