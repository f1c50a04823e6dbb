package workspace

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// checks are what `lectern doctor workspace` looks at, for each source.
func checks() []tools.Check[*Workspaces] {
	return []tools.Check[*Workspaces]{
		{Name: "database", Title: "The database answers", Look: check(checkDatabase)},
		{Name: "token", Title: "The REST API asks for a token", Look: check(checkToken)},
		{Name: "sandbox", Title: "Scripts run", Look: check(checkSandbox)},
	}
}

func checkDatabase(ctx context.Context, w *Workspaces, _ tools.Doctor) status.Check {
	ids, err := w.completeWorkspace(ctx, "")
	if err != nil {
		return status.Check{Result: status.CheckFail, Detail: err.Error(), Fix: "Check the folder or the database of the source."}
	}
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("workspaces: %d", len(ids))}
}

func checkToken(_ context.Context, w *Workspaces, _ tools.Doctor) status.Check {
	if w.config.OpenLoopback {
		return status.Check{
			Result: status.CheckWarn, Detail: "every program on this machine can use the notes over HTTP, as an agent without a name",
			Fix: "Remove open_loopback from the source, unless you need it.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: "on this machine too"}
}

func checkSandbox(ctx context.Context, w *Workspaces, _ tools.Doctor) status.Check {
	out, err := w.RunScript(ctx, tools.CallContext{Identity: tools.Identity{Client: "lectern doctor"}, Began: w.now()},
		ScriptIn{Code: "1 + 1", WorkspaceID: ID(w.name)})
	if err != nil {
		return status.Check{Result: status.CheckFail, Detail: err.Error(), Fix: "Run `lectern logs` to see why."}
	}
	return status.Check{
		Result: status.CheckOK, Detail: fmt.Sprintf("%d instructions, %d bytes of memory", out.Usage.Fuel, out.Usage.PeakMemory),
	}
}
