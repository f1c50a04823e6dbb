package notefolder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// maxText is how long a note may be, as in the API.
const maxText = 1 << 20

// Imported says what [Import] did with each file.
type Imported struct {
	Created, Updated, Unchanged []string // ids of notes
	Classes, Links, Attachments int      // new ones
	Skipped                     []SkippedFile
	WithoutClass                []string // paths of notes that name no class
	UnknownClass                []string // and of those whose class the workspace does not have
}

// SkippedFile is a file that was not imported.
type SkippedFile struct{ Path, Reason string }

// Import takes a folder over into a workspace, as writes of a Draft that the caller
// commits. A note's id is what workspace.json says, else id in its front matter, else
// the name of its file, as far as ids allow. Notes that exist with the id of a file
// get its text; other notes stay. Hidden files and folders are not looked at.
func Import(ctx context.Context, d *notestore.Draft, workspace string, f *folder.Folder) (*Imported, error) {
	m := importer{
		ctx: ctx, draft: d, workspace: workspace, view: folder.NewView(f, nil), used: map[string]bool{}, attached: map[string]string{},
	}
	err := m.run()
	if err != nil {
		return nil, fmt.Errorf("import into workspace %s: %w", workspace, err)
	}
	return &m.done, nil
}

type importer struct {
	ctx       context.Context
	draft     *notestore.Draft
	workspace string
	view      *folder.View
	manifest  manifest
	used      map[string]bool   // ids of notes
	attached  map[string]string // ids of attachments in the workspace by those in the manifest
	done      Imported
}

func (m *importer) run() (err error) {
	if m.manifest, err = readManifest(m.view); err != nil {
		return err
	}
	listing, err := m.view.List(m.ctx, func(string, bool) bool { return false })
	if err != nil {
		return err
	}
	for _, dir := range listing.Skipped {
		m.skip(dir, "the folder cannot be read")
	}
	for _, name := range listing.Unnamed {
		m.skip(name, "its name is not allowed")
	}
	if err := m.importClasses(); err != nil {
		return err
	}
	var notes []string
	for _, file := range listing.Files {
		if isNote(file) {
			notes = append(notes, file)
		} else if file != manifestFile {
			if err := m.importAttachment(file); err != nil {
				return err
			}
		}
	}
	if err := m.importNotes(notes); err != nil {
		return err
	}
	return m.importLinks()
}

func (m *importer) skip(file, reason string) {
	m.done.Skipped = append(m.done.Skipped, SkippedFile{file, reason})
}

func (m *importer) importClasses() error {
	for _, raw := range m.manifest.Classes {
		c, err := notetext.ParseClass(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", manifestFile, err)
		}
		body, err := json.Marshal(c)
		if err != nil {
			return err
		}
		before, err := m.draft.Document(m.ctx, m.workspace, notestore.ClassKind, c.Name)
		if err != nil {
			return err
		}
		if before != nil && before.Body == string(body) {
			continue
		}
		m.done.Classes++
		if err := m.draft.Put(m.ctx, notestore.Document{
			Workspace: m.workspace, Kind: notestore.ClassKind, ID: c.Name, Body: string(body),
		}); err != nil {
			return err
		}
	}
	return nil
}

func (m *importer) importAttachment(file string) error {
	content, err := m.view.ReadUpTo(file, notestore.MaxAttachment)
	if err != nil {
		m.skip(file, err.Error())
		return nil
	}
	a := notestore.Attachment{Name: path.Base(file), Path: file}
	known := ""
	if i := slices.IndexFunc(m.manifest.Attachments, func(a notestore.Attachment) bool { return a.Path == file }); i >= 0 {
		known = m.manifest.Attachments[i].ID
		a.Name, a.Type = m.manifest.Attachments[i].Name, m.manifest.Attachments[i].Type
	}
	same, err := m.findAttachment(file, content)
	if err != nil {
		return err
	}
	if a.ID = same; same == "" {
		a.ID, a.Created = m.draft.IDs().NewTimedID()
		m.done.Attachments++
		if _, err := m.draft.Attach(m.ctx, m.workspace, a, content); err != nil {
			return err
		}
	}
	if known != "" {
		m.attached[known] = a.ID
	}
	return nil
}

// findAttachment returns the id of an attachment that is this file already.
func (m *importer) findAttachment(file string, content []byte) (id string, err error) {
	sum := sha256.Sum256(content)
	err = eachDocument(m.ctx, m.draft, m.workspace, notestore.AttachmentKind, func(doc notestore.Document) error {
		var a notestore.Attachment
		if err := json.Unmarshal([]byte(doc.Body), &a); err != nil {
			return err
		}
		if a.Path == file && a.Digest == hex.EncodeToString(sum[:]) {
			id = a.ID
		}
		return nil
	})
	return id, err
}

