package cardapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

func summary(c cardstore.Card) map[string]any {
	return map[string]any{"name": c.Name, "id": c.ID, "type": c.Type, "updated_at": stamp(c.UpdatedAt)}
}

func full(c cardstore.Card) map[string]any {
	var codename any
	if c.Codename != "" {
		codename = c.Codename
	}
	return map[string]any{
		"name": c.Name, "id": c.ID, "type": c.Type, "codename": codename, "content": c.Content, "updated_at": stamp(c.UpdatedAt),
		"created_at":   stamp(c.CreatedAt),
		"virtual_card": c.Virtual(), "rendered": false,
	}
}

// tag is the entity tag of a card for one subject: another's tells nothing.
func (r *request) tag(c cardstore.Card) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d", r.who.Subject, c.ID, c.Revision))
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

func (r *request) cardAnswer(status int, c cardstore.Card) answer {
	return answer{status: status, value: full(c), headers: map[string]string{"ETag": r.tag(c)}}
}

func getCard(r *request) (answer, error) {
	c, err := r.store.Get(r.Context(), r.by(), r.args[0])
	if err != nil {
		return answer{}, err
	}
	out := full(c)
	if r.URL.Query().Get("rendered") == "true" {
		if out["content"], err = r.render(c, 0); err != nil {
			return answer{}, err
		}
		out["rendered"] = true
		return ok(out)
	}
	return r.cardAnswer(http.StatusOK, c), nil
}

// cardBody is what a request says that a card is to be.
type cardBody struct {
	Type            *string           `json:"type"`
	Content         *string           `json:"content"`
	MarkdownContent *string           `json:"markdown_content"`
	Fields          map[string]string `json:"fields"`
	dryRunBody
}

// updateBody is how a request changes a card that exists.
type updateBody struct {
	cardBody
	Patch       *cardtext.Patch `json:"patch"`
	ExpectedTag string          `json:"expected_revision"`
}

// text is the content that the body gives, converted if it is Markdown; nil: none.
func (a *API) text(body cardBody) (*string, error) {
	content := body.Content
	if content != nil && body.MarkdownContent != nil {
		return nil, invalid("markdown_content", "Give content or markdown_content, not both")
	}
	if body.MarkdownContent != nil {
		html, err := a.converter.HTML(*body.MarkdownContent, false)
		if err != nil {
			return nil, &apiError{status: http.StatusBadRequest, code: "conversion_error", message: "The Markdown cannot be converted"}
		}
		content = &html
	}
	if content != nil && len(*content) > a.Limits.Content {
		return nil, invalid("content", "The content is larger than %d bytes", a.Limits.Content)
	}
	return content, nil
}

func createCard(r *request) (answer, error) {
	var in struct {
		cardBody
		Name *string `json:"name"`
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	switch {
	case in.Name == nil:
		return answer{}, invalid("name", "Missing name")
	case in.Type == nil || *in.Type == "":
		return answer{}, invalid("type", "Missing type")
	}
	content, err := r.api.text(in.cardBody)
	if err != nil {
		return answer{}, err
	}
	new := cardstore.NewCard{Name: *in.Name, Type: *in.Type}
	if content != nil {
		new.Content = *content
	}
	var c cardstore.Card
	err = r.store.Together(r.Context(), func(s *cardstore.Store) error {
		if c, err = s.Create(r.Context(), r.by(), new); err != nil {
			return err
		}
		return r.setFields(s, c, in.Fields)
	})
	if taken, ok := errors.AsType[*cardstore.TakenError](err); ok && content != nil && taken.Card.Content == new.Content {
		out := full(taken.Card)
		out["already_existed"] = true
		return created(out)
	}
	if err != nil {
		return answer{}, err
	}
	return r.cardAnswer(http.StatusCreated, c), nil
}

// setFields writes cards below a card: name to content. They are made where they are
// missing. A name begins with + or *.
func (r *request) setFields(s *cardstore.Store, c cardstore.Card, fields map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		content := fields[name]
		if !strings.HasPrefix(name, "+") && !strings.HasPrefix(name, "*") {
			return invalid("fields", "The name of a field begins with + or *; did you mean %.100q?", "+"+name)
		}
		if _, err := r.upsert(s, childName(string(c.Name), name), "", content); err != nil {
			return err
		}
	}
	return nil
}

// upsert writes a card whether or not it is there. Without a type a new one is rich
// text, and another keeps its own.
func (r *request) upsert(s *cardstore.Store, name, kind, content string) (cardstore.Card, error) {
	update := cardstore.CardUpdate{Content: func(string) (string, error) { return content, nil }}
	if kind != "" {
		update.Type = &kind
	}
	c, err := s.Update(r.Context(), r.by(), name, update)
	if !errors.Is(err, cardstore.ErrNotFound) {
		return c, err
	}
	if kind == "" {
		kind = "RichText"
	}
	return s.Create(r.Context(), r.by(), cardstore.NewCard{Name: name, Type: kind, Content: content})
}

