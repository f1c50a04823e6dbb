package cardapi

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Times of jobs.
const (
	jobSeenEvery = 2 * time.Second  // a hub says so often that it runs a job
	jobLost      = 30 * time.Second // without that the hub has ended
	jobKept      = 24 * time.Hour
)

// A Job is a scan that is carried out after its answer. Its row is in the database, so
// that every hub tells how it is; it runs in the hub that took it.
type Job struct {
	ID   int64
	Body []byte // of the request that carries it out
}

// jobProgress is how far a job is.
type jobProgress struct{ done, total int }

// IsQueued reports whether a request is to be answered before it is carried out.
func IsQueued(r *http.Request, body []byte) bool {
	var in scanBody
	if dry, err := asksDryRun(r, body); dry || err != nil {
		return false
	}
	return r.Method == http.MethodPost && r.URL.Path == "/jobs/spoiler-scan" && json.Unmarshal(body, &in) == nil && in.Async
}

// QueueScan answers a scan with 202 and the id of a job, which the caller runs by
// [API.RunJob]; nil: the request is refused.
func (a *API) QueueScan(who cardauth.Principal, r *http.Request, body []byte) (Answer, *Job) {
	q, route, err := a.begin(who, r, body)
	var in scanBody
	if err == nil {
		in, err = q.readScan()
	}
	var job Job
	if err == nil {
		in.Async, in.Job = false, cardstore.NewID()
		job.ID = in.Job
		if job.Body, err = encode(in); err == nil {
			err = a.insertJob(r.Context(), who.Subject, job.ID)
		}
	}
	if err != nil {
		return a.encode(r, a.failed(q, route, err)), nil
	}
	return a.encode(r, answer{status: http.StatusAccepted, value: map[string]any{
		"status": "queued", "job_id": job.ID, "matches": 0, "results_card": in.Results, "scope": in.Scope,
	}}), &job
}

func (a *API) insertJob(ctx context.Context, subject string, id int64) error {
	now := a.Now().UnixNano()
	return a.Store.DB().Write(ctx, func(c *sqlstore.Conn) error {
		if _, err := c.Exec(ctx, "DELETE FROM job WHERE made_at < ?", a.Now().Add(-jobKept).UnixNano()); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "INSERT INTO job (id, subject, state, done, total, answer, error, made_at, seen_at) VALUES (?, ?, 'queued', 0, "+
			"0, '', '', ?, ?)", id, subject, now, now)
		return err
	})
}

// RunJob carries a job out by send, and keeps what came of it.
func (a *API) RunJob(ctx context.Context, job *Job, send func(context.Context) (Answer, error)) error {
	key := strconv.FormatInt(job.ID, 10)
	a.scans.Store(key, jobProgress{})
	defer a.scans.Delete(key)
	type outcome struct {
		Answer
		err error
	}
	ended := make(chan outcome, 1)
	go func() {
		out, err := send(ctx)
		ended <- outcome{out, err}
	}()
	tick := time.NewTicker(jobSeenEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := a.setJob(ctx, job.ID, "running", "", ""); err != nil && ctx.Err() == nil {
				a.Log.WarnContext(ctx, "keep the progress of a scan", "err", err)
			}
		case out := <-ended:
			ctx := context.WithoutCancel(ctx) // that it was stopped is kept too
			switch {
			case out.err != nil:
				return a.setJob(ctx, job.ID, "failed", "", out.err.Error())
			case out.Status >= http.StatusMultipleChoices:
				return a.setJob(ctx, job.ID, "failed", "", messageOf(out.Body))
			}
			return a.setJob(ctx, job.ID, "completed", string(out.Body), "")
		}
	}
}

// noteProgress keeps how far a job is that runs here.
func (a *API) noteProgress(id int64, at jobProgress) {
	if _, here := a.progressOf(id); here {
		a.scans.Store(strconv.FormatInt(id, 10), at)
	}
}

func messageOf(body []byte) string {
	var out struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &out) != nil || out.Error.Message == "" {
		return "the scan was refused"
	}
	return out.Error.Message
}

func (a *API) setJob(ctx context.Context, id int64, state, result, why string) error {
	at, _ := a.progressOf(id)
	return a.Store.DB().Write(ctx, func(c *sqlstore.Conn) error {
		_, err := c.Exec(ctx, "UPDATE job SET state = ?, done = ?, total = ?, answer = ?, error = ?, seen_at = ? WHERE id = ?", state, at.done,
			at.total, result, why, a.Now().UnixNano(), id)
		return err
	})
}

// progressOf is how far a job is; false: it does not run here.
func (a *API) progressOf(id int64) (jobProgress, bool) {
	at, here := a.scans.Load(strconv.FormatInt(id, 10))
	if !here {
		return jobProgress{}, false
	}
	return at.(jobProgress), true //nolint:forcetypeassert // nothing else is stored
}

// getJob tells who asked how a job is. Others find none.
func getJob(r *request) (answer, error) {
	id, err := strconv.ParseInt(r.args[0], 10, 64)
	if err != nil || r.who.Role == cardstore.User { // who may not ask for a scan
		return answer{}, notFound("Job '%s' not found", r.args[0])
	}
	var state, result, why string
	var at jobProgress
	var seen int64
	err = r.api.Store.DB().Reader().QueryRow(r.Context(),
		"SELECT state, done, total, answer, error, seen_at FROM job WHERE id = ? AND subject = ?", id, r.who.Subject).
		Scan(&state, &at.done, &at.total, &result, &why, &seen)
	if errors.Is(err, sql.ErrNoRows) {
		return answer{}, notFound("Job '%s' not found", r.args[0])
	}
	if err != nil {
		return answer{}, err
	}
	out := map[string]any{"job_id": id, "status": state, "done": at.done, "total": at.total}
	now, here := r.api.progressOf(id)
	switch {
	case state == "completed":
		if err := json.Unmarshal([]byte(result), &out); err != nil {
			return answer{}, err
		}
		out["done"] = at.total
	case state == "failed":
		out["message"] = why
	case here:
		out["status"], out["done"], out["total"] = "running", now.done, now.total
	case r.api.Now().Sub(time.Unix(0, seen)) > jobLost:
		out["status"], out["message"] = "failed", "the hub that ran it has ended; start another scan"
	}
	return ok(out)
}
