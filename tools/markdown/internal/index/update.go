package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// Update puts pages into the index, in the place of those with the same files, and
// removes others, all at once or not at all. No file may be in it twice. Many pages
// in one call take much less time than in several: some hundreds are a good number.
func (x *Index) Update(ctx context.Context, put []Page, remove []string) error {
	if err := x.db.Write(ctx, func(c *sqlstore.Conn) error { return x.update(ctx, c, put, remove) }); err != nil {
		return fmt.Errorf("update index: %w", err)
	}
	return nil
}

func (x *Index) update(ctx context.Context, c *sqlstore.Conn, put []Page, remove []string) error {
	if x.build == nil {
		gone := slices.Clone(remove)
		for _, p := range put {
			gone = append(gone, p.File)
		}
		if err := removePages(ctx, c, gone); err != nil {
			return err
		}
	}
	var last int64
	if err := c.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM pages").Scan(&last); err != nil {
		return err
	}
	tables, words, err := pageRows(put, last)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := table.insert(ctx, c); err != nil {
			return err
		}
	}
	return words.insertTogether(ctx, c)
}

func removePages(ctx context.Context, c *sqlstore.Conn, files []string) error {
	list, err := json.Marshal(files)
	if err != nil {
		return err
	}
	ids, err := sqlstore.Select(ctx, c, func(r sqlstore.Row) (id int64, err error) {
		err = r.Scan(&id)
		return id, err
	}, "DELETE FROM pages WHERE file IN (SELECT value FROM json_each(?)) RETURNING id", string(list))
	if err != nil || len(ids) == 0 {
		return err
	}
	if list, err = json.Marshal(ids); err == nil {
		_, err = c.Exec(ctx, "DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(?))", string(list))
	}
	return err
}

// A row is what is written of a page and takes long to make.
type row struct {
	head, links       string
	title, tags, text string // words, each with a space after it
}

// Prepare does in advance what [Index.Update] does for one page after the other: it may be
// called for several at the same time. A prepared page is for Update alone.
func (p *Page) Prepare() error {
	if p.row != nil {
		return nil
	}
	head, err := json.Marshal(p.Head)
	if err != nil {
		return fmt.Errorf("%s: %w", p.File, err)
	}
	found, err := json.Marshal(p.Links)
	if err != nil {
		return fmt.Errorf("%s: %w", p.File, err)
	}
	p.row = &row{
		head: string(head), links: string(found),
		title: joinTokens(p.Title), tags: joinTokens(strings.Join(p.Tags, "\n")), text: joinTokens(p.text),
	}
	p.text = "" // it is in the row now
	return nil
}

// rows are what is inserted into a table.
type rows struct {
	table, columns string
	values         []any // of all rows, one after the other
}

func (r *rows) add(values ...any) { r.values = append(r.values, values...) }

func (r *rows) width() int { return strings.Count(r.columns, ",") + 1 }

// insert inserts in chunks of a few sizes: a connection keeps the statements that it has
// compiled, and to compile one of many rows takes as long as to run it.
func (r *rows) insert(ctx context.Context, c *sqlstore.Conn) error {
	rest, width := r.values, r.width()
	for _, size := range []int{500, 50, 5, 1} {
		for ; len(rest) >= size*width; rest = rest[size*width:] {
			if err := r.insertValues(ctx, c, rest[:size*width]); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxArguments is less than what SQLite takes in a statement.
const maxArguments = 20_000

// insertTogether is insert for words: each statement flushes what FTS5 has gathered in
// memory, so it uses as few as it can.
func (r *rows) insertTogether(ctx context.Context, c *sqlstore.Conn) error {
	for chunk := range slices.Chunk(r.values, maxArguments/r.width()*r.width()) {
		if err := r.insertValues(ctx, c, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (r *rows) insertValues(ctx context.Context, c *sqlstore.Conn, values []any) error {
	width := r.width()
	row := "(" + strings.Repeat("?, ", width-1) + "?)"
	query := "INSERT INTO " + r.table + " (" + r.columns + ") VALUES " + strings.Repeat(row+", ", len(values)/width-1) + row
	_, err := c.Exec(ctx, query, values...)
	return err
}

// pageRows are the rows of pages, which get the ids after last, of what stands in them,
// and of their words.
func pageRows(put []Page, last int64) (tables []*rows, words *rows, err error) {
	pages := &rows{table: "pages", columns: "id, file, size, modified, recent, title, head, links"}
	tags := &rows{table: "tags", columns: "page, tag, written"}
	properties := &rows{table: "properties", columns: "page, key, value"}
	tasks := &rows{table: "tasks", columns: "page, line, done, state, word, text, planning"}
	headings := &rows{table: "headings", columns: "page, line, level, text"}
	names := &rows{table: "names", columns: "key, kind, page"}
	links := &rows{table: "link_keys", columns: "key, page"}
	words = &rows{table: "words", columns: "rowid, title, tags, body"}
	for i := range put {
		p, id := &put[i], last+int64(i)+1
		if err := p.Prepare(); err != nil {
			return nil, nil, err
		}
		pages.add(id, p.File, p.Stamp.Size, p.Stamp.Modified, p.Stamp.Recent, p.Title, p.row.head, p.row.links)
		for _, tag := range p.Tags {
			tags.add(id, Fold(tag), tag)
		}
		for _, v := range p.Properties {
			properties.add(id, v.Key, v.Value)
		}
		for _, t := range p.Tasks {
			tasks.add(id, t.Line, t.Done, t.State, t.Word, t.Text, t.Planning)
		}
		for _, h := range p.Headings {
			headings.add(id, h.Line, h.Level, h.Text)
		}
		for _, n := range p.Names {
			names.add(n.Key, int(n.Kind), id)
		}
		for _, key := range p.LinkKeys {
			links.add(key, id)
		}
		words.add(id, p.row.title, p.row.tags, p.row.text)
	}
	return []*rows{pages, tags, properties, tasks, headings, names, links}, words, nil
}
