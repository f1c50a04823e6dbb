package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// Clients send arguments in other forms than a schema says: null or "" for what is left
// out, numbers, booleans, lists and objects as text. They are read as meant where that is
// certain, and the check refuses the rest.

// ParseArguments is the object of a call's arguments, with numbers as they were written.
// Nothing and null are an empty one, and a text that holds an object is that object.
// What is no object, or no valid UTF-8, is Invalid.
func ParseArguments(raw json.RawMessage) (map[string]any, error) {
	if err := checkUTF8(raw); err != nil {
		return nil, err
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	args, err := decodeNumbersAsWritten(raw)
	if err != nil {
		return nil, Errorf(Invalid, "arguments: not valid JSON: %w", err)
	}
	if text, isText := args.(string); isText {
		if args, err = decodeNumbersAsWritten([]byte(text)); err != nil {
			return nil, Errorf(Invalid, "arguments: must be an object, got a string")
		}
	}
	switch args := args.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return args, nil
	}
	return nil, Errorf(Invalid, "arguments: must be an object, got %s", describeType(args))
}

// checkUTF8 names the argument whose bytes are no text, or that has half of a surrogate
// pair: encoding/json would read others.
func checkUTF8(raw json.RawMessage) error {
	isText := func(raw json.RawMessage) bool { return utf8.Valid(raw) && bytes.Equal(repairJSON(raw), raw) }
	if isText(raw) {
		return nil
	}
	var args map[string]json.RawMessage
	_ = json.Unmarshal(raw, &args) // of what is no object nothing can be named
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !isText(args[name]) {
			return Errorf(Invalid, "%s: must be valid UTF-8, without half of a surrogate pair", name)
		}
	}
	return Errorf(Invalid, "arguments: must be valid UTF-8, without half of a surrogate pair")
}

func decodeNumbersAsWritten(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if rest := bytes.TrimSpace(raw[d.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("more text after the value")
	}
	return v, nil
}

// readMeaning is args, which it leaves alone, in the spelling and the forms of the schema;
// changed is whether they were in another. What it cannot read it leaves to the check.
func (d *declaration) readMeaning(args map[string]any) (meant map[string]any, changed bool, err error) {
	meant = make(map[string]any, len(args))
	for name, v := range args {
		if p := d.info.Accepted.Properties[name]; v != nil || p != nil && valueType(p) == "" {
			meant[name] = v
		}
	}
	if err := refuseNUL("", meant); err != nil {
		return nil, false, err
	}
	meant = readMembers(d.info.Accepted, meant)
	if d.normalize != nil {
		if err := d.normalize(meant); err != nil {
			return nil, false, err
		}
		meant = readMembers(d.info.Accepted, meant) // those that had other names
	}
	return meant, !reflect.DeepEqual(meant, args), nil
}

// refuseNUL names the argument with the character NUL in it: databases and file systems
// have no such text.
func refuseNUL(path string, v any) error {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "\x00") {
			return Errorf(Invalid, "%s: must not contain the character NUL", path)
		}
	case []any:
		for i, e := range v {
			if err := refuseNUL(fmt.Sprintf("%s[%d]", path, i), e); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if strings.Contains(name, "\x00") {
				return Errorf(Invalid, "%s: a name must not contain the character NUL", joinPath(path, strings.ReplaceAll(name, "\x00", "")))
			}
			if err := refuseNUL(joinPath(path, name), v[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readValue is v in the form that s asks for, or v. It changes nothing inside v.
func readValue(s *jsonschema.Schema, v any) any {
	switch kind := valueType(s); kind {
	case "object":
		return readObject(s, parseText(v, isObject))
	case "array":
		return readList(s, v)
	case "boolean":
		return parseText(v, func(v any) bool { _, ok := v.(bool); return ok })
	case "integer", "number":
		return readNumber(kind, parseText(v, func(v any) bool { _, ok := v.(json.Number); return ok }))
	case "string":
		if n, isNumber := v.(json.Number); isNumber {
			return n.String()
		}
	case "": // any JSON; in a schema it is an object
		return parseText(v, isObject)
	}
	return v
}

func isObject(v any) bool { _, ok := v.(map[string]any); return ok }

// parseText is the value of a JSON text if it is as wanted, else v.
func parseText(v any, wanted func(any) bool) any {
	text, isText := v.(string)
	if !isText {
		return v
	}
	if parsed, err := decodeNumbersAsWritten([]byte(text)); err == nil && wanted(parsed) {
		return parsed
	}
	return v
}

// readNumber writes a whole number as Go reads one: 3.0 and 1e2 are whole too.
func readNumber(schemaType string, v any) any {
	n, isNumber := v.(json.Number)
	if f, err := n.Float64(); isNumber && schemaType == "integer" && err == nil && hasType("integer", f) {
		return json.Number(strconv.FormatInt(int64(f), 10))
	}
	return v
}

// readList reads a text as the list that it holds or, where texts are listed, as one.
func readList(s *jsonschema.Schema, v any) any {
	v = parseText(v, func(v any) bool { _, ok := v.([]any); return ok })
	if s.Items == nil {
		return v
	}
	if text, isText := v.(string); isText && text != "" && valueType(s.Items) == "string" {
		return []any{text}
	}
	list, isList := v.([]any)
	if !isList {
		return v
	}
	read := make([]any, len(list))
	for i, e := range list {
		if read[i] = e; valueType(s.Items) != "" {
			read[i] = readValue(s.Items, e)
		}
	}
	return read
}

func readObject(s *jsonschema.Schema, v any) any {
	if object, ok := v.(map[string]any); ok {
		return readMembers(s, object)
	}
	return v
}

// readMembers reads the members of an object, without those that mean nothing.
func readMembers(s *jsonschema.Schema, object map[string]any) map[string]any {
	read := make(map[string]any, len(object))
	for name, v := range object {
		p, known := s.Properties[name]
		switch {
		case known && isAbsent(p, v, slices.Contains(s.Required, name)):
		case known:
			read[name] = readValue(p, v)
		case !isAnyJSON(s.AdditionalProperties):
			read[name] = readValue(s.AdditionalProperties, v)
		default:
			read[name] = v
		}
	}
	return read
}

// isAnyJSON reports whether members that a schema does not name are not read: they may be
// anything, or nothing is allowed there.
func isAnyJSON(members *jsonschema.Schema) bool { return members == nil || valueType(members) == "" }

// isAbsent reports whether a value means that the argument is left out. An empty text does
// where it is none of the values, unless it would select something or the argument must be
// given: the check refuses it then.
func isAbsent(s *jsonschema.Schema, v any, required bool) bool {
	kind := valueType(s)
	switch {
	case v == nil:
		return kind != ""
	case v != "" || required || s.MinLength != nil || kind == "":
		return false
	case kind == "string":
		return len(s.Enum) > 0 && !slices.Contains(s.Enum, v)
	}
	return true
}

// markSelectors has the check refuse empty text for the arguments at these paths, such as
// patch.find: what they select would be everything, or anything.
func markSelectors(in *jsonschema.Schema, paths []string) error {
	for _, path := range paths {
		s := in
		for name := range strings.SplitSeq(path, ".") {
			for s.Items != nil {
				s = s.Items
			}
			if s = s.Properties[name]; s == nil {
				return fmt.Errorf("selects %s, which is no argument", path)
			}
		}
		s.MinLength, s.Pattern = new(1), notBlank
	}
	return nil
}

// notBlank is the pattern of a text with something in it besides space.
const notBlank = `\S`
