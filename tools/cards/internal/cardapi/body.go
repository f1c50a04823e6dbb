package cardapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/tools"
)

// into reads the body, which is a JSON object or empty. Members that v has no field for are
// refused: a misspelt one would be written without what it says.
func (r *request) into(v any) error {
	if len(bytes.TrimSpace(r.body)) == 0 {
		return nil
	}
	return decode(r.body, "", v)
}

// decode reads JSON that stands at path into v.
func decode(text json.RawMessage, path string, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			// Of embedded structs it has the names of their types, in which there are capitals.
			parts := slices.DeleteFunc(strings.Split(wrong.Field, "."), func(part string) bool { return part != strings.ToLower(part) })
			field := joinPath(path, strings.Join(parts, "."))
			if field == "" {
				field = "body"
			}
			return invalid(field, "%s must be %s and is %s", field, wantedType(wrong), wrong.Value)
		}
		return invalid("body", "The request is not valid JSON: %v", err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return invalid("body", "The request is not valid JSON: %v", err)
	}
	return checkMembers(plain, reflect.TypeOf(v), path)
}

func wantedType(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "slice":
		return "an array"
	case "struct", "map", "ptr":
		return "an object"
	case "int", "int64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "text"
}

// checkMembers refuses the first member of a JSON value that a Go type has no field for.
// Names count letter for letter.
func checkMembers(v any, t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return nil
		}
		known := membersOf(t)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			field, is := known[name]
			if !is {
				return unknownMember(path, name, slices.Sorted(maps.Keys(known)))
			}
			if err := checkMembers(v[name], field, joinPath(path, name)); err != nil {
				return err
			}
		}
	case []any:
		if t.Kind() != reflect.Slice || t == reflect.TypeFor[json.RawMessage]() {
			return nil
		}
		for i, one := range v {
			if err := checkMembers(one, t.Elem(), path+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	}
	return nil
}

// membersOf are the members that a struct reads, with their types.
func membersOf(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			all[name] = f.Type
		}
	}
	return all
}

func unknownMember(path, name string, known []string) error {
	field := joinPath(path, name)
	if near := nearest.Word(name, known); near != "" && len(name) <= 100 {
		return invalid(field, "Unknown field %q; did you mean %q?", field, near)
	}
	return invalid(field, "Unknown field %.200q; there are %s", field, strings.Join(known, ", "))
}

func joinPath(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// A textError names what is no text in a request.
type textError struct{ field string }

// Error implements error.
func (e textError) Error() string {
	return e.field + " must be text, without the character NUL, half of a surrogate pair, or bytes that are not UTF-8"
}

// checkText refuses a request that has something which is no text: databases differ in what
// they make of it. Names of the path are those of the route.
func checkText(r *http.Request, names, args []string, body []byte) error {
	field, bad := "", false
	note := func(name, text string) {
		if !bad && !isText(text) {
			field, bad = name, true
		}
	}
	for i, arg := range args {
		note(names[i], arg)
	}
	query := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		note("query", name)
		for _, value := range query[name] {
			note(name, value)
		}
	}
	note("Idempotency-Key", r.Header.Get("Idempotency-Key"))
	if !bad {
		field, bad = badMember(body)
	}
	if !bad {
		return nil
	}
	err := textError{strings.ToValidUTF8(strings.ReplaceAll(field, "\x00", ""), "")}
	return invalid(err.field, "%v", err)
}

func isText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// badMember is the path of the first text of a JSON value that is none.
func badMember(body []byte) (field string, bad bool) {
	// Each kind of what is no text is made the character NUL, which is looked for.
	text := tools.ReplaceHalfSurrogates(string(bytes.ToValidUTF8(body, []byte(`\u0000`))), `\u0000`)
	if !strings.Contains(text, `\u0000`) {
		return "", false
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return "body", !utf8.Valid(body) // else reading it says what is wrong
	}
	return findNUL(v, "")
}

func findNUL(v any, path string) (field string, found bool) {
	switch v := v.(type) {
	case string:
		if path == "" {
			path = "body"
		}
		return path, strings.Contains(v, "\x00")
	case []any:
		for i, one := range v {
			if field, found = findNUL(one, fmt.Sprintf("%s[%d]", path, i)); found {
				return field, true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := joinPath(path, name)
			if strings.Contains(name, "\x00") {
				return at, true
			}
			if field, found = findNUL(v[name], at); found {
				return field, true
			}
		}
	}
	return "", false
}

// asksDryRun reports whether a request only asks what it would do: by its query, or by the
// member of its body.
func asksDryRun(r *http.Request, body []byte) (bool, error) {
	if values, given := r.URL.Query()["dry_run"]; given {
		dry, err := strconv.ParseBool(values[0])
		if err != nil {
			return false, invalid("dry_run", "dry_run must be true or false")
		}
		if dry {
			return true, nil
		}
	}
	var in struct {
		DryRun bool `json:"dry_run"`
	}
	return json.Unmarshal(body, &in) == nil && in.DryRun, nil
}

// dryRunBody is the body of a request that may say dry_run and nothing else.
type dryRunBody struct {
	DryRun bool `json:"dry_run"` // see asksDryRun
}
