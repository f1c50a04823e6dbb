package hub

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// checkedKind is a System whose Checks go as well and as badly as they can.
func checkedKind() tools.Kind {
	look := func(result func(context.Context, tools.Doctor) status.Check) func(peerSource, context.Context, tools.Doctor) status.Check {
		return func(_ peerSource, ctx context.Context, d tools.Doctor) status.Check { return result(ctx, d) }
	}
	return tools.Erase(tools.System[peerSource, peerSourceConfig]{
		Name: "checked", Title: "Checked", Doc: "Has checks.",
		Open: func(_ context.Context, c peerSourceConfig, _ tools.Env) (peerSource, error) {
			if c.Graph == "gone" {
				return peerSource{}, tools.Errorf(tools.Unavailable, "there is no such graph")
			}
			return peerSource{}, nil
		},
		Checks: []tools.Check[peerSource]{
			{Name: "fine", Title: "It is fine", Look: look(func(_ context.Context, d tools.Doctor) status.Check {
				return status.Check{Result: status.CheckOK, Detail: map[bool]string{true: "may write", false: "may not write"}[d.MayWrite()]}
			})},
			{Name: "asks", Title: "It asks", Look: look(func(ctx context.Context, d tools.Doctor) status.Check {
				return status.Check{Result: status.CheckOK, Detail: map[bool]string{true: "done", false: "not done"}[d.Ask(ctx, "Wave.")]}
			})},
			{Name: "panics", Title: "It panics", Look: look(func(context.Context, tools.Doctor) status.Check { panic("oh") })},
			{Name: "hangs", Title: "It hangs", Timeout: time.Minute, Look: look(func(_ context.Context, d tools.Doctor) status.Check {
				time.Sleep(time.Hour)
				d.Ask(context.Background(), "Is anybody there?")
				return status.Check{}
			})},
		},
	})
}

func TestSourceChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{Systems: []tools.Kind{checkedKind()}, Log: slog.New(slog.DiscardHandler), Now: time.Now, Sources: []Source{
			{Name: "one", Kind: "checked"}, {Name: "two", Kind: "checked", Options: json.RawMessage(`{"graph":"gone"}`)},
		}})
		defer func() { _ = h.Close() }()
		if err := h.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			request status.SourceCheckRequest
			asked   string
			answer  bool
			want    status.Check
		}{
			{status.SourceCheckRequest{Source: "one", Check: "fine"}, "", false, status.Check{Name: "fine", Title: "It is fine", Result: status.CheckOK, Detail: "may not write"}},
			{status.SourceCheckRequest{Source: "one", Check: "fine", MayWrite: true}, "", false, status.Check{Name: "fine", Title: "It is fine", Result: status.CheckOK, Detail: "may write"}},
			{status.SourceCheckRequest{Source: "one", Check: "asks"}, "", false, status.Check{Name: "asks", Title: "It asks", Result: status.CheckOK, Detail: "not done"}},
			{status.SourceCheckRequest{Source: "one", Check: "asks", Interactive: true}, "Wave.", true, status.Check{Name: "asks", Title: "It asks", Result: status.CheckOK, Detail: "done"}},
			{status.SourceCheckRequest{Source: "one", Check: "asks", Interactive: true}, "Wave.", false, status.Check{Name: "asks", Title: "It asks", Result: status.CheckOK, Detail: "not done"}},
			{status.SourceCheckRequest{Source: "one", Check: "panics"}, "", false, status.Check{
				Name: "panics", Title: "It panics", Result: status.CheckFail, Detail: "the check crashed; the log has the details", Fix: "Report this with the lines of `lectern logs`.",
			}},
			{status.SourceCheckRequest{Source: "one", Check: "hangs", Interactive: true}, "", false, status.Check{
				Name: "hangs", Title: "It hangs", Result: status.CheckFail, Detail: "timed out after 1m0s", Fix: "Check whether the program behind the source still responds.",
			}},
			{status.SourceCheckRequest{Source: "two", Check: "fine"}, "", false, status.Check{Name: "fine", Title: "It is fine", Result: status.CheckSkipped, Detail: "source two cannot serve now: there is no such graph"}},
		} {
			updates, err := h.SourceChecks().StartCheck(t.Context(), c.request)
			if err != nil {
				t.Fatal(err)
			}
			asked := ""
			var got status.Check
			for u := range updates {
				if u.Question != nil {
					asked = u.Question.Text
					if _, err := h.SourceChecks().AnswerQuestion(t.Context(), status.QuestionAnswer{ID: u.Question.ID, Done: c.answer}); err != nil {
						t.Error(err)
					}
					if _, err := h.SourceChecks().AnswerQuestion(t.Context(), status.QuestionAnswer{ID: u.Question.ID, Done: c.answer}); err == nil {
						t.Error("a question was answered twice")
					}
				}
				if u.Check != nil {
					got = *u.Check
				}
			}
			if got != c.want || asked != c.asked {
				t.Errorf("%+v: asked %q, found %+v\nwant %+v", c.request, asked, got, c.want)
			}
		}
		for _, unknown := range []status.SourceCheckRequest{{Source: "three", Check: "fine"}, {Source: "one", Check: "finest"}} {
			if _, err := h.SourceChecks().StartCheck(t.Context(), unknown); err == nil {
				t.Errorf("%+v was carried out", unknown)
			}
		}
		time.Sleep(2 * time.Hour) // the check that hangs returns, and asks nobody
	})
}

// A question without an answer ends with who asked for the check, and with the
// hub.
func TestUnansweredQuestion(t *testing.T) {
	for _, ends := range []string{"asker", "hub"} {
		synctest.Test(t, func(t *testing.T) {
			h := New(Config{Systems: []tools.Kind{checkedKind()}, Log: slog.New(slog.DiscardHandler), Now: time.Now, Sources: []Source{{Name: "one", Kind: "checked"}}})
			if err := h.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			updates, err := h.SourceChecks().StartCheck(ctx, status.SourceCheckRequest{Source: "one", Check: "asks", Interactive: true})
			if err != nil {
				t.Fatal(err)
			}
			u := <-updates
			if ends == "asker" {
				cancel()
				synctest.Wait()
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			for range updates {
			}
			synctest.Wait()
			if _, err := h.SourceChecks().AnswerQuestion(t.Context(), status.QuestionAnswer{ID: u.Question.ID}); err == nil {
				t.Errorf("%s ended: the question is still asked", ends)
			}
		})
	}
}
