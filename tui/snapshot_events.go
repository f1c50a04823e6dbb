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
	for _, p := range difference(now.Problems, old.Problems, sameProblem) {
		out = append(out, problemEvent(p))
	}
	for _, p := range difference(old.Problems, now.Problems, sameProblem) {
		say("Fixed: %s", p.Title)
	}
	for _, a := range difference(now.Approvals, old.Approvals, sameApproval) {
		out = append(out, approvalEvent(a))
	}
	for _, s := range difference(now.Sources, old.Sources, func(a, b status.Source) bool { return a.Name == b.Name && a.State == b.State }) {
		say("Source %s is %s.", s.Name, s.State)
	}
	before, after := identified(old.Sessions), identified(now.Sessions)
	for _, s := range difference(after, before, sameSession) {
		say("%s is connected.", s.Client)
	}
	for _, s := range difference(before, after, sameSession) {
		say("%s disconnected.", s.Client)
	}
	return out
}

func problemEvent(p status.Problem) string {
	return theme.Sanitize(fmt.Sprintf("%s: %s. %s", p.Severity, strings.TrimSuffix(p.Title, "."), p.Fix))
}

func approvalEvent(a status.Approval) string {
	more := ""
	if a.More > 0 {
		more = fmt.Sprintf(" and %d more", a.More)
	}
	return theme.Sanitize(fmt.Sprintf("%s needs approval to %s in %s: %s%s.", status.ClientLabel(a.Client, a.Proven), a.Effect, a.Source,
		strings.Join(a.Targets, ", "), more))
}

func sameProblem(a, b status.Problem) bool { return a.Code == b.Code && a.Component == b.Component }

func sameSession(a, b status.Session) bool { return a.Name == b.Name }

// identified are the sessions that have said who they are: they do so a little
// after they have come, and a program that only looks whether a hub is there
// never does.
func identified(all []status.Session) []status.Session {
	return slices.DeleteFunc(slices.Clone(all), func(s status.Session) bool { return s.Client == "" })
}

// difference are those of list that are not in other.
func difference[T any](list, other []T, same func(a, b T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool {
		return slices.ContainsFunc(other, func(o T) bool { return same(v, o) })
	})
}
