package loopback

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/lectern-mcp/lectern/status"
)

// deskRoutes serves what a person does by hand.
func deskRoutes(mux *http.ServeMux, c status.Operator) {
	mux.HandleFunc("POST "+toolsPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, q toolsRequest) error {
			tools, err := c.Tools(r.Context(), q.Scope, q.Client)
			if err != nil {
				return err
			}
			return out.send(message{Tools: &tools})
		})
	})
	mux.HandleFunc("POST "+callPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, q callRequest) error {
			result, err := c.Call(r.Context(), q.Source, q.Tool, q.Args)
			if err != nil {
				return err
			}
			return out.send(message{Result: result})
		})
	})
	mux.HandleFunc("POST "+checkPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, q checkRequest) error {
			ch, err := c.Check(r.Context(), q.Prefix)
			if err != nil {
				return err
			}
			return copyAll(out, ch, func(c status.Check) message { return message{Check: &c} })
		})
	})
	mux.HandleFunc("POST "+settingsPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, _ struct{}) error {
			settings, err := c.Settings(r.Context())
			if err != nil {
				return err
			}
			return out.send(message{Settings: &settings})
		})
	})
}

// Tools implements status.Desk.
func (c client) Tools(ctx context.Context, scope, name string) ([]status.Tool, error) {
	return once(ctx, c, toolsPath, toolsRequest{scope, name}, func(m message) *[]status.Tool { return m.Tools })
}

// Call implements status.Desk.
func (c client) Call(ctx context.Context, source, tool string, args json.RawMessage) (json.RawMessage, error) {
	return once(ctx, c, callPath, callRequest{source, tool, args}, func(m message) *json.RawMessage {
		if m.Result == nil {
			return nil
		}
		return &m.Result
	})
}

// Check implements status.Desk.
func (c client) Check(ctx context.Context, prefix string) (<-chan status.Check, error) {
	return follow(ctx, c, checkPath, checkRequest{prefix}, func(m message) *status.Check { return m.Check })
}

// Settings implements status.Desk.
func (c client) Settings(ctx context.Context) ([]status.Setting, error) {
	return once(ctx, c, settingsPath, struct{}{}, func(m message) *[]status.Setting { return m.Settings })
}
