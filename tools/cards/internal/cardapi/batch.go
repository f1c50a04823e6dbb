package cardapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// An op is one operation of a batch.
type op struct {
	updateBody
	Action   string    `json:"action"`
	Name     *string   `json:"name"`
	Upsert   bool      `json:"fetch_or_initialize"`
	Children []childOp `json:"children"`
}

// A childOp is a card below that of an operation: it is made or changed.
type childOp struct {
	Name            *string `json:"name"`
	Type            *string `json:"type"`
	Content         *string `json:"content"`
	MarkdownContent *string `json:"markdown_content"`
}

// batchCards carries operations out, each with its caller's own rights: each by
// itself, or all or none.
func batchCards(r *request) (answer, error) {
	in, err := r.readBatch()
	if err != nil {
		return answer{}, err
	}
	var results []map[string]any
	if r.anyName = in.AnyName; in.AnyName && r.who.Role != cardstore.Admin {
		return answer{}, forbidden("Only admin role can keep the names of another wiki", cardstore.Admin)
	}
	failed := false
	carryOut := func(s *cardstore.Store) error {
		results, failed = nil, false
		for _, o := range in.ops {
			result, err := r.carryOut(s, o, in.BulkDelete)
			if endsRequest(err) {
				return err
			}
			failed = failed || err != nil
			results = append(results, result)
		}
		if failed && in.Mode == transactional {
			return errRolledBack
		}
		return nil
	}
	together := func(s *cardstore.Store) error { return s.Together(r.Context(), carryOut) }
	if in.Mode != transactional {
		together = carryOut
	}
	switch err := together(r.store); {
	case errors.Is(err, errRolledBack) && failed && in.Mode == transactional:
		markRolledBack(results)
	case err != nil && !errors.Is(err, errRolledBack):
		return answer{}, err
	}
	out := answer{status: http.StatusOK, value: map[string]any{"results": results}}
	if failed {
		out.status = http.StatusMultiStatus
	}
	return out, nil
}

// endsRequest reports whether an error is one of the whole batch: it runs again, or it
// would write what is hidden.
func endsRequest(err error) bool {
	return sqlstore.IsInterrupted(err) || errors.Is(err, cardstore.ErrHidden)
}

func markRolledBack(results []map[string]any) {
	for _, result := range results {
		if result["status"] == "ok" {
			result["status"], result["rolled_back"] = "error", true
			result["message"], result["code"] = "Not written, because another operation failed", "rolled_back"
			delete(result, "id")
		}
	}
}

// transactional is the mode in which all operations succeed or none does.
const transactional = "transactional"

type batch struct {
	Ops  json.RawMessage `json:"ops"`
	Mode string          `json:"mode"`
	dryRunBody
	BulkDelete bool `json:"bulk_delete"`
	AnyName    bool `json:"any_name"` // cards of another wiki, whose names may have slashes
	ops        []op
}

func (r *request) readBatch() (in batch, err error) {
	if err := r.into(&in); err != nil {
		return in, err
	}
	if in.Mode != "" && in.Mode != "per_item" && in.Mode != transactional {
		return in, invalid("mode", "mode must be per_item or transactional")
	}
	var list []json.RawMessage
	var objects []map[string]any
	if len(in.Ops) > 0 && (json.Unmarshal(in.Ops, &objects) != nil || json.Unmarshal(in.Ops, &list) != nil) {
		return in, invalid("ops", "ops must be an array of objects")
	}
	switch {
	case len(list) == 0:
		return in, invalid("ops", "Missing ops array")
	case len(list) > r.api.Limits.Ops:
		return in, invalid("ops", "Too many operations")
	}
	in.ops = make([]op, len(list))
	for i, text := range list {
		if err := decode(text, fmt.Sprintf("ops[%d]", i), &in.ops[i]); err != nil {
			return in, err
		}
	}
	return in, nil
}

var errRolledBack = errors.New("rolled back")

// carryOut does one operation, or nothing of it.
func (r *request) carryOut(s *cardstore.Store, o op, bulk bool) (map[string]any, error) {
	name := ""
	if o.Name != nil {
		name = *o.Name
	}
	dry := o.DryRun || o.Patch != nil && o.Patch.DryRun
	var c cardstore.Card
	err := s.Together(r.Context(), func(s *cardstore.Store) (err error) {
		c, err = r.apply(s, o, name, bulk)
		if err != nil {
			return err
		}
		if err := r.createChildren(s, c, o.Children); err != nil {
			return err
		}
		if err := r.setFields(s, c, o.Fields); err != nil || !dry {
			return err
		}
		return errTriedOut
	})
	if dry && errors.Is(err, errTriedOut) {
		return map[string]any{"status": "ok", "name": c.Name, "dry_run": true}, nil
	}
	if endsRequest(err) {
		return nil, err
	}
	if err != nil {
		return r.failedOp(o, name, err), err
	}
	result := map[string]any{"status": "ok", "name": c.Name}
	if c.ID != 0 {
		result["id"] = c.ID
	}
	return result, nil
}

