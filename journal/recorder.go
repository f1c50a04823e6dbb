package journal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// An CallOrigin says who made a call.
type CallOrigin struct {
	Client   string // as the client calls itself
	Proven   bool   // the client has shown the token of that name
	Session  string
	Source   string
	Tool     string
	Reason   string // empty if none was given
	Run      string // [ScriptRunID] of the call that makes this one, or is it and makes others; empty: none
	Approval string // the ID of the person's approval that let it through; empty: nobody was asked
	Group    *Group // of calls that are undone as one; nil: the call is undone by itself
	status.PersonEdit
}

// A Recorder is a [tools.WriteObserver] that records the Changes of one call. It
// does nothing before the first BeforeWrite, so a call that only reads costs
// nothing. Its owner calls End when the tool has returned.
type Recorder struct {
	journal *Journal
	origin  CallOrigin

	mu     sync.Mutex
	writes *recordedWrites // nil: of a call that only reads, as most do
}

// recordedWrites are what a call has written so far.
type recordedWrites struct {
	undoes map[string]int64 // of an undo: the Changes that it undoes, by target
	call   int64
	rows   []changeRow
	at     map[string][]int // of rows, by target: an import writes 100,000
	ended  bool
}

// NewRecorder returns a Recorder for one call.
func (j *Journal) NewRecorder(o CallOrigin) *Recorder { return &Recorder{journal: j, origin: o} }

// BeforeWrite implements [tools.WriteObserver]. When it returns nil, all changes
// are on disk.
func (r *Recorder) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(changes) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.recordedWrites()
	rows, call, err := r.journal.recordPending(ctx, r.origin, w.undoes, w.call, changes)
	switch {
	case err != nil && errors.Is(err, ctx.Err()):
		return err
	case err != nil:
		return unavailableError(err)
	}
	for i, v := range rows {
		w.at[v.Target] = append(w.at[v.Target], len(w.rows)+i)
	}
	w.call, w.rows = call, append(w.rows, rows...)
	return nil
}

// recordedWrites returns the writes of r, to be added to.
func (r *Recorder) recordedWrites() *recordedWrites {
	if r.writes == nil {
		r.writes = &recordedWrites{at: map[string][]int{}}
	}
	return r.writes
}

// AfterWrite implements [tools.WriteObserver]. An After that was known before the write
// stays; the report adds its revision.
func (r *Recorder) AfterWrite(target string, after tools.State) {
	r.report(target, func(v *changeRow) {
		v.report = written
		if v.AfterUnknown {
			v.After = after
		}
		v.After.Revision = after.Revision
	})
}

// OutcomeUnknown implements [tools.WriteObserver].
func (r *Recorder) OutcomeUnknown(target string) {
	r.report(target, func(v *changeRow) { v.report = unknownOutcome })
}

// report notes what the writer reports of a target. It does nothing after End.
func (r *Recorder) report(target string, note func(v *changeRow)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writes == nil || r.writes.ended {
		return
	}
	for _, i := range r.writes.at[target] {
		note(&r.writes.rows[i])
	}
}

// IDs returns the IDs of the Changes so far; nil for a nil Recorder.
func (r *Recorder) IDs() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writes == nil {
		return nil
	}
	var ids []string
	for _, v := range r.writes.rows {
		ids = append(ids, v.id)
	}
	return ids
}

// End is called with the error of the tool when it has returned. What became of the
// Changes is what the tool has reported: a target without a report was not written. If the
// error has the method IsPartlyWritten, the call is taken back by the next Reconcile.
func (r *Recorder) End(err error) { r.end(notWritten, isPartialWriteError(err)) }

// Interrupt is called in place of End if the tool could not say how far it came, as after a
// panic: of targets without a report nobody knows.
func (r *Recorder) Interrupt() { r.end(unknownOutcome, false) }

// end settles the Changes; those without a report are as unreported says. If a part is
// written, Reconcile settles them.
func (r *Recorder) end(unreported writeReport, partly bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.writes
	if w == nil || len(w.rows) == 0 || w.ended {
		return
	}
	w.ended = true
	if partly {
		leaveInPart(r.journal.database, w.call, r.origin.Source, w.writtenTargets())
		return
	}
	marks := make([]outcomeUpdate, len(w.rows))
	for i, v := range w.rows {
		v.report = cmp.Or(v.report, unreported)
		marks[i] = v.reportedOutcome()
	}
	r.journal.finishCall(w.call, marks)
}

// writtenTargets are those that the tool has reported as written.
func (w *recordedWrites) writtenTargets() map[string]bool {
	targets := map[string]bool{}
	for _, v := range w.rows {
		if v.report == written {
			targets[v.Target] = true
		}
	}
	return targets
}

// isPartialWriteError reports whether an error says that what was written could not be
// taken back whole.
func isPartialWriteError(err error) bool {
	e, ok := errors.AsType[interface {
		error
		IsPartlyWritten() bool
	}](err)
	return ok && e.IsPartlyWritten()
}

