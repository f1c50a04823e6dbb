package approval_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// ask makes a call that is answered with a form, and returns its state.
func ask(t *testing.T, q *approval.Queue, r approval.Request) string {
	t.Helper()
	err := <-wait(t.Context(), q, r, approval.WaitingClient{Forms: true})
	form, ok := errors.AsType[*approval.FormRequest](err)
	if !ok {
		t.Fatalf("got %v, want a form", err)
	}
	return form.State
}

// comeBack makes the call again with the form.
func comeBack(t *testing.T, q *approval.Queue, r approval.Request, state string, a approval.FormAnswer) error {
	t.Helper()
	form, err := q.AcceptForm(approval.FilledForm{State: state, Answer: a}, r)
	if err != nil {
		return err
	}
	defer form.Discard()
	return <-wait(t.Context(), q, r, approval.WaitingClient{Forms: true, Form: form})
}

func hasCode(err error, want tools.Code) bool {
	e := tools.AsError(err)
	return e != nil && e.Code == want
}

var yes = approval.FormAnswer{Valid: true, Allow: true}

// A form comes back once, with the call that it is about, of its own session.
func TestFormIsForOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		r := request(edit("a", "1"))
		state := ask(t, q, r)
		for name, change := range map[string]func(r *approval.Request){
			"session":   func(r *approval.Request) { r.Session = "s2" },
			"client":    func(r *approval.Request) { r.Call.Client.Name = "codex" },
			"arguments": func(r *approval.Request) { r.Args = []byte(`{"path":"b"}`) },
		} {
			other := r
			change(&other)
			if err := comeBack(t, q, other, state, yes); !hasCode(err, tools.Conflict) {
				t.Errorf("another %s: %v", name, err)
			}
		}
		if err := comeBack(t, q, r, "a guess", yes); !hasCode(err, tools.Conflict) {
			t.Errorf("a guessed state: %v", err)
		}
		if err := comeBack(t, q, r, state, yes); err != nil {
			t.Errorf("the call itself: %v", err)
		}
		if err := comeBack(t, q, r, state, yes); !hasCode(err, tools.Conflict) {
			t.Errorf("a second time: %v", err)
		}
	})
}

// A call that would change something else by now is asked about again, and the
// first question is withdrawn.
func TestFormAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		state := ask(t, q, request(edit("a", "1")))
		former := only(t, q).ID
		err := comeBack(t, q, request(edit("a", "2")), state, approval.FormAnswer{})
		if _, ok := errors.AsType[*approval.FormRequest](err); !ok {
			t.Fatalf("got %v, want another form", err)
		}
		if only(t, q).ID == former {
			t.Error("the former question still waits")
		}
	})
}

// What a person answers in the panel first counts, when the client comes back.
func TestPanelAnswersFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		r := request(edit("a", "1"))
		state := ask(t, q, r)
		if err := q.Answer(only(t, q).ID, false, status.Answer{Reason: "mine"}); err != nil {
			t.Fatal(err)
		}
		if err := comeBack(t, q, r, state, yes); !hasCode(err, tools.Denied) {
			t.Errorf("got %v", err)
		}
	})
}

// A form that does not come back ends with its time or its session.
func TestFormEnds(t *testing.T) {
	for name, end := range map[string]func(q *approval.Queue){
		"time":    func(*approval.Queue) { time.Sleep(5*time.Minute + time.Second) },
		"session": func(q *approval.Queue) { q.EndSessionForms("s1") },
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue()
			r := request(edit("a", "1"))
			state := ask(t, q, r)
			end(q)
			synctest.Wait()
			if len(q.Pending()) != 0 {
				t.Errorf("%s: it still waits", name)
			}
			if err := comeBack(t, q, r, state, yes); !hasCode(err, tools.Conflict) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// A form shows all that a call would do and offers a yes, or says how much it does
// not show, names the command that does, and can only be refused.
func TestFormOfEverySize(t *testing.T) {
	for _, tt := range []struct {
		targets, size int // of each target, in bytes
		allow         bool
	}{
		{1, 10, true},
		{1, 4 << 10, true},
		{1, 16 << 10, false},
		{1, 4 << 20, false},
		{40, 10, true},
		{1000, 10, false},
		{1000, 4 << 10, false},
	} {
		var changes []tools.Change
		for i := range tt.targets {
			text := strings.Repeat("harmless\n", tt.size/9) + fmt.Sprintf("evil %d\n", i)
			changes = append(changes, rewrite(fmt.Sprintf("p%d.md", i), "old\n", text))
		}
		synctest.Test(t, func(t *testing.T) {
			q, r := newQueue(), request(changes...)
			err := <-wait(t.Context(), q, r, approval.WaitingClient{Forms: true})
			form, ok := errors.AsType[*approval.FormRequest](err)
			if !ok {
				t.Fatalf("got %v, want a form", err)
			}
			name := fmt.Sprintf("%d targets of %d bytes", tt.targets, tt.size)
			if form.MayAllow != tt.allow {
				t.Errorf("%s: it offers a yes: %v", name, form.MayAllow)
			}
			message := form.Message
			for i := range tt.targets {
				if tt.allow && !strings.Contains(message, fmt.Sprintf("+evil %d\n", i)) {
					t.Errorf("%s: it offers a yes to what it does not show: evil %d", name, i)
				}
			}
			if cut := strings.Contains(message, "lectern approve show "+only(t, q).ID) && strings.Contains(message, fmt.Sprintf(", %d targets)", tt.targets)); cut == tt.allow {
				t.Errorf("%s: it says %.300q … %.300q", name, message, message[max(0, len(message)-300):])
			}
			if len(message) > 16<<10 {
				t.Errorf("%s: a form of %d bytes", name, len(message))
			}
			err = comeBack(t, q, r, form.State, yes)
			if allowed := err == nil; allowed != tt.allow {
				t.Errorf("%s: a yes ends with %v", name, err)
			}
		})
	}
}
