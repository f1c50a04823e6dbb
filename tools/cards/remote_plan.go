package cards

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// A remotePlan is what a request will write to a wiki of others, worked out from what
// it holds before anything is written.
type remotePlan struct {
	requester
	wiki  *remote
	cards map[string]*plannedCard // by key
	order []*plannedCard          // as they are written
	ops   []operation
	// refused are the names of operations of a batch that the wiki has refused.
	refused map[string]bool
}

// A plannedCard is a card as it is and as it will be.
type plannedCard struct {
	name          string
	was, now      remoteState
	exists, there bool // before the plan, and after it
	tag           string
}

// remoteState is what a State of a card of another wiki holds. Its number is not part
// of it: a card that is made again may get another.
type remoteState struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Content string `json:"content"`
}

func (s remoteState) state(exists bool) tools.State {
	if !exists {
		return tools.State{}
	}
	return stateOf(&s)
}

// An operation is one of a batch of the API.
type operation struct {
	Action  string `json:"action"`
	Name    string `json:"name"`
	Type    string `json:"type"` // always said: Decko takes any type for a missing one
	Content string `json:"content"`
}

func (m *remote) plan(c tools.CallContext) *remotePlan {
	return &remotePlan{requester: requester{direct{m}, c}, wiki: m, cards: map[string]*plannedCard{}}
}

// card is a card as the plan has it so far.
func (p *remotePlan) card(ctx context.Context, name string) (*plannedCard, error) {
	key := cardname.Parse(name).Key()
	byNumber := strings.HasPrefix(name, "~") || strings.HasPrefix(name, ":")
	if c, known := p.cards[key]; known && !byNumber {
		return c, nil
	}
	held, err := p.read(ctx, name, nil)
	if err != nil && !isCode(err, tools.NotFound) {
		return nil, err
	}
	c := &plannedCard{name: string(cardname.Parse(name))}
	if err == nil {
		c.name, c.tag = held.Name, held.tag
		c.was, c.exists, c.there = remoteState{held.Name, held.Type, held.Content}, true, true
		c.now = c.was
		key = cardname.Parse(held.Name).Key()
	}
	if known := p.cards[key]; known != nil {
		return known, nil
	}
	p.cards[key] = c
	return c, nil
}

// existing is card, or NotFound.
func (p *remotePlan) existing(ctx context.Context, name string) (*plannedCard, error) {
	c, err := p.card(ctx, name)
	if err == nil && !c.there {
		err = absentError(name)
	}
	return c, err
}

// create plans a new card, and those that its name is made of.
func (p *remotePlan) create(ctx context.Context, name, kind, content string) (*plannedCard, error) {
	n := cardname.Parse(name)
	if why := n.Problem(); why != "" {
		return nil, tools.Errorf(tools.Invalid, "name: Name %s", why)
	}
	if strings.HasPrefix(name, "~") || strings.HasPrefix(name, ":") {
		return nil, tools.Errorf(tools.Invalid, "name: a name that begins with ~ or : stands for a number or a codename")
	}
	c, err := p.card(ctx, string(n))
	if err != nil {
		return nil, err
	}
	if c.there {
		return c, tools.Errorf(tools.Invalid, "name: Name must be unique; '%s' already exists.", c.name)
	}
	kind, err = p.typeName(ctx, kind)
	if err != nil {
		return nil, err
	}
	if err := p.createSides(ctx, n); err != nil {
		return nil, err
	}
	p.set(c, kind, content)
	return c, nil
}

// createSides plans the cards that a compound name is made of, where they are missing:
// the wiki makes them by itself.
func (p *remotePlan) createSides(ctx context.Context, n cardname.Name) error {
	if !n.IsCompound() {
		return nil
	}
	for _, side := range []cardname.Name{n.Left(), n.Right()} {
		c, err := p.card(ctx, string(side))
		if err != nil {
			return err
		}
		if c.there {
			continue
		}
		if err := p.createSides(ctx, side); err != nil {
			return err
		}
		c.there, c.now = true, remoteState{c.name, usualType, ""}
		p.order = append(p.order, c)
	}
	return nil
}

// set plans what a card will hold.
func (p *remotePlan) set(c *plannedCard, kind, content string) {
	action := "update"
	if !c.there {
		action = "create"
	}
	now := remoteState{c.name, kind, cleaned(kind, content)}
	if c.there && c.now == now {
		return
	}
	c.there, c.now = true, now
	p.note(c)
	p.ops = append(p.ops, operation{action, c.name, kind, content})
}

// note makes a card part of the plan's report.
func (p *remotePlan) note(c *plannedCard) {
	if !slices.Contains(p.order, c) {
		p.order = append(p.order, c)
	}
}

// typeName is the name of a type as the wiki writes it; Invalid if it has none such.
func (p *remotePlan) typeName(ctx context.Context, name string) (string, error) {
	if name == "" {
		return usualType, nil
	}
	var t card
	err := checkReadable(name)
	if err == nil {
		_, err = p.send(ctx, getOf("types", name), &t)
	}
	if isCode(err, tools.NotFound, tools.Invalid) {
		return "", tools.Errorf(tools.Invalid, "type: Type '%.100s' not found", name)
	}
	return t.Name, err
}

