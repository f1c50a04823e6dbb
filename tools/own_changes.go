package tools

import (
	"context"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// A OwnChanges is what one agent did to one source: the Source of the tools that the
// hub adds to those of a System, where a person wants agents to have them.
type OwnChanges interface {
	Source
	// ListChanges answers the agent's own Changes, newest first.
	ListChanges(ctx context.Context, in ListChangesIn) (ListChangesOut, error)
	// UndoChange takes one of them back, with the others of its call.
	UndoChange(ctx context.Context, c CallContext, in UndoChangeIn) (UndoChangeOut, error)
}

// ChangeLimit is the most Changes a list answers: 1 to 100, 20 when omitted.
type ChangeLimit int

// JSONSchema implements [Typed].
func (ChangeLimit) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(100.0), Default: []byte("20")}
}

// ListChangesIn picks Changes.
type ListChangesIn struct {
	ID     string      `json:"id,omitempty" jsonschema:"this change alone, with its diff"`
	Before string      `json:"before,omitempty" jsonschema:"only changes older than the one with this id; next of the answer before"`
	Limit  ChangeLimit `json:"limit,omitempty" jsonschema:"the most changes to answer"`
}

// ListChangesOut are Changes, newest first.
type ListChangesOut struct {
	Changes []OwnChange `json:"changes" jsonschema:"newest first"`
	Next    string      `json:"next,omitempty" jsonschema:"there are older ones: call again with this as before"`
}

// An OwnChange is a Change as its agent sees it.
type OwnChange struct {
	ID         string    `json:"id" jsonschema:"to name it by"`
	Call       string    `json:"call" jsonschema:"the same for all changes of one call, which are undone together"`
	Time       time.Time `json:"time" jsonschema:"when"`
	Tool       string    `json:"tool" jsonschema:"that made it"`
	Target     string    `json:"target" jsonschema:"what changed"`
	Action     string    `json:"action" jsonschema:"create, update or delete"`
	Outcome    string    `json:"outcome" jsonschema:"written, undone, or unsure: whether it happened is not known"`
	Undoes     string    `json:"undoes,omitempty" jsonschema:"the change that this one took back"`
	Reason     string    `json:"reason,omitempty" jsonschema:"as it was given"`
	CannotUndo string    `json:"cannot_undo,omitempty" jsonschema:"why it cannot be undone"`
	Diff       string    `json:"diff,omitempty" jsonschema:"unified; where id was given"`
}

// UndoChangeIn names a Change.
type UndoChangeIn struct {
	ID     string `json:"id" jsonschema:"of the change, as list_changes answers it"`
	Merge  bool   `json:"merge,omitempty" jsonschema:"keep what was edited later on other lines, instead of refusing"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"answer what would be done and do nothing"`
}

// UndoChangeOut says what an undo did, or would do.
type UndoChangeOut struct {
	Restored []Restored `json:"restored" jsonschema:"every target of the call"`
	Merged   []string   `json:"merged,omitempty" jsonschema:"targets whose later edits stay; read them again"`
	Changes  []string   `json:"changes,omitempty" jsonschema:"ids of the undo's own changes, which can be undone too; absent in a dry run"`
}

// Restored is one target of an undo.
type Restored struct {
	Target string `json:"target" jsonschema:"what is taken back"`
	Action string `json:"action" jsonschema:"create, delete or restore"`
	Diff   string `json:"diff" jsonschema:"unified, or why there is none"`
}

// OwnChangesTools are the tools of a Past. They are published under these names, with
// lectern_ before one that a System of the session has too.
func OwnChangesTools() []Tool[OwnChanges] {
	when := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	return []Tool[OwnChanges]{
		Define(Spec[ListChangesIn, ListChangesOut]{
			Name: "list_changes", Title: "List own changes", Effect: Reads,
			Doc: "List what you changed in a source, newest first.\n" +
				"Only your own changes: those of this session, and all of yours where you connect with a token of your own. Give id to see one as a diff.",
			Errors: []Code{NotFound},
			Examples: []Example[ListChangesIn, ListChangesOut]{{
				Purpose: "find what to take back", In: ListChangesIn{Limit: 1}, AnyAnswer: true,
				Want: ListChangesOut{
					Changes: []OwnChange{{ID: "c12", Call: "k12", Time: when, Tool: "write_page", Target: "Plan.md", Action: "update", Outcome: "written"}},
					Next:    "c12",
				},
			}},
		}, OwnChanges.ListChanges),
		DefineWithContext(Spec[UndoChangeIn, UndoChangeOut]{
			Name: "undo_change", Title: "Undo an own change", Effect: Writes,
			Doc: "Take back one of your own changes exactly, together with the others of its call.\n" +
				"Refused with the diff when somebody edited later; merge keeps such edits where they are on other lines. " +
				"One that removes what you created needs the grant to delete. The undo is a change too, so it can be undone.",
			Errors: []Code{NotFound, Conflict},
			Examples: []Example[UndoChangeIn, UndoChangeOut]{{
				Purpose: "see what an undo would do", In: UndoChangeIn{ID: "c12", DryRun: true}, AnyAnswer: true,
				Want: UndoChangeOut{Restored: []Restored{{Target: "Plan.md", Action: "restore", Diff: "--- Plan.md\n+++ Plan.md\n@@ -1 +1 @@\n-new\n+old\n"}}},
			}},
		}, OwnChanges.UndoChange),
	}
}

// OwnChangesKind declares the tools of a Past for those who render, count and check
// declarations. It is no System that a source can be of.
func OwnChangesKind() Kind {
	return Erase(System[OwnChanges, struct{}]{
		Name: "changes", Title: "Own changes", Tools: OwnChangesTools(),
		Doc: "What an agent itself changed in a source, of whatever kind, and the way to take it back. These tools are there only where the user " +
			"says `own_changes = true` in `[hub]` of Lectern's configuration. Their names have no prefix, also in a session of several kinds.",
		Open: func(context.Context, struct{}, Env) (OwnChanges, error) {
			return nil, Errorf(Invalid, "no source is of the kind changes")
		},
	})
}
