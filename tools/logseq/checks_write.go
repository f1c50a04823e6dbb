package logseq

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// checkPropertyWrite tests whether a plugin can set a property that a person
// made: it creates a page, sets the property there, reads it back and deletes
// the page. detail is what is known already.
func (c graphCheck) checkPropertyWrite(ctx context.Context, detail string) status.Check {
	name, value, err := c.findSimpleProperty(ctx)
	if err == nil {
		var unlock func()
		if unlock, err = c.lockWrites(ctx); err == nil {
			defer unlock()
		}
	}
	if err != nil {
		return checkResult(status.CheckSkipped, "", "%s; writing was not tried: %v", detail, err)
	}
	page := Name("Lectern doctor " + c.now().Format("2006-01-02 150405.000"))
	created, err := c.CreatePage(ctx, tools.CallContext{}, CreatePageIn{Title: page, Content: "- a test by lectern doctor"})
	if err == nil && len(created.Blocks) == 0 {
		err = errors.New("the new page has no block")
	}
	if err != nil {
		return checkResult(status.CheckWarn, "Do what the message says, then run this check again.",
			"%s; writing was not tried: %v", detail, err)
	}
	written, err := c.UpdateBlock(ctx, tools.CallContext{}, UpdateBlockIn{
		BlockUUID: created.Blocks[0], Properties: Properties{name: value},
	})
	if err == nil && !written.Verified {
		err = errors.New(strings.Join(append(written.Warnings, "it was not there when read back"), "; "))
	}
	undoing, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTimeout)
	defer cancel()
	if _, deleteErr := c.DeletePage(undoing, tools.CallContext{}, DeletePageIn{PageName: page}); deleteErr != nil {
		detail += fmt.Sprintf("; cannot delete the page %s: %v", page, deleteErr)
	}
	if err != nil {
		return checkResult(status.CheckWarn,
			"In this Logseq agents cannot set properties that you made. Those that they make themselves work.",
			"%s; cannot set %s: %v", detail, name, err)
	}
	return checkResult(status.CheckOK, "", "%s; %s was set and read back, on a page that was deleted again", detail, name)
}

// deleteTimeout is for deleting the page of a check whose own time may be up.
const deleteTimeout = 20 * time.Second

// findSimpleProperty chooses a property that a person made and that has one
// simple value.
func (c graphCheck) findSimpleProperty(ctx context.Context) (name string, value any, err error) {
	out, err := c.ListProperties(ctx, ListVocabularyIn{Limit: 200})
	if err != nil {
		return "", nil, err
	}
	values := map[string]any{"default": "a test", "number": 1.0, "checkbox": true}
	for _, p := range out.Properties {
		if value, simple := values[p.Type]; simple && !p.Many && strings.HasPrefix(p.Ident, ":user.property/") {
			return p.Name, value, nil
		}
	}
	return "", nil, errors.New("you have made no property in this graph that holds one text, number or checkbox")
}
