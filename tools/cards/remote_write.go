package cards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// writeBody is what a request says that a card is to be.
type writeBody struct {
	Action   string            `json:"action"`
	Name     string            `json:"name"`
	Type     string            `json:"type"`
	Content  *string           `json:"content"`
	Markdown *string           `json:"markdown_content"`
	Patch    *cardtext.Patch   `json:"patch"`
	Fields   map[string]string `json:"fields"`
	Upsert   bool              `json:"fetch_or_initialize"`
	Children []writeBody       `json:"children"`
}

// write answers a request that changes something.
func (m *remote) write(ctx context.Context, c tools.CallContext, r apiRequest, body []byte) (apiAnswer, error) {
	var in writeBody
	if len(body) > 0 && json.Unmarshal(body, &in) != nil {
		return apiAnswer{}, tools.Errorf(tools.Invalid, "the request cannot be read")
	}
	parts := strings.Split(strings.Trim(r.Path, "/"), "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return apiAnswer{}, tools.Errorf(tools.Invalid, "the path cannot be read")
		}
		parts[i] = plain
	}
	p := m.plan(c)
	var out apiAnswer
	var err error
	switch what := r.Method + " " + strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool {
		return len(parts) > 1 && s == parts[1] && s != "batch"
	}), "/"); what {
	case "POST cards":
		out, err = p.answerCreate(ctx, in)
	case "POST cards/batch":
		out, err = p.answerBatch(ctx, body)
	case "PATCH cards":
		out, err = p.answerUpdate(ctx, parts[1], in, r.Header.Get("If-Match"))
	case "DELETE cards":
		out, err = p.answerDelete(ctx, parts[1])
	case "PUT cards/rename":
		out, err = p.answerRename(ctx, parts[1], body)
	case "POST cards/upload", "POST cards/restore":
		out, err = p.answerOther(ctx, r, parts[1])
	case "POST jobs":
		out, err = p.answerScan(ctx, r, body)
	default:
		err = tools.Errorf(tools.Denied, "another wiki is not asked to %s %s", r.Method, r.Path)
	}
	if observed, ok := errors.AsType[*observerError](err); ok {
		return apiAnswer{}, observed
	}
	return out, err
}

// text is the content that a request gives for the present one; nil: it gives none.
// Markdown is converted here: Decko has two converters, of which one knows little.
func (p *remotePlan) text(in writeBody, old string) (*string, error) {
	switch {
	case in.Patch != nil:
		text, _, err := in.Patch.Apply(old)
		if misfit, ok := errors.AsType[*cardtext.PatchError](err); ok {
			return nil, tools.Errorf(tools.Invalid, "%s: %s", misfit.Field, strings.TrimSpace(misfit.Message+" "+misfit.Marker))
		}
		return &text, err
	case in.Markdown != nil:
		text, err := p.wiki.converter.HTML(*in.Markdown, false)
		return &text, err
	}
	return in.Content, nil
}

func (p *remotePlan) answerCreate(ctx context.Context, in writeBody) (apiAnswer, error) {
	text, err := p.text(in, "")
	if err != nil {
		return apiAnswer{}, err
	}
	if text == nil {
		text = new(string)
	}
	c, err := p.create(ctx, in.Name, in.Type, *text)
	if c != nil && c.there && err != nil && cleaned(c.now.Type, *text) == c.now.Content {
		answer := p.cardAnswer(ctx, c.name)
		answer.value["already_existed"] = true
		return answer.encode(http.StatusCreated)
	}
	if err == nil {
		err = p.setFields(ctx, c, in.Fields)
	}
	if err == nil {
		err = p.carryOut(ctx, func() error { return p.save(ctx) })
	}
	if err != nil {
		return apiAnswer{}, err
	}
	return p.cardAnswer(ctx, c.name).encode(http.StatusCreated)
}

func (p *remotePlan) answerUpdate(ctx context.Context, name string, in writeBody, expected string) (apiAnswer, error) {
	c, err := p.existing(ctx, name)
	if err != nil {
		return apiAnswer{}, err
	}
	if expected != "" && expected != c.tag {
		return apiAnswer{}, refusalError(&cardclient.APIError{Code: "conflict"})
	}
	if err := p.update(ctx, c, in); err != nil {
		return apiAnswer{}, err
	}
	if err := p.carryOut(ctx, func() error { return p.save(ctx) }); err != nil {
		return apiAnswer{}, err
	}
	return p.cardAnswer(ctx, c.name).encode(http.StatusOK)
}

