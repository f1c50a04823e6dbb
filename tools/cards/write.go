package cards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// PlannedChange is what a dry run would change.
type PlannedChange struct {
	Name   string `json:"name" jsonschema:"card"`
	Action string `json:"action" jsonschema:"create, update or delete"`
}

// WrittenCard is a card after a write, or as it would be.
type WrittenCard struct {
	Name     string          `json:"name" jsonschema:"name"`
	ID       string          `json:"id,omitempty" jsonschema:"its number after ~"`
	Type     string          `json:"type,omitempty" jsonschema:"type"`
	Length   int             `json:"length,omitempty" jsonschema:"characters of its text"`
	Revision string          `json:"revision,omitempty" jsonschema:"for expected_revision"`
	Existed  bool            `json:"already_existed,omitempty" jsonschema:"it was there with the same text; nothing was written"`
	DryRun   bool            `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Would    []PlannedChange `json:"would_change,omitempty" jsonschema:"what a call without dry_run would change"`
	Content  string          `json:"content,omitempty" jsonschema:"text as a dry run would leave it, up to 8,000 characters"`
}

// change sends a request that writes, or with dry works out what it would change. Every
// change is reported before it is made, and with it what else the wiki would change.
func (s screened) change(ctx context.Context, c tools.CallContext, q apiRequest, dry bool, out any) (http.Header, []tools.Change, error) {
	if !dry {
		header, err := s.as(c).send(ctx, q, out)
		return header, nil, err
	}
	d := &tools.DryRun{}
	c.Writes = d
	header, err := requester{s, c}.send(ctx, q, out)
	changes, tried := d.Changes()
	if !tried {
		return header, nil, err
	}
	kept := changes[:0:0]
	for _, change := range changes {
		hidden, err := s.hides(ctx, change.Target)
		if err != nil {
			return nil, nil, err
		}
		if !hidden {
			kept = append(kept, change)
		}
	}
	return nil, kept, nil
}

// writtenCard is the answer of a tool that writes one card.
func (s screened) writtenCard(ctx context.Context, c tools.CallContext, q apiRequest, name string, dry bool) (WrittenCard, error) {
	var after card
	header, changes, err := s.change(ctx, c, q, dry, &after)
	if err != nil {
		return WrittenCard{}, err
	}
	after.tag = header.Get("ETag")
	out := WrittenCard{Name: name, DryRun: dry}
	if after.Name != "" {
		out.Name, out.ID, out.Type, out.Length = after.Name, after.id(), after.Type, after.length()
		out.Revision, out.Existed = after.revision(), after.Existed
	}
	if dry {
		out.ID, out.Revision = "", ""
	}
	for _, change := range changes {
		out.Would = append(out.Would, plannedChange(change))
		if change.Target == name && change.After.Exists {
			var held struct{ Type, Content string }
			if json.Unmarshal(change.After.Data, &held) == nil {
				out.Type, out.Content = held.Type, safetext.Truncate(held.Content, maxText)
			}
		}
	}
	return out, nil
}

func plannedChange(c tools.Change) PlannedChange {
	action := "update"
	switch {
	case !c.Before.Exists:
		action = "create"
	case !c.After.Exists:
		action = "delete"
	}
	return PlannedChange{c.Target, action}
}

// checkNewName refuses a name that the user hides, or that a hidden card has.
func (s screened) checkNewName(ctx context.Context, name string) error {
	if !s.privacy.Any() {
		return nil
	}
	hidden, err := s.hides(ctx, name)
	if err == nil && !hidden {
		var there card
		if there, err = s.itself().read(ctx, name, nil); err == nil {
			hidden, err = s.hides(ctx, there.Name)
		} else if isCode(err, tools.NotFound, tools.Invalid) {
			err = nil
		}
	}
	if err == nil && hidden {
		err = hiddenError()
	}
	return err
}

// expecting asks for the revision that a card must have.
func expecting(revision string) http.Header {
	if revision == "" {
		return nil
	}
	return http.Header{"If-Match": {`"` + revision + `"`}}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
