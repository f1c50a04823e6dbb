package cardapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// BeforeWrite hears of all that a request is about to change. Its error stops the
// request.
type BeforeWrite func(ctx context.Context, changes []cardstore.StateChange) error

// BeforeKey is the same for a key; nil states: there is none.
type BeforeKey func(id int64, before, after *cardauth.KeyState) error

// ErrConflict means that what a request was to change is no longer as it was
// when it was worked out.
var ErrConflict = errors.New("changed meanwhile")

// A refusedError is an error of a BeforeWrite.
type refusedError struct{ err error }

// Error implements error.
func (e *refusedError) Error() string { return e.err.Error() }

// A plan is what a request would change and answer.
type plan struct {
	out     answer
	changes []cardstore.StateChange
}

var errTriedOut = errors.New("tried out")

// WriteOptions say who hears of a write.
type WriteOptions struct {
	Seed      uint64 // decides the ids of what is new
	Before    BeforeWrite
	BeforeKey BeforeKey
	// After hears what became of what Before or BeforeKey has heard of: nil means that all of
	// it is written, [sqlstore.ErrCommitUnknown] that nobody knows, another error that nothing is.
	After    func(err error)
	Progress func(done, total int)
}

// Write answers a request that may write. It is worked out in a transaction that is
// taken back, shown to o.Before, which may take its time, and then carried out
// exactly so, or fails with [ErrConflict], [cardstore.ErrHidden] or [sqlstore.ErrCommitUnknown]. An error
// of Before is returned as it is.
func (a *API) Write(who cardauth.Principal, r *http.Request, body []byte, o WriteOptions) (Answer, error) {
	q, route, err := a.begin(who, r, body)
	if err != nil {
		return a.encode(r, failure(err)), nil
	}
	q.beforeKey, q.after, q.progress = o.BeforeKey, o.After, o.Progress
	var out answer
	if route.effect == Manages {
		out, err = a.guarded(func() (answer, error) { return route.handle(q) })
	} else {
		out, err = a.guarded(func() (answer, error) { return a.writeCards(q, route, o) })
	}
	if refused, ok := errors.AsType[*refusedError](err); ok {
		return Answer{}, refused.err
	}
	for _, known := range []error{ErrConflict, cardstore.ErrHidden, sqlstore.ErrCommitUnknown} {
		if errors.Is(err, known) {
			return Answer{}, known
		}
	}
	if err := r.Context().Err(); err != nil {
		return Answer{}, err
	}
	if err != nil {
		out = a.failed(q, route, err)
	}
	return a.encode(r, out), nil
}

func (a *API) writeCards(q *request, route route, o WriteOptions) (answer, error) {
	p, err := a.try(q, route, o.Seed)
	if errors.Is(err, cardstore.ErrNameTaken) {
		err = a.apiErrorOf(q, err) // counts it
	}
	if n := *q.probes; n > 0 {
		limit := sqlstore.RateLimit{Limit: a.Limits.Probes, Window: time.Hour}
		a.Log.Info("a write onto the name of a card that its caller may not read", "subject", q.who.Subject, "names", n)
		by := q.who.Subject
		if q.who.Claimed {
			by = "claimed" // another name has no other budget
		}
		if err := a.take(q.Context(), "cards/probes/"+by, n, limit, "Too many attempts on names that are not available"); err != nil {
			return answer{}, err
		}
	}
	if err != nil {
		return answer{}, err
	}
	if q.dryRun || p.out.dryRun {
		return dryRunAnswer(p), nil
	}
	if len(p.changes) == 0 && q.Header.Get("Idempotency-Key") == "" {
		return p.out, nil
	}
	if len(p.changes) > 0 {
		if err := o.Before(q.Context(), p.changes); err != nil {
			return answer{}, &refusedError{err}
		}
	}
	out, err := a.carryOutPlan(q, route, o.Seed, p)
	if errors.Is(err, sqlstore.ErrCommitUnknown) && a.isCommitted(q.Context(), p) {
		err = nil
	}
	o.After(err)
	return out, err
}

// lookTimeout is how long a request looks whether a transaction was committed whose
// answer was lost.
const lookTimeout = 5 * time.Second

// isCommitted reports whether the wiki has what was planned. That it has not may still
// change.
func (a *API) isCommitted(ctx context.Context, p plan) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	for _, c := range p.changes {
		has, err := cardstore.HasAct(ctx, a.Store, c.Act)
		return err == nil && has
	}
	return false
}

// try works a request out and takes it back.
func (a *API) try(q *request, route route, seed uint64) (p plan, err error) {
	err = a.Store.DB().Write(q.Context(), func(c *sqlstore.Conn) error {
		*q.probes = 0
		trying := *q
		trying.trying = true
		if p, err = a.handleWithin(&trying, route, c, seed); err != nil {
			return err
		}
		return errTriedOut
	})
	if !errors.Is(err, errTriedOut) {
		return p, err
	}
	names := namesOf(p.changes)
	if err := a.checkHidden(q, a.Store, names); err != nil {
		return p, err
	}
	before, err := a.Store.States(q.Context(), names)
	if err != nil {
		return p, err
	}
	kept := p.changes[:0]
	for i, c := range p.changes {
		if c.Before = before[i]; !reflect.DeepEqual(c.Before, c.After) {
			kept = append(kept, c)
		}
	}
	p.changes = kept
	return p, nil
}