func (p *remotePlan) update(ctx context.Context, c *plannedCard, in writeBody) error {
	text, err := p.text(in, c.now.Content)
	if err != nil {
		return err
	}
	kind := c.now.Type
	if in.Type != "" {
		if kind, err = p.typeName(ctx, in.Type); err != nil {
			return err
		}
	}
	if text == nil {
		text = &c.now.Content
	}
	p.set(c, kind, *text)
	return p.setFields(ctx, c, in.Fields)
}

// setFields plans cards below a card: Decko ignores fields.
func (p *remotePlan) setFields(ctx context.Context, c *plannedCard, fields map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !strings.HasPrefix(name, "+") && !strings.HasPrefix(name, "*") {
			continue // as our own server does
		}
		if err := p.upsert(ctx, writeBody{Name: childName(c.name, name), Content: new(fields[name])}); err != nil {
			return err
		}
	}
	return nil
}

// childName is the name of a child: one that begins with * or + is below the parent,
// and any other is below it too unless it is compound.
func childName(parent, child string) string {
	switch {
	case strings.HasPrefix(child, cardname.Joint):
		return parent + child
	case strings.HasPrefix(child, "*"), !strings.Contains(child, cardname.Joint):
		return parent + cardname.Joint + child
	}
	return child
}

// upsert plans a card whether or not it is there. One that is keeps its type.
func (p *remotePlan) upsert(ctx context.Context, in writeBody) error {
	if err := checkReadable(in.Name); err != nil {
		return err
	}
	c, err := p.card(ctx, in.Name)
	if err != nil {
		return err
	}
	if c.there {
		return p.update(ctx, c, in)
	}
	text, err := p.text(in, "")
	if err != nil {
		return err
	}
	if text == nil {
		text = new(string)
	}
	if c, err = p.create(ctx, in.Name, in.Type, *text); err == nil {
		err = p.setFields(ctx, c, in.Fields)
	}
	return err
}

// A cardValue is a card as the API answers it, to be added to.
type cardValue struct {
	value map[string]any
	tag   string
	err   error
}

func (p *remotePlan) cardAnswer(ctx context.Context, name string) cardValue {
	out := cardValue{value: map[string]any{}}
	header, err := p.send(ctx, getOf("cards", name), &out.value)
	out.tag, out.err = header.Get("ETag"), err
	return out
}

func (v cardValue) encode(status int) (apiAnswer, error) {
	out := jsonAnswer(v.value)
	out.Status = status
	out.Header.Set("ETag", v.tag)
	return out, v.err
}

func (p *remotePlan) answerDelete(ctx context.Context, name string) (apiAnswer, error) {
	c, err := p.existing(ctx, name)
	if err != nil {
		return apiAnswer{}, err
	}
	with, err := p.goingWith(ctx, c.name)
	if err != nil {
		return apiAnswer{}, err
	}
	c.there = false
	p.note(c)
	for _, k := range with {
		child, err := p.card(ctx, k.Name)
		if err != nil {
			return apiAnswer{}, err
		}
		child.there = false
		p.note(child)
	}
	if err := p.carryOut(ctx, func() error {
		_, err := p.send(ctx, apiRequest{Method: http.MethodDelete, Path: cardclient.Path("cards", c.name)}, nil)
		return err
	}); err != nil {
		return apiAnswer{}, err
	}
	return jsonAnswer(map[string]any{"status": "deleted", "name": c.name}), nil
}

