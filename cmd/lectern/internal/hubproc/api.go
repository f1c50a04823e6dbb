package hubproc

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/supervisor"
)

// newHubAPI is the status.Client of this hub: every action and query that it knows.
func (h *hubProcess) newHubAPI() supervisor.HubAPI {
	queries, person := status.QueryHandlers{}, h.hub.PersonAPI()
	status.HandleStream(queries, status.LogsQuery, supervisor.NewLogsQueryHandler(h.logs))
	status.HandleStream(queries, status.CallsQuery, h.hub.Calls().Stream)
	status.HandleQuery(queries, status.ChangesQuery, h.hub.Changes().List)
	status.HandleQuery(queries, status.ApprovalTargetsQuery, func(_ context.Context, r status.ApprovalRange) (status.ApprovalTargets, error) {
		return h.hub.Approvals().ApprovalTargets(r)
	})
	status.HandleQuery(queries, status.ApprovalTextQuery, func(_ context.Context, r status.ApprovalRange) (status.ApprovalText, error) {
		return h.hub.Approvals().ApprovalText(r)
	})
	status.HandleQuery(queries, status.ProposedTextQuery, func(_ context.Context, r status.ApprovalRange) (status.ApprovalText, error) {
		return h.hub.Approvals().ProposedText(r)
	})
	status.HandleQuery(queries, status.ToolsQuery, func(ctx context.Context, f status.ToolFilter) ([]status.Tool, error) {
		return person.ClientTools(ctx, f.Source, f.Client)
	})
	status.HandleQuery(queries, status.RunToolQuery, withAgentErrors(func(ctx context.Context, c status.ToolCall) (json.RawMessage, error) {
		res, err := person.Call(ctx, c.Source, c.Tool, c.Args)
		return res.JSON, err
	}))
	status.HandleStream(queries, status.ChecksQuery, h.Check)
	status.HandleStream(queries, status.SourceCheckQuery, h.hub.SourceChecks().StartCheck)
	status.HandleQuery(queries, status.AnswerQuestionQuery, h.hub.SourceChecks().AnswerQuestion)
	status.HandleStream(queries, status.CommandQuery, person.RunCommand)
	status.HandleQuery(queries, status.CompleteCommandQuery, withAgentErrors(person.CompleteCommand))
	status.HandleQuery(queries, status.SettingsQuery, func(context.Context, struct{}) ([]status.Setting, error) { return h.Settings() })
	status.HandleQuery(queries, status.SourceKindsQuery, func(context.Context, struct{}) ([]status.SourceKind, error) {
		return h.SourceKinds(), nil
	})
	status.HandleQuery(queries, status.PagesQuery, withAgentErrors(person.Pages))
	status.HandleQuery(queries, status.PageQuery, withAgentErrors(func(ctx context.Context, p status.PageRef) (status.PageText, error) {
		return person.Page(ctx, p.Source, p.Name)
	}))
	status.HandleQuery(queries, status.PageLinksQuery, withAgentErrors(person.PageLinks))
	status.HandleQuery(queries, status.PageFileQuery, withAgentErrors(person.PageFile))
	status.HandleQuery(queries, status.SearchQuery, withAgentErrors(func(ctx context.Context, s status.SearchText) (status.Search, error) {
		return person.Search(ctx, s.Source, s.Text)
	}))
	status.HandleQuery(queries, status.HiddenPagesQuery, withAgentErrors(person.CountHiddenPages))
	return supervisor.HubAPI{
		State: h.state, BeforeWatch: h.hub.UpdateSnapshot, Router: status.Router{Actions: actions{h}.handlers(), Queries: queries},
	}
}

// withAgentErrors is ask with the errors that agents get, as they travel to
// another process.
func withAgentErrors[In, Out any](ask func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		out, err := ask(ctx, in)
		if sent := hub.NewCallError(err); sent != nil {
			return out, sent
		}
		return out, nil
	}
}

// controlHandler serves the control socket.
func (h *hubProcess) controlHandler() http.Handler { return loopback.Handler(h.newHubAPI()) }
