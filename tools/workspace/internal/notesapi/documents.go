package notesapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// A workspaceBody is what describes a workspace.
type workspaceBody struct {
	ID       string         `json:"id,omitempty"`
	Name     string         `json:"name"`
	Settings map[string]any `json:"settings"`
	Storage  map[string]any `json:"storage_config"`
	Created  time.Time      `json:"created_at"`
	Updated  time.Time      `json:"updated_at"`
}

func readWorkspace(doc notestore.Document) (w workspaceBody, err error) {
	err = json.Unmarshal([]byte(doc.Body), &w)
	w.ID = doc.Workspace
	return w, err
}

func putWorkspace(c *call, w workspaceBody) (any, error) {
	body, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	return w, c.draft.Put(c.ctx, notestore.Document{Workspace: w.ID, Kind: notestore.WorkspaceKind, Body: string(body)})
}

func listWorkspaces(c *call) (any, error) {
	docs, err := c.draft.Documents(c.ctx, "", notestore.WorkspaceKind, "", c.request.Bounds.orDefault().Rows)
	list := []workspaceBody{}
	for _, doc := range docs {
		w, err := readWorkspace(doc)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, err
}

func createWorkspace(c *call) (any, error) {
	var b struct{ ID, Name string }
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	if b.ID == "" {
		b.ID = b.Name
	}
	if !notestore.IsID(b.ID) {
		return nil, badRequest("%q is not the id of a workspace (want letters, digits, _ and -)", b.ID)
	}
	doc, err := c.draft.Document(c.ctx, b.ID, notestore.WorkspaceKind, "")
	if err != nil {
		return nil, err
	}
	if doc != nil || c.api.taken != nil && c.api.taken(b.ID) {
		return nil, conflict("the workspace %q already exists", b.ID)
	}
	if b.Name == "" {
		b.Name = b.ID
	}
	now := c.draft.IDs().Next(time.Time{})
	return putWorkspace(c, workspaceBody{b.ID, b.Name, map[string]any{}, map[string]any{}, now, now})
}

func (c *call) readWorkspace() (w workspaceBody, err error) {
	doc, err := c.draft.Document(c.ctx, c.workspace, notestore.WorkspaceKind, "")
	if err != nil {
		return w, err
	}
	return readWorkspace(*doc)
}

func getWorkspace(c *call) (any, error) { return c.readWorkspace() }

func updateWorkspace(c *call) (any, error) {
	var b struct {
		Name     *string        `json:"name"`
		Settings map[string]any `json:"settings"`
		Storage  map[string]any `json:"storage_config"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	w, err := c.readWorkspace()
	if err != nil {
		return nil, err
	}
	if b.Name != nil {
		w.Name = *b.Name
	}
	if b.Settings != nil {
		w.Settings = b.Settings
	}
	if b.Storage != nil {
		if err := checkStorage(b.Storage); err != nil {
			return nil, err
		}
		w.Storage = b.Storage
	}
	w.Updated = c.draft.IDs().Next(time.Time{})
	return putWorkspace(c, w)
}

// checkStorage refuses to say that notes are kept where they are not.
func checkStorage(config map[string]any) error {
	if len(config) > 0 {
		return badRequest("storage_config must be {}: where a workspace is kept is set in Lectern's configuration, by the key database of its " +
			"source")
	}
	return nil
}

func testConnection(c *call) (any, error) {
	var b struct {
		Storage map[string]any `json:"storage_config"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	return map[string]string{"status": "ok"}, checkStorage(b.Storage)
}

func listLinks(c *call) (any, error) {
	limit, cursor, err := c.page()
	if err != nil {
		return nil, err
	}
	list, err := c.draft.Links(c.ctx, c.workspace, c.request.Query.Get("note_id"), cursor, limit)
	if err != nil {
		return nil, err
	}
	return finish(c, list, limit, func(l notestore.Link) string { return l.ID })
}

func createLink(c *call) (any, error) {
	b := struct{ Source, Target, Kind string }{Kind: "related"}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	if b.Kind == "" || len(b.Kind) > 100 {
		return nil, badRequest("kind must have 1 to 100 bytes")
	}
	return c.draft.Connect(c.ctx, c.workspace, b.Source, b.Target, b.Kind)
}

func (c *call) link() (*notestore.Link, error) {
	id := c.names.Get("link_id")
	l, err := c.draft.Link(c.ctx, c.workspace, id)
	if err == nil && l == nil {
		err = notFound("there is no link %q that was made; one in a text is changed with its note", id)
	}
	return l, err
}

func getLink(c *call) (any, error) { return c.link() }

func deleteLink(c *call) (any, error) {
	l, err := c.link()
	if err != nil {
		return nil, err
	}
	return nil, c.draft.Remove(c.ctx, c.workspace, notestore.LinkKind, l.ID)
}

// class returns a class, nil if there is none. A hidden one is none that can be made.
func (c *call) class(name string) (*notetext.Class, error) {
	doc, err := c.visibleClass(name)
	if err != nil || doc == nil {
		return nil, err
	}
	class, err := notetext.ParseClass([]byte(doc.Body))
	return &class, err
}

// visibleClass returns a class as it is stored, nil if there is none.
func (c *call) visibleClass(name string) (*notestore.Document, error) {
	doc, err := c.draft.Document(c.ctx, c.workspace, notestore.ClassKind, name)
	if err != nil || doc == nil {
		return nil, err
	}
	if hides, err := c.draft.HidesClass(c.ctx, c.workspace, name); err != nil || hides {
		return nil, err
	}
	return doc, nil
}

func listClasses(c *call) (any, error) {
	return listVisible(c, notestore.ClassKind, func(doc notestore.Document) (bool, error) {
		return c.draft.HidesClass(c.ctx, c.workspace, doc.ID)
	})
}

func listTypes(*call) (any, error) { return notetext.FieldTypes(), nil }

func getClass(c *call) (any, error) {
	doc, err := c.visibleClass(c.names.Get("name"))
	switch {
	case err != nil:
		return nil, err
	case doc == nil:
		return nil, notFound("there is no class %q; GET …/classes lists them", c.names.Get("name"))
	}
	return json.RawMessage(doc.Body), nil // it is stored as it is answered
}

func (c *call) putClass(class notetext.Class) (any, error) {
	if hides, err := c.draft.HidesClass(c.ctx, c.workspace, class.Name); err != nil || hides {
		if err == nil {
			err = notestore.ErrHidden
		}
		return nil, err
	}
	body, err := json.Marshal(class)
	if err != nil {
		return nil, err
	}
	return class, c.draft.Put(c.ctx, notestore.Document{Workspace: c.workspace, Kind: notestore.ClassKind, ID: class.Name, Body: string(body)})
}

func saveClass(c *call) (any, error) {
	class, err := c.classBody(c.names.Get("name"))
	if err != nil {
		return nil, err
	}
	return c.putClass(class)
}

// classBody reads a class. Its name may be left out where the path has it.
func (c *call) classBody(name string) (notetext.Class, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(c.request.Body, &fields); err != nil {
		return notetext.Class{}, badRequest("the body is not a class: %v", err)
	}
	if name != "" {
		own, err := json.Marshal(name)
		if err != nil {
			return notetext.Class{}, err
		}
		if in, has := fields["name"]; has && string(in) != string(own) {
			return notetext.Class{}, badRequest("name is %s, but the path says %q", in, name)
		}
		fields["name"] = own
	}
	delete(fields, "from_notes")
	data, err := json.Marshal(fields)
	if err != nil {
		return notetext.Class{}, err
	}
	class, err := notetext.ParseClass(data)
	if err != nil {
		return class, badRequest("%v", err)
	}
	return class, nil
}

func createClass(c *call) (any, error) {
	class, err := c.classBody("")
	if err != nil {
		return nil, err
	}
	if known, err := c.class(class.Name); err != nil || known != nil {
		if err == nil {
			err = conflict("the class %q already exists; PUT replaces it", class.Name)
		}
		return nil, err
	}
	var from struct {
		Notes []string `json:"from_notes"`
	}
	if err := json.Unmarshal(c.request.Body, &from); err != nil {
		return nil, badRequest("from_notes must be a list of ids of notes")
	}
	if from.Notes == nil {
		return c.putClass(class)
	}
	if len(class.Fields) > 0 {
		return nil, badRequest("write fields or from_notes, not both")
	}
	var texts []notetext.Text
	for _, id := range from.Notes {
		n, err := c.draft.Note(c.ctx, c.workspace, id)
		if err != nil {
			return nil, err
		}
		if n == nil {
			return nil, badRequest("from_notes: there is no note %q", id)
		}
		texts = append(texts, notetext.Parse(n.Text))
	}
	inferred, err := notetext.InferClass(class.Name, texts)
	if err != nil {
		return nil, badRequest("from_notes: %v", err)
	}
	return c.putClass(inferred)
}

// deleteClass refuses to leave notes without their class.
func deleteClass(c *call) (any, error) {
	name := c.names.Get("name")
	if class, err := c.class(name); err != nil || class == nil {
		if err == nil {
			err = notFound("there is no class %q; GET …/classes lists them", name)
		}
		return nil, err
	}
	visible, hidden, err := c.draft.ClassUse(c.ctx, c.workspace, name)
	switch {
	case err != nil:
		return nil, err
	case visible != "":
		return nil, conflict("notes have the class %q, such as %s; change them first", name, visible)
	case hidden:
		return nil, notestore.ErrHidden
	}
	return nil, c.draft.Remove(c.ctx, c.workspace, notestore.ClassKind, name)
}

// hidesAttachment reports whether hidden notes alone name an attachment.
func (c *call) hidesAttachment(a notestore.Attachment) (bool, error) {
	visible, hidden, err := c.draft.AttachmentUse(c.ctx, c.workspace, a.ID, a.Path)
	return hidden && visible == "", err
}

func listAttachments(c *call) (any, error) {
	return listVisible(c, notestore.AttachmentKind, func(doc notestore.Document) (bool, error) {
		var a notestore.Attachment
		if err := json.Unmarshal([]byte(doc.Body), &a); err != nil {
			return false, err
		}
		return c.hidesAttachment(a)
	})
}

// listVisible lists documents as they are kept.
func listVisible(c *call, kind notestore.Kind, hides func(notestore.Document) (bool, error)) (any, error) {
	limit, cursor, err := c.page()
	if err != nil {
		return nil, err
	}
	rows := rowList{call: c, limit: limit}
	const part = 1000
	for last := cursor; ; {
		docs, err := c.draft.Documents(c.ctx, c.workspace, kind, last, part)
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			last = doc.ID
			if hidden, err := hides(doc); err != nil {
				return nil, err
			} else if !hidden && !rows.add(json.RawMessage(doc.Body), doc.ID) {
				return rows.finish(nil)
			}
		}
		if len(docs) < part {
			return rows.finish(nil)
		}
	}
}

func createAttachment(c *call) (any, error) {
	var b struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Content []byte `json:"content_base64"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	if b.Name == "" || len(b.Name) > 200 || strings.ContainsAny(b.Name, "/\\\x00\r\n") || b.Name == "." || b.Name == ".." {
		return nil, badRequest("name must be the name of a file, without folders")
	}
	if len(b.Content) > notestore.MaxAttachment {
		return nil, &Error{http.StatusRequestEntityTooLarge, fmt.Sprintf("an attachment has at most %d bytes", notestore.MaxAttachment)}
	}
	id, now := c.draft.IDs().NewTimedID()
	a := notestore.Attachment{ID: id, Name: b.Name, Path: "attachments/" + id + "-" + b.Name, Type: b.Type, Created: now}
	return c.draft.Attach(c.ctx, c.workspace, a, b.Content)
}

func (c *call) attachment() (a notestore.Attachment, content []byte, err error) {
	id := c.names.Get("attachment_id")
	doc, err := c.draft.Document(c.ctx, c.workspace, notestore.AttachmentKind, id)
	if err != nil {
		return a, nil, err
	}
	if doc != nil {
		if err := json.Unmarshal([]byte(doc.Body), &a); err != nil {
			return a, nil, err
		}
		var hides bool
		if hides, err = c.hidesAttachment(a); err == nil && !hides {
			return a, doc.Content, nil
		}
	}
	if err == nil {
		err = notFound("there is no attachment %q", id)
	}
	return a, nil, err
}

func getAttachment(c *call) (any, error) {
	a, content, err := c.attachment()
	return struct {
		notestore.Attachment
		Content []byte `json:"content_base64"`
	}{a, content}, err
}

func deleteAttachment(c *call) (any, error) {
	a, _, err := c.attachment()
	if err != nil {
		return nil, err
	}
	note, _, err := c.draft.AttachmentUse(c.ctx, c.workspace, a.ID, a.Path) // one that hidden notes alone name is hidden
	if err != nil {
		return nil, err
	}
	if note != "" {
		return nil, conflict("the note %s names the attachment; change it first", note)
	}
	return nil, c.draft.Remove(c.ctx, c.workspace, notestore.AttachmentKind, a.ID)
}
