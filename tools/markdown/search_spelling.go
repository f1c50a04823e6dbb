package markdown

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// maxSpelledFiles is how many pages a search without an index reads a second time for
// words that are spelled like those it did not find.
const maxSpelledFiles = 2000

// respell has the search find words that are spelled like its own as well. It reports
// whether the vault has any.
func (s *search) respell(ctx context.Context) (bool, error) {
	speller := index.NewSpeller(s.query.Terms)
	var err error
	if s.x != nil {
		err = s.x.Spell(ctx, speller)
	} else {
		files := s.outline.pageFiles()
		err = s.scan(ctx, s.n, func(ctx context.Context) error {
			return folder.ForEach(ctx, len(files), func(i int) {
				page, _ := s.n.indexedPage(files[i], s.n.view.Stat)
				speller.Read(page)
			})
		})
	}
	if err != nil {
		return false, err
	}
	spellings, found := speller.Spellings()
	s.query.Spellings, s.words.spellings = spellings, spellings
	return found, nil
}

// findSpelled searches once more, for words that are spelled like those of which
// nothing was found.
func (s *search) findSpelled(ctx context.Context, nothing SearchPagesOut) (SearchPagesOut, error) {
	if s.mode != byWords || len(s.query.Terms) == 0 || s.kind == findTags || s.kind == findAttachments ||
		s.x == nil && s.outline.places.most() > maxSpelledFiles {
		return nothing, nil
	}
	if found, err := s.respell(ctx); err != nil || !found {
		return nothing, err
	}
	out, err := s.find(ctx)
	if err != nil || out.Total == 0 {
		return nothing, err
	}
	out.Note = s.no("page") + " has these words; this has words that are spelled like them. " + out.Note
	return out, nil
}

// nearTag is a tag in use that is spelled like one that no page has; empty: there is
// none, or it is in use.
func (s *search) nearTag(ctx context.Context) (string, error) {
	all := *s
	all.kind, all.words, all.parts, all.offset, all.limit = findTags, searchQuery{}, nil, 0, 10_000
	all.query = index.Query{Filter: index.Filter{Excluded: s.query.Excluded}}
	out, err := all.tags(ctx)
	if err != nil {
		return "", err
	}
	var tags []string
	for _, m := range out.Matches {
		tags = append(tags, m.Title)
	}
	if slices.ContainsFunc(tags, func(t string) bool { return index.Fold(t) == index.Fold(s.query.Tag) }) {
		return "", nil
	}
	return nearest.Word(s.query.Tag, tags), nil
}