// answerRename plans the card, what is below it, and in the cards that refer to these
// what their references become.
func (p *remotePlan) answerRename(ctx context.Context, name string, body []byte) (apiAnswer, error) {
	var in struct {
		NewName string `json:"new_name"`
		Update  *bool  `json:"update_referers"`
	}
	if json.Unmarshal(body, &in) != nil || cardname.Parse(in.NewName).Problem() != "" {
		return apiAnswer{}, tools.Errorf(tools.Invalid, "new_name: Name %s", cardname.Parse(in.NewName).Problem())
	}
	c, err := p.existing(ctx, name)
	if err != nil {
		return apiAnswer{}, err
	}
	old, with := cardname.Name(c.name), cardname.Parse(in.NewName)
	along, err := p.goingWith(ctx, c.name)
	if err != nil {
		return apiAnswer{}, err
	}
	referers := map[string]bool{}
	for _, one := range append([]card{{Name: c.name}}, along...) {
		if err := p.move(ctx, one.Name, string(cardname.Name(one.Name).Swap(old, with)), referers); err != nil {
			return apiAnswer{}, err
		}
	}
	update := in.Update == nil || *in.Update
	if update {
		for _, referer := range slices.Sorted(maps.Keys(referers)) {
			r, err := p.card(ctx, referer)
			if err != nil {
				return apiAnswer{}, err
			}
			if r.there {
				r.now.Content = cardtext.Rename(r.now.Content, old, with)
				p.note(r)
			}
		}
	}
	err = p.carryOut(ctx, func() error {
		_, err := p.send(ctx, apiRequest{
			Method: http.MethodPut, Path: cardclient.Path("cards", c.name, "rename"),
			Body: map[string]any{"new_name": string(with), "update_referers": update},
		}, nil)
		return err
	})
	if err != nil {
		return apiAnswer{}, err
	}
	return jsonAnswer(map[string]any{
		"status": "renamed", "old_name": string(old), "new_name": string(with), "updated_referers": update,
		"card": p.cardAnswer(ctx, string(with)).value,
	}), nil
}

// move plans that a card goes and is there under another name.
func (p *remotePlan) move(ctx context.Context, name, with string, referers map[string]bool) error {
	from, err := p.card(ctx, name)
	if err != nil {
		return err
	}
	to, err := p.card(ctx, with)
	if err != nil {
		return err
	}
	if to.there && to != from {
		return tools.Errorf(tools.Invalid, "new_name: Name must be unique; '%s' already exists.", to.name)
	}
	var out struct {
		Referers []card `json:"referers"`
	}
	if _, err := p.send(ctx, getOf("cards", name, "referers"), &out); err != nil {
		return err
	}
	for _, r := range out.Referers {
		referers[r.Name] = true
	}
	if to == from { // the same key in another spelling
		from.now.Name = with
		p.note(from)
		return nil
	}
	to.there, to.now = true, remoteState{with, from.now.Type, from.now.Content}
	from.there = false
	p.note(from)
	p.note(to)
	return p.createSides(ctx, cardname.Name(with))
}

// answerOther is an upload or a restore: what the card becomes is known afterwards.
func (p *remotePlan) answerOther(ctx context.Context, r apiRequest, name string) (apiAnswer, error) {
	if err := checkReadable(name); err != nil {
		return apiAnswer{}, err
	}
	c, err := p.card(ctx, name)
	if err != nil {
		return apiAnswer{}, err
	}
	if !c.there {
		if why := cardname.Parse(name).Problem(); why != "" {
			return apiAnswer{}, tools.Errorf(tools.Invalid, "name: Name %s", why)
		}
		if err := p.createSides(ctx, cardname.Parse(name)); err != nil {
			return apiAnswer{}, err
		}
	}
	c.there, c.now = true, remoteState{Name: c.name, Type: c.now.Type, Content: "(as the wiki decides)"}
	p.note(c)
	var out json.RawMessage
	err = p.carryOut(ctx, func() error {
		_, err := p.send(ctx, r, &out)
		return err
	})
	return apiAnswer{Status: http.StatusOK, Header: http.Header{}, Body: out}, err
}

// answerScan has the wiki scan and write the card of its results.
func (p *remotePlan) answerScan(ctx context.Context, r apiRequest, body []byte) (apiAnswer, error) {
	var in struct {
		Results string `json:"results_card"`
	}
	if json.Unmarshal(body, &in) != nil || in.Results == "" {
		return apiAnswer{}, tools.Errorf(tools.Invalid, "results_card: must not be empty")
	}
	if err := checkReadable(in.Results); err != nil {
		return apiAnswer{}, err
	}
	// A wiki of ours keeps the results from players, by a rule that it makes with them.
	rule, err := p.card(ctx, string(cardname.Join(cardname.Parse(in.Results), "*self", "*read")))
	if err != nil {
		return apiAnswer{}, err
	}
	if !rule.there && !p.wiki.isDecko.Load() {
		if err := p.createSides(ctx, cardname.Parse(rule.name)); err != nil {
			return apiAnswer{}, err
		}
		rule.there, rule.now = true, remoteState{rule.name, "List", "Game Master\nAdministrator"}
		p.note(rule)
	}
	return p.answerOther(ctx, r, in.Results)
}

