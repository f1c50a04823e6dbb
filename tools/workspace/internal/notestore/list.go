package notestore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// A Selection says which notes [Draft.Each] passes.
type Selection struct {
	Class    string   // empty: any
	Contains []string // JSON that the Record holds as it is marshalled: narrows what is looked at
	After    string   // the current revision of a note of the list, to go on after; empty: from the beginning
}

// scan is a Selection with the words that the notes must have.
type scan struct {
	Selection
	words  *wordQuery // nil: any
	before int64
	size   int // how many rows are probably needed; 0: 50
}

// Each passes the visible notes of a workspace to yield, newest first, until it
// returns false. ErrCursor if there is no revision After.
func (d *Draft) Each(ctx context.Context, workspace string, s Selection, yield func(Record) bool) error {
	return eachNote(ctx, d, workspace, scan{Selection: s}, yield)
}

func eachNote(ctx context.Context, d *Draft, workspace string, q scan, yield func(Record) bool) (err error) {
	q.before = newest
	if q.After != "" {
		if q.before, err = d.cursor(ctx, workspace, q.After); err != nil {
			return err
		}
	}
	return d.scan(ctx, workspace, q, func(n noteRow) bool { return yield(n.record) })
}

// Notes is Each where about limit notes are wanted.
func (d *Draft) Notes(ctx context.Context, workspace string, s Selection, limit int, yield func(Record) bool) error {
	return eachNote(ctx, d, workspace, scan{Selection: s, size: min(limit, maxPart)}, yield)
}

// maxPart is how many rows are read at a time.
const maxPart = 1000

func (d *Draft) scan(ctx context.Context, workspace string, q scan, yield func(noteRow) bool) error {
	for _, n := range d.drafted(workspace) {
		if n.seq < q.before && q.fits(n.Note) && !d.hides(workspace, n.Record) && !yield(noteRow{n.seq, n.Record, n.Text}) {
			return nil
		}
	}
	changed := d.changedClasses(workspace)
	if len(changed) > 0 {
		q.Contains = nil // of notes whose properties are other ones in the Draft
	}
	size := cmp.Or(q.size, 50)
	pass := func(c *sqlstore.Conn) (more bool, err error) {
		rows, err := selectNotes(ctx, c, workspace, q, size)
		if err != nil {
			return false, err
		}
		if more, err := passRows(ctx, d, c, workspace, changed, rows, yield); err != nil || !more || len(rows) < size {
			return false, err
		}
		q.before, size = rows[len(rows)-1].seq, maxPart
		return true, nil
	}
	if q.words != nil { // the first part is most often all: one statement needs no transaction
		if more, err := pass(d.store.db.Reader().Short()); err != nil || !more {
			return err
		}
	}
	return d.store.db.Read(ctx, func(c *sqlstore.Conn) error {
		for {
			if more, err := pass(c); err != nil || !more {
				return err
			}
		}
	})
}

// passRows passes the visible notes among rows as the Draft sees them. The classes in
// changed have other properties in it. It needs no other connection than c.
func passRows(
	ctx context.Context, d *Draft, c *sqlstore.Conn, workspace string, changed []string, rows []noteRow, yield func(noteRow) bool,
) (more bool, err error) {
	for _, row := range rows {
		r := &row.record
		if d.notes[noteKey{workspace, r.ID}] != nil {
			continue
		}
		if slices.Contains(changed, r.Class) {
			h, err := readHead(ctx, c, noteKey{workspace, r.ID})
			if err != nil {
				return false, err
			}
			if *r, err = d.retype(ctx, workspace, *r, h.revision.Content); err != nil {
				return false, err
			}
		}
		if !d.hides(workspace, *r) && !yield(row) {
			return false, nil
		}
	}
	return true, nil
}

type draftedNote struct {
	*Note
	seq int64
}

// drafted are the notes that the Draft saved, newest first.
func (d *Draft) drafted(workspace string) (list []draftedNote) {
	for k, c := range d.notes {
		if k.workspace == workspace && c.after != nil {
			list = append(list, draftedNote{c.after, draftSeq(c.revisions[len(c.revisions)-1])})
		}
	}
	slices.SortFunc(list, func(a, b draftedNote) int { return cmp.Compare(b.seq, a.seq) })
	return list
}

