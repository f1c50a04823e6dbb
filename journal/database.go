package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	sqlitelib "modernc.org/sqlite/lib"

	"github.com/lectern-mcp/lectern/internal/sqliteconn"
)

const (
	databaseName  = "journal.db"
	schemaVersion = 7 // of the schema, in user_version
)

// schema encrypts contents, targets and reasons. The columns that Changes are
// selected by are in the clear.
const schema = `
CREATE TABLE changes (
	seq      INTEGER PRIMARY KEY AUTOINCREMENT,
	call     INTEGER NOT NULL,          -- seq of the first Change of the call
	time     INTEGER NOT NULL,          -- Unix, ns
	client   TEXT NOT NULL,
	session  TEXT NOT NULL,
	source   TEXT NOT NULL,
	tool     TEXT NOT NULL,
	name     BLOB NOT NULL,             -- keyed hash of source and target
	target   BLOB NOT NULL,             -- sealed
	reason   BLOB,                      -- sealed
	outcome  TEXT NOT NULL,             -- '': pending
	open     INTEGER NOT NULL,          -- the result is not known yet
	undoes   INTEGER NOT NULL,          -- seq; 0: none
	fixed    TEXT NOT NULL,
	proven   INTEGER NOT NULL,          -- the client had shown its token
	b_there  INTEGER NOT NULL, b_mode INTEGER NOT NULL, b_size INTEGER NOT NULL, b_blob BLOB,
	a_there  INTEGER NOT NULL, a_mode INTEGER NOT NULL, a_size INTEGER NOT NULL, a_blob BLOB
);
CREATE INDEX changes_call ON changes(call);
CREATE INDEX changes_name ON changes(name, seq);
CREATE INDEX changes_pending ON changes(source) WHERE outcome = '';
CREATE INDEX changes_kept ON changes(call) WHERE fixed = '';
CREATE TABLE blobs (
	hash BLOB PRIMARY KEY,              -- keyed hash of the content
	data BLOB NOT NULL,                 -- sealed
	refs INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE intents (                      -- calls that an undo has begun with
	place   INTEGER PRIMARY KEY AUTOINCREMENT,
	source  TEXT NOT NULL,
	call    INTEGER NOT NULL,
	merge   INTEGER NOT NULL,
	client  TEXT NOT NULL,
	session TEXT NOT NULL,
	proven  INTEGER NOT NULL,
	reason  BLOB                        -- sealed
);
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL);
INSERT INTO facts VALUES ('bytes', 0);
` + groupsSchema + noticesSchema + approvalsSchema + editsSchema + hunksSchema + revisionsSchema

// groupsSchema is what version 2 adds: calls that are undone together.
const groupsSchema = `
CREATE TABLE groups (id INTEGER PRIMARY KEY AUTOINCREMENT); -- those that have not ended
ALTER TABLE changes ADD COLUMN group_id INTEGER NOT NULL DEFAULT 0;  -- 0: none
ALTER TABLE intents ADD COLUMN group_id INTEGER NOT NULL DEFAULT 0;  -- undone instead of a call
ALTER TABLE intents ADD COLUMN undo_group INTEGER NOT NULL DEFAULT 0; -- of what the undo writes
CREATE INDEX changes_group ON changes(group_id) WHERE group_id <> 0;
`

// approvalsSchema is what version 4 adds: which approval of a person let a call
// through.
const approvalsSchema = `
ALTER TABLE changes ADD COLUMN approval TEXT NOT NULL DEFAULT ''; -- its ID; '': nobody was asked
`

// editsSchema is what version 5 adds: whether a person wrote something else in place
// of the call.
const editsSchema = `
ALTER TABLE changes ADD COLUMN edited INTEGER NOT NULL DEFAULT 0;
`

// hunksSchema is what version 6 adds: of a change among whose hunks a person chose, how
// many there were and how many were left out.
const hunksSchema = `
ALTER TABLE changes ADD COLUMN hunks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE changes ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
`

// revisionsSchema is what version 7 adds: the revision that a write makes, where its System
// keeps revisions.
const revisionsSchema = `
ALTER TABLE changes ADD COLUMN a_revision TEXT NOT NULL DEFAULT '';
`

