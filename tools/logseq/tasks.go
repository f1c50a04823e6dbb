package logseq

import (
	"context"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// Statuses are names of task states.
type Statuses []string

// JSONSchema implements tools.Typed.
func (Statuses) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", MaxItems: new(20), Items: &jsonschema.Schema{Type: "string", MaxLength: new(100)}}
}

// ListTasksIn are the arguments of list_tasks.
type ListTasksIn struct {
	Status   Statuses     `json:"status,omitempty" jsonschema:"only these, such as TODO or Doing; all when omitted"`
	PageName Name         `json:"page_name,omitempty" jsonschema:"only on this page"`
	From     string       `json:"from,omitempty" jsonschema:"only scheduled or due on or after this day"`
	To       string       `json:"to,omitempty" jsonschema:"only scheduled or due on or before this day"`
	Limit    tools.Limit  `json:"limit,omitempty" jsonschema:"most tasks to answer"`
	Offset   tools.Offset `json:"offset,omitempty" jsonschema:"tasks to skip"`
}

func listTasks() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[ListTasksIn, BlocksOut]{
		Name: "list_tasks", Title: "List tasks", Effect: tools.Reads,
		Doc:    "Lists tasks, those scheduled or due first before others.\nNeeds tasks. File graphs write states in capitals (TODO), DB graphs as Todo, Doing, Done.",
		Errors: commonErrors(),
		Examples: []tools.Example[ListTasksIn, BlocksOut]{
			{Purpose: "see what is to do", In: ListTasksIn{Status: Statuses{"TODO"}, Limit: 50}, AnyAnswer: true},
		},
	}, (*Graph).ListTasks)
}

// ListTasks implements list_tasks.
func (g *Graph) ListTasks(ctx context.Context, in ListTasksIn) (BlocksOut, error) {
	if err := g.requireCapability("tasks"); err != nil {
		return BlocksOut{}, err
	}
	arg := struct {
		Status []string `json:"status,omitempty"`
		Page   Name     `json:"page,omitempty"`
		From   int      `json:"from,omitempty"`
		To     int      `json:"to,omitempty"`
		listArg
	}{Status: in.Status, Page: in.PageName, listArg: listArg{int(in.Offset), int(in.Limit)}}
	if in.PageName != "" {
		if err := checkPageName("page_name", in.PageName); err != nil {
			return BlocksOut{}, err
		}
	}
	for _, end := range []struct {
		argument, date string
		into           *int
	}{{"from", in.From, &arg.From}, {"to", in.To, &arg.To}} {
		if end.date == "" {
			continue
		}
		n, err := g.parseDay(end.argument, end.date)
		if err != nil {
			return BlocksOut{}, err
		}
		*end.into = n
	}
	if g.hidesAnything() && in.PageName != "" { // a hidden page has no tasks of its own error
		if _, err := g.page(ctx, string(in.PageName)); err != nil {
			return BlocksOut{}, err
		}
	}
	blocks, total, err := g.visibleBlocks(ctx, arg.listArg, func(of listArg) ([]wireBlock, int, error) {
		var found wireBlockList
		arg.listArg = of
		err := g.query(ctx, "tasks.list", arg, &found)
		return found.Blocks, found.Total, err
	})
	if err != nil {
		return BlocksOut{}, err
	}
	return blocksOut(blocks, total, int(in.Offset), int(in.Limit)), nil
}

// TaskValue is a state or a priority.
type TaskValue string

// JSONSchema implements tools.Typed.
func (TaskValue) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MaxLength: new(100)}
}

// SetTaskIn are the arguments of set_task.
type SetTaskIn struct {
	BlockUUID UUID      `json:"block_uuid" jsonschema:"block; one that is no task becomes one"`
	Status    TaskValue `json:"status,omitempty" jsonschema:"new state, such as TODO, DOING or DONE"`
	Priority  TaskValue `json:"priority,omitempty" jsonschema:"A, B, C, or a DB graph's own; none takes it off"`
	Scheduled string    `json:"scheduled,omitempty" jsonschema:"day as 2026-11-21; none takes it off"`
	Deadline  string    `json:"deadline,omitempty" jsonschema:"day as 2026-11-21; none takes it off"`
	DryRun    bool      `json:"dry_run,omitempty" jsonschema:"only check; change nothing"`
}

