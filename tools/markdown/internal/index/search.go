package index

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// Search returns the pages that match from an offset on, at most limit, how many
// there are, and how they match: what [Query.Rank] returns of all pages, those with
// the same score perhaps in another order.
func (x *Index) Search(ctx context.Context, q Query, offset, limit int) (hits []Hit, total int, how Match, err error) {
	if q.Filter, err = x.testProperty(ctx, q.Filter); err != nil {
		return nil, 0, AllWords, err
	}
	where, args := q.where()
	if len(q.Terms) == 0 && q.Where == nil {
		order := " ORDER BY p.file"
		if q.newestFirst() {
			order = " ORDER BY p.modified DESC, p.file"
		}
		hits, total, err = x.find(ctx, "SELECT p.file, 0.0 FROM pages p WHERE "+where+order, args, offset, limit)
		return hits, total, AllWords, err
	}
	select {
	case x.ranking <- struct{}{}:
		defer func() { <-x.ranking }()
	case <-ctx.Done():
		return nil, 0, AllWords, ctx.Err()
	}
	err = x.db.Read(ctx, func(c *sqlstore.Conn) error {
		for ; ; how++ {
			if hits, total, err = findWords(ctx, c, q, how, where, args, offset, limit); err != nil || total > 0 || how == AnyPrefix {
				return err
			}
		}
	})
	return hits, total, how, err
}

// find reads a part of a result, and counts all of it.
func (x *Index) find(ctx context.Context, query string, args []any, offset, limit int) (hits []Hit, total int, err error) {
	hits, err = sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (h Hit, err error) {
		err = r.Scan(&h.File, &h.Score, &total)
		return h, err
	}, "SELECT *, count(*) OVER () FROM ("+query+") LIMIT ? OFFSET ?", append(args, limit, offset)...)
	if err == nil && len(hits) == 0 && offset > 0 {
		err = x.db.Reader().QueryRow(ctx, "SELECT count(*) FROM ("+query+")", args...).Scan(&total)
	}
	return hits, total, err
}

// allPages is the condition of a filter that selects all pages.
const allPages = "TRUE"

// where is the filter as a condition on pages p.
func (f Filter) where() (condition string, args []any) {
	conditions := []string{allPages}
	add := func(condition string, values ...any) {
		conditions = append(conditions, condition)
		args = append(args, values...)
	}
	switch {
	case f.Below != "":
		add("(p.file = ? OR p.file >= ? AND p.file < ?)", f.Page, f.Below, after(f.Below))
	case f.Page != "":
		add("p.file = ?", f.Page)
	}
	if f.Files != nil {
		add(inFiles, fileList(f.Files))
	}
	if len(f.Excluded) > 0 {
		add("NOT "+inFiles, fileList(f.Excluded))
	}
	if !f.Since.IsZero() {
		add("p.modified >= ?", f.Since.UnixNano())
	}
	if !f.Until.IsZero() {
		add("p.modified < ?", f.Until.UnixNano())
	}
	if tag := Fold(f.Tag); tag != "" {
		add("EXISTS (SELECT 1 FROM tags WHERE page = p.id AND (tag = ? OR tag >= ? AND tag < ?))", tag, tag+"/", after(tag+"/"))
	}
	if key := Fold(f.Property); key != "" {
		add("EXISTS (SELECT 1 FROM properties WHERE page = p.id AND key = ? AND (? = '' OR value = ?))", key, Fold(f.Value), Fold(f.Value))
	}
	if f.Tasks != "" {
		add("EXISTS (SELECT 1 FROM tasks WHERE page = p.id" + f.Tasks.condition() + ")")
	}
	return strings.Join(conditions, " AND "), args
}

// SelectFiles are the pages that f selects.
func (x *Index) SelectFiles(ctx context.Context, f Filter) (files map[string]bool, err error) {
	if f, err = x.testProperty(ctx, f); err != nil {
		return nil, err
	}
	where, args := f.where()
	files = map[string]bool{}
	_, err = sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var file string
		err := r.Scan(&file)
		files[file] = true
		return struct{}{}, err
	}, "SELECT p.file FROM pages p WHERE "+where, args...)
	return files, err
}

// HasProperty reports whether a page has a property with this key.
func (x *Index) HasProperty(ctx context.Context, key string) (has bool, err error) {
	err = x.db.Reader().QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM properties WHERE key = ?)", Fold(key)).Scan(&has)
	return has, err
}

// testProperty is a filter with the pages whose property passes its Test in the place of
// that.
func (x *Index) testProperty(ctx context.Context, f Filter) (Filter, error) {
	if f.Test == nil || f.Property == "" {
		return f, nil
	}
	files := map[string]bool{}
	_, err := sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var file, value string
		err := r.Scan(&file, &value)
		if f.Test(value) && (f.Files == nil || f.Files[file]) {
			files[file] = true
		}
		return struct{}{}, err
	}, "SELECT file, value FROM properties JOIN pages ON pages.id = page WHERE key = ?", Fold(f.Property))
	f.Files, f.Property, f.Test = files, "", nil
	return f, err
}

func (s TaskState) condition() string {
	switch s {
	case OpenTasks:
		return " AND NOT done"
	case DoneTasks:
		return " AND done"
	case AnyTasks:
	}
	return ""
}

// Tasks calls visit for the tasks of the pages that f selects, those in the state
// that it asks for, in the order of files and lines.
func (x *Index) Tasks(ctx context.Context, f Filter, visit func(Task)) error {
	f, err := x.testProperty(ctx, f)
	if err != nil {
		return err
	}
	where, args := f.where()
	_, err = sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var t Task
		err := r.Scan(&t.Page, &t.Line, &t.Done, &t.State, &t.Word, &t.Text, &t.Planning)
		if err == nil {
			visit(t)
		}
		return struct{}{}, err
	}, "SELECT p.file, line, done, state, word, text, planning FROM tasks JOIN pages p ON p.id = page WHERE "+where+f.Tasks.condition()+
		" ORDER BY p.file, line", args...)
	return err
}

// Headings calls visit for the headings of the pages that f selects, in the order of
// files and lines.
func (x *Index) Headings(ctx context.Context, f Filter, visit func(Heading)) error {
	f, err := x.testProperty(ctx, f)
	if err != nil {
		return err
	}
	where, args := f.where()
	_, err = sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var h Heading
		err := r.Scan(&h.Page, &h.Line, &h.Level, &h.Text)
		if err == nil {
			visit(h)
		}
		return struct{}{}, err
	}, "SELECT p.file, line, level, text FROM headings JOIN pages p ON p.id = page WHERE "+where+" ORDER BY p.file, line", args...)
	return err
}

// Tags calls visit for each tag of the pages that f selects: as the first of them in
// the order of letters writes it, and how many pages have it.
func (x *Index) Tags(ctx context.Context, f Filter, visit func(tag string, pages int)) error {
	f, err := x.testProperty(ctx, f)
	if err != nil {
		return err
	}
	where, args := f.where()
	_, err = sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var tag string
		var pages int
		err := r.Scan(&tag, &pages)
		if err == nil {
			visit(tag, pages)
		}
		return struct{}{}, err
	}, "SELECT min(written), count(*) FROM tags JOIN pages p ON p.id = page WHERE "+where+" GROUP BY tag", args...)
	return err
}
