package markdown

import (
	"context"
	cryptorand "crypto/rand"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// CreatePageIn are the arguments of create_page.
type CreatePageIn struct {
	Title      string `json:"title" jsonschema:"title, also of the file; Name/ makes a folder"`
	ParentPath string `json:"parentPath,omitempty" jsonschema:"page or folder; the root when omitted"`
	Content    string `json:"content,omitempty" jsonschema:"body as Markdown"`
	Icon       string `json:"icon,omitempty" jsonschema:"an emoji"`
	Template   string `json:"template,omitempty" jsonschema:"page to begin with"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"write nothing"`
}

// CreatePageOut is the answer of create_page.
type CreatePageOut struct {
	PageID string `json:"pageId" jsonschema:"id of the new page"`
	Path   string `json:"path" jsonschema:"file of the new page"`
	Etag   string `json:"etag,omitempty" jsonschema:"its version"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Diff   string `json:"diff,omitempty" jsonschema:"with dry_run: what would change"`
}

func createPage() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[CreatePageIn, CreatePageOut]{
		Name: "create_page", Title: "Create a page", Effect: tools.Writes,
		Selects:   []string{"title"},
		Normalize: aliases("parentPath", "content", "title"),
		Doc: "Creates a page in a page or folder.\n" +
			"If the name is taken, -2 is added; nothing is overwritten.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[CreatePageIn, CreatePageOut]{{
			Purpose: "add a page below another", In: CreatePageIn{Title: "Beta", ParentPath: "Projects", Content: "# Beta\n\nNew project.\n"},
			AnyAnswer: true,
			Want:      CreatePageOut{PageID: "2f1c7e0a-...", Path: "Projects/Beta.md", Etag: "5f2c0a1b9d3e7f48"},
		}},
	}, (*Notebook).CreatePage), func(n *Notebook, _ context.Context, in CreatePageIn) ([]string, error) { return in.targets(n), nil })
}

// CreatePage implements create_page.
func (n *Notebook) CreatePage(ctx context.Context, c tools.CallContext, in CreatePageIn) (CreatePageOut, error) {
	title := pageTitle(in.Title)
	switch {
	case safetext.IsInvisible(strings.TrimRight(title, "/")):
		return CreatePageOut{}, tools.Errorf(tools.Invalid, "title: must not be empty")
	case len(title) > 1000 || len(in.Icon) > 1000:
		return CreatePageOut{}, tools.Errorf(tools.Invalid, "title and icon: at most 1000 bytes each")
	case strings.HasSuffix(title, "/") && n.graph == nil:
		return in.createFolder(ctx, n, c, strings.TrimRight(title, "/"))
	}
	if err := checkContent(in.Content); err != nil {
		return CreatePageOut{}, err
	}
	if in.Template != "" { // before the folder is taken for writing: it may be read by a call
		content, err := in.beginWith(ctx, n, c, title)
		if err != nil {
			return CreatePageOut{}, err
		}
		in.Content = content
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return CreatePageOut{}, err
	}
	defer n.writing.Release(1)
	now, parent, err := lookAt(ctx, n, in.ParentPath)
	if err != nil {
		return CreatePageOut{}, err
	}
	o := now.outline
	var file string
	if n.graph != nil {
		file, title, err = newGraphPage(ctx, n, now, parent, title)
	} else {
		file, err = n.findFreeName(o, path.Join(parent.place, pageName(title)+".md"))
	}
	if err != nil {
		return CreatePageOut{}, err
	}
	id, text := n.composePage(c, o, file, title, in)
	if n.view.Hides(file, []byte(text)) {
		return CreatePageOut{}, hiddenError()
	}
	out := CreatePageOut{PageID: id, Path: file, DryRun: in.DryRun}
	if in.DryRun {
		out.Diff = diff(file, "", text)
		return out, nil
	}
	if err := n.addPage(ctx, c, o, file, []byte(text)); err != nil {
		return CreatePageOut{}, err
	}
	out.Etag = versionOf([]byte(text))
	return out, nil
}

// pageTitle is a title as it was meant: on one line, and not the name of a file.
func pageTitle(title string) string {
	title = strings.Join(strings.Fields(title), " ")
	for isPage(title) && !safetext.IsInvisible(stem(title)) && !isIndex(title) {
		title = strings.TrimSpace(title[:len(title)-len(".md")])
	}
	return title
}

// unlinkable are the characters that end the name of a page in a wikilink.
const unlinkable = "#^[]|"

// pageName is the name of a page with this title.
func pageName(title string) string {
	return folder.CleanName(strings.Map(func(r rune) rune {
		if strings.ContainsRune(unlinkable, r) {
			return '-'
		}
		return r
	}, title))
}

// findFreeName returns file, or its first numbered form that is not taken by a
// page, a folder or another file.
func (n *Notebook) findFreeName(o *outline, file string) (string, error) {
	if try, ok := unusedName(n, file); ok {
		return n.checkNewPage(o, try)
	}
	return "", tools.Errorf(tools.Conflict, "Too many pages have this name at path: %s", file).WithHint("Choose another title.")
}

// unusedName is findFreeName without a check whether a page may be there; else file, and false.
func unusedName(n *Notebook, file string) (string, bool) {
	for try, i := file, 2; i < 1000; try, i = folder.NumberedName(file, i), i+1 {
		_, asFile := n.view.Find(try)
		_, asFolder := n.view.Find(stem(try))
		if asFile != nil && asFolder != nil && path.Base(stem(try)) != rootIndex {
			return try, true
		}
	}
	return file, false
}

// composePage returns the text of a new page and its id. Front matter in the content
// is kept; keys that the layout wants and that are missing are put before it.
func (n *Notebook) composePage(c tools.CallContext, o *outline, file, title string, in CreatePageIn) (id, text string) {
	content := strings.TrimPrefix(in.Content, "\uFEFF")
	block, body, has := frontmatter.Split(content)
	own, err := frontmatter.Parse(block)
	hasTOML := !has && body > 0
	if !has || err != nil {
		has, block, body = false, "", 0
		own, _ = frontmatter.Parse("") // empty front matter is always valid
	}
	if n.graph != nil && !has {
		text = graphProperties(n.graph, file, title, in.Icon, content)
		return idOf(n.view, parsePage(n.graph, file, []byte(text))), text
	}
	var keys strings.Builder
	for _, field := range n.newFields(c, o, file, title, in.Icon) {
		if _, given := own.Values[field[0]]; !given && field[1] != "" {
			keys.WriteString(field[0] + ": " + field[1] + "\n")
		}
	}
	if text = content; keys.Len() > 0 && !hasTOML {
		text = "---\n" + keys.String() + block + "---\n"
		if !has && content != "" {
			text += "\n"
		}
		text += content[body:]
	}
	return idOf(n.view, parsePage(n.graph, file, []byte(text))), text
}

// newFields are the keys that a new page gets: those of the mirror of a wiki, and
// elsewhere a title that the name of the file cannot say, and an icon.
func (n *Notebook) newFields(c tools.CallContext, o *outline, file, title, icon string) [][2]string {
	fields := [][2]string{{"title", frontmatter.Scalar(title)}, {"icon", iconScalar(icon)}}
	if n.indexStyle(o) {
		now := n.now()
		if !c.Began.IsZero() { // the same when the call is shown to a person and when it is made
			now = c.Began
		}
		stamp := now.UTC().Format(time.RFC3339)
		return slices.Concat([][2]string{{"id", newPageID(c)}}, fields, [][2]string{{"created", stamp}, {"updated", stamp}})
	}
	if titleOfFile(n.graph, file) == title {
		return fields[1:]
	}
	return fields
}

func iconScalar(icon string) string {
	if icon == "" {
		return ""
	}
	return frontmatter.Scalar(icon)
}

// newPageID is the id of a page that a call makes: the same each time that the hub runs
// the call.
func newPageID(c tools.CallContext) string {
	if c.Seed == 0 {
		return newID()
	}
	var b [16]byte
	r := rand.New(rand.NewPCG(c.Seed, uint64(c.Began.UnixNano()))) //nolint:gosec // an id is no secret
	binary.BigEndian.PutUint64(b[:8], r.Uint64())
	binary.BigEndian.PutUint64(b[8:], r.Uint64())
	return formatID(b)
}

// newID returns a random UUID, version 4.
func newID() string {
	var b [16]byte
	_, _ = cryptorand.Read(b[:]) // never fails
	return formatID(b)
}

func formatID(b [16]byte) string {
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
