package notestore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// header begins a state that holds more than a text.
const header, headerEnd = "<!-- note ", " -->\n"

// encodeNote is a note as a State: its text, after a line with the attributes if it
// has any.
func encodeNote(c Content) ([]byte, error) {
	attributes, err := json.Marshal(c.Attributes) // it has no >
	if err != nil {
		return nil, err
	}
	if string(attributes) == "{}" && !strings.HasPrefix(c.Text, header) {
		return []byte(c.Text), nil
	}
	return slices.Concat([]byte(header), attributes, []byte(headerEnd), []byte(c.Text)), nil
}

func decodeNote(data []byte) (c Content, err error) {
	rest, has := bytes.CutPrefix(data, []byte(header))
	if !has {
		return Content{Text: string(data)}, nil
	}
	attributes, text, _ := bytes.Cut(rest, []byte(headerEnd))
	c.Text = string(text)
	return c, json.Unmarshal(attributes, &c.Attributes)
}

// A documentState is an attachment as a State.
type documentState struct {
	Body    json.RawMessage `json:"body"`
	Content []byte          `json:"content"`
}

func encodeDocument(d *Document) (tools.State, error) {
	if d == nil {
		return tools.State{}, nil
	}
	var data any = json.RawMessage(d.Body)
	if d.Kind == AttachmentKind {
		data = documentState{json.RawMessage(d.Body), d.Content}
	}
	text, err := json.MarshalIndent(data, "", "  ")
	return tools.State{Exists: true, Data: append(text, '\n')}, err
}

func decodeDocument(k documentKey, data []byte) (Document, error) {
	d := Document{Workspace: k.workspace, Kind: k.kind, ID: k.id}
	if k.kind == AttachmentKind {
		var s documentState
		if err := json.Unmarshal(data, &s); err != nil {
			return d, err
		}
		d.Content, data = s.Content, s.Body
	}
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return d, err
	}
	d.Body = b.String()
	if k.kind == LinkKind {
		var l Link
		if err := json.Unmarshal(data, &l); err != nil {
			return d, err
		}
		d.Source, d.Target = l.Source, l.Target
	}
	return d, nil
}

// target is the name of a document in Changes.
func (k documentKey) target() string { return k.workspace + "/" + string(k.kind) + ":" + k.id }

func (k noteKey) target() string { return k.workspace + "/" + k.id }

// parseTarget returns what a target names: a document, or a note if its kind is empty.
func parseTarget(target string) documentKey {
	workspace, rest, _ := strings.Cut(target, "/")
	if kind, id, is := strings.Cut(rest, ":"); is {
		return documentKey{workspace, Kind(kind), id}
	}
	return documentKey{workspace, "", rest}
}

// Changes are what Commit would write, by target: WORKSPACE/NOTE for a note, and
// WORKSPACE/KIND:ID for a document. What is the same as before is left out.
func (d *Draft) Changes() (list []tools.Change, err error) {
	for k, c := range d.notes {
		change := tools.Change{Target: k.target()}
		if c.before != nil {
			change.Before, err = noteState(c.before)
		}
		if c.after != nil && err == nil {
			change.After, err = noteState(c.after)
		}
		if err != nil {
			return nil, err
		}
		change.After.Revision = c.revisions[len(c.revisions)-1].ID
		list = append(list, change)
	}
	for k, c := range d.documents {
		change := tools.Change{Target: k.target()}
		if change.Before, err = encodeDocument(c.before); err != nil {
			return nil, err
		}
		if change.After, err = encodeDocument(c.after); err != nil {
			return nil, err
		}
		list = append(list, change)
	}
	list = slices.DeleteFunc(list, func(c tools.Change) bool { return sameState(c.Before, c.After) })
	slices.SortFunc(list, func(a, b tools.Change) int { return cmp.Compare(a.Target, b.Target) })
	return list, nil
}

func noteState(n *Note) (tools.State, error) {
	data, err := encodeNote(n.Content)
	return tools.State{Exists: true, Data: data, Revision: n.Revision}, err
}

func sameState(a, b tools.State) bool { return a.Exists == b.Exists && bytes.Equal(a.Data, b.Data) }

// State returns what the target of a Change holds in the Draft.
func (d *Draft) State(ctx context.Context, target string) (tools.State, error) {
	k := parseTarget(target)
	if k.kind != "" {
		doc, err := d.Document(ctx, k.workspace, k.kind, k.id)
		if err != nil {
			return tools.State{}, err
		}
		return encodeDocument(doc)
	}
	h, err := d.head(ctx, noteKey{k.workspace, k.id})
	if err != nil || h == nil || h.revision.Deleted {
		return tools.State{}, err
	}
	return noteState(h.note())
}

// HasRevision reports whether the target of a Change, a note, was given a revision.
func HasRevision(ctx context.Context, d *Draft, target, revision string) (bool, error) {
	k := parseTarget(target)
	r, err := d.revision(ctx, k.workspace, revision)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && r.Note == k.id && k.kind == "", err
}

// Restore takes every target from its Before, of the revision that it names if it names
// one, to its After, in the Draft. A [ConflictError] says which does not hold its Before; the
// Draft is of no use then.
func (d *Draft) Restore(ctx context.Context, changes []tools.Change) error {
	for _, c := range changes {
		now, err := d.State(ctx, c.Target)
		if err != nil {
			return err
		}
		k := parseTarget(c.Target)
		if !sameState(now, c.Before) || now.Exists && c.Before.Revision != "" && now.Revision != c.Before.Revision {
			return &ConflictError{Workspace: k.workspace, Kind: k.kind, ID: k.id}
		}
		if err := d.restore(ctx, k, now, c.After); err != nil {
			return fmt.Errorf("restore %s: %w", c.Target, err)
		}
	}
	return nil
}

func (d *Draft) restore(ctx context.Context, k documentKey, now, after tools.State) error {
	switch {
	case sameState(now, after):
		return nil
	case k.kind != "" && !after.Exists:
		return d.Remove(ctx, k.workspace, k.kind, k.id)
	case k.kind != "":
		doc, err := decodeDocument(k, after.Data)
		if err != nil {
			return err
		}
		return d.Put(ctx, doc)
	case !after.Exists:
		return d.Delete(ctx, k.workspace, k.id, now.Revision)
	}
	content, err := decodeNote(after.Data)
	if err != nil {
		return err
	}
	parent := ""
	if now.Exists {
		parent = now.Revision
	}
	_, err = d.Save(ctx, k.workspace, k.id, content, parent)
	return err
}
