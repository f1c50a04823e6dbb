package pagestore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
)

// A BlockFormat converts the content of pages to the column blocks and back.
type BlockFormat interface {
	// Blocks is the JSON of a page.
	Blocks(content string) string
	// Content is what a page becomes whose blocks somebody has edited when its content
	// was base. An error says what of the blocks cannot be read.
	Content(ctx context.Context, id string, page mirror.Page, base, blocks string) (string, error)
}

// A BlocksError says why the blocks of a page cannot be read. The page keeps its
// content.
type BlocksError struct {
	Path string
	Err  error
}

// editedRow is what a row has besides its page.
type editedRow struct {
	made   bool    // the blocks were made of the content
	base   *string // of edited blocks
	blocks *string
}

// reconcileBlocks reads back blocks that were edited, and makes those that are
// missing. The rows are those that were read just now.
func (t *Table) reconcileBlocks(ctx context.Context, rows map[string]editedRow) error {
	var missing []string
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		delete(t.unread, id)
		switch row := rows[id]; {
		case row.base != nil && row.blocks != nil:
			if err := t.readBack(ctx, id, row); err != nil {
				return err
			}
		case !row.made:
			missing = append(missing, id)
		}
	}
	for some := range slices.Chunk(missing, batch) {
		err := t.db.Write(ctx, func(c *sqlstore.Conn) error {
			for _, id := range some {
				content := t.pages[id].Content
				if _, err := c.Exec(ctx, "UPDATE pages SET blocks = (?::text)::jsonb, blocks_of = ? WHERE tenant = ? AND id = ? AND version = ? AND "+
					"blocks_base IS NULL",
					t.o.Format.Blocks(content), hashOf(content), t.o.Tenant, id, t.versions[id]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readBack makes the content of a page of its blocks, unless the row has changed.
func (t *Table) readBack(ctx context.Context, id string, row editedRow) error {
	page := t.pages[id]
	content, err := t.o.Format.Content(ctx, id, page, *row.base, *row.blocks)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		t.unread[id] = BlocksError{page.Path, err}
		return nil
	}
	page.Content = content
	title, frontMatter := t.o.Describe(page)
	var version int64
	err = t.db.Write(ctx, func(c *sqlstore.Conn) error {
		return c.QueryRow(ctx, "UPDATE pages SET title = ?, front_matter = (?::text)::jsonb, content = ?, blocks = (?::text)::jsonb, blocks_of "+
			"= ?, blocks_base = NULL "+
			"WHERE tenant = ? AND id = ? AND version = ? RETURNING version",
			title, frontMatter, content, t.o.Format.Blocks(content), hashOf(content), t.o.Tenant, id, t.versions[id]).Scan(&version)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil // the next Refresh reads it
	}
	if err == nil {
		t.pages[id], t.versions[id] = page, version
	}
	return err
}

func hashOf(content string) []byte {
	sum := sha256.Sum256([]byte(content))
	return sum[:]
}

// Unreadable are the pages whose blocks cannot be read, by path.
func (t *Table) Unreadable() []BlocksError {
	return slices.SortedFunc(maps.Values(t.unread), func(a, b BlocksError) int { return cmp.Compare(a.Path, b.Path) })
}