// recordPending puts changes on disk as pending. call is 0 for the first
// Changes of a call. It waits for its turn no longer than ctx lasts.
func (d *database) recordPending(
	ctx context.Context, o CallOrigin, undoes map[string]int64, call int64, changes []tools.Change,
) ([]changeRow, int64, error) {
	if err := d.mu.LockContext(ctx); err != nil {
		return nil, 0, err
	}
	defer d.mu.Unlock()
	first := call
	rows := make([]changeRow, 0, len(changes))
	now := d.opts.Now()
	var group int64
	err := d.transact(func(tx *sql.Tx) (err error) {
		if group, err = o.Group.ensureRecorded(tx); err != nil {
			return err
		}
		var stored int64
		for _, c := range changes {
			stored += int64(len(c.Before.Data)+len(c.After.Data)) + 2*sealOverhead
			v := changeRow{Change: c, origin: o, time: now, call: call, group: group, undoes: undoes[c.Target]}
			if err := d.insertChangeRow(tx, &v); err != nil {
				return err
			}
			call = v.call
			rows = append(rows, v)
		}
		return d.enforceContentRetention(tx, call, stored)
	})
	if err != nil {
		return nil, 0, err
	}
	if first == 0 {
		d.running[call] = true
	}
	if o.Group != nil {
		if !slices.Contains(o.Group.sources, o.Source) {
			o.Group.sources = append(o.Group.sources, o.Source)
		}
		if o.Group.id == 0 {
			o.Group.id, d.runningGroups[group] = group, true
		}
	}
	return rows, call, nil
}

// finishCall queues the outcomes of a call.
func (d *database) finishCall(call int64, marks []outcomeUpdate) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.running, call)
	d.queueOutcomes(marks...)
}

// leaveInPart has Reconcile settle a call that has written these targets and no others, and
// could not take them back.
func leaveInPart(d *database, call int64, source string, written map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.running, call)
	d.leftInPart[call], d.needsRecovery[source] = written, true
}

// A changeRow is a Change as it is stored.
type changeRow struct {
	tools.Change

	seq, call  int64
	id         string // of seq, as everybody is told
	group      int64  // 0: none
	time       time.Time
	origin     CallOrigin
	outcome    status.Outcome // empty: pending
	undoes     int64
	cannotUndo string
	report     writeReport
	unreadable bool // it cannot be decrypted; Target is "?"

	// Without loading the contents.
	beforeSize, afterSize int
	beforeBlob, afterBlob []byte
}

// A writeReport is what the writer has said of a target; 0: nothing yet.
type writeReport int

const (
	written writeReport = iota + 1
	notWritten
	unknownOutcome
)

// insertChangeSQL takes 0 as the call of a Change that begins one: its number is then
// that of the Change, the next after the greatest that the table ever had.
const insertChangeSQL = `INSERT INTO changes (call, time, client, session, source, tool, name, target, reason, outcome, open, undoes, fixed,
		b_there, b_mode, b_size, b_blob, a_there, a_mode, a_size, a_blob, proven, group_id, approval, edited, hunks, left_out,
		a_revision)
		VALUES (ifnull(nullif(?, 0), 1 + ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0)),?,?,?,?,?,?,?,?,'',?,?,'',?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`

func (d *database) insertChangeRow(tx *sql.Tx, v *changeRow) error {
	ctx := context.Background()
	var err error
	if v.beforeBlob, err = d.key.storeContent(tx, v.Before); err != nil {
		return err
	}
	after := v.After
	if v.AfterUnknown {
		after = tools.State{}
	}
	if v.afterBlob, err = d.key.storeContent(tx, after); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, insertChangeSQL,
		v.call, v.time.UnixNano(), v.origin.Client, v.origin.Session, v.origin.Source, v.origin.Tool,
		d.targetHash(v.origin.Source, v.Target), d.key.encrypt([]byte(v.Target), "target"), d.encryptReason(v.origin.Reason),
		v.AfterUnknown, v.undoes,
		v.Before.Exists, v.Before.Mode, len(v.Before.Data), v.beforeBlob, after.Exists, after.Mode, len(after.Data), v.afterBlob, v.origin.Proven,
		v.group, v.origin.Approval, v.origin.Edited, v.origin.Hunks, v.origin.LeftOut, after.Revision)
	if err != nil {
		return err
	}
	if v.seq, err = res.LastInsertId(); err != nil {
		return err
	}
	begins := v.call == 0
	v.call = cmp.Or(v.call, v.seq)
	v.id = d.key.changeID(v.seq)
	if begins {
		return insertScriptRunCall(tx, v.origin.Run, v.seq)
	}
	return nil
}

// encryptReason returns a reason as it is stored; nil if there is none.
func (d *database) encryptReason(reason string) []byte {
	if reason == "" {
		return nil
	}
	return d.key.encrypt([]byte(reason), "reason")
}

func (d *database) decryptReason(reason []byte) (string, error) {
	if reason == nil {
		return "", nil
	}
	plain, err := d.key.decrypt(reason, "reason")
	return string(plain), err
}

func (d *database) targetHash(source, target string) []byte {
	return d.key.keyedHash([]byte(source), []byte(target))
}

// isContainer reports whether a target only contains others, such as a folder,
// so that only its existence matters.
func isContainer(target string) bool { return strings.HasSuffix(target, "/") }
