package journal

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Found is what [Journal.Settle] found out about calls that were cut short.
type Found struct {
	Happened int // Changes that were written after all
	Dropped  int // that were not
	Unsure   int // that cannot be told: the target holds something else by now
	Resumed  int // calls that an undo had begun to take back, taken back now
	// Stuck are the targets at which such an undo could not go on, with why.
	Stuck []string
}

// Any says whether there was anything to find.
func (f Found) Any() bool { return f.Happened+f.Dropped+f.Unsure+f.Resumed+len(f.Stuck) > 0 }

// Loose says whether a source may have something to settle since it was last
// settled. It is cheap.
func (j *Journal) Loose(source string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.loose[source]
}

// Settle finds out what became of the Changes of a source whose calls were cut
// short, by a crash or because the source could not be asked, and completes an
// undo that was. It is for a source that has been opened. After an error it is
// to be asked again; what it found until then stands.
func (j *Journal) Settle(ctx context.Context, source string, k tools.Restorer) (Found, error) {
	j.undoing.Lock()
	defer j.undoing.Unlock()
	pending, err := j.pending(source)
	if err != nil {
		return Found{}, fmt.Errorf("settle changes: %w", err)
	}
	var found Found
	marks, err := j.judge(ctx, k, pending)
	for _, m := range marks {
		switch {
		case m.dropped:
			found.Dropped++
		case m.outcome == status.OutcomeUnknown:
			found.Unsure++
		default:
			found.Happened++
		}
	}
	j.mu.Lock()
	j.later(marks...)
	if err == nil && len(marks) > 0 {
		err = j.write(func(batch) error { return nil })
	}
	j.mu.Unlock()
	if err == nil {
		err = j.resume(ctx, source, k, &found)
	}
	j.mu.Lock()
	j.loose[source] = err != nil
	j.mu.Unlock()
	if err != nil {
		return found, fmt.Errorf("settle changes: %w", err)
	}
	return found, nil
}

// pending are the Changes of ended calls without an outcome, newest first.
func (j *Journal) pending(source string) (ended []row, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.db == nil && !j.exists() {
		return nil, nil
	}
	if err := j.ready(); err != nil {
		return nil, err
	}
	all, err := j.rows("outcome = '' AND source = ? ORDER BY seq DESC", source)
	if err != nil {
		return nil, err
	}
	ended = all[:0]
	for _, v := range all {
		if j.live[v.call] || v.lost {
			continue
		}
		if err := j.fill(&v); err != nil {
			return nil, err
		}
		ended = append(ended, v)
	}
	return ended, nil
}

// exists says whether anything was ever written.
func (j *Journal) exists() bool { return exists(filepath.Join(j.opts.Dir, databaseName)) }

// judge compares rows with what their targets hold, or with what a later Change
// of the same target found there.
func (j *Journal) judge(ctx context.Context, k tools.Restorer, rows []row) ([]mark, error) {
	var marks []mark
	for _, v := range rows {
		now, known, err := j.found(v)
		if err == nil && !known {
			if k == nil {
				marks = append(marks, v.mark(status.OutcomeUnknown))
				continue
			}
			now, err = k.State(ctx, v.Target)
		}
		if err != nil {
			return marks, err
		}
		marks = append(marks, v.judged(now))
	}
	return marks, nil
}

// found is what the next Change of v's target found there.
func (j *Journal) found(v row) (now tools.State, known bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.openUnless(); err != nil {
		return now, false, err
	}
	next, err := j.rows("name = ? AND seq > ? AND fixed = '' ORDER BY seq LIMIT 1", j.nameOf(v.origin.Source, v.Target), v.seq)
	if err != nil || len(next) == 0 {
		return now, false, err
	}
	err = j.fill(&next[0])
	return next[0].Before, err == nil, err
}
