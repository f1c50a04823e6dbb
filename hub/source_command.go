package hub

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// commandTimeout bounds a command: a person waits for it, and can stop it.
const commandTimeout = 10 * time.Minute

// completeTimeout bounds what a source may do while a person waits at a key.
const completeTimeout = 2 * time.Second

// RunCommand answers [status.CommandQuery]: it carries out a command that a System
// declares. What that writes is in the journal and in the audit like what agents
// write; no policy asks the person who gives the command.
func (a PersonAPI) RunCommand(ctx context.Context, r status.CommandRequest) (<-chan status.CommandUpdate, error) {
	by, src, err := a.callerForSource(r.Source)
	if err != nil {
		return nil, err
	}
	by.generation = a.hub.sources.generation.Load()
	// a script may call tools of others
	by.renew = func() *toolset { return newToolset(a.hub.sources.sourcesInScope(""), (*source).personAccess, false) }
	by.toolset = by.renew()
	c := &call{caller: by, source: src, began: a.hub.now(), seed: newSeed()}
	c.tool = &tool{info: tools.ToolInfo{Name: src.conf.Kind + " " + r.Command, Effect: tools.Admin, Timeout: commandTimeout, Calls: true}}
	c.Tool, c.decided.effect, c.record.allowed = c.tool.info.Name, c.tool.info.Effect, true
	updates := make(chan status.CommandUpdate)
	out := commandOutput{ctx, a.hub, updates}
	go func() {
		defer close(updates)
		if err := a.runCommandOnSource(ctx, c, r, out); err != nil {
			_ = out.send(status.CommandUpdate{Error: NewCallError(err)})
		}
	}()
	return updates, nil
}

func (a PersonAPI) runCommandOnSource(ctx context.Context, c *call, r status.CommandRequest, out commandOutput) error {
	if c.source.kind == nil || !c.source.kind.Manifest().HasCommand(r.Command) {
		return tools.Errorf(tools.NotFound, "%s has no command named %.80q", c.source.conf.Kind, r.Command)
	}
	c.decided.gate = new(writeGate)
	ctx, end := a.hub.calls.addToRunning(ctx, c, func(context.Context) {})
	c.record.recorder = a.hub.changes.newRecorder(c)
	in := c.runOptions(a.hub.runner)
	_, err := runOnSource(ctx, a.hub.runner, in, c.source, func(ctx context.Context, open *sourceRef) (tools.Result, error) {
		_, err := catchPanic(func() (struct{}, error) {
			to := tools.CommandCall{Args: r.Args, JSON: r.JSON, Context: newCallContext(a.hub, c, nil, authorization{approved: true})}
			return struct{}{}, open.Command(ctx, r.Command, to, out)
		})
		c.decided.group.endRecorder(c, err)
		return tools.Result{}, err
	})
	if err = c.withWriteOutcome(end(err)); err != nil {
		err = a.hub.publicError(c.session, c.Tool, c.source, err)
	}
	a.hub.calls.record(c, tools.Result{}, err)
	return err
}

// CompleteCommand answers [status.CompleteCommandQuery].
func (a PersonAPI) CompleteCommand(ctx context.Context, arg status.CommandArgument) ([]string, error) {
	_, src, err := a.callerForSource(arg.Source)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	return runWithDeadline(ctx, nil, func() ([]string, error) {
		return withSourceRef(ctx, src, func(ctx context.Context, open *sourceRef) ([]string, error) {
			return catchPanic(func() ([]string, error) { return open.CompleteCommand(ctx, arg.Command, arg.Argument, arg.Prefix), nil })
		})
	})
}

// formatCommandLines are the commands of a source as a person types them, with the
// names of the arguments.
func formatCommandLines(m *tools.Manifest, source string) (lines []string) {
	for _, c := range m.Commands {
		words := []string{"lectern", m.Name, c.Name}
		for _, a := range c.Args {
			if a.Required {
				words = append(words, strings.ToUpper(a.Name))
			}
		}
		lines = append(lines, strings.Join(append(words, "--source", source), " "))
	}
	return lines
}

// A commandOutput is where a command writes. A write waits until the person's
// end has taken it.
type commandOutput struct {
	ctx     context.Context //nolint:containedctx // of the request: an io.Writer has no other way to end
	hub     *Hub
	updates chan<- status.CommandUpdate
}

// Write implements io.Writer.
func (o commandOutput) Write(b []byte) (int, error) {
	if err := o.send(status.CommandUpdate{Text: string(b)}); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (o commandOutput) send(u status.CommandUpdate) error {
	select {
	case o.updates <- u:
		return nil
	case <-o.hub.life.Done():
		return o.hub.life.Err()
	case <-o.ctx.Done():
		return o.ctx.Err()
	}
}

// NewCallError is the error of a call as it travels to another process; nil for none.
func NewCallError(err error) *status.CallError {
	e := tools.AsError(err)
	if e == nil {
		return nil
	}
	sent := &status.CallError{Code: string(e.Code), Msg: e.Message, Hint: e.Hint}
	if data, err := json.Marshal(e.DataOrApplied()); err == nil && string(data) != "null" {
		sent.Data = data
	}
	return sent
}
