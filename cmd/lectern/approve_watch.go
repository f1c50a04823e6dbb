package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// blind is for how long after a question appears nothing typed counts: it was
// meant for something else.
const blind = 400 * time.Millisecond

// watchApprovals shows each call that waits and asks about it, until ctx or the
// input ends.
func (w *world) watchApprovals(ctx context.Context) error {
	if !isTerminal(w.in) || !isTerminal(w.out) {
		return usagef("approve: --watch needs a terminal; `lectern approve` lists the calls that wait")
	}
	client := w.client(nil)
	shots, err := client.Watch(ctx)
	if err != nil {
		return err
	}
	w.say("waiting for calls that need your yes; interrupt to stop\n")
	d := &dialog{world: w, client: client, seen: map[string]bool{}}
	return d.run(ctx, shots, typed(ctx, w.in))
}

// typed delivers lines as they are typed; it is closed at the end of input.
func typed(ctx context.Context, in io.Reader) <-chan string {
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

// A dialog asks about one call at a time.
type dialog struct {
	*world
	client status.Client
	queue  []status.Approval // oldest first; the first is asked about
	seen   map[string]bool
	asked  string    // the ID that is asked about; empty: none
	since  time.Time // when the question appeared
}

func (d *dialog) run(ctx context.Context, shots <-chan status.Snapshot, lines <-chan string) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case s, ok := <-shots:
			if !ok {
				return nil
			}
			d.queue = s.Approvals
		case text, ok := <-lines:
			if !ok {
				return nil
			}
			d.heard(ctx, text)
		}
		d.turn(ctx)
	}
}

// turn asks about the oldest call when none is asked about, or the one that
// was has ended.
func (d *dialog) turn(ctx context.Context) {
	waits := func(id string) bool {
		return slices.ContainsFunc(d.queue, func(a status.Approval) bool { return a.ID == id })
	}
	if d.asked != "" && !waits(d.asked) {
		d.say("\n%s no longer waits\n", d.asked)
		d.asked = ""
	}
	for _, a := range d.queue {
		if d.asked != "" {
			return
		}
		if d.seen[a.ID] {
			continue
		}
		d.seen[a.ID] = true
		plan, err := d.client.Preview(ctx, status.Action{Verb: status.Allow, Target: a.ID})
		if err != nil {
			continue // it has ended just now
		}
		d.show(a, plan)
		d.asked, d.since = a.ID, d.now()
	}
}

func (d *dialog) show(a status.Approval, plan status.Plan) {
	d.say("\n%s: %s\nbecause %s\n", a.ID, line(plan.Title), line(a.Why))
	if a.Reason != "" {
		d.say("it says why: %s\n", line(a.Reason))
	}
	for _, step := range plan.Steps {
		d.say("%s\n%s", line(step.What), text(step.Diff))
	}
	for _, risk := range plan.Risks {
		d.say("note: %s\n", line(risk))
	}
	d.say("allow? [y]es once, [s]ession, [a]lways, [n]o, or no and why: ")
}

func (d *dialog) heard(ctx context.Context, text string) {
	if d.asked == "" {
		return
	}
	if d.now().Sub(d.since) < blind {
		d.say("that was too fast to be an answer to this; allow? ")
		return
	}
	a, ok := answerOf(d.asked, text)
	if !ok {
		d.say("answer y, s, a or n, or n and a reason: ")
		return
	}
	d.asked = ""
	err := d.client.Do(ctx, a)
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		d.say("%s\n", line(err.Error()))
	default:
		d.say("%s\n", answered(a))
	}
}

// answerOf reads what was typed; false: it is no answer.
func answerOf(id, text string) (status.Action, bool) {
	word, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
	scope, yes := map[string]status.Scope{
		"y": status.Once, "yes": status.Once, "s": status.ForSession, "session": status.ForSession, "a": status.Always, "always": status.Always,
	}[strings.ToLower(word)]
	switch {
	case yes && reason == "":
		return status.Action{Verb: status.Allow, Target: id, Answer: &status.Answer{Scope: scope}}, true
	case strings.EqualFold(word, "n") || strings.EqualFold(word, "no"):
		return status.Action{Verb: status.Refuse, Target: id, Answer: &status.Answer{Reason: strings.TrimSpace(reason)}}, true
	}
	return status.Action{}, false
}