// fits reports whether a note of the Draft is selected, as far as the database decides
// it for others.
func (q scan) fits(n *Note) bool {
	return (q.Class == "" || n.Class == q.Class) && (q.words == nil || q.words.matches(splitWords(n.Title), splitWords(n.Text)))
}

type noteRow struct {
	seq    int64
	record Record
	text   string // empty where nobody searches for words
}

func selectNotes(ctx context.Context, c *sqlstore.Conn, workspace string, q scan, limit int) ([]noteRow, error) {
	if !isStorable(q.Class) {
		return nil, nil // no note has it
	}
	s := noteSelect{from: "notes n", seq: "n.seq", text: "''", where: q.where(c.Dialect()), args: q.args()}
	if q.words == nil {
		return s.rows(ctx, c, workspace, q.before, limit)
	}
	s.text = "(SELECT r.text FROM revisions r WHERE r.seq = n.seq)"
	if c.Dialect() == sqlstore.Postgres {
		words := []any{q.words.condition(c.Dialect())}
		return s.with(" AND n.words @@ CAST(? AS tsquery)", words).rows(ctx, c, workspace, q.before, limit)
	}
	fresh, indexed := s.byWords(*q.words)
	args := slices.Concat(fresh.arguments(workspace, q.before, limit), indexed.arguments(workspace, q.before, limit), []any{limit})
	return sqlstore.Select(ctx, c, scanNote, unionQuery(fresh, indexed), args...)
}

// unionQuery is the statement for the notes of both, those of the first before the others.
// Its arguments are theirs and a limit.
func unionQuery(first, second noteSelect) string {
	return "SELECT * FROM (" + first.query() + ") UNION ALL SELECT * FROM (" + second.query() + ") LIMIT ?"
}

// byWords selects from what waits to be indexed, and from SQLite's index of words. Both
// find the notes by notes_newest.
func (s noteSelect) byWords(q wordQuery) (fresh, indexed noteSelect) {
	fresh = s.with(q.freshCondition())
	fresh.from, fresh.seq = "fresh_words f CROSS JOIN notes n ON n.seq = f.seq", "f.seq" // in this order: there are few
	indexed = s.with(" AND note_words MATCH ?", []any{q.condition(sqlstore.Sqlite)})
	indexed.from, indexed.seq = "note_words JOIN notes n ON n.seq = note_words.rowid", "note_words.rowid"
	return fresh, indexed
}

// where is what a scan demands of the row of a note, with args.
func (q scan) where(d sqlstore.Dialect) (where string) {
	if q.Class != "" {
		where = " AND n.class = ?"
	}
	find := " AND instr(n.record, ?) > 0"
	if d == sqlstore.Postgres {
		find = " AND strpos(n.record, ?) > 0"
	}
	return where + strings.Repeat(find, len(q.Contains))
}

func (q scan) args() (args []any) {
	if q.Class != "" {
		args = append(args, q.Class)
	}
	for _, s := range q.Contains {
		args = append(args, s)
	}
	return args
}

// A noteSelect selects notes that are not deleted, newest first.
type noteSelect struct {
	from, seq, text string // tables, column to sort by, text of the note
	where           string
	args            []any // of where
}

func (s noteSelect) with(where string, args []any) noteSelect {
	s.where, s.args = s.where+where, slices.Concat(s.args, args)
	return s
}

func (s noteSelect) rows(ctx context.Context, c *sqlstore.Conn, workspace string, before int64, limit int) ([]noteRow, error) {
	return sqlstore.Select(ctx, c, scanNote, s.query(), s.arguments(workspace, before, limit)...)
}

func (s noteSelect) arguments(workspace string, before int64, limit int) []any {
	return slices.Concat([]any{workspace, before}, s.args, []any{limit})
}

func scanNote(row sqlstore.Row) (r noteRow, err error) {
	var record sql.RawBytes // it is decoded before the next row is read
	if err := row.Scan(&r.seq, &record, &r.text); err != nil {
		return r, err
	}
	return r, json.Unmarshal(record, &r.record)
}

