package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// An allowed call goes on, and may still fail. The panel that allowed it says how
// it ended, and until then that it runs.

// allowedNotice says that a call runs that this panel has allowed.
func allowedNotice(a status.Approval) notice {
	doing, target := map[string]string{"write": "writing ", "delete": "deleting "}[a.Effect], summarizeTargets(a)
	if doing == "" || target == "" {
		doing, target = "running ", a.Tool
	}
	n := busyNotice(doing + target + " for " + status.ClientLabel(a.Client, a.Proven))
	n.approval = a.ID
	return n
}

// refusedNotice says that this panel has refused a call.
func refusedNotice(reason string) notice {
	if reason == "" {
		return successNotice("denied; the agent was told so")
	}
	return successNotice(fmt.Sprintf("denied; the agent was told: %q", reason))
}

// takeEndNotice says how the calls ended that this panel has allowed; no text: none
// did.
func (w approvalWatch) takeEndNotice(before, now status.Snapshot) (approvalWatch, notice) {
	var ended []notice
	running := slices.DeleteFunc(slices.Clone(w.running), func(a status.Approval) bool {
		n, over := noticeIfCallEnded(a, before, now)
		if over {
			ended = append(ended, n)
		}
		return over
	})
	if len(ended) == 0 {
		return w, notice{}
	}
	w.running = running
	told := slices.MaxFunc(ended, func(a, b notice) int { return cmp.Compare(a.kind, b.kind) }) // an error counts most
	told.text = strings.Join(noticeTexts(ended), "; ")
	return w, told
}

func noticeTexts(all []notice) []string {
	texts := make([]string, len(all))
	for i, n := range all {
		texts[i] = n.text
	}
	return texts
}

// noticeIfCallEnded says how the call ended that was allowed as a; false: it goes on.
func noticeIfCallEnded(a status.Approval, before, now status.Snapshot) (notice, bool) {
	if hubDied(before, now) {
		return notice{
			text: fmt.Sprintf("cannot tell whether %s of %s was carried out: the hub ended meanwhile. Look at the page.", a.Tool,
				status.ClientLabel(a.Client, a.Proven)),
			kind: noticeError, sticky: true,
		}, true
	}
	i := slices.IndexFunc(now.Outcomes, func(o status.ApprovalOutcome) bool { return o.ID == a.ID })
	if i < 0 || now.Outcomes[i].Call == nil {
		return notice{}, false
	}
	return callEndNotice(a, *now.Outcomes[i].Call, now.Outcomes[i]), true
}

// hubDied reports whether the hub of before is not that of now.
func hubDied(before, now status.Snapshot) bool {
	return before.Hub.PID != 0 && (now.Hub.PID != before.Hub.PID || !now.Hub.Started.Equal(before.Hub.Started))
}

// callEndNotice says what became of a call that was allowed, or that a person had edited.
func callEndNotice(a status.Approval, end status.CallEnd, outcome status.ApprovalOutcome) notice {
	who, target := status.ClientLabel(a.Client, a.Proven), summarizeTargets(a)
	dropped := ""
	if outcome.Edited {
		dropped = " Your version was dropped."
	}
	wrote := len(end.Changes) > 0
	switch {
	case end.AskedAgain:
		return notice{
			text: "changed meanwhile: " + cmp.Or(target,
				a.Tool) + ". Nothing was written." + dropped + " " + who + " waits again: look again, ! opens it.", kind: noticeError,
		}
	case end.Code != "" && wrote:
		return notice{text: fmt.Sprintf("allowed, but it failed after it had written something: %s. %s was told so. See Changes.",
			strings.TrimSuffix(end.Message, "."), who), kind: noticeError, sticky: true}
	case end.Code != "":
		return notice{text: fmt.Sprintf("allowed, but nothing was changed: %s. %s was told so.",
			strings.TrimSuffix(end.Message, "."), who), kind: noticeError, sticky: true}
	}
	done := map[string]string{"write": "written: ", "delete": "deleted: "}[a.Effect]
	if target == "" || done == "" {
		return successNotice(fmt.Sprintf("done: %s for %s, in %s", a.Tool, who, shortDuration(end.Duration)))
	}
	switch {
	case outcome.LeftOut > 0:
		done = fmt.Sprintf("written, without the %d of %d hunks that you left out: ", outcome.LeftOut, outcome.Hunks)
	case outcome.Edited:
		done = "written, as you edited it: "
	}
	if !wrote {
		done = "allowed and done, and nothing had to change: "
	}
	return successNotice(done + target + ", for " + who + " in " + shortDuration(end.Duration))
}

func shortDuration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return d.Round(100 * time.Millisecond).String()
}

// answerNotice says that the answer a of this panel counts: of a refusal that is
// all, and an allowed call runs, unless its end has been told, as now says.
func (w approvalWatch) answerNotice(a status.Action, now notice) notice {
	if a.Verb == status.Refuse {
		return refusedNotice(cmp.Or(a.Answer, &status.Answer{}).Reason)
	}
	if i := slices.IndexFunc(w.running, func(one status.Approval) bool { return one.ID == a.Target }); i >= 0 {
		return allowedNotice(w.running[i])
	}
	return now
}

// summarizeTargets is the first of what a would change, what moves or a page before the rest, and how many more there are.
func summarizeTargets(a status.Approval) string {
	if len(a.Targets) == 0 {
		return ""
	}
	page := slices.IndexFunc(a.Targets, func(name string) bool { return !strings.HasSuffix(name, "/") })
	first := a.Targets[max(0, page)]
	if a.Move != nil {
		first = a.Move.From + " → " + a.Move.To
	}
	if more := len(a.Targets) + a.More - 1; more > 0 {
		return fmt.Sprintf("%s and %s more", first, widget.FormatCount(more))
	}
	return first
}
