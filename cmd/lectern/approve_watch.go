package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// typeAheadIgnoreTime is for how long after a question appears nothing typed counts:
// it was meant for something else.
const typeAheadIgnoreTime = 400 * time.Millisecond

// callEndTimeout is how long a command waits for the end of the call that it allowed.
const callEndTimeout = 30 * time.Second

// watchApprovals shows each call that waits and asks about it, until ctx or the
// input ends. With an ID it asks about that one, and returns when it is answered
// or waits no longer.
func watchApprovals(ctx context.Context, c *cli, id string) error {
	client := c.hub().API()
	shots, err := client.Watch(ctx)
	if err != nil {
		return err
	}
	if id == "" {
		c.printf("waiting for calls that need your approval; press Ctrl+C to stop\n")
	}
	d := &approvalDialog{
		console: c.console, now: c.Now, client: client, only: id, seen: map[string]bool{}, running: map[string]status.Approval{},
	}
	return d.run(ctx, shots, readLines(ctx, c.in))
}

// readLines delivers lines as they are typed; the channel is closed at the end
// of the input.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// An approvalDialog asks about one call at a time.
type approvalDialog struct {
	console

	now      func() time.Time
	client   status.Client
	only     string            // the ID of the one call to ask about; empty: all
	queue    []status.Approval // oldest first
	seen     map[string]bool   // IDs that were asked about
	current  status.Approval   // that is asked about; no ID: none
	complete bool              // all of it is on the screen
	since    time.Time         // when the question appeared
	running  map[string]status.Approval
	failed   error // of the last answer, or of its call
}

func (d *approvalDialog) run(ctx context.Context, shots <-chan status.Snapshot, lines <-chan string) error {
	var timeout <-chan time.Time
	for first := true; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-timeout:
			d.printf(callStillRunsNotice)
			return d.failed
		case s, ok := <-shots:
			if !ok {
				return d.failed
			}
			d.queue = s.Approvals
			d.reportCallEnds(s)
			first = false
		case line, ok := <-lines:
			if !ok {
				return d.failed
			}
			d.handleAnswer(ctx, line)
		}
		d.askNext(ctx)
		switch {
		case d.only == "" || first || d.current.ID != "":
		case !d.seen[d.only]:
			return fmt.Errorf("%s no longer waits; it was answered, or timed out", d.only)
		case len(d.running) == 0:
			return d.failed
		case timeout == nil:
			timeout = time.After(callEndTimeout)
		}
	}
}

// askNext asks about the oldest call if no question is open, or if the call of
// the open question no longer waits.
func (d *approvalDialog) askNext(ctx context.Context) {
	waits := func(id string) bool {
		return slices.ContainsFunc(d.queue, func(a status.Approval) bool { return a.ID == id })
	}
	if d.current.ID != "" && !waits(d.current.ID) {
		d.printf("\n%s no longer waits\n", d.current.ID)
		d.current = status.Approval{}
	}
	for _, a := range d.queue {
		if d.current.ID != "" {
			return
		}
		if d.seen[a.ID] || d.only != "" && a.ID != d.only {
			continue
		}
		d.seen[a.ID] = true
		d.showAndAsk(ctx, a, false)
	}
}

// showAndAsk prints what a would do and asks about it; of one that has just ended
// nothing is asked.
func (d *approvalDialog) showAndAsk(ctx context.Context, a status.Approval, all bool) {
	d.printf("\n")
	complete, err := approvalView{d.console, d.now, d.client, a}.printAndMarkShown(ctx, all)
	if err != nil {
		d.printf("%s\n", err)
		return
	}
	d.current, d.complete, d.since = a, complete, d.now()
	d.printf("%s", d.question())
}

func (d *approvalDialog) question() string {
	switch {
	case !d.complete:
		return "not everything is shown: [m]ore shows it, [n]o (a reason may follow): "
	}
	words := "allow? [y]es once, "
	if len(d.current.Within) > 0 {
		words += "[t]en minutes (in " + strings.Join(d.current.Within, ", or t ") + "), "
	}
	if !d.current.OnlyOnce {
		words += "[s]ession, [a]lways, "
	}
	if d.hasHunks() {
		words += fmt.Sprintf("[h]unks (only those of 1 to %d that follow, such as h 1,2), ", d.current.Hunks)
	}
	return words + "[n]o (a reason may follow): "
}

