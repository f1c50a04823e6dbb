package tools

import (
	"context"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// OwnChanges are the changes that one agent made to one source. It is the Source
// of list_changes and undo_change, which the hub adds to the tools of a System
// if the user has turned them on.
type OwnChanges interface {
	Source
	// ListChanges returns the agent's own Changes, newest first.
	ListChanges(ctx context.Context, in ListChangesIn) (ListChangesOut, error)
	// UndoChange undoes one of them, together with the others of its call.
	UndoChange(ctx context.Context, c CallContext, in UndoChangeIn) (UndoChangeOut, error)
}

// ChangeLimit is the maximum number of Changes in a list: 1 to 100, 20 when
// omitted.
type ChangeLimit int

// JSONSchema implements [SchemaProvider].
func (ChangeLimit) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(100.0), Default: []byte("20")}
}

// ListChangesIn are the arguments of list_changes.
type ListChangesIn struct {
	ID     string      `json:"id,omitempty" jsonschema:"only this change, with its diff"`
	Before string      `json:"before,omitempty" jsonschema:"only older ones: next of the answer before"`
	Limit  ChangeLimit `json:"limit,omitempty" jsonschema:"maximum number of changes"`
}

// ListChangesOut is the answer of list_changes.
type ListChangesOut struct {
	Changes []OwnChange `json:"changes" jsonschema:"newest first"`
	Next    string      `json:"next,omitempty" jsonschema:"there are more: call again with this as before"`
}

// An OwnChange is a Change as the agent that made it sees it.
type OwnChange struct {
	ID         string    `json:"id" jsonschema:"its id"`
	Call       string    `json:"call" jsonschema:"equal for all changes of one call, which are undone together"`
	Time       time.Time `json:"time" jsonschema:"time of the change"`
	Tool       string    `json:"tool" jsonschema:"tool that made it"`
	Target     string    `json:"target" jsonschema:"what changed"`
	Action     string    `json:"action" jsonschema:"create, update or delete"`
	Outcome    string    `json:"outcome" jsonschema:"written, undone, or unknown: not known whether it was written"`
	Undoes     string    `json:"undoes,omitempty" jsonschema:"id of the change that this one undid"`
	Reason     string    `json:"reason,omitempty" jsonschema:"reason given with the call"`
	CannotUndo string    `json:"cannot_undo,omitempty" jsonschema:"why it cannot be undone"`
	Diff       string    `json:"diff,omitempty" jsonschema:"unified diff, if id was given"`
}

// UndoChangeIn are the arguments of undo_change.
type UndoChangeIn struct {
	ID     string `json:"id" jsonschema:"id from list_changes"`
	Merge  bool   `json:"merge,omitempty" jsonschema:"keep later edits of other lines instead of refusing"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only show what would be done"`
}

// UndoChangeOut is what an undo did, or would do.
type UndoChangeOut struct {
	Restored []Restored `json:"restored" jsonschema:"every target of the call"`
	Merged   []string   `json:"merged,omitempty" jsonschema:"targets with later edits that were kept; read them again"`
	Changes  []string   `json:"changes,omitempty" jsonschema:"ids of the undo's own changes, which can be undone too; none on a dry run"`
}

// Restored is one target of an undo.
type Restored struct {
	Source string `json:"source,omitempty" jsonschema:"of the target, if it is another source"`
	Target string `json:"target" jsonschema:"what is undone"`
	Action string `json:"action" jsonschema:"create, delete or restore"`
	Diff   string `json:"diff" jsonschema:"unified diff, or why there is none"`
}

// OwnChangesTools are the tools on OwnChanges. A name that a System of the
// session also has is published with the prefix lectern_.
func OwnChangesTools() []Tool[OwnChanges] {
	when := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	return []Tool[OwnChanges]{
		Define(Spec[ListChangesIn, ListChangesOut]{
			Name: "list_changes", Title: "List your changes", Effect: Reads,
			Doc: "List your own changes to a source, newest first.\n" +
				"Of this session, or all of yours if you connect with your own token. Give id to see the diff.",
			Errors: []Code{NotFound},
			Examples: []Example[ListChangesIn, ListChangesOut]{{
				Purpose: "find what to undo", In: ListChangesIn{Limit: 1}, AnyAnswer: true,
				Want: ListChangesOut{
					Changes: []OwnChange{{
						ID: "c7kq20mh1", Call: "k7kq20mh1", Time: when, Tool: "write_page", Target: "Plan.md", Action: "update", Outcome: "written",
					}},
					Next: "c7kq20mh1",
				},
			}},
		}, OwnChanges.ListChanges),
		DefineWithContext(Spec[UndoChangeIn, UndoChangeOut]{
			Name: "undo_change", Title: "Undo one of your changes", Effect: Writes,
			Doc: "Undo one of your own changes exactly, with the others of its call.\n" +
				"Refused, with the diff, if the target was edited later; merge keeps such edits of other lines. The undo is a change too.",
			Errors: []Code{NotFound, Conflict}, Selects: []string{"id"},
			Examples: []Example[UndoChangeIn, UndoChangeOut]{{
				Purpose: "see what an undo would do", In: UndoChangeIn{ID: "c7kq20mh1", DryRun: true}, AnyAnswer: true,
				Want: UndoChangeOut{Restored: []Restored{{
					Target: "Plan.md", Action: "restore", Diff: "--- Plan.md\n+++ Plan.md\n@@ -1 +1 @@\n-new\n+old\n",
				}}},
			}},
		}, OwnChanges.UndoChange),
	}
}

// OwnChangesKind declares the tools on OwnChanges as a System, for code that
// renders, counts or checks declarations. No source can be of this kind.
func OwnChangesKind() Kind {
	return Erase(System[OwnChanges, struct{}]{
		Name: "changes", Title: "Own changes", Tools: OwnChangesTools(),
		Doc: "The changes that an agent made to a source of any kind, and a way to undo them. These tools exist unless the user " +
			"sets `own_changes = false` in `[hub]` of Lectern's configuration. Their names never have a prefix.",
		Open: func(context.Context, struct{}, Env) (OwnChanges, error) {
			return nil, Errorf(Invalid, "no source is of the kind changes")
		},
	})
}
