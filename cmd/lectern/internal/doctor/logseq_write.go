package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// checkPropertyWrite tests whether a plugin can set a property that a person
// made: it creates a page, sets the property there, reads it back and deletes
// the page. detail is what is known already.
func checkPropertyWrite(ctx context.Context, r *run, p status.Peer, detail string) status.Check {
	source, err := r.sourceOfGraph(p)
	if err != nil {
		return skip("%s; %v", detail, err)
	}
	w := writeTest{r, source}
	name, value, err := w.findProperty(ctx)
	if err != nil {
		return skip("%s; writing was not tried: %v", detail, err)
	}
	page := "Lectern doctor " + r.Now().Format("2006-01-02 150405.000")
	block, err := w.createPage(ctx, page)
	if err != nil {
		return warn(fmt.Sprintf("%s; writing was not tried: %v", detail, err), "Do what the message says, then run this check again.")
	}
	err = w.setProperty(ctx, block, name, value)
	if deleteErr := w.call(ctx, "delete_page", map[string]any{"page_name": page}, nil); deleteErr != nil {
		detail += fmt.Sprintf("; cannot delete the page %s: %v", page, deleteErr)
	}
	if err != nil {
		return warn(fmt.Sprintf("%s; cannot set %s: %v", detail, name, err),
			"In this Logseq agents cannot set properties that you made. Those that they make themselves work.")
	}
	return ok("%s; %s was set and read back, on a page that was deleted again", detail, name)
}

// sourceOfGraph is the source that opens the graph of p.
func (r *run) sourceOfGraph(p status.Peer) (string, error) {
	conf, err := r.conf()
	if err != nil {
		return "", err
	}
	for _, s := range conf.Sources {
		var keys struct{ Graph string }
		if s.Kind != "logseq" || json.Unmarshal(s.Options, &keys) != nil {
			continue
		}
		if keys.Graph == "" || keys.Graph == p.Name || keys.Graph == graphKey(p) {
			return s.Name, nil
		}
	}
	return "", errors.New("no source opens this graph: add one of kind logseq")
}

// A writeTest calls tools as an agent would.
type writeTest struct {
	*run
	source string
}

func (w writeTest) call(ctx context.Context, tool string, args, out any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := w.Call(ctx, w.source, tool, text)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// findProperty chooses a property that a person made and that has one simple
// value.
func (w writeTest) findProperty(ctx context.Context) (name string, value any, err error) {
	var out struct {
		Properties []struct {
			Name, Ident, Type string
			Many              bool
		}
	}
	if err := w.call(ctx, "list_properties", map[string]any{"limit": 200}, &out); err != nil {
		return "", nil, err
	}
	values := map[string]any{"default": "a test", "number": 1, "checkbox": true}
	for _, p := range out.Properties {
		if value, simple := values[p.Type]; simple && !p.Many && strings.HasPrefix(p.Ident, ":user.property/") {
			return p.Name, value, nil
		}
	}
	return "", nil, errors.New("you have made no property in this graph that holds one text, number or checkbox")
}

// createPage creates a page with one block.
func (w writeTest) createPage(ctx context.Context, title string) (block string, err error) {
	var out struct{ Blocks []string }
	if err := w.call(ctx, "create_page", map[string]any{"title": title, "content": "- a test by lectern doctor"}, &out); err != nil {
		return "", err
	}
	if len(out.Blocks) == 0 {
		return "", errors.New("the new page has no block")
	}
	return out.Blocks[0], nil
}

func (w writeTest) setProperty(ctx context.Context, block, name string, value any) error {
	var out struct {
		Verified bool
		Warnings []string
	}
	if err := w.call(ctx, "update_block", map[string]any{"block_uuid": block, "properties": map[string]any{name: value}}, &out); err != nil {
		return err
	}
	if !out.Verified {
		return errors.New(strings.Join(append(out.Warnings, "it was not there when read back"), "; "))
	}
	return nil
}
