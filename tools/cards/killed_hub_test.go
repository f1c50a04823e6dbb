package cards_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
)

// hubEnv is the database of a hub that is a process of its own.
const hubEnv = "CARDS_TEST_DATABASE"

// TestHubProcess is a hub for TestKilledHub: it serves until its input ends.
func TestHubProcess(t *testing.T) {
	database := os.Getenv(hubEnv)
	if database == "" {
		return
	}
	server := httptest.NewServer(openWiki(t, database, time.Now))
	defer server.Close()
	fmt.Printf("\nurl %s\n", server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// A hubProcess is a hub that can be killed.
type hubProcess struct {
	cmd *exec.Cmd
	url string
}

func startHubProcess(t *testing.T, database string) *hubProcess {
	t.Helper()
	h := &hubProcess{cmd: exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestHubProcess$")}
	h.cmd.Env, h.cmd.Stderr = append(os.Environ(), hubEnv+"="+database), os.Stderr
	in, err := h.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = h.cmd.Wait() // one was killed
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "url "); ok {
			h.url = url
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return h
		}
	}
	t.Fatal("the hub did not start")
	return nil
}

// send returns the status and body; 0 if the hub is gone.
func (h *hubProcess) send(t *testing.T, token, method, path, body, idempotency string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if idempotency != "" {
		r.Header.Set("Idempotency-Key", idempotency)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}

// Of three hubs on one database, each a process, one is killed while it writes. What it
// answered is true for the others, what it did not answer is there as a whole or not at
// all, and limits, tokens and revocations go on as if it were there.
func TestKilledHub(t *testing.T) {
	database := postgres.Database(t)
	w := openWiki(t, database, time.Now)
	hubs := []*hubProcess{startHubProcess(t, database), startHubProcess(t, database), startHubProcess(t, database)}
	victim, others := hubs[0], hubs[1:]
	shared, key, err := w.auth.MakeKey(t.Context(), keyOf("shared"))
	if err != nil {
		t.Fatal(err)
	}
	_, small, err := w.auth.MakeKey(t.Context(), cardauth.APIKey{Name: "small", Roles: keyOf("").Roles, RateLimit: 10})
	if err != nil {
		t.Fatal(err)
	}
	login := func(h *hubProcess, key string) string {
		t.Helper()
		status, body := h.send(t, "", "POST", "/auth", fmt.Sprintf(`{"api_key":%q,"role":"admin"}`, key), "")
		var out struct{ Token string }
		if err := json.Unmarshal([]byte(body), &out); status != 201 || err != nil {
			t.Fatalf("a login: %d %s", status, body)
		}
		return out.Token
	}
	token, limited := login(victim, key), login(victim, small)
	limit := 0
	for i := range 6 { // of ten requests an hour the victim takes six
		if status, _ := victim.send(t, limited, "GET", "/types/RichText", "", ""); status == 200 {
			limit++
		} else {
			t.Errorf("request %d to the victim: %d", i, status)
		}
	}

	pair := func(n int64) string {
		return fmt.Sprintf(`{"mode":"transactional","ops":[{"action":"create","name":"Left %d","type":"RichText"},{"action":"create","name":"Right %d","type":"RichText"}]}`, n, n)
	}
	var next, answered atomic.Int64
	var lost sync.Map // pairs without an answer
	answers := make([]string, 1000)
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			for {
				n := next.Add(1)
				status, body := victim.send(t, token, "POST", "/cards/batch", pair(n), fmt.Sprint("pair ", n))
				if status == 0 {
					lost.Store(n, true)
					return
				}
				if status != 200 {
					t.Errorf("pair %d: %d %s", n, status, body)
					return
				}
				answers[n] = body
				if answered.Add(1) == 12 { // in the middle of the others' writes
					_ = victim.cmd.Process.Kill()
				}
			}
		})
	}
	wait.Wait()
	if status, _ := victim.send(t, token, "GET", "/health/ping", "", ""); status != 0 {
		t.Fatal("the victim still answers")
	}

	for n := int64(1); n <= next.Load(); n++ {
		// The same request again, at another hub: the same answer, or the first one.
		status, body := others[n%2].send(t, token, "POST", "/cards/batch", pair(n), fmt.Sprint("pair ", n))
		_, unanswered := lost.Load(n)
		if status != 200 || !unanswered && body != answers[n] {
			t.Errorf("pair %d again: %d %s, at first %s", n, status, body, answers[n])
		}
	}
	var left, right int64
	for name, n := range map[string]*int64{"left%": &left, "right%": &right} {
		if err := w.store.DB().Reader().QueryRow(t.Context(), "SELECT count(*) FROM card WHERE trash = 0 AND key LIKE ?", name).Scan(n); err != nil {
			t.Fatal(err)
		}
	}
	if left != right || left != next.Load() {
		t.Errorf("%d left and %d right cards of %d pairs", left, right, next.Load())
	}
	for i := range 8 {
		if status, _ := others[i%2].send(t, limited, "GET", "/types/RichText", "", ""); status == 200 {
			limit++
		}
	}
	if limit != 10 && time.Now().Minute() != 0 { // a new hour begins another window
		t.Errorf("%d requests of a key with ten an hour were answered", limit)
	}
	if err := w.auth.RotateAfter(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	if status, body := others[0].send(t, token, "GET", "/types/RichText", "", ""); status != 200 {
		t.Errorf("a token of the victim after a rotation: %d %s", status, body)
	}
	if _, err := w.auth.SetKeyState(t.Context(), shared.ID, shared.State(), nil); err != nil {
		t.Fatal(err)
	}
	for i, h := range others {
		if status, _ := h.send(t, token, "GET", "/types/RichText", "", ""); status != 401 {
			t.Errorf("a revoked token at hub %d: %d", i, status)
		}
	}
	if t.Failed() {
		t.Logf("%d pairs, %d answered by the victim", next.Load(), answered.Load())
	}
}
