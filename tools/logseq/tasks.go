package logseq

import (
	"context"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// Statuses are names of task states.
type Statuses []string

// JSONSchema implements tools.SchemaProvider.
func (Statuses) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", MaxItems: new(20), Items: &jsonschema.Schema{Type: "string", MaxLength: new(100)}}
}

// ListTasksIn are the arguments of list_tasks.
type ListTasksIn struct {
	Status   Statuses     `json:"status,omitempty" jsonschema:"only these, such as TODO or Doing; all when omitted"`
	PageName Name         `json:"page_name,omitempty" jsonschema:"only on this page"`
	From     string       `json:"from,omitempty" jsonschema:"only if scheduled or due on or after this day"`
	To       string       `json:"to,omitempty" jsonschema:"only if scheduled or due on or before this day"`
	Limit    tools.Limit  `json:"limit,omitempty" jsonschema:"at most"`
	Offset   tools.Offset `json:"offset,omitempty" jsonschema:"tasks to skip"`
}

func (in ListTasksIn) check() error {
	if in.PageName == "" {
		return nil
	}
	return checkPageName("page_name", in.PageName)
}

func listTasks() tools.Tool[*Graph] {
	return define(tools.Spec[ListTasksIn, BlocksOut]{
		Name: "list_tasks", Title: "List tasks", Effect: tools.Reads, OptIn: true,
		Doc: "Lists tasks; those that are scheduled or due come first.\n" +
			"Needs tasks. File graphs write states in capitals (TODO), DB graphs as Todo, Doing, Done.",
		Examples: []tools.Example[ListTasksIn, BlocksOut]{
			{Purpose: "see what is to do", In: ListTasksIn{Status: Statuses{"TODO"}, Limit: 50}, AnyAnswer: true},
		},
	}, (*Graph).ListTasks, "tasks")
}

// ListTasks implements list_tasks.
func (g *Graph) ListTasks(ctx context.Context, in ListTasksIn) (BlocksOut, error) {
	arg := struct {
		Status []string `json:"status,omitempty"`
		Page   Name     `json:"page,omitempty"`
		From   int      `json:"from,omitempty"`
		To     int      `json:"to,omitempty"`
		listArg
	}{Status: in.Status, Page: in.PageName}
	var err error
	if in.From != "" {
		if arg.From, err = g.parseDay("from", in.From); err != nil {
			return BlocksOut{}, err
		}
	}
	if in.To != "" {
		if arg.To, err = g.parseDay("to", in.To); err != nil {
			return BlocksOut{}, err
		}
	}
	if g.hidesAnything() && in.PageName != "" { // a hidden page must answer what a missing one does
		if _, err := g.page(ctx, string(in.PageName)); err != nil {
			return BlocksOut{}, err
		}
	}
	return listBlocks(ctx, g, in.Offset, in.Limit, func(of listArg) ([]wireBlock, int, error) {
		var found wireBlockList
		arg.listArg = of
		err := g.query(ctx, "tasks.list", arg, &found)
		return found.Blocks, found.Total, err
	})
}

// TaskValue is a state or a priority.
type TaskValue string

// JSONSchema implements tools.SchemaProvider.
func (TaskValue) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MaxLength: new(100)}
}

// SetTaskIn are the arguments of set_task.
type SetTaskIn struct {
	BlockUUID UUID      `json:"block_uuid" jsonschema:"block; becomes a task if it is not one"`
	Status    TaskValue `json:"status,omitempty" jsonschema:"new state, such as TODO, DOING or DONE"`
	Priority  TaskValue `json:"priority,omitempty" jsonschema:"A, B, C, or a DB graph's own; none removes it"`
	Scheduled string    `json:"scheduled,omitempty" jsonschema:"day as 2026-11-21; none removes it"`
	Deadline  string    `json:"deadline,omitempty" jsonschema:"day as 2026-11-21; none removes it"`
	DryRun    bool      `json:"dry_run,omitempty" jsonschema:"only check"`
}

// TaskWritten is the answer of set_task.
type TaskWritten struct {
	Block Block `json:"block" jsonschema:"the task as it is now"`
	Written
}

func (in SetTaskIn) check() error { return in.BlockUUID.check("block_uuid") }

