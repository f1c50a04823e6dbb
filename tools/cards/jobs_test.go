package cards_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A scan that is asked for as a job is answered at once; every hub of the database tells
// who asked how it is, and nobody else that there is one.
func TestScanAsJob(t *testing.T) {
	runtest.InOrder(t)
	database := postgres.Database(t)
	w, other := newWiki(t, database), openWiki(t, database, time.Now)
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	for name, content := range map[string]string{"Terms": "<p>gold</p><p>oracle</p>", "Town": "<p>Gold in the streets.</p>"} {
		if _, err := w.store.Create(t.Context(), admin, cardstore.NewCard{Name: name, Type: "RichText", Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	gm, user := w.roleToken(t, "gm"), w.roleToken(t, "user")
	const body = `{"terms_card":"Terms","results_card":"Found","async":true}`
	if code, answer := w.do(t, user, "POST", "/jobs/spoiler-scan", body); code != 403 {
		t.Errorf("a player's scan: %d %v", code, answer)
	}
	if code, answer := w.do(t, gm, "POST", "/jobs/spoiler-scan", `{"async":true}`); code != 400 {
		t.Errorf("a scan for nothing: %d %v", code, answer)
	}
	code, answer := w.do(t, gm, "POST", "/jobs/spoiler-scan", body)
	if code != 202 || answer["status"] != "queued" {
		t.Fatalf("%d %v", code, answer)
	}
	path := fmt.Sprintf("/jobs/%d", int64(answer["job_id"].(float64)))
	for done := false; !done; {
		code, answer = other.do(t, gm, "GET", path, "")
		done = code != 200 || answer["status"] == "completed" || answer["status"] == "failed"
	}
	if code != 200 || answer["status"] != "completed" || answer["matches"] != 1.0 || answer["terms_checked"] != 2.0 || answer["done"] != answer["total"] {
		t.Errorf("%d %v", code, answer)
	}
	if _, err := w.store.Get(t.Context(), admin, "Found"); err != nil {
		t.Errorf("the results: %v", err)
	}
	if code, _ := w.do(t, user, "GET", path, ""); code != 404 {
		t.Errorf("another's job: %d", code)
	}
	if code, _ := w.do(t, gm, "GET", "/jobs/7", ""); code != 404 {
		t.Errorf("no job: %d", code)
	}

	code, answer = w.do(t, gm, "POST", "/jobs/spoiler-scan", `{"terms_card":"Nothing","results_card":"Found","async":true}`)
	path = fmt.Sprintf("/jobs/%d", int64(answer["job_id"].(float64)))
	for done := code != 202; !done; {
		code, answer = w.do(t, gm, "GET", path, "")
		done = code != 200 || answer["status"] != "queued" && answer["status"] != "running"
	}
	if answer["status"] != "failed" || answer["message"] != "Card 'Nothing' not found" {
		t.Errorf("a scan that fails: %d %v", code, answer)
	}

	// A hub that was killed leaves its job behind: the others say so.
	if _, err := w.store.DB().Reader().Exec(t.Context(), "UPDATE job SET state = 'running', seen_at = ?", time.Now().Add(-time.Minute).UnixNano()); err != nil {
		t.Fatal(err)
	}
	if _, answer := other.do(t, gm, "GET", path, ""); answer["status"] != "failed" {
		t.Errorf("the job of a hub that has ended: %v", answer)
	}
}
