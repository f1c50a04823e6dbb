//go:build !linux && !darwin

package sqlstore

import (
	"context"
	"database/sql"
	"errors"
)

// A commitReader knows no version here.
type commitReader struct{}

func openCommitReader(context.Context, string, *sql.DB) (*commitReader, error) {
	return nil, errors.ErrUnsupported
}

func (*commitReader) version() (v Version, known bool) { return v, false }

func (*commitReader) close() {}
