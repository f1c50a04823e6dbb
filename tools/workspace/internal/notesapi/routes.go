package notesapi

import (
	"net/http"

	"github.com/lectern-mcp/lectern/tools"
)

// A Route is one request that the API answers.
type Route struct {
	Method  string
	Path    string // a part in braces stands for one name: /workspaces/{workspace_id}/notes
	Name    string // of the same thing in a typed facade: notes.list
	Purpose string
	Effect  tools.Effect
	Query   string // the parameters of the query, as the members of a TypeScript interface; empty: none
	Body    string // TypeScript type of the body; empty: none
	Answer  string // TypeScript type of the answer; empty: none
	Status  int    // of an answer without error
}

// Routes are all requests that the API answers, in the order of the reference.
func Routes() []Route {
	const (
		get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
		ws                         = "/workspaces/{workspace_id}"
		note                       = ws + "/notes/{note_id}"
		page                       = "limit?: number; cursor?: string"
	)
	return []Route{
		{get, "/workspaces", "workspaces.list", "List the workspaces", tools.Reads, "", "", "Workspace[]", 200},
		{post, "/workspaces", "workspaces.create", "Create a workspace", tools.Writes, "", "{ id?: string; name?: string }", "Workspace", 201},
		{get, ws, "workspaces.get", "Read what describes a workspace", tools.Reads, "", "", "Workspace", 200},
		{patch, ws, "workspaces.update", "Change what describes a workspace", tools.Writes, "", "WorkspacePatch", "Workspace", 200},
		{
			post, ws + "/test-connection", "workspaces.test", "Check a storage configuration: only this database is supported", tools.Reads, "",
			"{ storage_config: object }", "{ status: string }", 200,
		},

		{get, ws + "/notes", "notes.list", "List notes, newest first", tools.Reads, page, "", "List<NoteInfo>", 200},
		{post, ws + "/notes", "notes.create", "Create a note", tools.Writes, "", "NewNote", "Saved", 201},
		{get, note, "notes.get", "Read a note", tools.Reads, "", "", "Note", 200},
		{
			put, note, "notes.update", "Replace a note that nobody has changed since parent_revision_id", tools.Writes, "", "NoteUpdate", "Saved",
			200,
		},
		{
			del, note, "notes.delete", "Delete a note; its history stays, and restore brings it back", tools.Deletes, "parent_revision_id?: string",
			"", "", 204,
		},
		{get, note + "/history", "notes.history", "List the revisions of a note, newest first", tools.Reads, page, "", "History", 200},
		{
			get, note + "/history/{revision_id}", "notes.revision", "Read a revision, with the difference to the one before", tools.Reads, "", "",
			"Revision", 200,
		},
		{
			post, note + "/restore", "notes.restore", "Make a revision the current one again", tools.Writes, "", "{ revision_id: string }", "Saved",
			200,
		},

		{
			get, ws + "/links", "links.list", "List links, newest first: those that were made, and those in the text of notes", tools.Reads,
			"note_id?: string; " + page, "", "List<Link>", 200,
		},
		{
			post, ws + "/links", "links.create", "Link two notes", tools.Writes, "", "{ source: string; target: string; kind?: string }", "Link",
			201,
		},
		{get, ws + "/links/{link_id}", "links.get", "Read a link that was made", tools.Reads, "", "", "Link", 200},
		{del, ws + "/links/{link_id}", "links.delete", "Remove a link that was made", tools.Deletes, "", "", "", 204},

		{post, ws + "/query", "query", "Find notes by a filter", tools.Reads, page, "Query", "List<NoteInfo>", 200},
		{
			get, ws + "/search", "search", "Find notes that have all words: in titles first, then newest first", tools.Reads, "q: string; " + page,
			"", "List<NoteInfo & { excerpt: string }>", 200,
		},

		{get, ws + "/classes", "classes.list", "List the classes by name", tools.Reads, page, "", "List<Class>", 200},
		{get, ws + "/classes/types", "classes.types", "List the types of fields", tools.Reads, "", "", "FieldType[]", 200},
		{
			post, ws + "/classes", "classes.create", "Create a class; with from_notes, of the properties that notes have", tools.Writes, "",
			"Class & { from_notes?: string[] }", "Class", 201,
		},
		{get, ws + "/classes/{name}", "classes.get", "Read a class", tools.Reads, "", "", "Class", 200},
		{put, ws + "/classes/{name}", "classes.save", "Create or replace a class", tools.Writes, "", "Class", "Class", 200},
		{del, ws + "/classes/{name}", "classes.delete", "Delete a class that no note has", tools.Deletes, "", "", "", 204},

		{get, ws + "/attachments", "attachments.list", "List attachments, newest first", tools.Reads, page, "", "List<Attachment>", 200},
		{
			post, ws + "/attachments", "attachments.create", "Keep a file of at most 8 MiB", tools.Writes, "",
			"{ name: string; type?: string; content_base64: string }", "Attachment", 201,
		},
		{
			get, ws + "/attachments/{attachment_id}", "attachments.get", "Read an attachment", tools.Reads, "", "",
			"Attachment & { content_base64: string }", 200,
		},
		{
			del, ws + "/attachments/{attachment_id}", "attachments.delete", "Delete an attachment that no note names", tools.Deletes, "", "", "",
			204,
		},
	}
}

// TypeScript declares the types that [Routes] name.
const TypeScript = `type List<T> = T[] & { readonly next?: string }; // the cursor of what is missing, in scripts
type FieldType = "string" | "number" | "date" | "list" | "markdown";
interface Workspace { id: string; name: string; settings: Record<string, unknown>; storage_config: Record<string, unknown>; created_at: string; updated_at: string }
interface WorkspacePatch { name?: string; settings?: Record<string, unknown>; storage_config?: Record<string, unknown> }
interface NoteInfo { id: string; revision_id: string; title: string; class: string; tags: string[]; properties: Record<string, any>; links: string[]; canvas_position: unknown; created_at: string; updated_at: string; truncated?: string[] }
interface NewNote { markdown?: string; id?: string; class?: string; title?: string; properties?: Record<string, unknown>; attachments?: string[]; canvas_position?: unknown }
interface NoteUpdate { markdown: string; parent_revision_id: string; class?: string; attachments?: string[]; canvas_position?: unknown }
interface Saved { id: string; revision_id: string }
interface Note extends Omit<NoteInfo, "links"> { markdown: string; frontmatter: Record<string, unknown>; sections: Record<string, string>; attachments: string[]; links: Link[]; computed: { problems: { field?: string; message: string }[] }; integrity: { checksum: string; signature: string } }
interface RevisionInfo { revision_id: string; timestamp: string; author: string; deleted: boolean; checksum: string; signature: string }
interface History { note_id: string; revisions: RevisionInfo[]; readonly next?: string }
interface Revision extends RevisionInfo { note_id: string; parent_revision_id: string; markdown: string; diff: string }
interface Link { id: string; source: string; target: string; kind: string; origin: "made" | "text"; resolved: boolean; created_at: string }
interface Query { filter: Record<string, unknown>; sort?: string | string[]; limit?: number; cursor?: string }
interface Class { name: string; version?: number; template?: string; fields: Record<string, { type: FieldType; required?: boolean }>; defaults?: Record<string, unknown>; strategies?: Record<string, unknown> }
interface Attachment { id: string; name: string; path: string; type: string; size: number; sha256: string; created_at: string }
`
