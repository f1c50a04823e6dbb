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

// typeAheadGuard is for how long after a question appears nothing typed counts:
// it was meant for something else.
const typeAheadGuard = 400 * time.Millisecond

// watchApprovals shows each call that waits and asks about it, until ctx or the
// input ends.
func watchApprovals(ctx context.Context, c *cli) error {
	if !isTerminal(c.in) || !isTerminal(c.out) {
		return usagef("approve: --watch needs a terminal; `lectern approve` lists the calls that wait")
	}
	client := c.hub().API()
	shots, err := client.Watch(ctx)
	if err != nil {
		return err
	}
	c.printf("waiting for calls that need your approval; press Ctrl+C to stop\n")
	d := &approvalDialog{console: c.console, now: c.Now, client: client, seen: map[string]bool{}}
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

	now     func() time.Time
	client  status.Client
	queue   []status.Approval // oldest first
	seen    map[string]bool   // IDs that were asked about
	current string            // the ID of the call that is asked about; empty: none
	since   time.Time         // when the question appeared
}

func (d *approvalDialog) run(ctx context.Context, shots <-chan status.Snapshot, lines <-chan string) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case s, ok := <-shots:
			if !ok {
				return nil
			}
			d.queue = s.Approvals
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			d.handleAnswer(ctx, line)
		}
		d.askNext(ctx)
	}
}

// askNext asks about the oldest call if no question is open, or if the call of
// the open question no longer waits.
func (d *approvalDialog) askNext(ctx context.Context) {
	waits := func(id string) bool {
		return slices.ContainsFunc(d.queue, func(a status.Approval) bool { return a.ID == id })
	}
	if d.current != "" && !waits(d.current) {
		d.printf("\n%s no longer waits\n", d.current)
		d.current = ""
	}
	for _, a := range d.queue {
		if d.current != "" {
			return
		}
		if d.seen[a.ID] {
			continue
		}
		d.seen[a.ID] = true
		plan, err := d.client.Preview(ctx, status.Action{Verb: status.Allow, Target: a.ID})
		if err != nil {
			continue // it has just ended
		}
		d.ask(a, plan)
		d.current, d.since = a.ID, d.now()
	}
}

func (d *approvalDialog) ask(a status.Approval, plan status.Plan) {
	d.printf("\n%s: ", a.ID)
	d.printPlan(plan)
	d.printf("asked because %s\n", a.AskReason)
	if a.Reason != "" {
		d.printf("the agent's reason: %s\n", a.Reason)
	}
	d.printf("allow? [y]es once, [s]ession, [a]lways, [n]o (a reason may follow): ")
}

func (d *approvalDialog) handleAnswer(ctx context.Context, line string) {
	if d.current == "" {
		return
	}
	if d.now().Sub(d.since) < typeAheadGuard {
		d.printf("that was typed before the question appeared; allow? ")
		return
	}
	a, ok := parseAnswer(d.current, line)
	if !ok {
		d.printf("answer y, s, a, n, or n followed by a reason: ")
		return
	}
	d.current = ""
	err := d.client.Do(ctx, a)
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		d.printf("%s\n", err)
	default:
		d.printf("%s\n", answerSummary(a))
	}
}

func parseAnswer(id, line string) (a status.Action, ok bool) {
	word, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
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
