package markdown

import (
	"context"
	"crypto/rand"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// CreatePageIn are the arguments of create_page.
type CreatePageIn struct {
	Title      string `json:"title" jsonschema:"title; also the name of the file"`
	ParentPath string `json:"parentPath,omitempty" jsonschema:"page or folder to create it in; the root when omitted"`
	Content    string `json:"content,omitempty" jsonschema:"body as Markdown; front matter is added"`
	Icon       string `json:"icon,omitempty" jsonschema:"icon, such as an emoji"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"only check; write nothing"`
}

// CreatePageOut is the answer of create_page.
type CreatePageOut struct {
	PageID string `json:"pageId" jsonschema:"id of the new page"`
	Path   string `json:"path" jsonschema:"file of the new page"`
	Etag   string `json:"etag,omitempty" jsonschema:"its version"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"nothing was written"`
}

func createPage() tools.Tool[*Notebook] {
	return tools.DefineWithContext(tools.Spec[CreatePageIn, CreatePageOut]{
		Name: "create_page", Title: "Create a page", Effect: tools.Writes,
		Doc: "Creates a page with a title and new front matter in a page or folder.\n" +
			"If the name is taken, -2 is added; nothing is overwritten. A leaf that gains a child becomes Title/_index.md.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[CreatePageIn, CreatePageOut]{{
			Purpose: "add a page below another", In: CreatePageIn{Title: "Beta", ParentPath: "Projects", Content: "# Beta\n\nNew project.\n"}, AnyAnswer: true,
			Want: CreatePageOut{PageID: "2f1c7e0a-...", Path: "Projects/Beta.md", Etag: "5f2c... (64 digits)"},
		}},
	}, (*Notebook).CreatePage)
}

// CreatePage implements create_page.
func (n *Notebook) CreatePage(ctx context.Context, c tools.CallContext, in CreatePageIn) (CreatePageOut, error) {
	title := strings.Join(strings.Fields(in.Title), " ")
	if title == "" {
		return CreatePageOut{}, tools.Errorf(tools.Invalid, "title: must not be empty")
	}
	if len(title) > 1000 || len(in.Icon) > 1000 {
		return CreatePageOut{}, tools.Errorf(tools.Invalid, "title and icon: at most 1000 bytes each")
	}
	if len(in.Content) > maxPage {
		return CreatePageOut{}, tools.Errorf(tools.Limited, "content: at most %d bytes, got %d", maxPage, len(in.Content))
	}
	n.writing.Lock()
	defer n.writing.Unlock()
	o, parent, err := n.findNode(ctx, in.ParentPath)
	if err != nil {
		return CreatePageOut{}, err
	}
	file, err := n.findFreeName(o, path.Join(parent.place, folder.CleanName(title)+".md"))
	if err != nil {
		return CreatePageOut{}, err
	}
	id, text := composePage(title, in.Icon, in.Content, n.now())
	if n.view.Hides(file, []byte(text)) {
		return CreatePageOut{}, hiddenError()
	}
	out := CreatePageOut{PageID: id, Path: file, DryRun: in.DryRun}
	if in.DryRun {
		return out, nil
	}
	if err := n.addPage(ctx, c, o, file, []byte(text)); err != nil {
		return CreatePageOut{}, err
	}
	out.Etag = folder.Etag([]byte(text))
	return out, nil
}

// findFreeName returns file, or its first numbered form that is not taken by a
// page, a folder or another file.
func (n *Notebook) findFreeName(o *outline, file string) (string, error) {
	for try, i := file, 2; i < 1000; try, i = folder.NumberedName(file, i), i+1 {
		_, asFile := n.view.Find(try)
		_, asFolder := n.view.Find(stem(try))
		if asFile == nil || asFolder == nil || path.Base(stem(try)) == rootIndex {
			continue
		}
		return n.checkNewPage(o, try)
	}
	return "", tools.Errorf(tools.Conflict, "Too many pages have this name at path: %s", file).WithHint("Choose another title.")
}

// composePage returns the text of a new page and its id. Front matter in content
// is kept; missing keys are put before it.
func composePage(title, icon, content string, now time.Time) (id, text string) {
	content = strings.TrimPrefix(content, "\uFEFF")
	block, body, has := frontmatter.Split(content)
	own, err := frontmatter.Parse(block)
	if !has || err != nil {
		has, block, body = false, "", 0
		own, _ = frontmatter.Parse("") // empty front matter is always valid
	}
	id = newID()
	stamp := now.UTC().Format(time.RFC3339)
	var b strings.Builder
	b.WriteString("---\n")
	for _, field := range [][2]string{{"id", id}, {"title", frontmatter.Scalar(title)}, {"icon", iconScalar(icon)}, {"created", stamp}, {"updated", stamp}} {
		if _, given := own.Values[field[0]]; !given && field[1] != "" {
			b.WriteString(field[0] + ": " + field[1] + "\n")
		}
	}
	b.WriteString(block)
	b.WriteString("---\n")
	if !has && content != "" {
		b.WriteString("\n")
	}
	b.WriteString(content[body:])
	if given := own.Text("id"); given != "" {
		id = given
	}
	return id, b.String()
}

func iconScalar(icon string) string {
	if icon == "" {
		return ""
	}
	return frontmatter.Scalar(icon)
}

// newID returns a random UUID, version 4.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
