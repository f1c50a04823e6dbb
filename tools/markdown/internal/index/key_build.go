package index

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A keyBuild gathers what links call pages, and what pages call with their links, while an
// index is built. Their tables are in the order of these keys: filled page by page, each
// row would go somewhere else.
type keyBuild struct{ names, links *postingSpool }

// maxKeys is how many bytes of keys of either kind are in memory.
const maxKeys = 2 << 20

func newKeyBuild(file string) *keyBuild {
	return &keyBuild{newPostingSpool(file+namesSuffix, maxKeys), newPostingSpool(file+linksSuffix, maxKeys)}
}

// add adds a page, whose id is higher than those before. The kind of a name stands where
// the column of a word does.
func (k *keyBuild) add(page uint32, p *Page) error {
	for _, name := range p.Names {
		k.names.buffer.add(page, uint8(name.Kind), 0, name.Key)
	}
	for _, key := range p.LinkKeys {
		k.links.buffer.add(page, 0, 0, key)
	}
	return errors.Join(k.names.spill(), k.links.spill())
}

func (k *keyBuild) close() error { return errors.Join(k.names.close(), k.links.close()) }

// finish writes the tables, which are empty.
func (k *keyBuild) finish(ctx context.Context, c *sqlstore.Conn) error {
	names := keyTable{ctx: ctx, c: c, rows: rows{table: "names", columns: "key, kind, page"}}
	err := k.names.merge(names.begin, func(page uint64, places []byte) error {
		for _, kind := range readPlaces(nil, places) {
			names.add(int(kind>>32), page)
		}
		return nil
	})
	if err == nil {
		err = names.end()
	}
	if err != nil {
		return err
	}
	links := keyTable{ctx: ctx, c: c, rows: rows{table: "link_keys", columns: "key, page"}}
	err = k.links.merge(links.begin, func(page uint64, _ []byte) error {
		links.add(0, page)
		return nil
	})
	if err == nil {
		err = links.end()
	}
	return err
}

// A keyTable writes a table of keys, one after the other.
type keyTable struct {
	ctx   context.Context //nolint:containedctx // it is for one call of finish
	c     *sqlstore.Conn
	rows  rows
	key   string
	pages [AliasName + 1][]uint64 // that have the key as a name of a kind; first: in a link
}

// keysTogether is how many rows are written by one statement.
const keysTogether = 500

func (t *keyTable) begin(key string) error {
	err := t.endKey()
	t.key = key
	return err
}

func (t *keyTable) add(kind int, page uint64) { t.pages[kind] = append(t.pages[kind], page) }

func (t *keyTable) endKey() error {
	for kind, pages := range t.pages {
		for _, page := range pages {
			t.rows.values = append(t.rows.values, t.key)
			if kind > 0 {
				t.rows.values = append(t.rows.values, kind)
			}
			t.rows.values = append(t.rows.values, int64(page))
		}
		t.pages[kind] = pages[:0]
	}
	if len(t.rows.values) < keysTogether*t.rows.width() {
		return nil
	}
	return t.write()
}

func (t *keyTable) write() error {
	err := t.rows.insert(t.ctx, t.c)
	t.rows.values = t.rows.values[:0]
	return err
}

func (t *keyTable) end() error {
	if err := t.endKey(); err != nil {
		return err
	}
	return t.write()
}
