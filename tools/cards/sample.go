package cards

import (
	"bytes"
	"context"
	_ "embed" // the sample
	"errors"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

//go:embed sample/cards.jsonl
var sampleCards []byte

// firstSample is a card that only a wiki has, or had, into which the sample was loaded.
const firstSample = "Lighthouse campaign"

// sample is for `lectern source add cards --sample`.
func sample() *tools.Sample {
	return &tools.Sample{Title: "Lighthouse campaign", Keys: map[string]string{"sample": "true"}}
}

// loadSample writes the sample into a wiki that never had it.
func loadSample(ctx context.Context, store *cardstore.Store) error {
	by := cardstore.Caller{Account: cardstore.ServiceAccount(cardstore.Admin), Role: cardstore.Admin}
	if _, _, _, err := store.History(ctx, by, firstSample, true, 1); !errors.Is(err, cardstore.ErrNotFound) {
		return err
	}
	cards, err := readCards(bytes.NewReader(sampleCards))
	if err != nil {
		return err
	}
	return store.Together(ctx, func(s *cardstore.Store) error {
		for _, c := range cards {
			_, err := s.Create(ctx, by, cardstore.NewCard{Name: c.Name, Type: c.Type, Content: c.Content})
			if _, taken := errors.AsType[*cardstore.TakenError](err); err != nil && !taken {
				return err
			}
		}
		return nil
	})
}