// failedOp is the result of an operation that ended with err.
func (r *request) failedOp(o op, name string, err error) map[string]any {
	e := r.api.apiErrorOf(r, err)
	if e == nil {
		r.api.Log.Error("carry out an operation of a batch", "action", o.Action, "err", err)
		e = &apiError{code: "internal_error", message: "An unexpected error occurred"}
	}
	result := map[string]any{"status": "error", "name": name, "message": batchMessage(e, err), "code": e.code}
	if card, known := e.details["card"]; known {
		result["card"] = card
	}
	if len(e.fields) > 0 {
		result["validation_errors"] = e.fields
	}
	return result
}

// createChildren writes the cards that an operation has below c. One of an unknown
// type is passed over, as Decko does.
func (r *request) createChildren(s *cardstore.Store, c cardstore.Card, children []childOp) error {
	for _, child := range children {
		if child.Name == nil {
			return invalid("children", "Missing name")
		}
		body := updateBody{cardBody: cardBody{Type: child.Type, Content: child.Content, MarkdownContent: child.MarkdownContent}}
		_, err := r.create(s, op{updateBody: body, Upsert: true}, childName(string(c.Name), *child.Name))
		if _, unknown := errors.AsType[*cardstore.TypeError](err); err != nil && !unknown {
			return err
		}
	}
	return nil
}

// batchMessage is an error in the words of a batch's results.
func batchMessage(e *apiError, err error) string {
	if errors.Is(err, cardstore.ErrNotFound) {
		return "Card not found"
	}
	if list, ok := e.details["errors"].([]string); ok && len(list) > 0 {
		return "Validation failed: " + strings.Join(list, ", ")
	}
	return e.message
}

// apply does what an operation says of its own card. Deletions count only in a batch
// that says bulk_delete: clients of Decko's API know none.
func (r *request) apply(s *cardstore.Store, o op, name string, bulk bool) (cardstore.Card, error) {
	switch o.Action {
	case "create":
		return r.create(s, o, name)
	case "update":
		return r.update(s, o, name)
	case "delete":
		if !bulk {
			break
		}
		if err := r.checkTag(s, name, o.ExpectedTag); err != nil {
			return cardstore.Card{}, err
		}
		c, err := s.Delete(r.Context(), r.by(), name)
		if err != nil {
			err = r.adminOnly(err)
		}
		return c, err
	}
	return cardstore.Card{}, invalid("action", "Unknown action: %s", o.Action)
}

// deletesCards reports whether a batch is to delete a card.
func deletesCards(route route, body []byte) bool {
	var in struct {
		Ops []struct {
			Action string `json:"action"`
		} `json:"ops"`
	}
	return route.path == "/cards/batch" && json.Unmarshal(body, &in) == nil &&
		slices.ContainsFunc(in.Ops, func(o struct {
			Action string `json:"action"`
		},
		) bool {
			return o.Action == "delete"
		})
}

func (r *request) update(s *cardstore.Store, o op, name string) (cardstore.Card, error) {
	update, err := r.updateOf(o.updateBody)
	if err != nil {
		return cardstore.Card{}, err
	}
	if err := r.checkTag(s, name, o.ExpectedTag); err != nil {
		return cardstore.Card{}, err
	}
	return s.Update(r.Context(), r.by(), name, update)
}

// create makes a card, or with fetch_or_initialize changes the existing one.
func (r *request) create(s *cardstore.Store, o op, name string) (cardstore.Card, error) {
	content, err := r.api.text(o.cardBody)
	if err != nil {
		return cardstore.Card{}, err
	}
	kind, text := "", ""
	if o.Type != nil {
		kind = *o.Type
	}
	if content != nil {
		text = *content
	}
	if o.Upsert {
		if c, err := r.update(s, o, name); !errors.Is(err, cardstore.ErrNotFound) {
			return c, err
		}
	} else if o.Patch != nil || o.ExpectedTag != "" {
		return cardstore.Card{}, invalid("action", "patch and expected_revision are for a card that exists: use the action update")
	}
	if kind == "" {
		kind = "RichText"
	}
	return s.Create(r.Context(), r.by(), cardstore.NewCard{Name: name, Type: kind, Content: text})
}

// childName is the name of a child: one that begins with * or + is below the parent,
// and any other is a name as it is.
func childName(parent, child string) string {
	switch {
	case strings.HasPrefix(child, "+"):
		return parent + child
	case strings.HasPrefix(child, "*"):
		return parent + "+" + child
	case strings.Contains(child, "+"):
		return child
	}
	return parent + "+" + child
}
