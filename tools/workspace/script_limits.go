package workspace

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox"
)

// What a script asks for, as less than the limits of every script.
type (
	// ScriptFuel is in instructions.
	ScriptFuel int64
	// ScriptMemory is in MiB.
	ScriptMemory int64
	// ScriptTime is in milliseconds.
	ScriptTime int64
)

// minMemory is what the engine takes before a script begins, in MiB.
const minMemory = 2

// JSONSchema implements [tools.SchemaProvider].
func (ScriptFuel) JSONSchema() *jsonschema.Schema { return limitSchema("fuel", 1, 1) }

// JSONSchema implements [tools.SchemaProvider].
func (ScriptMemory) JSONSchema() *jsonschema.Schema { return limitSchema("memory", minMemory, 1<<20) }

// JSONSchema implements [tools.SchemaProvider].
func (ScriptTime) JSONSchema() *jsonschema.Schema {
	return limitSchema("timeout", 1, int64(time.Millisecond))
}

// limitSchema is from least to the sandbox's limit of this key, in a unit.
func limitSchema(key string, least float64, unit int64) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(least), Maximum: new(float64(sandboxLimit(key).Default / unit))}
}

func sandboxLimit(key string) sandbox.Limit {
	table := sandbox.LimitTable()
	return table[slices.IndexFunc(table, func(l sandbox.Limit) bool { return l.Key == key })]
}

// A ScriptSize is a limit of scripts that a person sets.
type ScriptSize int64

// maxScriptSize is how high a person can set it.
const maxScriptSize = 50_000

// JSONSchema implements [tools.SchemaProvider].
func (ScriptSize) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(float64(maxScriptSize))}
}

// defaultScriptNotes is how many notes one script may change.
const defaultScriptNotes = 1000

func (c Config) maxNotes() int { return int(cmp.Or(c.ScriptNotes, defaultScriptNotes)) }

func (c Config) maxCalls() int64 {
	return int64(cmp.Or(c.ScriptCalls, ScriptSize(sandboxLimit("host_calls").Default)))
}

// CallBounds implements [tools.CallBounder].
func (w *Workspaces) CallBounds() string {
	return fmt.Sprintf("a script may change at most %d notes, in %d calls (keys script_notes and script_calls of the source)",
		w.config.maxNotes(), w.config.maxCalls())
}

// checkNotes refuses a request by which a run would change one note more than it may.
func (r *scriptRun) checkNotes(api *notesapi.API, in RequestIn) error {
	route, names, _ := api.Find(in.Method, in.Path)
	isNote := route.Name == "notes.create" || names.Get("note_id") != ""
	if !isNote || r.overlay.ChangedNotes() < r.maxNotes || r.overlay.ChangesNote(names.Get("workspace_id"), names.Get("note_id")) {
		return nil
	}
	return tools.Errorf(tools.Limited, "a script may change at most %d notes, and this one has", r.maxNotes).
		WithHint("Do the rest in another script. The user can set script_notes of the source.")
}

// scriptWorkspace is the workspace of a script: the one that is named, or the only one of the
// source.
func (w *Workspaces) scriptWorkspace(ctx context.Context, named ID) (ID, error) {
	if named != "" {
		_, err := w.get(ctx, w.path(named), nil, &struct{}{})
		return named, err
	}
	var all []struct{ ID string }
	if _, err := w.ask(ctx, notesapi.Request{Method: http.MethodGet, Path: "/workspaces"}, &all); err != nil {
		return "", err
	}
	if len(all) == 1 {
		return ID(all[0].ID), nil
	}
	var ids []string
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	return "", tools.Errorf(tools.Invalid, "workspace_id: the source has several workspaces; name one of %.1000s", strings.Join(ids, ", "))
}
