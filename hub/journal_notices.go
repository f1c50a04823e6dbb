package hub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
)

// maxNoticesShown bounds the calls that one Problem tells of.
const maxNoticesShown = 5

// showNotices raises Problems of what the journal has to tell people, until they
// acknowledge it.
func (l *ChangeLog) showNotices() {
	notices, err := l.journal.Notices()
	if err != nil {
		l.log.Error("read notices of the journal", "component", journalComponent, "err", err)
		return
	}
	bySource := map[string][]string{}
	for _, n := range notices {
		if n.Source == "" {
			l.raiseNotice(journalLostProblem, journalComponent, status.Args{"day": n.Time.Format(time.DateOnly)})
			continue
		}
		bySource[n.Source] = append(bySource[n.Source], describeNotice(n))
	}
	for source, all := range bySource {
		if more := len(all) - maxNoticesShown; more > 0 {
			all = append(all[:maxNoticesShown:maxNoticesShown], fmt.Sprintf("and %d more calls", more))
		}
		l.raiseNotice(journalInterruptedProblem, source, status.Args{"source": source, "what": strings.Join(all, "; ")})
	}
}

func (l *ChangeLog) raiseNotice(t status.ProblemType, component string, args status.Args) {
	p := t.New(component, args)
	p.Action = &status.Action{Verb: status.Acknowledge, Target: t.Code}
	l.snapshot.raiseProblem(p)
}

// describeNotice says which call it was and what became of it.
func describeNotice(n journal.Notice) string {
	ids := n.Changes[0]
	if more := len(n.Changes) - 1; more > 0 {
		ids += fmt.Sprintf(" and %d more", more)
	}
	var parts []string
	if len(n.TakenBack) > 0 {
		parts = append(parts, "was taken back ("+strings.Join(n.TakenBack, ", ")+")")
	}
	if len(n.Kept) > 0 {
		parts = append(parts, strings.Join(n.Kept, ", ")+" edited since and left as it is")
	}
	return fmt.Sprintf("%s of %s (%s) %s", n.Tool, cmp.Or(n.Client, "a client without a name"), ids, strings.Join(parts, "; "))
}

// AcknowledgeNotices dismisses the Problem with this code; false: it is not one of the
// notices of the journal.
func (l *ChangeLog) AcknowledgeNotices(code string) (bool, error) {
	lost := code == journalLostProblem.Code
	if l.journal == nil || !lost && code != journalInterruptedProblem.Code {
		return false, nil
	}
	notices, err := l.journal.Notices()
	if err == nil {
		err = l.journal.DismissNotices(func(n journal.Notice) bool { return (n.Source == "") == lost })
	}
	if err != nil {
		return true, fmt.Errorf("acknowledge: %w", err)
	}
	if lost {
		l.snapshot.clearProblem(code, journalComponent)
	}
	for _, n := range slices.CompactFunc(notices, func(a, b journal.Notice) bool { return a.Source == b.Source }) {
		if !lost && n.Source != "" {
			l.snapshot.clearProblem(code, n.Source)
		}
	}
	return true, nil
}