// openDatabase opens or creates the database in o.Dir. A damaged one is
// quarantined and a new one begun, so that agents can go on writing.
func openDatabase(o Options, k *encryptionKey, suspect bool) (*sql.DB, error) {
	file := DatabaseFile(o.Dir)
	db, err := openConnection(file, k, suspect)
	if err == nil || !isDamageError(err) {
		return db, err
	}
	quarantined, moveErr := quarantine(file, o.Now())
	if moveErr != nil {
		return nil, fmt.Errorf("move the damaged %s aside: %w", file, moveErr)
	}
	o.Log.Error("the journal is damaged; a new one begins, and the changes in the old one cannot be undone",
		"component", "journal", "file", quarantined, "err", err)
	return openConnection(file, k, false)
}

// openConnection opens the only connection, which keeps other processes out. It
// checks all of a suspect file.
func openConnection(file string, k *encryptionKey, suspect bool) (*sql.DB, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600) // SQLite would make it readable to others
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if info, err := os.Stat(file + "-wal"); err == nil && info.Size() > 0 {
		suspect = true // it was not closed properly
	}
	db, err := sqliteconn.Open(file, "immediate", "busy_timeout(2000)", "auto_vacuum(incremental)", "locking_mode(exclusive)",
		"journal_mode(wal)", "synchronous(full)", "journal_size_limit(4194304)", "secure_delete(on)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err = prepareSchema(db, k, suspect); err == nil {
		err = createScriptRunsTable(db)
	}
	if err != nil {
		_ = db.Close() // the first error says what is wrong
		switch {
		case sqliteconn.Code(err) == sqlitelib.SQLITE_BUSY:
			err = newHeldError(file, err)
		case sqliteconn.Code(err) != 0:
			err = fmt.Errorf("open %s: %w", file, err)
		}
		return nil, err
	}
	return db, nil
}

// prepareSchema creates the tables, or checks that they are ours.
func prepareSchema(db *sql.DB, k *encryptionKey, suspect bool) error {
	ctx := context.Background()
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch {
	case version > schemaVersion:
		return fmt.Errorf("a newer version of Lectern wrote it (format %d); use that version", version)
	case version == 0:
		return migrate(ctx, db, schema, k.encrypt(nil, "check"))
	}
	var check []byte
	if err := db.QueryRowContext(ctx, "SELECT value FROM facts WHERE name = 'check'").Scan(&check); errors.Is(err, sql.ErrNoRows) {
		return errDamaged
	} else if err != nil {
		return err
	}
	if _, err := k.decrypt(check, "check"); err != nil {
		return fmt.Errorf("%s is not the key that %s was written with. Restore that key, or move %s away to begin a new journal",
			keyFileName, databaseName, databaseName)
	}
	if suspect {
		var verdict string
		if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			return errDamaged
		}
	}
	switch version {
	case 1:
		return migrate(ctx, db, groupsSchema+noticesSchema+approvalsSchema+editsSchema+hunksSchema+revisionsSchema, nil)
	case 2:
		return migrate(ctx, db, noticesSchema+approvalsSchema+editsSchema+hunksSchema+revisionsSchema, nil)
	case 3:
		return migrate(ctx, db, approvalsSchema+editsSchema+hunksSchema+revisionsSchema, nil)
	case 4:
		return migrate(ctx, db, editsSchema+hunksSchema+revisionsSchema, nil)
	case 5:
		return migrate(ctx, db, hunksSchema+revisionsSchema, nil)
	case 6:
		return migrate(ctx, db, revisionsSchema, nil)
	}
	return nil
}

// migrate brings the database to the present schema. check is stored with a new
// one; nil: it has it.
func migrate(ctx context.Context, db *sql.DB, statements string, check []byte) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	err = exec(tx, statements)
	if err == nil && check != nil {
		err = exec(tx, "INSERT INTO facts VALUES ('check', ?)", check)
	}
	if err == nil {
		err = exec(tx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// exec runs a statement that returns no rows.
func exec(tx *sql.Tx, query string, args ...any) error {
	_, err := tx.ExecContext(context.Background(), query, args...)
	return err
}

var errDamaged = errors.New("integrity check failed")

// isDamageError reports whether err means that the file is not an intact database.
func isDamageError(err error) bool {
	c := sqliteconn.Code(err)
	return errors.Is(err, errDamaged) || c == sqlitelib.SQLITE_CORRUPT || c == sqlitelib.SQLITE_NOTADB
}
