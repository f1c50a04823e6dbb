package cardstore

import (
	"context"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// An ExportedCard is a card as a backup has it.
type ExportedCard struct {
	Name      string             `json:"name"`
	ID        int64              `json:"id"`
	Type      string             `json:"type"`
	Codename  string             `json:"codename,omitempty"`
	Content   string             `json:"content"`
	Trash     bool               `json:"trash,omitempty"`
	CreatedAt int64              `json:"created_at"` // Unix nanoseconds
	UpdatedAt int64              `json:"updated_at"`
	Revisions []ExportedRevision `json:"revisions"` // oldest first
}

// An ExportedRevision is a revision as a backup has it.
type ExportedRevision struct {
	Act     int64    `json:"act_id"`
	Action  string   `json:"action"`
	Actor   string   `json:"actor"`
	At      int64    `json:"acted_at"`
	Changes []string `json:"changes"`
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Content string   `json:"content"`
}

// Export gives every card, live and trashed, to one, oldest first, as of one moment: all
// roles' cards, but none that does not exist for the caller.
func (s *Store) Export(ctx context.Context, by Caller, one func(ExportedCard) error) error {
	return s.read(ctx, func(q *sqlstore.Conn) error {
		hidden, err := hiddenCards(ctx, q, by)
		if err != nil {
			return err
		}
		for after, more := int64(-1), true; more; {
			if after, more, err = exportBatch(ctx, q, hidden, after, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// exportBatch gives the cards that follow a position to one. It reads few at a time,
// because a wiki may not fit into memory. It returns the last position, and whether
// there may be more.
func exportBatch(
	ctx context.Context, q *sqlstore.Conn, hidden map[int64]bool, after int64, one func(ExportedCard) error,
) (last int64, more bool, err error) {
	const batch = 200
	cards, err := sqlstore.Select(ctx, q, scanCard, "SELECT "+cardColumns+cardTables+"WHERE c.position > ? ORDER BY c.position LIMIT ?", after,
		batch)
	if err != nil {
		return after, false, err
	}
	for _, c := range cards {
		after = c.position
		if hidden[c.ID] {
			continue
		}
		out, err := export(ctx, q, c)
		if err != nil {
			return after, false, err
		}
		if err := one(out); err != nil {
			return after, false, err
		}
	}
	return after, len(cards) == batch, nil
}

func export(ctx context.Context, q *sqlstore.Conn, c Card) (ExportedCard, error) {
	out := ExportedCard{
		Name: string(c.Name), ID: c.ID, Type: string(c.Type), Codename: c.Codename, Content: c.Content, Trash: c.trash,
		CreatedAt: c.CreatedAt.UnixNano(), UpdatedAt: c.UpdatedAt.UnixNano(),
	}
	revisions, err := sqlstore.Select(ctx, q, scanRevision, "SELECT "+revisionColumns+"WHERE r.card_id = ? ORDER BY r.position", c.ID)
	for _, r := range revisions {
		out.Revisions = append(out.Revisions, ExportedRevision{
			r.Act, r.Action, r.Actor, r.At.UnixNano(), r.Changes, string(r.Name),
			string(r.Type), r.Content,
		})
	}
	return out, err
}