// TaskWritten is the answer of set_task.
type TaskWritten struct {
	Block Block `json:"block" jsonschema:"the task as it is now"`
	Written
}

func setTask() tools.Tool[*Graph] {
	return tools.DefineWithContext(tools.Spec[SetTaskIn, TaskWritten]{
		Name: "set_task", Title: "Set a task", Effect: tools.Writes,
		Doc:    "Sets a task's state, priority and days.\nNeeds tasks. What is omitted stays.",
		Errors: commonErrors(),
		Examples: []tools.Example[SetTaskIn, TaskWritten]{
			{Purpose: "mark a task as done", In: SetTaskIn{BlockUUID: exampleTask, Status: "DONE"}, AnyAnswer: true},
		},
	}, (*Graph).SetTask)
}

// SetTask implements set_task.
func (g *Graph) SetTask(ctx context.Context, c tools.CallContext, in SetTaskIn) (TaskWritten, error) {
	var nothing TaskWritten
	change, err := g.setTaskParams(in)
	if err != nil {
		return nothing, err
	}
	end, err := g.lockWrites(ctx)
	if err != nil {
		return nothing, err
	}
	defer end()
	was, err := g.block(ctx, in.BlockUUID, 0)
	if err != nil {
		return nothing, err
	}
	if in.DryRun {
		return TaskWritten{was.forAgent(was.Page, 0), dryRunResult()}, nil
	}
	told, err := g.reportChanges(ctx, c, planUpdate(target{blockTarget, string(was.UUID)}))
	if err != nil {
		return nothing, err
	}
	defer told()
	now := was
	var out TaskWritten
	out.Written, err = g.perform(ctx, writeRequest{
		method: "tasks.set", params: change, details: writeDetails{UUID: was.UUID, Page: was.Page.Name},
		verify: func(ctx context.Context) (verification, error) {
			seen, err := g.block(ctx, was.UUID, 0)
			if err != nil {
				return notApplied, err
			}
			now = seen
			return in.verify(was, seen), nil
		},
	})
	if err != nil {
		return nothing, err
	}
	out.Block = now.forAgent(now.Page, 0)
	return out, nil
}

// setTaskParams checks the arguments and makes the Peer's of them, in which null
// takes something off.
func (g *Graph) setTaskParams(in SetTaskIn) (map[string]any, error) {
	if err := g.requireCapability("tasks"); err != nil {
		return nil, err
	}
	if err := in.BlockUUID.check("block_uuid"); err != nil {
		return nil, err
	}
	change := map[string]any{"uuid": in.BlockUUID}
	if in.Status != "" {
		change["status"] = in.Status
	}
	if in.Priority != "" {
		change["priority"] = valueOrNil(string(in.Priority))
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
		change[argument] = valueOrNil(date)
	}
	if len(change) == 1 {
		return nil, tools.Errorf(tools.Invalid, "give status, priority, scheduled or deadline")
	}
	return change, nil
}

// clearValue as an argument takes something off.
const clearValue = "none"

func valueOrNil(word string) any {
	if word == clearValue {
		return nil
	}
	return word
}

// verify judges a look at a task that was set. States and priorities have other
// names on the other product line, so they are compared where they can be.
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
	case now.Raw == was.Raw && now.Marker == was.Marker && string(now.Scheduled) == string(was.Scheduled) && string(now.Deadline) == string(was.Deadline):
		return notApplied
	}
	return appliedDifferently
}

// sameTaskStatus compares states across both product lines.
func sameTaskStatus(a, b string) bool {
	fold := func(s string) string {
		s = strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToUpper(s))
		if same, ok := map[string]string{"NOW": "DOING", "INPROGRESS": "DOING", "LATER": "TODO", "CANCELLED": "CANCELED", "WAITING": "INREVIEW", "WAIT": "INREVIEW", "BACKLOG": "TODO"}[s]; ok {
			return same
		}
		return s
	}
	return fold(a) == fold(b)
}
