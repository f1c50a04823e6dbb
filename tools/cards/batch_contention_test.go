package cards_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Batches that another transaction keeps from running are run again: none answers
// an error, though all write to the same tables at the same moment.
func TestBatchesAtOnce(t *testing.T) {
	w := openWiki(t, postgres.Database(t), time.Now)
	_, key, err := w.auth.MakeKey(t.Context(), keyOf("writers"))
	if err != nil {
		t.Fatal(err)
	}
	_, login := w.do(t, "", "POST", "/auth", fmt.Sprintf(`{"api_key":%q,"role":"admin"}`, key))
	token, _ := login["token"].(string)
	var wait sync.WaitGroup
	for agent := range 6 {
		wait.Go(func() {
			for n := range 8 {
				body := fmt.Sprintf(`{"mode":"transactional","ops":[{"action":"create","name":"Left %d %d","type":"RichText"},{"action":"create","name":"Right %d %d","type":"RichText"}]}`, agent, n, agent, n)
				if status, answer := w.do(t, token, "POST", "/cards/batch", body); status != http.StatusOK {
					t.Errorf("batch %d of agent %d: %d %s", n, agent, status, answer)
				}
			}
		})
	}
	wait.Wait()
}
