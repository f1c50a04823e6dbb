// Package notefolder writes a workspace as a folder of Markdown files and reads one
// back: texts and attachments byte for byte, and what Markdown does not say in the
// file workspace.json beside them. History stays in the workspace.
//
// It decides nothing about who may do that, and commits nothing to the workspace.
// The commands of tools/workspace import it. Start reading at [Export].
package notefolder

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// manifestFile says what the other files do not.
const manifestFile = "workspace.json"

// A manifest is what manifestFile holds.
type manifest struct {
	Workspace   string                 `json:"workspace"`
	Classes     []json.RawMessage      `json:"classes"`
	Notes       []noteEntry            `json:"notes"` // oldest first
	Links       []linkEntry            `json:"links"` // oldest first
	Attachments []notestore.Attachment `json:"attachments"`
}

// A noteEntry says of which note a file is the text.
type noteEntry struct {
	ID          string          `json:"id"`
	Path        string          `json:"path"`
	Class       string          `json:"class,omitempty"`
	Attachments []string        `json:"attachments,omitempty"`
	Canvas      json.RawMessage `json:"canvas_position,omitempty"`
}

type linkEntry struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Kind   string `json:"kind"`
}

// maxAll is how many bytes an export may write; it holds them in memory.
const maxAll = 4 << 30

// readManifest returns an empty one where there is none.
func readManifest(v *folder.View) (m manifest, err error) {
	data, err := v.Read(manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return m, fmt.Errorf("read %s: %w", manifestFile, err)
	}
	return m, nil
}

// Exported counts what [Export] did.
type Exported struct {
	Notes, Attachments int
	Written, Removed   int // files
}

// Export makes a folder hold a workspace: it writes the files that differ, and removes
// those that an export before wrote and the workspace no longer has. A file that no
// export wrote is an error if it is in the way, before anything is written.
func Export(ctx context.Context, d *notestore.Draft, workspace string, f *folder.Folder) (Exported, error) {
	x := exporter{view: folder.NewView(f, nil), files: map[string][]byte{}, taken: map[string]bool{folder.FoldName(manifestFile): true}}
	var err error
	if x.former, err = readManifest(x.view); err != nil {
		return Exported{}, err
	}
	if err := x.collect(ctx, d, workspace); err != nil {
		return Exported{}, err
	}
	done, err := x.write(f)
	if err != nil {
		return Exported{}, fmt.Errorf("export workspace %s: %w", workspace, err)
	}
	done.Notes, done.Attachments = len(x.manifest.Notes), len(x.manifest.Attachments)
	return done, nil
}

type exporter struct {
	view     *folder.View
	former   manifest
	manifest manifest
	files    map[string][]byte
	taken    map[string]bool // folded paths
}

// place returns a free path for a file, as near to what is wanted as it can be.
func (x *exporter) place(wanted, otherwise string) string {
	if folder.CheckNew(wanted) != nil {
		wanted = otherwise
	}
	path := wanted
	for n := 2; x.taken[folder.FoldName(path)]; n++ {
		path = folder.NumberedName(wanted, n)
	}
	x.taken[folder.FoldName(path)] = true
	return path
}

func (x *exporter) collect(ctx context.Context, d *notestore.Draft, workspace string) error {
	x.manifest = manifest{
		Workspace: workspace, Classes: []json.RawMessage{}, Notes: []noteEntry{}, Links: []linkEntry{}, Attachments: []notestore.Attachment{},
	}
	if err := x.collectDocuments(ctx, d, workspace); err != nil {
		return err
	}
	var ids []string
	if err := d.Each(ctx, workspace, notestore.Selection{}, func(r notestore.Record) bool {
		ids = append(ids, r.ID)
		return true
	}); err != nil {
		return err
	}
	for _, id := range slices.Backward(ids) {
		n, err := d.Note(ctx, workspace, id)
		if err != nil {
			return err
		}
		if n == nil {
			continue // deleted meanwhile
		}
		wanted := n.Content.Path
		if wanted == "" {
			wanted = id + ".md"
		}
		path := x.place(wanted, "note-"+id+".md")
		x.files[path] = []byte(n.Text)
		x.manifest.Notes = append(x.manifest.Notes, noteEntry{id, path, n.Attributes.Class, n.Attachments, n.Attributes.Canvas})
	}
	data, err := json.MarshalIndent(x.manifest, "", "  ")
	x.files[manifestFile] = append(data, '\n')
	return err
}