// query is the statement. Its arguments are a workspace, a seq, args and a limit.
func (s noteSelect) query() string {
	return "SELECT n.seq, n.record, " + s.text + " FROM " + s.from + " WHERE n.workspace = ? AND " + s.seq + " < ? AND n.deleted = FALSE" +
		s.where + " ORDER BY " + s.seq + " DESC LIMIT ?"
}

// A Match is a note that was found by its words.
type Match struct {
	Record
	Excerpt string `json:"excerpt"` // where in its text they are; as in [Draft.Search]
}

// Search lists the visible notes that have all words of a text, in any order and
// without regard to case and accents: those with all in the title first, then newest
// first. If no note has them, it looks for words that begin with them. An excerpt is
// of the line that has most of the words, at most 200 bytes. ErrNotFound: the text has
// no word.
func (d *Draft) Search(ctx context.Context, workspace, text, after string, limit int) (list []Match, err error) {
	words := splitWords(text)
	if len(words) == 0 {
		return nil, ErrNotFound
	}
	words = words[:min(len(words), 16)]
	passes := []wordQuery{{words, true, false}, {words, false, false}, {words, true, true}, {words, false, true}}
	if after != "" {
		return searchAfter(ctx, d, workspace, after, passes, limit)
	}
	for pass := 0; pass < len(passes) && len(list) == 0; pass += 2 {
		if list, err = searchBoth(ctx, d, workspace, passes[pass], passes[pass+1], limit); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// searchAfter goes on after a revision that was found: with the pass that found it, and if
// that was one of titles, with the texts.
func searchAfter(ctx context.Context, d *Draft, workspace, after string, passes []wordQuery, limit int) (list []Match, err error) {
	pass, before, err := searchCursor(ctx, d, workspace, after, passes)
	if err != nil {
		return nil, err
	}
	for inText := pass | 1; pass <= inText && len(list) < limit; pass++ {
		s := scan{words: &passes[pass], before: before, size: limit - len(list)}
		if err := searchPass(ctx, d, workspace, s, func(m Match, titled bool) bool {
			if pass < inText || !titled {
				list = append(list, m)
			}
			return len(list) < limit
		}); err != nil {
			return nil, err
		}
		before = newest
	}
	return list, nil
}

// searchBoth lists the notes that have words in their titles before those that have them only
// in their texts. All have them in their texts, so that most often one scan finds all: only
// where there are more than limit the titles are looked through by themselves.
func searchBoth(ctx context.Context, d *Draft, workspace string, inTitle, inText wordQuery, limit int) (list []Match, err error) {
	var others []Match
	find := func(q *wordQuery, add func(m Match, titled bool) (more bool)) error {
		return searchPass(ctx, d, workspace, scan{words: q, before: newest, size: limit}, add)
	}
	err = find(&inText, func(m Match, titled bool) bool {
		if titled {
			list = append(list, m)
		} else {
			others = append(others, m)
		}
		return len(list)+len(others) < limit
	})
	if err == nil && len(list)+len(others) == limit {
		list = list[:0]
		err = find(&inTitle, func(m Match, _ bool) bool {
			list = append(list, m)
			return len(list) < limit
		})
	}
	return append(list, others[:min(len(others), limit-len(list))]...), err
}

// searchPass passes the notes with the words of a scan, and whether they have them in the
// title.
func searchPass(ctx context.Context, d *Draft, workspace string, s scan, yield func(m Match, titled bool) (more bool)) error {
	inTitle := wordQuery{s.words.words, true, s.words.prefix}
	return d.scan(ctx, workspace, s, func(n noteRow) bool {
		return yield(Match{n.record, s.words.excerpt(n.text)}, inTitle.matches(splitWords(n.record.Title), nil))
	})
}

// searchCursor returns the pass in which a revision was found, and its seq.
func searchCursor(ctx context.Context, d *Draft, workspace, revision string, passes []wordQuery) (pass int, seq int64, err error) {
	r, err := d.revision(ctx, workspace, revision)
	if err != nil {
		return 0, 0, ErrCursor
	}
	last := record(r.Note, r.Content, nil, notetext.Parse(r.Text))
	pass = slices.IndexFunc(passes, func(q wordQuery) bool { return q.matches(splitWords(last.Title), splitWords(r.Text)) })
	if pass < 0 {
		return 0, 0, ErrCursor
	}
	return pass, r.seq, nil
}
