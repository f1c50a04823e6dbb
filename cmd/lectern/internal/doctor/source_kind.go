package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// sourceKindChecks are, for each System in use, what its plugin, its Peers and its
// own Checks tell. Of a System that is not used and was not asked about only the
// plugin is looked at, to say so.
func (r *checkRun) sourceKindChecks() []check {
	var list []check
	for _, kind := range r.Systems() {
		m := kind.Manifest()
		asked := r.every || r.prefix != "" && (strings.HasPrefix(r.prefix, m.Name) || strings.HasPrefix(m.Name, r.prefix))
		used := asked || r.isSourceKindUsed(m.Name)
		if m.Name == plugin.System {
			list = append(list, pluginChecks[0])
			if used {
				list = append(list, pluginChecks[1:]...)
			}
		}
		if !used {
			continue
		}
		if kind.Peer() != nil {
			list = append(list, peerChecks(m)...)
		}
		for _, c := range m.Checks {
			list = append(list, r.newSourceKindCheck(m.Name, c))
		}
	}
	return list
}

// isSourceKindUsed is true when the configuration names the System, the application of
// its plugin has run here, or one of its Peers is connected.
func (r *checkRun) isSourceKindUsed(system string) bool {
	if len(r.sourceNamesOfKind(system)) > 0 || system == plugin.System && r.PluginApplicationFound() {
		return true
	}
	snap, err := r.snapshot()
	return err == nil && slices.ContainsFunc(snap.Peers, func(p status.Peer) bool { return p.System == system })
}

// sourceNamesOfKind are the sources of a System, by name.
func (r *checkRun) sourceNamesOfKind(system string) []string {
	conf, err := r.conf()
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range r.Sources(conf) {
		if s.Kind == system {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// newSourceKindCheck carries out a Check of a System on all its sources.
func (r *checkRun) newSourceKindCheck(system string, info tools.CheckInfo) check {
	sources := r.sourceNamesOfKind(system)
	return check{
		name: system + "." + info.Name, title: info.Title,
		timeout: info.Timeout*time.Duration(max(1, len(sources))) + defaultTimeout,
		look: func(ctx context.Context, r *checkRun) status.Check {
			if len(sources) == 0 {
				return skipResult("there is no source of kind %s", system)
			}
			if _, err := r.vitals(); err != nil {
				return skipResult(noHubMessage)
			}
			return checkEachForWorst(sources, func(source string) (string, status.Check) { return source, r.runSourceCheck(ctx, source, info.Name) })
		},
	}
}

// runSourceCheck has the hub carry out a Check, and asks a person what it wants to
// know.
func (r *checkRun) runSourceCheck(ctx context.Context, source, name string) status.Check {
	updates, err := status.Open(ctx, r.API, status.SourceCheckQuery, status.SourceCheckRequest{
		Source: source, Check: name, Interactive: r.Ask != nil, MayWrite: r.TryWrites,
	})
	for err == nil {
		u, open := <-updates
		switch {
		case !open:
			err = errors.New("the hub ended the check")
		case u.Check != nil:
			return *u.Check
		case u.Question != nil:
			done := r.Ask != nil && r.Ask(u.Question.Text)
			_, err = status.Ask(ctx, r.API, status.AnswerQuestionQuery, status.QuestionAnswer{ID: u.Question.ID, Done: done})
		}
	}
	return failResult(err.Error(), "Run the check again; if that does not help: lectern hub restart.")
}

// checkEachForWorst is the worst result of a check of several things, with the details of
// all.
func checkEachForWorst[T any](all []T, look func(T) (name string, c status.Check)) status.Check {
	bySeverity := []status.CheckResult{status.CheckSkipped, status.CheckOK, status.CheckWarn, status.CheckFail}
	worst := status.Check{Result: status.CheckSkipped}
	var details []string
	for _, one := range all {
		name, c := look(one)
		details = append(details, name+": "+c.Detail)
		if slices.Index(bySeverity, c.Result) > slices.Index(bySeverity, worst.Result) {
			worst = c
		}
	}
	worst.Detail = strings.Join(details, "; ")
	return worst
}