func setTask() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[SetTaskIn, TaskWritten]{
		Name: "set_task", Title: "Set a task", Effect: tools.Writes, OptIn: true,
		Selects: []string{"block_uuid"},
		Doc:     "Sets a task's state, priority and days.\nNeeds tasks. What you omit stays as it is.",
		Examples: []tools.Example[SetTaskIn, TaskWritten]{
			{Purpose: "mark a task as done", In: SetTaskIn{BlockUUID: exampleTask, Status: "DONE"}, AnyAnswer: true},
		},
	}, (*Graph).SetTask, "tasks")
}

// SetTask implements set_task.
func (g *Graph) SetTask(ctx context.Context, c tools.CallContext, in SetTaskIn) (TaskWritten, error) {
	params, err := g.setTaskParams(in)
	if err != nil {
		return TaskWritten{}, err
	}
	was, err := g.block(ctx, in.BlockUUID, 0)
	if err != nil {
		return TaskWritten{}, err
	}
	if in.DryRun {
		return TaskWritten{was.forAgent(was.Page, 0), dryRunResult()}, nil
	}
	now := was
	written, err := g.change(ctx, c, writeRequest{
		method: "tasks.set", params: params, details: writeDetails{UUID: was.UUID, Page: was.Page.Name},
		verify: func(ctx context.Context) (verification, error) {
			found, err := g.block(ctx, was.UUID, 0)
			if err != nil {
				return notApplied, err
			}
			now = found
			return in.verify(was, found), nil
		},
	}, planUpdate(target{blockTarget, string(was.UUID)}))
	return TaskWritten{now.forAgent(now.Page, 0), written}, err
}

// setTaskParams makes the request's parameters, in which null removes a value.
func (g *Graph) setTaskParams(in SetTaskIn) (map[string]any, error) {
	params := map[string]any{"uuid": in.BlockUUID}
	if in.Status != "" {
		params["status"] = in.Status
	}
	if in.Priority != "" {
		params["priority"] = valueOrNil(string(in.Priority))
	}
	for argument, date := range map[string]string{"scheduled": in.Scheduled, "deadline": in.Deadline} {
		if date == "" {
			continue
		}
		if date != clearValue {
			n, err := g.parseDay(argument, date)
			if err != nil {
				return nil, err
			}
			date = formatDay(n)
		}
		params[argument] = valueOrNil(date)
	}
	if len(params) == 1 {
		return nil, tools.Errorf(tools.Invalid, "give status, priority, scheduled or deadline")
	}
	return params, nil
}

// clearValue as an argument removes a value.
const clearValue = "none"

func valueOrNil(text string) any {
	if text == clearValue {
		return nil
	}
	return text
}

// verify compares a task that was read back with what was asked. States and
// priorities have different names on the two product lines and are compared as
// far as possible.
func (in SetTaskIn) verify(was, now wireBlock) verification {
	right := in.Status == "" || sameTaskStatus(string(in.Status), now.Marker)
	for _, date := range []struct{ want, have string }{{in.Scheduled, string(now.Scheduled)}, {in.Deadline, string(now.Deadline)}} {
		switch date.want {
		case "", "today":
		case clearValue:
			right = right && (date.have == "" || date.have == "null")
		default:
			right = right && strings.Contains(date.have, strings.ReplaceAll(date.want, "-", ""))
		}
	}
	switch {
	case right:
		return applied
	case now.Raw == was.Raw && now.Marker == was.Marker && string(now.Scheduled) == string(was.Scheduled) &&
		string(now.Deadline) == string(was.Deadline):
		return notApplied
	}
	return appliedDifferently
}

// sameTaskStatus compares states of both product lines.
func sameTaskStatus(a, b string) bool {
	fold := func(s string) string {
		s = strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToUpper(s))
		if same, ok := map[string]string{
			"NOW": "DOING", "INPROGRESS": "DOING", "LATER": "TODO", "CANCELLED": "CANCELED", "WAITING": "INREVIEW", "WAIT": "INREVIEW",
			"BACKLOG": "TODO",
		}[s]; ok {
			return same
		}
		return s
	}
	return fold(a) == fold(b)
}
