package logseq

import (
	"context"
	"regexp"
	"strings"
)

// The methods in this file replace uuids in raw answers by names, if the agent
// may see them. A reference to something hidden stays as it is.

// resolveBlock resolves references in a block's text, tags and properties.
func (v *agentView) resolveBlock(ctx context.Context, b wireBlock) (wireBlock, error) {
	text, err := v.resolveText(ctx, b.Content)
	if err != nil {
		return b, err
	}
	b.Content = text
	b.Tags, b.Properties, err = v.resolveFields(ctx, b.Tags, b.Properties)
	return b, err
}

var referencePattern = regexp.MustCompile(`\[\[[0-9a-fA-F-]{36}\]\]|\(\([0-9a-fA-F-]{36}\)\)`)

func (v *agentView) resolveText(ctx context.Context, text string) (string, error) {
	var failed error
	text = referencePattern.ReplaceAllStringFunc(text, func(ref string) string {
		name, isPage, err := v.visibleName(ctx, UUID(ref[2:len(ref)-2]))
		switch {
		case err != nil:
			failed = err
		case name == "":
		case isPage:
			return "[[" + name + "]]"
		default:
			return name
		}
		return ref
	})
	return text, failed
}

// visibleName returns the name of a page or the text of a block; empty if it
// does not exist or is hidden.
func (v *agentView) visibleName(ctx context.Context, uuid UUID) (name string, isPage bool, err error) {
	e, err := v.entity(ctx, uuid)
	if err != nil || !e.exists {
		return "", false, err
	}
	if e.block != nil {
		seen, err := v.seesBlock(ctx, e.block.UUID, e.block.Page)
		if err != nil || !seen {
			return "", false, err
		}
		return e.block.Content, false, nil
	}
	if hidden, err := v.hidesPage(ctx, e.page); err != nil || hidden {
		return "", true, err
	}
	return e.page.Name, true, nil
}

// resolveFields resolves tags and properties. It removes hidden tags and
// values, and properties without other values.
func (v *agentView) resolveFields(ctx context.Context, tags []string, properties map[string]any) ([]string, map[string]any, error) {
	var words []string
	for _, tag := range tags {
		word, err := v.resolveValue(ctx, tag)
		if err != nil {
			return nil, nil, err
		}
		if word != nil {
			words = append(words, tag)
			words[len(words)-1], _ = word.(string)
		}
	}
	values := map[string]any{}
	for name, value := range properties {
		kept, err := v.resolveValue(ctx, value)
		if err != nil {
			return nil, nil, err
		}
		if kept != nil {
			values[name] = kept
		}
	}
	return words, values, nil
}

// resolveValue resolves a tag or the value of a property; nil if it is hidden.
func (v *agentView) resolveValue(ctx context.Context, value any) (any, error) {
	switch value := value.(type) {
	case string:
		if !uuidReference.MatchString(value) {
			return v.resolveText(ctx, value)
		}
		name, _, err := v.visibleName(ctx, UUID(strings.Trim(value, "[]")))
		if err != nil || name == "" {
			return nil, err
		}
		return name, nil
	case []any:
		kept := []any{}
		for _, e := range value {
			one, err := v.resolveValue(ctx, e)
			if err != nil {
				return nil, err
			}
			if one != nil {
				kept = append(kept, one)
			}
		}
		if len(kept) == 0 && len(value) > 0 {
			return nil, nil
		}
		return kept, nil
	}
	return value, nil
}