// answerBatch plans every operation by itself. One that cannot be planned is an error
// of its own, or of all in the transactional mode: Decko breaks on a patch that does
// not fit, and loses the results of what it has written.
func (p *remotePlan) answerBatch(ctx context.Context, body []byte) (apiAnswer, error) {
	var in struct {
		Ops  []writeBody `json:"ops"`
		Mode string      `json:"mode"`
	}
	if json.Unmarshal(body, &in) != nil || len(in.Ops) == 0 {
		return apiAnswer{}, tools.Errorf(tools.Invalid, "ops: must be a list of operations")
	}
	results, at := p.planBatch(ctx, in.Ops)
	if in.Mode == transactional && slices.ContainsFunc(results, opResult.failed) {
		for i, r := range results {
			if !r.failed() {
				results[i] = opResult{Status: "error", Name: r.Name, Message: "rolled back"}
			}
		}
		return batchAnswer(results), nil
	}
	err := p.carryOut(ctx, func() error {
		outcomes, err := p.saveAll(ctx, p.ops, in.Mode)
		noteOutcomes(results, at, outcomes)
		return err
	})
	if err != nil {
		return apiAnswer{}, err
	}
	return batchAnswer(results), nil
}

// planBatch plans operations and says how that went for each. What it plans for one
// that fails is dropped again. One may need several writes: at has, for each planned
// write, the operation that it is part of.
func (p *remotePlan) planBatch(ctx context.Context, ops []writeBody) (results []opResult, at []int) {
	results, at = make([]opResult, len(ops)), make([]int, 0, len(ops))
	for i, op := range ops {
		before := len(p.ops)
		results[i] = opResult{Status: "ok", Name: op.Name}
		if err := p.planOp(ctx, op); err != nil {
			e := tools.AsError(err)
			results[i] = opResult{Status: "error", Name: op.Name, Message: e.Message, Code: errorFormat().Code(e)}
			p.ops = p.ops[:before]
		}
		for range len(p.ops) - before {
			at = append(at, i)
		}
	}
	return results, at
}

// noteOutcomes puts what the wiki made of the planned writes into the results of the
// operations. An operation is the card of its first write, and fails with any of them.
func noteOutcomes(results []opResult, at []int, outcomes []opResult) {
	for n, one := range outcomes[:min(len(outcomes), len(at))] {
		result := &results[at[n]]
		if one.failed() {
			*result = one
		} else if result.ID == 0 {
			result.ID, result.Name = one.ID, one.Name
		}
	}
}

func batchAnswer(results []opResult) apiAnswer {
	out := jsonAnswer(map[string]any{"results": results})
	if slices.ContainsFunc(results, opResult.failed) {
		out.Status = http.StatusMultiStatus
	}
	return out
}

func (p *remotePlan) planOp(ctx context.Context, op writeBody) error {
	if err := checkReadable(op.Name); err != nil {
		return err
	}
	switch {
	case op.Action == "update":
		c, err := p.existing(ctx, op.Name)
		if err != nil {
			return err
		}
		if err := p.update(ctx, c, op); err != nil {
			return err
		}
	case op.Action == "create" && op.Upsert:
		if err := p.upsert(ctx, op); err != nil {
			return err
		}
	case op.Action == "create":
		text, err := p.text(op, "")
		if err != nil {
			return err
		}
		if text == nil {
			text = new(string)
		}
		c, err := p.create(ctx, op.Name, op.Type, *text)
		if err != nil {
			return err
		}
		if err := p.setFields(ctx, c, op.Fields); err != nil {
			return err
		}
	default:
		return tools.Errorf(tools.Invalid, "action: must be create or update on this wiki, not %.20q", op.Action)
	}
	for _, child := range op.Children {
		child.Name = childName(op.Name, child.Name)
		if err := p.upsert(ctx, child); err != nil {
			return fmt.Errorf("child: %w", err)
		}
	}
	return nil
}
