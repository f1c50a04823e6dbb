package markdown

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/textmerge"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/editordoc"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagestore"
)

var syncBlocks = status.ProblemType{
	Code: "markdown.blocks", Severity: status.Warning,
	Description: "An application has written blocks into the database that cannot be read as a page. The page keeps its content on both " +
		"sides, and the blocks stay as they are.",
	Title: "{source}: the blocks of {count} pages cannot be read. {page}: {why}",
	Fix:   "Correct the blocks column of the page in the database, or set it to NULL: the blocks are then made from the content again.",
}

// blockFormat is the column blocks of the table of pages. Blocks that were edited while
// the content was edited too are merged; of edits of the same lines the content's stays,
// and the other is kept in base.
type blockFormat struct{ base *pagestore.Base }

// splitBlocks are the front matter of a page with the blank lines after it, and the rest.
// Lines end with LF.
func splitBlocks(content string) (head, body string) {
	text, _ := folder.Text([]byte(content))
	_, at, _ := frontmatter.Split(text)
	body = strings.TrimLeft(text[at:], "\n")
	return text[:len(text)-len(body)], body
}

// Blocks implements [pagestore.BlockFormat].
func (blockFormat) Blocks(content string) string {
	_, body := splitBlocks(content)
	return editordoc.FromMarkdown(body).JSON()
}

// Content implements [pagestore.BlockFormat].
func (f blockFormat) Content(ctx context.Context, id string, page mirror.Page, base, blocks string) (string, error) {
	edited, err := editContent(base, blocks)
	if err != nil || page.Content == base {
		return edited, err
	}
	if merged, ok := textmerge.Merge(base, page.Content, edited); ok {
		return merged, nil
	}
	lost := mirror.ConflictCopy{ID: id, Page: mirror.Page{Path: page.Path, Content: edited}}
	return page.Content, f.base.Keep(ctx, []mirror.ConflictCopy{lost})
}

// editContent is a page after its blocks were edited.
func editContent(content, blocks string) (string, error) {
	head, body := splitBlocks(content)
	edited, err := editordoc.Update(body, blocks)
	if err != nil {
		return "", err
	}
	if after, _ := splitBlocks(head + edited); strings.TrimRight(after, "\n") != strings.TrimRight(head, "\n") {
		head += "\n" // a rule at the top is no front matter
		if after, _ = splitBlocks(head + edited); strings.TrimRight(after, "\n") != strings.TrimRight(head, "\n") {
			return "", errors.New("doc.content[0]: it would change the front matter")
		}
	}
	return string(folder.Rewrite([]byte(content), head+edited)), nil
}

// showBlocks raises or clears the Problem of blocks that cannot be read.
func (s *syncer) showBlocks(unread []pagestore.BlocksError) {
	s.mu.Lock()
	s.unread = unread
	s.mu.Unlock()
	if len(unread) == 0 {
		s.n.report.Clear(syncBlocks)
		return
	}
	first := unread[0]
	s.n.report.Raise(syncBlocks, status.Args{
		"source": s.n.name, "count": fmt.Sprint(len(unread)), "page": first.Path, "why": first.Err.Error(),
	})
}
