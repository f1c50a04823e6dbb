package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// errNotEditable is of a call that is allowed as it is or not at all.
func errNotEditable(id string) error {
	return fmt.Errorf("approve: %s does not change the text of one page, so it is allowed as it is or not at all", id)
}

// allowHunks allows some of the hunks of a call that was shown, by their numbers
// there.
func allowHunks(ctx context.Context, c *cli, id string, hunks []int) error {
	waiting, err := c.pendingApproval(ctx, id)
	switch {
	case err != nil:
		return err
	case waiting.Plan == "":
		return errNotEditable(id)
	case !waiting.Shown:
		return usageErrorf("approve: what %s would change was not shown; run `lectern approve show %s --all`, which numbers the hunks", id, id)
	}
	return allowEditedCall(ctx, c, waiting, status.TextEdit{Plan: waiting.Plan, Hunks: hunks}, false)
}

// editAndAllowCall has a person edit what a call would write, and allows that.
func editAndAllowCall(ctx context.Context, c *cli, id string) (err error) {
	waiting, err := c.pendingApproval(ctx, id)
	switch {
	case err != nil:
		return err
	case waiting.Plan == "":
		return errNotEditable(id)
	case !waiting.Shown && !c.canAsk():
		return usageErrorf("approve: what %s would change was not shown; run `lectern approve show %s` first", id, id)
	}
	proposed, err := proposedText(ctx, c.hub().API(), waiting)
	if err != nil {
		return addStartHubAdvice(err)
	}
	file, err := newEditorFile(editorFileName(waiting.Targets[0]), []byte(proposed))
	if err != nil {
		return fmt.Errorf("approve: %w", err)
	}
	kept := false
	defer func() {
		if !kept {
			err = errors.Join(err, file.remove())
		}
	}()
	edited, err := c.runEditor(ctx, file)
	switch {
	case err != nil:
		return fmt.Errorf("approve: %w", err)
	case isUnedited(proposed, string(edited)):
		c.printf("you changed nothing, so no answer was sent; to allow the call as it is: lectern approve %s\n", id)
		return nil
	}
	replace := status.ReplaceText(proposed, string(edited))
	if err := allowEditedCall(ctx, c, waiting, status.TextEdit{Plan: waiting.Plan, Replace: &replace}, true); err != nil {
		kept = true
		return fmt.Errorf("%w; your text is in %s", err, file.path())
	}
	return nil
}

// isUnedited reports whether a person left a text as it was: an editor may add the
// end of the last line by itself.
func isUnedited(proposed, edited string) bool {
	return edited == proposed || !strings.HasSuffix(proposed, "\n") && edited == proposed+"\n"
}

// proposedText is all of what the page would hold after a call.
func proposedText(ctx context.Context, client status.Client, a status.Approval) (string, error) {
	var b strings.Builder
	for from := 0; ; {
		part, err := status.Ask(ctx, client, status.ProposedTextQuery, status.ApprovalRange{ID: a.ID, From: from})
		if err != nil {
			return "", err
		}
		b.WriteString(part.Text)
		if from = part.Next; from == 0 {
			return b.String(), nil
		}
	}
}

// allowEditedCall shows what a person has made of a call, asks where there is a terminal and
// it is to be asked, and allows that. It says how the call ended.
func allowEditedCall(ctx context.Context, c *cli, a status.Approval, edit status.TextEdit, ask bool) error {
	act := status.Action{Verb: status.Allow, Target: a.ID, Answer: &status.Answer{Shown: true, Edit: &edit}}
	plan, err := c.hub().API().Preview(ctx, act)
	if err != nil {
		return addStartHubAdvice(err)
	}
	c.printPlan(plan)
	if ask && c.canAsk() {
		if yes, err := c.confirm("Write this?"); err != nil || !yes {
			return errors.Join(err, &exitError{exitDenied, fmt.Errorf("no answer was sent; %s still waits", a.ID)})
		}
	}
	if err := c.hub().API().Do(ctx, act); err != nil {
		return addStartHubAdvice(err)
	}
	c.printf("allowed %s with your changes; %s is told what was written\n", a.ID, status.ClientLabel(a.Client, a.Proven))
	return awaitAndPrintCallEnd(ctx, c, a)
}
