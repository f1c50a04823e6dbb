package cards

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardapi"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Draft implements [tools.Drafter]: the wiki over a copy of its database, which Close
// removes. A wiki on PostgreSQL or on another server has no drafts.
func (w *Wiki) Draft(ctx context.Context) (tools.Source, error) {
	if w.local == nil || w.local.store.DB().Dialect() != sqlstore.Sqlite {
		return nil, tools.Errorf(tools.Denied, "several writes to the wiki %s cannot be planned together: only a SQLite file has drafts",
			w.name).
			WithHint("Make one call at a time.")
	}
	drafted, err := openDraft(ctx, w.local)
	if err != nil {
		return nil, tools.Errorf(tools.Unavailable, "cannot copy the wiki for a draft: %w", err)
	}
	return &Wiki{screened: screened{transport: drafted}, local: drafted, name: w.name}, nil
}

func openDraft(ctx context.Context, l *local) (*local, error) {
	folder, err := os.MkdirTemp(l.folder, draftPrefix)
	if err != nil {
		return nil, err
	}
	store, err := copyStore(ctx, l, filepath.Join(folder, "cards.db"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	signing, api := l.authOptions, l.api.Options
	signing.DB, api.Store = store.DB(), store
	own := cardapi.Folder{Dir: folder}
	auth := cardauth.New(signing)
	api.Auth, api.Files, api.Backups = auth, draftFiles{own, l.api.Files}, own
	closing, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &local{
		store: store, auth: auth, authOptions: signing, api: cardapi.New(api), allowed: l.allowed, folder: folder, privacy: l.privacy,
		hides: l.hides,
		log:   l.log, now: l.now, report: l.report, reveal: l.reveal, closing: closing, stop: stop, signingTime: l.signingTime,
		remove: func() error { return os.RemoveAll(folder) },
	}, nil
}

func copyStore(ctx context.Context, l *local, file string) (*cardstore.Store, error) {
	if err := l.store.DB().CopyTo(ctx, file); err != nil {
		return nil, err
	}
	return cardstore.Open(ctx, cardstore.Options{Database: file, Now: l.now})
}

// draftFiles are the files of a draft: those of the wiki, and others beside them.
type draftFiles struct {
	cardapi.Folder
	wiki cardapi.Files
}

// Get implements [cardapi.Files].
func (f draftFiles) Get(ctx context.Context, name string) ([]byte, error) {
	if data, err := f.Folder.Get(ctx, name); err == nil {
		return data, nil
	}
	return f.wiki.Get(ctx, name)
}

// Names of the folders of drafts, and how long none is open.
const (
	draftPrefix = "draft-"
	maxDraftAge = 24 * time.Hour
)

// removeDrafts removes what a hub that was killed has left of its drafts.
func removeDrafts(l *local) error {
	left, err := os.ReadDir(l.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list drafts: %w", err)
	}
	for _, entry := range left {
		info, err := entry.Info()
		if err != nil || !info.IsDir() || !strings.HasPrefix(info.Name(), draftPrefix) || l.now().Sub(info.ModTime()) <= maxDraftAge {
			continue
		}
		if err := os.RemoveAll(filepath.Join(l.folder, info.Name())); err != nil {
			return fmt.Errorf("remove a draft: %w", err)
		}
	}
	return nil
}
