package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// lookByWriting finds out whether a plugin may set a property that a person
// made: it makes a page, sets one there, reads it back and deletes the page.
// found is what is known already.
func (v *visit) lookByWriting(ctx context.Context, p status.Peer, found string) status.Check {
	source, err := v.sourceOf(p)
	if err != nil {
		return skipped("%s; %v", found, err)
	}
	trial := trial{visit: v, source: source}
	name, value, err := trial.property(ctx)
	if err != nil {
		return skipped("%s; not tried by writing: %v", found, err)
	}
	page := "Lectern doctor " + v.now().Format("2006-01-02 150405.000")
	block, err := trial.page(ctx, page)
	if err != nil {
		return doubt(fmt.Sprintf("%s; not tried: %v", found, err), "Do what the message says, then look again.")
	}
	err = trial.set(ctx, block, name, value)
	if gone := trial.call(ctx, "delete_page", map[string]any{"page_name": page}, nil); gone != nil {
		found += fmt.Sprintf("; the page %s is still there: %v", page, gone)
	}
	if err != nil {
		return doubt(fmt.Sprintf("%s; %s could not be set: %v", found, name, err),
			"Agents will not be able to set properties that you made in this Logseq; those they make themselves work.")
	}
	return good("%s; %s was set and read back, on a page that was deleted again", found, name)
}

// sourceOf is the source that opens the graph of p.
func (v *visit) sourceOf(p status.Peer) (string, error) {
	conf, err := v.conf()
	if err != nil {
		return "", err
	}
	for _, s := range conf.Sources {
		var keys struct{ Graph string }
		if s.Kind != "logseq" || json.Unmarshal(s.Options, &keys) != nil {
			continue
		}
		if keys.Graph == "" || keys.Graph == p.Name || keys.Graph == p.Graph {
			return s.Name, nil
		}
	}
	return "", errors.New("no source opens this graph: add one with kind logseq")
}

// A trial asks the hub as an agent would.
type trial struct {
	*visit
	source string
}

func (t trial) call(ctx context.Context, tool string, args, out any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := status.Ask(ctx, t.client(nil), status.RunToolQuery, status.ToolCall{Source: t.source, Tool: tool, Args: text})
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// property picks one that a person made and whose value is plain.
func (t trial) property(ctx context.Context) (name string, value any, err error) {
	var out struct {
		Properties []struct {
			Name, Ident, Type string
			Many              bool
		}
	}
	if err := t.call(ctx, "list_properties", map[string]any{"limit": 200}, &out); err != nil {
		return "", nil, err
	}
	values := map[string]any{"default": "a trial", "number": 1, "checkbox": true}
	for _, p := range out.Properties {
		if value, plain := values[p.Type]; plain && !p.Many && strings.HasPrefix(p.Ident, ":user.property/") {
			return p.Name, value, nil
		}
	}
	return "", nil, errors.New("the graph has no property that you made whose value is one text, number or yes or no")
}

// page makes a page of one block.
func (t trial) page(ctx context.Context, title string) (block string, err error) {
	var out struct{ Blocks []string }
	if err := t.call(ctx, "create_page", map[string]any{"title": title, "content": "- a trial of lectern doctor"}, &out); err != nil {
		return "", err
	}
	if len(out.Blocks) == 0 {
		return "", errors.New("the page that was made has no block")
	}
	return out.Blocks[0], nil
}

func (t trial) set(ctx context.Context, block, name string, value any) error {
	var out struct {
		Verified bool
		Warnings []string
	}
	if err := t.call(ctx, "update_block", map[string]any{"block_uuid": block, "properties": map[string]any{name: value}}, &out); err != nil {
		return err
	}
	if !out.Verified {
		return errors.New(strings.Join(append(out.Warnings, "it was not found when read back"), "; "))
	}
	return nil
}