func (x *exporter) collectDocuments(ctx context.Context, d *notestore.Draft, workspace string) error {
	err := eachDocument(ctx, d, workspace, notestore.ClassKind, func(doc notestore.Document) error {
		x.manifest.Classes = append(x.manifest.Classes, json.RawMessage(doc.Body))
		return nil
	})
	if err != nil {
		return err
	}
	err = eachDocument(ctx, d, workspace, notestore.LinkKind, func(doc notestore.Document) error {
		l, err := d.Link(ctx, workspace, doc.ID)
		if l != nil {
			x.manifest.Links = append(x.manifest.Links, linkEntry{l.Source, l.Target, l.Kind})
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Reverse(x.manifest.Links)
	return eachDocument(ctx, d, workspace, notestore.AttachmentKind, func(doc notestore.Document) error {
		full, err := d.Document(ctx, workspace, notestore.AttachmentKind, doc.ID)
		if err != nil || full == nil {
			return err
		}
		var a notestore.Attachment
		if err := json.Unmarshal([]byte(full.Body), &a); err != nil {
			return err
		}
		a.Path = x.place(a.Path, "attachments/"+a.ID)
		x.files[a.Path] = full.Content
		x.manifest.Attachments = append(x.manifest.Attachments, a)
		return nil
	})
}

// eachDocument passes all documents of a kind.
func eachDocument(
	ctx context.Context, d *notestore.Draft, workspace string, kind notestore.Kind, pass func(notestore.Document) error,
) error {
	const size = 1000
	for after := ""; ; {
		docs, err := d.Documents(ctx, workspace, kind, after, size)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if err := pass(doc); err != nil {
				return err
			}
			after = doc.ID
		}
		if len(docs) < size {
			return nil
		}
	}
}

// write makes the folder hold the files.
func (x *exporter) write(f *folder.Folder) (done Exported, err error) {
	disk := folder.NewCommitter(x.view, writeFile, probeModes, atomicfile.IsTemp)
	draft := folder.NewDraft(x.view, disk.Modes, maxAll)
	own := map[string]bool{manifestFile: x.former.Workspace != ""}
	for _, n := range x.former.Notes {
		own[n.Path] = true
	}
	for _, a := range x.former.Attachments {
		own[a.Path] = true
	}
	for path, data := range x.files {
		st, err := draft.State(path)
		switch {
		case err != nil:
			return done, err
		case !st.Exists:
			err = draft.AddFile(path, data)
		case string(st.Data) == string(data):
			continue
		case !own[path]:
			return done, fmt.Errorf("%s is in the way and no export wrote it; export to another folder", path)
		default:
			err = draft.SetContent(path, data)
		}
		if err != nil {
			return done, err
		}
		done.Written++
	}
	for path, is := range own {
		if _, stays := x.files[path]; is && !stays && x.view.Exists(path) {
			if err := draft.RemoveFile(path); err != nil {
				return done, err
			}
			done.Removed++
		}
	}
	_, err = disk.Commit(draft, func([]folder.Change) error { return nil })
	return done, errors.Join(err, f.Check())
}

// writeFile implements [folder.Writer].
func writeFile(root *os.Root, file string, before, after folder.State) error {
	opt := atomicfile.Options{Mode: fs.FileMode(after.Mode), Create: !before.Exists}
	if before.Exists {
		opt.IfHash = new(sha256.Sum256(before.Data))
	}
	var err error
	if after.Exists {
		err = atomicfile.Write(root, file, after.Data, opt)
	} else {
		err = atomicfile.Remove(root, file, *opt.IfHash)
	}
	if errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists) {
		return &folder.ConflictError{Target: file}
	}
	return err
}

// probeModes finds out the permission bits of new files and folders.
func probeModes(root *os.Root) (file, folder uint32, err error) {
	f, d, err := atomicfile.ProbeModes(root)
	return uint32(f), uint32(d), err
}

func isNote(file string) bool { return strings.HasSuffix(file, ".md") }
