package journal

import (
	"context"
	"database/sql"
	"fmt"
)

// laterColumns were added to the schema. A Lectern from before does not name
// them, and what it writes has their defaults, so the format is the same.
var laterColumns = []struct{ table, column, is string }{
	{"changes", "proven", "INTEGER NOT NULL DEFAULT 0"}, // the client had shown its token
	{"intents", "proven", "INTEGER NOT NULL DEFAULT 0"},
	{"intents", "reason", "BLOB"}, // sealed
}

// addColumns adds those that are missing.
func addColumns(ctx context.Context, db *sql.DB) error {
	for _, c := range laterColumns {
		var there int
		err := db.QueryRowContext(ctx, "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?", c.table, c.column).Scan(&there)
		if err == nil && there == 0 {
			_, err = db.ExecContext(ctx, fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", c.table, c.column, c.is))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