// cleaned is content as a card of the type keeps it, as far as that is known.
func cleaned(kind, content string) string {
	switch kind {
	case usualType:
		return cardtext.CleanHTML(content)
	case "List", "Pointer", "Link list", "Nest list":
		return cardtext.JoinItems(cardtext.Items(content))
	case "Number":
		return strings.TrimSpace(content)
	}
	return content
}

// changes are the plan as Changes. What the wiki makes of a content is known only when
// it has been written.
func (p *remotePlan) changes() (all []tools.Change) {
	for _, c := range p.order {
		if c.exists == c.there && c.was == c.now {
			continue
		}
		all = append(all, tools.Change{Target: c.name, Before: c.was.state(c.exists), After: c.now.state(c.there), AfterUnknown: c.there})
	}
	return all
}

// An observerError is an error of BeforeWrite, which callers get unchanged.
type observerError struct{ err error }

// Error implements error.
func (e *observerError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *observerError) Unwrap() error { return e.err }

// carryOut reports the plan and calls send, which writes it, and what came of it. What a
// wiki refuses is not written, whatever the card holds then; after another failure it is
// not known, for the wiki may have written it or a part.
func (p *remotePlan) carryOut(ctx context.Context, send func() error) error {
	changes := p.changes()
	if len(changes) == 0 {
		return nil
	}
	if err := p.call.BeforeWrite(ctx, changes...); err != nil {
		return &observerError{err}
	}
	err := send()
	for _, change := range changes {
		switch {
		case isRefusal(err) || p.refused[cardname.Parse(change.Target).Key()]:
		case err != nil:
			p.call.OutcomeUnknown(change.Target)
		case !change.AfterUnknown:
			p.call.AfterWrite(change.Target, change.After)
		default:
			if state, readErr := p.wiki.State(ctx, change.Target); readErr == nil {
				p.call.AfterWrite(change.Target, state)
			} else {
				p.call.OutcomeUnknown(change.Target)
			}
		}
	}
	return err
}

// isRefusal reports whether a wiki has answered that it does not write something.
func isRefusal(err error) bool {
	return isCode(err, tools.Invalid, tools.NotFound, tools.Conflict, tools.Denied, tools.Limited)
}

// save writes the operations: one by itself, several as one batch.
func (p *remotePlan) save(ctx context.Context) error {
	if len(p.ops) == 1 {
		return p.saveOne(ctx, p.ops[0])
	}
	_, err := p.saveAll(ctx, p.ops, transactional)
	return err
}

// saveOne writes one card. An update reaches only the card that was read: a wiki that
// knows If-Match refuses another, and for Decko it is read once more.
func (p *remotePlan) saveOne(ctx context.Context, op operation) error {
	body := map[string]string{"type": op.Type, "content": op.Content}
	if op.Action == "update" {
		now, err := p.read(ctx, op.Name, nil)
		if err != nil {
			return err
		}
		if planned := p.cards[cardname.Parse(op.Name).Key()]; planned != nil && planned.tag != now.tag {
			return refusalError(&cardclient.APIError{Code: "conflict"})
		}
		_, err = p.send(ctx, apiRequest{Method: http.MethodPatch, Path: cardclient.Path("cards", op.Name), Body: body}, nil)
		return err
	}
	body["name"] = op.Name
	_, err := p.send(ctx, apiRequest{Method: http.MethodPost, Path: "/cards", Body: body}, nil)
	if isCode(err, tools.Unavailable) {
		// Decko fails after it has made a card whose name was in its trash.
		if c, readErr := p.read(ctx, op.Name, nil); readErr == nil && c.Content == cleaned(op.Type, op.Content) {
			return nil
		}
	}
	return err
}

// transactional is the mode of a batch in which all is written or nothing.
const transactional = "transactional"

// An opResult is what came of one operation of a batch.
type opResult struct {
	Status  string `json:"status"`
	Name    string `json:"name"`
	ID      int64  `json:"id,omitempty"`
	Message string `json:"message,omitempty"`
	Code    string `json:"code,omitempty"`
	// RolledBack means that it was written and taken back, because another failed.
	RolledBack bool `json:"rolled_back,omitempty"`
}

func (r opResult) failed() bool { return r.Status == "error" }

// saveAll sends operations as a batch. In the transactional mode an error means that
// nothing was written, whatever the results say: Decko calls ok what it has rolled back.
func (p *remotePlan) saveAll(ctx context.Context, ops []operation, mode string) ([]opResult, error) {
	var out struct {
		Results []opResult `json:"results"`
	}
	if len(ops) == 0 {
		return nil, nil
	}
	if _, err := p.send(ctx, apiRequest{Method: http.MethodPost, Path: "/cards/batch", Body: map[string]any{"ops": ops, "mode": mode}},
		&out); err != nil {
		return nil, err
	}
	p.refused = map[string]bool{}
	for _, one := range out.Results {
		if mode == transactional && one.Status == "error" {
			return nil, tools.Errorf(tools.Invalid, "'%.100s': %s; nothing was written", one.Name, one.Message)
		}
		p.refused[cardname.Parse(one.Name).Key()] = one.failed()
	}
	return out.Results, nil
}
