package cards

import (
	"cmp"
	"context"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardapi"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Wiki is an open source. Its methods are its tools; they may be called from any
// goroutine.
type Wiki struct {
	screened
	local *local // nil: the wiki is another's
	name  string
}

func open(ctx context.Context, config Config, env tools.Env) (*Wiki, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	if config.URL != "" {
		remote, err := openRemote(config, env)
		return &Wiki{screened: screened{remote, env.Privacy}, name: env.Name}, err
	}
	l, err := openLocal(ctx, config, env)
	if err != nil {
		return nil, err
	}
	return &Wiki{screened: screened{transport: l}, local: l, name: env.Name}, nil
}

// openLocal opens the wiki in a database of Lectern's own.
func openLocal(ctx context.Context, config Config, env tools.Env) (*local, error) {
	database, folder, err := config.database(ctx, env)
	if err != nil {
		return nil, err
	}
	allowed, err := config.networks()
	if err != nil {
		return nil, err
	}
	store, err := cardstore.Open(ctx, cardstore.Options{Database: database, Now: env.Now})
	if err != nil {
		return nil, tools.Errorf(tools.Unavailable, "cannot open the wiki's database: %w", err)
	}
	o := config.auth()
	o.DB, o.Now = store.DB(), env.Now
	auth, files := cardauth.New(o), cardapi.Folder{Dir: folder}
	if err := auth.CreateServiceAccounts(ctx); err != nil {
		_ = store.Close()
		return nil, tools.Errorf(tools.Unavailable, "cannot make the wiki's accounts: %w", err)
	}
	if config.Sample {
		if err := loadSample(ctx, store); err != nil {
			_ = store.Close()
			return nil, tools.Errorf(tools.Unavailable, "cannot load the sample: %w", err)
		}
	}
	hides := hidesCard(env.Privacy)
	api := cardapi.New(cardapi.Options{
		Store: store, Auth: auth, Files: files, Backups: files, Limits: config.limits(), Now: env.Now, Log: env.Log, Hides: hides,
		Version: cmp.Or(env.Version, "unknown"), Base: "/sources/" + env.Name,
	})
	closing, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &local{
		store: store, auth: auth, authOptions: o, api: api, allowed: allowed, folder: folder, privacy: env.Privacy, hides: hides,
		log: env.Log, now: env.Now, report: env.Report, reveal: env.Reveal, closing: closing, stop: stop, signingTime: config.signingTime(),
	}, nil
}

// Check implements [tools.Source]: it asks the database.
func (w *Wiki) Check(ctx context.Context) error {
	if w.local == nil {
		return ctx.Err()
	}
	if _, err := w.local.store.Get(ctx, cardstore.Caller{Role: cardstore.User}, ":basic"); err != nil {
		return tools.Errorf(tools.Unavailable, "the wiki's database does not answer: %w", err)
	}
	return nil
}
