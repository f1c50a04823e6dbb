package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// snapshotEvents are the sentences for what became different from one snapshot
// to the next and matters to who does not look. Counts and times do not.
func snapshotEvents(old, now status.Snapshot) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, theme.Sanitize(fmt.Sprintf(format, args...))) }
	if old.Hub.State != now.Hub.State {
		say("The hub is %s.", now.Hub.State)
	}
	for _, p := range itemsNotIn(now.Problems, old.Problems, sameProblem) {
		out = append(out, problemEventText(p))
	}
	for _, p := range itemsNotIn(old.Problems, now.Problems, sameProblem) {
		say("Fixed: %s", p.Title)
	}
	for _, a := range itemsNotIn(now.Approvals, old.Approvals, sameApproval) {
		out = append(out, needsApprovalText(a))
	}
	for _, s := range itemsNotIn(now.Sources, old.Sources, func(a, b status.Source) bool { return a.Name == b.Name && a.State == b.State }) {
		say("Source %s is %s.", s.Name, s.State)
	}
	before, after := identifiedSessions(old.Sessions), identifiedSessions(now.Sessions)
	for _, s := range itemsNotIn(after, before, sameSession) {
		say("%s is connected.", s.Client)
	}
	for _, s := range itemsNotIn(before, after, sameSession) {
		say("%s disconnected.", s.Client)
	}
	return out
}

func problemEventText(p status.Problem) string {
	return theme.Sanitize(fmt.Sprintf("%s: %s. %s", p.Severity, strings.TrimSuffix(p.Title, "."), p.Fix))
}

func needsApprovalText(a status.Approval) string {
	if a.Move != nil {
		what := a.Move.Describe(func(name string) string { return name })
		return theme.Sanitize(fmt.Sprintf("%s needs approval to %s, in %s.", status.ClientLabel(a.Client, a.Proven), what, a.Source))
	}
	more := ""
	if a.More > 0 {
		more = fmt.Sprintf(" and %d more", a.More)
	}
	return theme.Sanitize(fmt.Sprintf("%s needs approval to %s in %s: %s%s.", status.ClientLabel(a.Client, a.Proven), a.Effect, a.Source,
		strings.Join(a.Targets, ", "), more))
}

func sameProblem(a, b status.Problem) bool { return a.Code == b.Code && a.Component == b.Component }

func sameSession(a, b status.Session) bool { return a.Name == b.Name }

// identifiedSessions are the sessions that have said who they are: they do so a little
// after they have come, and a program that only looks whether a hub is there
// never does.
func identifiedSessions(all []status.Session) []status.Session {
	return slices.DeleteFunc(slices.Clone(all), func(s status.Session) bool { return s.Client == "" })
}

// itemsNotIn are those of list that are not in other.
func itemsNotIn[T any](list, other []T, same func(a, b T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool {
		return slices.ContainsFunc(other, func(o T) bool { return same(v, o) })
	})
}