// importNotes takes the notes of the manifest first, in its order, so that lists have
// them in the order that they had.
func (m *importer) importNotes(files []string) error {
	entries, there := map[string]noteEntry{}, map[string]bool{}
	for _, file := range files {
		there[file] = true
	}
	var order []string
	for _, n := range m.manifest.Notes {
		if there[n.Path] && notestore.IsID(n.ID) && !m.used[n.ID] {
			entries[n.Path], m.used[n.ID] = n, true
			order = append(order, n.Path)
		}
	}
	for _, file := range files {
		if _, known := entries[file]; !known {
			order = append(order, file)
		}
	}
	for _, file := range order {
		data, err := m.view.ReadUpTo(file, maxText)
		switch {
		case err != nil:
			m.skip(file, err.Error())
			continue
		case !utf8.Valid(data) || strings.Contains(string(data), "\x00"):
			m.skip(file, "it is not UTF-8 text")
			continue
		}
		entry, known := entries[file]
		text := notetext.Parse(string(data))
		if !known {
			if entry.ID, err = m.newID(file, text); err != nil {
				return err
			}
		}
		if err := m.importNote(file, entry, string(data), text); err != nil {
			return err
		}
	}
	return nil
}

var notInIDs = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// newID chooses the id of a file that the manifest does not name: the same each time
// for the same folder and workspace.
func (m *importer) newID(file string, text notetext.Text) (string, error) {
	stem := strings.TrimSuffix(path.Base(file), ".md")
	sum := sha256.Sum256([]byte(file))
	unique := hex.EncodeToString(sum[:4])
	own, _ := text.FrontMatter["id"].(string)
	slug := strings.Trim(notInIDs.ReplaceAllString(stem, "-"), "-")
	if len(slug) < len(stem)/2 {
		slug = "note" // of a name in another script little would be left
	}
	for _, id := range []string{own, slug, slug + "-" + unique, slug + "-" + hex.EncodeToString(sum[:])} {
		if !notestore.IsID(id) || m.used[id] || id == "note" && stem != "note" {
			continue
		}
		n, err := m.draft.Note(m.ctx, m.workspace, id)
		if err != nil {
			return "", err
		}
		if n == nil || id == own || filePath(n.Content, id) == file {
			m.used[id] = true
			return id, nil
		}
	}
	return "", fmt.Errorf("%s: no id is free for it; write id into its front matter", file)
}

// filePath is the path of the file that a note is exported to.
func filePath(c notestore.Content, id string) string {
	if c.Path == "" {
		return id + ".md"
	}
	return c.Path
}

func (m *importer) importNote(file string, entry noteEntry, text string, parsed notetext.Text) error {
	c := notestore.Content{Text: text, Attributes: notestore.Attributes{Class: entry.Class, Canvas: entry.Canvas}}
	if file != entry.ID+".md" {
		c.Path = file
	}
	for _, id := range entry.Attachments {
		if here, is := m.attached[id]; is {
			c.Attachments = append(c.Attachments, here)
		}
	}
	if err := m.reportClass(file, c, parsed); err != nil {
		return err
	}
	before, err := m.draft.Note(m.ctx, m.workspace, entry.ID)
	if err != nil {
		return err
	}
	parent := ""
	switch {
	case before == nil:
		m.done.Created = append(m.done.Created, entry.ID)
	case sameContent(before.Content, c):
		m.done.Unchanged = append(m.done.Unchanged, entry.ID)
		return nil
	default:
		m.done.Updated = append(m.done.Updated, entry.ID)
		parent = notestore.Any
	}
	_, err = m.draft.Save(m.ctx, m.workspace, entry.ID, c, parent)
	return err
}

func sameContent(a, b notestore.Content) bool {
	canvas := string(a.Canvas) == string(b.Canvas)
	a.Canvas, b.Canvas = nil, nil
	return canvas && reflect.DeepEqual(a, b)
}

func (m *importer) reportClass(file string, c notestore.Content, parsed notetext.Text) error {
	name := parsed.Class
	if name == "" {
		name = c.Class
	}
	if name == "" {
		m.done.WithoutClass = append(m.done.WithoutClass, file)
		return nil
	}
	class, err := m.draft.Document(m.ctx, m.workspace, notestore.ClassKind, name)
	if err == nil && class == nil {
		m.done.UnknownClass = append(m.done.UnknownClass, file)
	}
	return err
}

// importLinks makes the links of the manifest that are not there yet.
func (m *importer) importLinks() error {
	have := map[linkEntry]bool{}
	err := eachDocument(m.ctx, m.draft, m.workspace, notestore.LinkKind, func(doc notestore.Document) error {
		var l linkEntry
		err := json.Unmarshal([]byte(doc.Body), &l)
		have[l] = true
		return err
	})
	if err != nil {
		return err
	}
	for _, l := range m.manifest.Links {
		if have[l] || !m.used[l.Source] || !m.used[l.Target] {
			continue
		}
		m.done.Links++
		if _, err := m.draft.Connect(m.ctx, m.workspace, l.Source, l.Target, l.Kind); err != nil {
			return err
		}
	}
	return nil
}
