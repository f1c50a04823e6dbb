package pane

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tui/widget"
)

// An argument is one property of a tool's schema, as a person reads it.
type argument struct {
	name        string
	kind        string // "string", "integer", "number", "boolean", "strings", or "JSON" for what has parts
	required    bool
	description string
	choices     []string // nil: free
	rules       string   // bounds and default, in words
}

// parseSchemaArguments reads the arguments out of the schema of an object, in its
// order. What it does not understand of one it takes for JSON.
func parseSchemaArguments(schema json.RawMessage) ([]argument, error) {
	var object struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	if len(object.Properties) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(object.Properties))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("read schema: properties is not an object")
	}
	var all []argument
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		a := parseSchemaArgument(raw)
		a.name, _ = name.(string)
		a.required = slices.Contains(object.Required, a.name)
		all = append(all, a)
	}
	return all, nil
}

// argumentSchema is what is looked at of an argument's schema.
type argumentSchema struct {
	Type        any               `json:"type"` // a word, or several
	Description string            `json:"description"`
	Enum        []json.RawMessage `json:"enum"`
	Default     json.RawMessage   `json:"default"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	MaxLength   *int              `json:"maxLength"`
	MaxItems    *int              `json:"maxItems"`
	Items       *argumentSchema   `json:"items"`
}

func parseSchemaArgument(raw json.RawMessage) argument {
	var p argumentSchema
	if json.Unmarshal(raw, &p) != nil {
		return argument{kind: "JSON"}
	}
	a := argument{kind: p.kind(), description: p.Description}
	for _, one := range p.Enum {
		a.choices = append(a.choices, unquoteJSONString(one))
	}
	var rules []string
	switch {
	case p.Minimum != nil && p.Maximum != nil:
		rules = append(rules, formatNumber(*p.Minimum)+" to "+formatNumber(*p.Maximum))
	case p.Minimum != nil:
		rules = append(rules, "from "+formatNumber(*p.Minimum))
	case p.Maximum != nil:
		rules = append(rules, "up to "+formatNumber(*p.Maximum))
	}
	if p.MaxLength != nil {
		rules = append(rules, "at most "+widget.CountWithNoun(max(0, *p.MaxLength), "character"))
	}
	if p.MaxItems != nil {
		rules = append(rules, "at most "+strconv.Itoa(*p.MaxItems))
	}
	if len(p.Default) > 0 {
		rules = append(rules, "default "+unquoteJSONString(p.Default))
	}
	a.rules = strings.Join(rules, ", ")
	return a
}

func (p argumentSchema) kind() string {
	word, _ := p.Type.(string)
	if words, ok := p.Type.([]any); ok { // such as string or null
		for _, w := range words {
			if s, ok := w.(string); ok && s != "null" && word == "" {
				word = s
			}
		}
	}
	switch word {
	case "string", "integer", "number", "boolean":
		return word
	case "array":
		if p.Items != nil && p.Items.kind() == "string" {
			return "strings"
		}
		return "JSON"
	default:
		return "JSON"
	}
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// unquoteJSONString is a JSON value as a person writes it.
func unquoteJSONString(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// encode turns what a person typed into JSON, or says what is wrong with it.
func (a argument) encode(text string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(text)
	switch a.kind {
	case "string":
		return json.Marshal(text)
	case "integer":
		if _, err := strconv.ParseInt(trimmed, 10, 64); err != nil {
			return nil, fmt.Errorf("%s must be a whole number", a.name)
		}
		return json.RawMessage(trimmed), nil
	case "number":
		f, err := strconv.ParseFloat(trimmed, 64)
		if err != nil {
			return nil, fmt.Errorf("%s must be a number", a.name)
		}
		return json.Marshal(f)
	case "boolean":
		return json.RawMessage(trimmed), nil
	case "strings":
		if !strings.HasPrefix(trimmed, "[") {
			var all []string
			for one := range strings.SplitSeq(text, ",") {
				all = append(all, strings.TrimSpace(one))
			}
			return json.Marshal(all)
		}
	}
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(trimmed), &raw); err != nil {
		return nil, fmt.Errorf("%s must be JSON: %w", a.name, err)
	}
	return raw, nil
}

// kindText is the kind in words.
func (a argument) kindText() string {
	switch a.kind {
	case "strings":
		return "list of strings"
	default:
		return a.kind
	}
}