func (d *approvalDialog) handleAnswer(ctx context.Context, line string) {
	if d.current.ID == "" {
		return
	}
	if d.now().Sub(d.since) < typeAheadIgnoreTime {
		d.printf("that was typed before the question appeared; %s", d.question())
		return
	}
	if word := strings.ToLower(strings.TrimSpace(line)); !d.complete && (word == "m" || word == "more") {
		d.showAndAsk(ctx, d.current, true)
		return
	}
	a, ok := parseAnswer(d.current.ID, line)
	switch {
	case !ok:
		d.printf("that is not an answer; %s", d.question())
		return
	case a.Verb == status.Allow && !d.complete:
		d.printf("you can allow only what you were shown; %s", d.question())
		return
	case a.Answer.Edit != nil && !d.hasHunks():
		d.printf("this call is allowed as it is or not at all; %s", d.question())
		return
	case a.Answer.Edit != nil:
		d.allowHunks(ctx, a)
		return
	case a.Verb == status.Allow && a.Answer.Scope == status.Timed && len(d.current.Within) == 0:
		d.printf("this call cannot be allowed for ten minutes; %s", d.question())
		return
	case a.Verb == status.Allow && a.Answer.Scope != status.Once && a.Answer.Scope != status.Timed && d.current.OnlyOnce:
		d.printf("this call can be allowed only once: %s; %s", onlyOnceReason(d.current), d.question())
		return
	}
	d.sendAnswer(ctx, a)
}

// hasHunks reports whether a part of the call can be allowed.
func (d *approvalDialog) hasHunks() bool { return d.current.Plan != "" && d.current.Hunks > 1 }

// allowHunks shows what is left of the change, and allows that.
func (d *approvalDialog) allowHunks(ctx context.Context, a status.Action) {
	a.Answer.Edit.Plan = d.current.Plan
	plan, err := d.client.Preview(ctx, a)
	if err != nil { // there is no such hunk, or the page has changed
		d.printf("%s; %s", err, d.question())
		return
	}
	d.printPlan(plan)
	d.sendAnswer(ctx, a)
}

// onlyOnceReason says why a may not be allowed for longer.
func onlyOnceReason(a status.Approval) string {
	if a.Proven {
		return "it makes other calls"
	}
	return "the client has not proved its name"
}

func (d *approvalDialog) sendAnswer(ctx context.Context, a status.Action) {
	asked := d.current
	d.current = status.Approval{}
	d.failed = d.client.Do(ctx, a)
	switch {
	case errors.Is(d.failed, context.Canceled):
	case d.failed != nil && d.only == "":
		d.printf("%s\n", d.failed)
	case d.failed == nil:
		d.printf("%s\n", answerSummary(a))
		if a.Verb == status.Allow {
			d.running[a.Target] = asked
		}
	}
}

// reportCallEnds says how the calls ended that were allowed here.
func (d *approvalDialog) reportCallEnds(s status.Snapshot) {
	for _, id := range slices.Sorted(maps.Keys(d.running)) {
		i := slices.IndexFunc(s.Outcomes, func(o status.ApprovalOutcome) bool { return o.ID == id })
		switch {
		case i >= 0 && s.Outcomes[i].Call != nil:
			d.reportCallEnd(id, *s.Outcomes[i].Call)
		case hasHubEnded(s, d.running[id]):
			d.reportCallFailure(id, errHubEnded)
		}
	}
}

func (d *approvalDialog) reportCallEnd(id string, end status.CallEnd) {
	text, err := callEndText(end)
	if err != nil {
		d.reportCallFailure(id, err)
		return
	}
	delete(d.running, id)
	if d.only != "" {
		d.failed = nil
	}
	d.printf("%s: %s\n", id, text)
}

// reportCallFailure prints why a call failed, or keeps it for the end of the dialog if
// that is about this call alone.
func (d *approvalDialog) reportCallFailure(id string, err error) {
	delete(d.running, id)
	if d.only != "" {
		d.failed = err
		return
	}
	d.printf("%s: %s\n", id, err)
}

func parseAnswer(id, line string) (a status.Action, ok bool) {
	word, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
	scope, yes := map[string]status.Scope{
		"y": status.Once, "yes": status.Once, "s": status.ForSession, "session": status.ForSession, "a": status.Always, "always": status.Always,
	}[strings.ToLower(word)]
	switch {
	case yes && reason == "":
		return status.Action{Verb: status.Allow, Target: id, Answer: &status.Answer{Scope: scope}}, true
	case strings.EqualFold(word, "t"):
		return status.Action{Verb: status.Allow, Target: id, Answer: &status.Answer{Scope: status.Timed, Within: strings.TrimSpace(reason)}}, true
	case strings.EqualFold(word, "h") || strings.EqualFold(word, "hunks"):
		hunks, ok := parseHunks(reason)
		return status.Action{Verb: status.Allow, Target: id, Answer: &status.Answer{Edit: &status.TextEdit{Hunks: hunks}}}, ok
	case strings.EqualFold(word, "n") || strings.EqualFold(word, "no"):
		return status.Action{Verb: status.Refuse, Target: id, Answer: &status.Answer{Reason: strings.TrimSpace(reason)}}, true
	}
	return status.Action{}, false
}

// parseHunks reads numbers of hunks: "1,3" or "1 3".
func parseHunks(text string) (hunks []int, ok bool) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, false
		}
		hunks = append(hunks, n)
	}
	return hunks, len(hunks) > 0
}
