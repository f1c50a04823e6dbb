package cards

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// owner is the source itself, with all that its key may do.
func (m *remote) owner() requester {
	return requester{direct{m}, tools.CallContext{Identity: tools.Identity{Role: string(m.role)}}}
}

// State implements [tools.Restorer]. A target is the name of a card.
func (m *remote) State(ctx context.Context, target string) (tools.State, error) {
	c, err := m.owner().read(ctx, target, nil)
	if isCode(err, tools.NotFound, tools.Invalid) {
		return tools.State{}, nil
	}
	return remoteState{c.Name, c.Type, c.Content}.state(err == nil), err
}

// Restore implements [tools.Restorer]: by new revisions that equal the old ones, out of
// the trash, and by deleting what was made.
func (m *remote) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	after, err := m.checkUnchanged(ctx, changes)
	if err != nil {
		return err
	}
	if err := m.checkNothingBelow(ctx, changes); err != nil {
		return err
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	return m.restore(ctx, c, changes, after)
}

// restore makes each card what it is to be again, and reports each. Files are renamed
// first, and what is below a card goes before it.
func (m *remote) restore(ctx context.Context, c tools.CallContext, changes []tools.Change, after []*remoteState) error {
	end := func(i int, err error) error {
		switch {
		case err == nil:
			c.ReportWritten(changes[i])
		case !isRefusal(err):
			c.OutcomeUnknown(changes[i].Target)
		}
		return err
	}
	order := simpleNamesFirst(changes)
	for _, i := range order {
		if err := m.renameIfFile(ctx, changes, i, after[i]); err != nil {
			return end(i, err)
		}
	}
	for _, i := range order {
		if after[i] != nil {
			if err := end(i, m.bringBack(ctx, changes[i].Target, *after[i], changes[i].Before.Exists)); err != nil {
				return err
			}
		}
	}
	for _, i := range slices.Backward(order) {
		if after[i] == nil {
			if err := end(i, m.takeAwayIfThere(ctx, changes[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// renameIfFile renames the file that a card which is to be made again had.
func (m *remote) renameIfFile(ctx context.Context, changes []tools.Change, i int, after *remoteState) error {
	if after == nil || changes[i].Before.Exists || !isFile(after.Type) {
		return nil
	}
	return m.renameFile(ctx, changes, *after)
}

func (m *remote) takeAwayIfThere(ctx context.Context, change tools.Change) error {
	if !change.Before.Exists {
		return nil
	}
	return m.takeAway(ctx, change.Target)
}

// checkUnchanged returns what each card is to be again, nil where there was none. It
// refuses if one is not as its change left it.
func (m *remote) checkUnchanged(ctx context.Context, changes []tools.Change) ([]*remoteState, error) {
	after := make([]*remoteState, len(changes))
	for i, change := range changes {
		now, err := m.State(ctx, change.Target)
		if err != nil {
			return nil, err
		}
		if now.Exists != change.Before.Exists || !bytes.Equal(now.Data, change.Before.Data) {
			return nil, tools.Errorf(tools.Conflict, "the card %.200q was changed later", change.Target)
		}
		if after[i], err = readState[remoteState](change.After); err != nil {
			return nil, err
		}
	}
	return after, nil
}

// simpleNamesFirst is the order in which cards can be made: a card needs those that its
// name is made of.
func simpleNamesFirst(changes []tools.Change) []int {
	order := make([]int, len(changes))
	for i := range order {
		order[i] = i
	}
	depth := func(i int) int { return strings.Count(changes[i].Target, cardname.Joint) }
	slices.SortStableFunc(order, func(a, b int) int { return depth(a) - depth(b) })
	return order
}

// renameFile gives a file its former name, if it goes because it was renamed: its content
// alone would not be the file.
func (m *remote) renameFile(ctx context.Context, changes []tools.Change, want remoteState) error {
	for _, change := range changes {
		is, err := readState[remoteState](change.Before)
		if err != nil {
			return err
		}
		if is == nil || change.After.Exists || is.Type != want.Type || is.Content != want.Content {
			continue
		}
		_, err = m.owner().send(ctx, apiRequest{
			Method: http.MethodPut, Path: cardclient.Path("cards", is.Name, "rename"),
			Body: map[string]any{"new_name": want.Name, "update_referers": false},
		}, nil)
		return err
	}
	return nil
}

func isFile(kind string) bool { return kind == "File" || kind == "Image" }

// takeAway deletes a card. One that is gone already went with the card above it.
func (m *remote) takeAway(ctx context.Context, name string) error {
	_, err := m.owner().send(ctx, apiRequest{Method: http.MethodDelete, Path: cardclient.Path("cards", name)}, nil)
	if isCode(err, tools.NotFound) {
		return nil
	}
	return err
}

// checkNothingBelow refuses to delete a card below which others were made since.
func (m *remote) checkNothingBelow(ctx context.Context, changes []tools.Change) error {
	goes := map[string]bool{}
	for _, change := range changes {
		goes[cardname.Parse(change.Target).Key()] = change.Before.Exists && !change.After.Exists
	}
	for _, change := range changes {
		if !change.Before.Exists || change.After.Exists {
			continue
		}
		below, err := m.owner().below(ctx, change.Target, deepest)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(below, func(k card) bool { return !goes[cardname.Parse(k.Name).Key()] }) {
			return tools.Errorf(tools.Conflict, "the card %.200q has cards below it that were made later", change.Target)
		}
	}
	return nil
}

// bringBack makes a card what it was. Out of the trash it keeps its number and its
// history; where the key may not do that the card is made again, which revives it.
func (m *remote) bringBack(ctx context.Context, name string, want remoteState, exists bool) error {
	r := m.owner()
	if !exists && isFile(want.Type) {
		now, err := m.State(ctx, name) // it may have its name again
		if err != nil {
			return err
		}
		exists = now.Exists
	}
	if !exists {
		_, err := r.send(ctx, apiRequest{
			Method: http.MethodPost, Path: cardclient.Path("cards", name, "restore"), Body: map[string]any{"from_trash": true},
		}, nil)
		if isCode(err, tools.NotFound, tools.Invalid, tools.Denied) {
			err = m.plan(r.call).saveOne(ctx, operation{"create", name, want.Type, want.Content})
		}
		if err != nil {
			return err
		}
	}
	now, err := r.read(ctx, name, nil)
	if err != nil || now.Type == want.Type && now.Content == want.Content {
		return err
	}
	if isFile(want.Type) {
		return r.restoreFile(ctx, now.Name, want)
	}
	_, err = r.send(ctx, apiRequest{
		Method: http.MethodPatch, Path: cardclient.Path("cards", now.Name), Body: map[string]string{"type": want.Type, "content": want.Content},
	}, nil)
	return err
}

// restoreFile goes back to the revision that had the file: its content alone is not the
// file.
func (r requester) restoreFile(ctx context.Context, name string, want remoteState) error {
	h, err := r.history(ctx, name, pageSize)
	if err != nil {
		return err
	}
	for _, one := range h.Revisions {
		was, err := r.revision(ctx, name, one.Act.String())
		if isCode(err, tools.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if was.Snapshot.Type == want.Type && was.Snapshot.Content == want.Content {
			_, err = r.send(ctx, apiRequest{
				Method: http.MethodPost, Path: cardclient.Path("cards", name, "restore"), Body: map[string]any{"act_id": one.Act},
			}, nil)
			return err
		}
	}
	return tools.Errorf(tools.Conflict, "the file of the card %.200q is not in its history", name)
}

// cardHistory is what happened to a card, as the API answers it.
type cardHistory struct {
	Card      string `json:"card"`
	Revisions []struct {
		Act     json.Number `json:"act_id"`
		Action  string      `json:"action"`
		Actor   string      `json:"actor"`
		At      string      `json:"acted_at"`
		Changes []string    `json:"changes"`
	} `json:"revisions"`
	Total   int  `json:"total"`
	InTrash bool `json:"in_trash"`
}

func (r requester) history(ctx context.Context, name string, limit int) (h cardHistory, err error) {
	q := getOf("cards", name, "history")
	q.Query = url.Values{"limit": {fmt.Sprint(limit)}}
	_, err = r.send(ctx, q, &h)
	return h, err
}

// cardRevision is a card as it was, as the API answers it.
type cardRevision struct {
	Card     string      `json:"card"`
	Act      json.Number `json:"act_id"`
	At       string      `json:"acted_at"`
	Actor    string      `json:"actor"`
	Snapshot card        `json:"snapshot"`
}

func (r requester) revision(ctx context.Context, name, act string) (out cardRevision, err error) {
	_, err = r.send(ctx, getOf("cards", name, "history", act), &out)
	return out, err
}