func updateCard(r *request) (answer, error) {
	var in struct {
		updateBody
		Name *string `json:"name"` // clients send the whole card
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	if in.Name != nil && cardname.Parse(*in.Name).Key() != cardname.Parse(r.args[0]).Key() {
		return answer{}, invalid("name", "A card is renamed by PUT /cards/NAME/rename")
	}
	update, err := r.updateOf(in.updateBody)
	if err != nil {
		return answer{}, err
	}
	var c cardstore.Card
	err = r.store.Together(r.Context(), func(s *cardstore.Store) error {
		if err := r.checkTag(s, r.args[0], in.expected(r)); err != nil {
			return err
		}
		if c, err = s.Update(r.Context(), r.by(), r.args[0], update); err != nil {
			return err
		}
		return r.setFields(s, c, in.Fields)
	})
	if err != nil {
		return answer{}, err
	}
	out := r.cardAnswer(http.StatusOK, c)
	out.dryRun = in.Patch != nil && in.Patch.DryRun
	return out, nil
}

// expected are the entity tags of which a card must have one: those of the request, or that
// of its body.
func (b updateBody) expected(r *request) string {
	return cmp.Or(r.Header.Get("If-Match"), b.ExpectedTag)
}

// checkTag returns ErrConflict if the card has none of these tags.
func (r *request) checkTag(s *cardstore.Store, name, list string) error {
	if list == "" || list == "*" {
		return nil
	}
	c, err := s.Get(r.Context(), r.by(), name)
	if err != nil {
		return err
	}
	if !matches(list, r.tag(c)) && list != fmt.Sprint(c.Revision) {
		return cardstore.ErrConflict
	}
	return nil
}

func (r *request) updateOf(in updateBody) (cardstore.CardUpdate, error) {
	out := cardstore.CardUpdate{Type: in.Type}
	content, err := r.api.text(in.cardBody)
	if err != nil {
		return out, err
	}
	switch {
	case in.Patch != nil && content != nil:
		return out, invalid("patch", "Give a new text or a patch, not both")
	case in.Patch != nil:
		patch := *in.Patch
		out.Content = func(old string) (string, error) {
			text, _, err := patch.Apply(old)
			if err == nil && len(text) > r.api.Limits.Content {
				err = invalid("content", "The content is larger than %d bytes", r.api.Limits.Content)
			}
			return text, err
		}
	case content != nil:
		out.Content = func(string) (string, error) { return *content, nil }
	}
	return out, nil
}

func deleteCard(r *request) (answer, error) {
	var in dryRunBody
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	if err := r.checkTag(r.store, r.args[0], r.Header.Get("If-Match")); err != nil {
		return answer{}, err
	}
	c, err := r.store.Delete(r.Context(), r.by(), r.args[0])
	if err != nil {
		return answer{}, r.adminOnly(err)
	}
	return ok(map[string]any{"status": "deleted", "name": c.Name})
}

// adminOnly is err, or the sentence for what only administrators do.
func (r *request) adminOnly(err error) error {
	if _, denied := errors.AsType[*cardstore.DeniedError](err); denied && r.who.Role != cardstore.Admin {
		return forbidden("Only admin role can delete cards", cardstore.Admin)
	}
	return err
}

func renameCard(r *request) (answer, error) {
	var in struct {
		NewName *string `json:"new_name"`
		Update  *bool   `json:"update_referers"`
		dryRunBody
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	if r.who.Role != cardstore.Admin {
		if _, err := r.store.Get(r.Context(), r.by(), r.args[0]); err != nil {
			return answer{}, err
		}
		return answer{}, forbidden("Only admin role can delete cards", cardstore.Admin)
	}
	if in.NewName == nil || *in.NewName == "" {
		return answer{}, invalid("new_name", "Missing new_name parameter")
	}
	update := in.Update == nil || *in.Update
	old, err := r.store.Get(r.Context(), r.by(), r.args[0])
	if err != nil {
		return answer{}, err
	}
	if err := r.checkTag(r.store, r.args[0], r.Header.Get("If-Match")); err != nil {
		return answer{}, err
	}
	c, err := r.store.Rename(r.Context(), r.by(), r.args[0], *in.NewName, update)
	if taken, ok := errors.AsType[*cardstore.TakenError](err); ok {
		e := invalid("new_name", "Rename failed")
		e.fields[0].Error = taken.Error()
		e.details = map[string]any{"errors": []string{taken.Error()}}
		return answer{}, e
	}
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"status": "renamed", "old_name": old.Name, "new_name": c.Name, "updated_referers": update, "card": full(c)})
}

// render shows a card as a reader of the wiki sees it: nests are replaced by what
// they show, as far as the caller may read it.
func (r *request) render(c cardstore.Card, depth int) (string, error) {
	const deepest = 5
	out, at := "", 0
	for _, t := range cardtext.Tokens(c.Content) {
		if t.Kind != cardtext.Nest {
			continue
		}
		refs := cardtext.References(c.Content[t.Start:t.End])
		if len(refs) == 0 {
			continue
		}
		shown := ""
		if depth < deepest {
			nested, err := r.store.Get(r.Context(), r.by(), string(refs[0].Name.Absolute(c.Name, "")))
			if err == nil {
				if shown, err = r.render(nested, depth+1); err != nil {
					return "", err
				}
			}
		}
		out += c.Content[at:t.Start] + shown
		at = t.End
		if len(out) > r.api.Limits.Content {
			return "", invalid("rendered", "The card with its nests is larger than %d bytes", r.api.Limits.Content)
		}
	}
	return out + c.Content[at:], nil
}
