package cardstore

import (
	"context"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// A Record lists the names of the cards that were written, and gives the ids of what
// is new: the same ones for the same seed, so that a write can be worked out before
// it is made.
type Record struct {
	names  map[string]cardname.Name // by their keys
	acts   map[string]int64         // the last of each, by the keys of their names
	random *rand.ChaCha8
}

// RecordWrites is the store within a transaction that others end, with a record of what
// is written through it.
func (s *Store) RecordWrites(q *sqlstore.Conn, seed uint64) (*Store, *Record) {
	var start [32]byte
	binary.LittleEndian.PutUint64(start[:], seed)
	r := &Record{map[string]cardname.Name{}, map[string]int64{}, rand.NewChaCha8(start)}
	return &Store{s.shared, q, r}, r
}

func (r *Record) add(n cardname.Name, act int64) {
	if r != nil {
		r.names[n.Key()], r.acts[n.Key()] = n, act
	}
}

// Act is the act that last wrote the card of a name; 0: it was not written.
func (r *Record) Act(n cardname.Name) int64 { return r.acts[n.Key()] }

// Names are the names that were written, by their keys in order. A card that was
// renamed has both its names.
func (r *Record) Names() (names []cardname.Name) {
	for _, key := range slices.Sorted(maps.Keys(r.names)) {
		names = append(names, r.names[key])
	}
	return names
}

// A State is what a card is, apart from its history.
type State struct {
	ID      int64         `json:"id"`
	Name    cardname.Name `json:"name"`
	Type    cardname.Name `json:"type"`
	Content string        `json:"content"`
}

// States are what the live cards of these names are, for all callers; nil where
// there is none.
func (s *Store) States(ctx context.Context, names []cardname.Name) (states []*State, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		states = make([]*State, len(names))
		for i, n := range names {
			c, found, err := liveCard(ctx, q, n.Key())
			if err != nil {
				return err
			}
			if found {
				states[i] = &State{c.ID, c.Name, c.Type, c.Content}
			}
		}
		return nil
	})
	return states, err
}

// LastAct is the act that made the live card of a name what it is; 0: there is none.
func LastAct(ctx context.Context, s *Store, n cardname.Name) (act int64, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		c, found, err := liveCard(ctx, q, n.Key())
		if found {
			act = c.Revision
		}
		return err
	})
	return act, err
}

// HasAct reports whether an act was committed.
func HasAct(ctx context.Context, s *Store, act int64) (has bool, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		var revisions int
		err := q.QueryRow(ctx, "SELECT count(*) FROM revision WHERE act_id = ?", act).Scan(&revisions)
		has = revisions > 0
		return err
	})
	return has, err
}