// dryRunAnswer is the answer to a request that was only tried out: without what is not there.
func dryRunAnswer(p plan) answer {
	made := map[any]bool{}
	for _, c := range p.changes {
		made[c.Name] = c.Before == nil
	}
	forget := func(card map[string]any) {
		if made[card["name"]] {
			delete(card, "id")
			delete(card, "file_url")
		}
	}
	out := answer{status: p.out.status, value: p.out.value}
	if out.status == http.StatusCreated {
		out.status = http.StatusOK
	}
	if object, ok := out.value.(map[string]any); ok {
		object["dry_run"] = true
		forget(object)
		if results, ok := object["results"].([]map[string]any); ok {
			for _, one := range results {
				forget(one)
			}
		}
	}
	return out
}

func namesOf(changes []cardstore.StateChange) []cardname.Name {
	names := make([]cardname.Name, len(changes))
	for i, c := range changes {
		names[i] = c.Name
	}
	return names
}

// carryOutPlan does what was planned, if it still is that.
func (a *API) carryOutPlan(q *request, route route, seed uint64, planned plan) (answer, error) {
	var p plan
	err := a.Store.DB().Write(q.Context(), func(c *sqlstore.Conn) error {
		within := a.Store.Within(c)
		names := namesOf(planned.changes)
		if err := a.checkHidden(q, within, names); err != nil {
			return err
		}
		before, err := within.States(q.Context(), names)
		if err != nil {
			return err
		}
		for i, change := range planned.changes {
			if !reflect.DeepEqual(before[i], change.Before) {
				return ErrConflict
			}
		}
		if p, err = a.handleWithin(q, route, c, seed); err != nil {
			return err
		}
		return sameAfter(planned.changes, p.changes)
	})
	return p.out, err
}

// sameAfter returns ErrConflict unless what was written is what was planned.
// Cards that were written and stayed the same are only in written.
func sameAfter(planned, written []cardstore.StateChange) error {
	i := 0
	for _, change := range planned {
		for i < len(written) && written[i].Name.Key() != change.Name.Key() {
			i++
		}
		if i == len(written) || !reflect.DeepEqual(written[i].After, change.After) {
			return ErrConflict
		}
	}
	return nil
}

// handleWithin runs the handler in a transaction, or answers what it answered to the
// same request before.
func (a *API) handleWithin(q *request, route route, c *sqlstore.Conn, seed uint64) (p plan, err error) {
	within := *q
	store, record := a.Store.RecordWrites(c, seed)
	within.store = store
	if p.out, err = a.once(&within, c, route); err != nil {
		return p, err
	}
	names := record.Names()
	if err := a.checkHidden(q, store, names); err != nil {
		return p, err
	}
	after, err := store.States(q.Context(), names)
	for i, n := range names {
		if err == nil {
			p.changes = append(p.changes, cardstore.StateChange{Name: n, After: after[i], Act: record.Act(n)})
		}
	}
	return p, err
}

// checkHidden refuses to write a card that is hidden. It is asked about all that was
// written, as it was before and as it is after: the same for a name that a rule covers
// whether or not a card has it.
func (a *API) checkHidden(q *request, store *cardstore.Store, written []cardname.Name) error {
	hidden, err := store.HidesAny(q.Context(), q.by(), written)
	if err == nil && hidden {
		err = cardstore.ErrHidden
	}
	return err
}

// once runs the handler, or answers what it answered to the same request before.
func (a *API) once(q *request, c *sqlstore.Conn, route route) (answer, error) {
	key := q.Header.Get("Idempotency-Key")
	if key == "" || q.dryRun {
		return route.handle(q)
	}
	digest := sha256.Sum256([]byte(q.Method + "\n" + q.URL.EscapedPath() + "\n" + string(q.body)))
	kept, replayed, err := a.Store.DB().Once(q.Context(), c, sqlstore.IdempotencyKey{
		Scope: "cards/" + q.who.Subject, Key: key, Digest: digest[:],
	}, 24*time.Hour,
		func() ([]byte, error) {
			out, err := route.handle(q)
			if err != nil {
				return nil, err
			}
			value, err := encode(out.value)
			if err != nil {
				return nil, err
			}
			return append(fmt.Appendf(nil, "%d ", out.status), value...), nil
		})
	if errors.Is(err, sqlstore.ErrKeyReused) {
		return answer{}, &apiError{status: http.StatusConflict, code: "conflict", message: "This Idempotency-Key was used for another request"}
	}
	if err != nil {
		return answer{}, err
	}
	status, value, _ := bytes.Cut(kept, []byte(" "))
	code, err := strconv.Atoi(string(status))
	out := answer{status: code, value: json.RawMessage(value)}
	if replayed {
		out.headers = map[string]string{"Idempotency-Replayed": "true"}
	}
	return out, err
}
