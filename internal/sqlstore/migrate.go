package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// ErrNewerSchema means that a newer build has migrated the tables.
var ErrNewerSchema = errors.New("a newer version of Lectern wrote it; update Lectern, or use the version that wrote it")

// migrate brings schemas to what this build knows, in one transaction: after a
// crash all of a migration is there, or nothing. Of several processes that start
// at the same time one migrates and the others wait.
func (s *Store) migrate(ctx context.Context, schemas ...Schema) error {
	// Not serializable: what was seen before the wait for the lock would be old.
	return s.retry(ctx, func() error {
		return s.transact(ctx, s.write, nil, func(c *Conn) error {
			if err := c.lockSchemas(ctx); err != nil {
				return err
			}
			for _, schema := range schemas {
				if err := c.migrate(ctx, schema); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (c *Conn) lockSchemas(ctx context.Context) error {
	if c.dialect == Postgres {
		if _, err := c.Exec(ctx, "SELECT pg_advisory_xact_lock("+lockKey+")", "sqlstore_schemas"); err != nil {
			return err
		}
	}
	_, err := c.Exec(ctx, "CREATE TABLE IF NOT EXISTS sqlstore_schemas (name TEXT PRIMARY KEY, version BIGINT NOT NULL)")
	return err
}

func (c *Conn) migrate(ctx context.Context, schema Schema) error {
	steps, err := readMigrations(schema.Migrations, path.Join(schema.Folder, string(c.dialect)))
	if err != nil {
		return fmt.Errorf("read migrations of %s: %w", schema.Name, err)
	}
	var version int
	err = c.QueryRow(ctx, "SELECT version FROM sqlstore_schemas WHERE name = ?", schema.Name).Scan(&version)
	switch {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return err
	case version > len(steps):
		return fmt.Errorf("%w (%s has schema %d, this build knows %d)", ErrNewerSchema, schema.Name, version, len(steps))
	case version == len(steps):
		return nil
	}
	for i, step := range steps[version:] {
		if _, err := c.db.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("migrate %s to schema %d: %w", schema.Name, version+i+1, err)
		}
	}
	_, err = c.Exec(ctx, "INSERT INTO sqlstore_schemas (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = "+
		"excluded.version",
		schema.Name, len(steps))
	return err
}

// readMigrations reads the migrations in a folder, which are numbered from 1
// without a gap.
func readMigrations(files fs.FS, dir string) (steps []string, err error) {
	entries, err := fs.ReadDir(files, dir) // in order
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		if !strings.HasPrefix(e.Name(), fmt.Sprintf("%04d_", i+1)) || !strings.HasSuffix(e.Name(), ".sql") {
			return nil, fmt.Errorf("%s/%s is not named %04d_NAME.sql", dir, e.Name(), i+1)
		}
		text, err := fs.ReadFile(files, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		steps = append(steps, string(text))
	}
	return steps, nil
}
