package logseq

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// A Step is one call of a batch.
type Step struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Steps are the calls of a batch.
type Steps []Step

// JSONSchema implements tools.SchemaProvider.
func (Steps) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "array", MinItems: new(1), MaxItems: new(50), Items: &jsonschema.Schema{
			Type: "object", Description: "tool (a name) and arguments (the object for that tool)",
		},
	}
}

// BatchIn are the arguments of batch.
type BatchIn struct {
	Items           Steps `json:"items" jsonschema:"calls, in order"`
	ContinueOnError bool  `json:"continue_on_error,omitempty" jsonschema:"continue after a failed call"`
	DryRun          bool  `json:"dry_run,omitempty" jsonschema:"dry-run each call; one that depends on an earlier call fails"`
}

// StepResult is the result of one call.
type StepResult struct {
	Tool   string `json:"tool" jsonschema:"name of the tool"`
	Status string `json:"status" jsonschema:"done, failed or skipped"`
	Result any    `json:"result,omitempty" jsonschema:"its answer"`
	Error  any    `json:"error,omitempty" jsonschema:"its error"`
}

// BatchOut is the answer of batch.
type BatchOut struct {
	Results []StepResult `json:"results" jsonschema:"one for each call, in order"`
	Done    int          `json:"done" jsonschema:"calls that succeeded"`
	Failed  int          `json:"failed" jsonschema:"calls that failed"`
	Note    string       `json:"note,omitempty" jsonschema:"why some were skipped"`
}

// batchTools are the tools that a batch may call: those that write. Deleting
// needs its own grant and so its own call.
func batchTools() []tools.Tool[*Graph] {
	return []tools.Tool[*Graph]{
		createPage(), updatePage(), renamePage(), appendToJournal(),
		createBlock(), insertBlocks(), updateBlock(), moveBlock(), setTask(),
	}
}

func batch() tools.Tool[*Graph] {
	var names []string
	callable := batchTools()
	for _, t := range callable {
		names = append(names, t.Info().Name)
	}
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[BatchIn, BatchOut]{
		Name: "batch", Title: "Several writes", Effect: tools.Writes, OptIn: true,
		Doc: "Runs up to 50 writes in order and returns the result of each.\n" +
			"Stops at the first failure unless continue_on_error is set; nothing is rolled back. Takes " + strings.Join(names, ", ") + ".",
		Errors: commonErrors(),
		Examples: []tools.Example[BatchIn, BatchOut]{{
			Purpose: "change two blocks", In: BatchIn{Items: Steps{
				{"update_block", json.RawMessage(`{"block_uuid":"` + exampleBlock + `","content":"Plant leeks"}`)},
				{"set_task", json.RawMessage(`{"block_uuid":"` + exampleTask + `","status":"DONE"}`)},
			}}, AnyAnswer: true,
		}},
	}, (*Graph).Batch), func(g *Graph, ctx context.Context, in writeArguments) ([]string, error) {
		return stepTargets(ctx, g, in, callable), nil
	})
}

// stepTimeout is the maximum duration of one call.
const stepTimeout = writeTimeout + verifyTimeout

// Batch implements batch. A call begins only while there is time to see it
// through, so that no outcome is lost.
func (g *Graph) Batch(ctx context.Context, c tools.CallContext, in BatchIn) (BatchOut, error) {
	if err := ctx.Err(); err != nil {
		return BatchOut{}, err
	}
	steps, err := in.steps()
	if err != nil {
		return BatchOut{}, err
	}
	if g.hello() == nil {
		return BatchOut{}, notConnectedError(g.conf.Graph)
	}
	var out BatchOut
	together := &batchContext{outer: c, g: g, unknown: map[string]bool{}}
	step := c
	step.Writes = together
	if !in.DryRun {
		if err := together.reportAll(ctx, in.Items, steps); err != nil {
			return BatchOut{}, err
		}
	}
	defer together.reportResults(ctx)
	for i, s := range in.Items {
		o := StepResult{Tool: s.Tool, Status: "skipped"}
		deadline, bounded := ctx.Deadline()
		switch {
		case out.Note != "":
		case out.Failed > 0 && !in.ContinueOnError:
			out.Note = "A call failed, so the rest was skipped."
		case ctx.Err() != nil, i > 0 && bounded && time.Until(deadline) < stepTimeout:
			out.Note = "There was no time for the rest: call again with it."
		default:
			r, err := steps[i](ctx, g, step)
			if together.stopped != nil {
				return BatchOut{}, together.stopped
			}
			o.Status, o.Result = "done", r.JSON
			if err != nil {
				o.Status, o.Result, o.Error = "failed", nil, errorFormat().Object(tools.AsError(err))
				out.Failed++
			} else {
				out.Done++
			}
			c.Progress(float64(i+1), float64(len(in.Items)), s.Tool)
		}
		out.Results = append(out.Results, o)
	}
	return out, nil
}

type stepFunc func(context.Context, *Graph, tools.CallContext) (tools.Result, error)

// steps finds the tools of all calls before the first is made.
func (in BatchIn) steps() ([]stepFunc, error) {
	known := batchTools()
	var steps []stepFunc
	for i, s := range in.Items {
		at := slices.IndexFunc(known, func(t tools.Tool[*Graph]) bool { return t.Info().Name == s.Tool })
		if at < 0 {
			return nil, tools.Errorf(tools.Invalid, "items[%d].tool: a batch cannot call %.40q", i, s.Tool).
				WithHint("Use tools that write but do not delete, by their names without prefix.")
		}
		args, err := in.arguments(s)
		if err != nil {
			return nil, tools.Errorf(tools.Invalid, "items[%d].arguments: must be an object", i)
		}
		steps = append(steps, func(ctx context.Context, g *Graph, c tools.CallContext) (tools.Result, error) {
			return known[at].Call(ctx, g, c, args)
		})
	}
	return steps, nil
}

// arguments returns the arguments of a call, with the dry_run of the batch.
func (in BatchIn) arguments(s Step) (json.RawMessage, error) {
	args := map[string]any{}
	if err := json.Unmarshal(s.Arguments, &args); err != nil || args == nil {
		return nil, tools.Errorf(tools.Invalid, "must be an object")
	}
	if in.DryRun {
		args["dry_run"] = true
	}
	return json.Marshal(args)
}
