package toolstest

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// checkArguments sends arguments that the input schema does not allow. Each
// must be refused as Invalid with a message that names the argument, and
// change nothing.
func checkArguments(s *suite) {
	s.Helper()
	for _, t := range s.manifest.Tools {
		if len(t.Examples) == 0 {
			continue
		}
		src := s.open("one")
		before := src.Digest()
		s.refuseNonObjects(src, t)
		refuseBadValues(s, src, t)
		for _, name := range t.In.Required {
			s.refuseArgument(src, t, name, func(args map[string]any) { delete(args, name) })
		}
		s.refuseArgument(src, t, "zz_unknown", func(args map[string]any) { args["zz_unknown"] = 1 })
		if src.Digest() != before {
			s.Errorf("%s: a refused call changed the data", t.Name)
		}
		s.checkNullArguments(t)
	}
}

// refuseBadValues sends values that are not what an argument takes.
func refuseBadValues(s *suite, src source, t tools.ToolInfo) {
	s.Helper()
	for i, name := range slices.Sorted(maps.Keys(t.Accepted.Properties)) {
		for j, bad := range badValues(t.Accepted.Properties[name], slices.Contains(t.In.Required, name)) {
			if makesCall(s, i+j) {
				s.refuseArgument(src, t, name, func(args map[string]any) { args[name] = bad })
			}
		}
	}
}

// refuseNonObjects sends arguments that are not objects.
func (s *suite) refuseNonObjects(src source, t tools.ToolInfo) {
	s.Helper()
	for _, raw := range []string{`[]`, `"x"`, `"[]"`, `"\"{}\""`, `7`, `true`, `{`, `{"a":1}{}`, "\x00"} {
		if got := s.call(s.ctx(), src.OpenedSource, t, []byte(raw)); got.err == nil || got.err.Code != tools.Invalid {
			s.Errorf("%s %s: want an invalid error, got %v", t.Name, raw, got)
		}
	}
}

// refuseArgument breaks the first example and calls with it.
func (s *suite) refuseArgument(src source, t tools.ToolInfo, name string, breakIt func(map[string]any)) {
	s.Helper()
	args := decodeObject(t.Examples[0].In)
	breakIt(args)
	raw := encode(args)
	got := s.call(s.ctx(), src.OpenedSource, t, raw)
	if got.err == nil || got.err.Code != tools.Invalid || !strings.Contains(got.err.Message, name) {
		s.Errorf("%s %s: want an invalid error that names %s, got %v", t.Name, abbreviate(string(raw), 120), name, abbreviate(got.String(), 300))
	}
}

// checkNullArguments checks that null and nothing mean no arguments.
func (s *suite) checkNullArguments(t tools.ToolInfo) {
	s.Helper()
	code := func(raw string) tools.Code {
		got := s.call(s.ctx(), s.open("one").OpenedSource, t, []byte(raw))
		if got.err != nil {
			return got.err.Code
		}
		return ""
	}
	want := code(`{}`)
	for _, raw := range []string{``, ` `, `null`, `"{}"`} {
		if got := code(raw); got != want {
			s.Errorf("%s with arguments %q ends with code %q, with {} it is %q", t.Name, raw, got, want)
		}
	}
}

// badValues returns values that schema does not allow, nor can be read as any that it does.
func badValues(schema *jsonschema.Schema, required bool) []any {
	kind := schema.Type
	if len(schema.Types) == 2 { // null is read as nothing
		kind = schema.Types[1]
	}
	wrong := map[string][]any{
		"string":  {true, []any{"x"}, map[string]any{}, "a\x00b"},
		"integer": {"seven", "0x7", "7 8", 1.5, "1.5", true, 1e300, []any{7}},
		"number":  {"seven", true},
		"boolean": {"yes", "1", 1},
		"array":   {7, true, map[string]any{"0": "x"}},
		"object":  {"x", "[]", 7, []any{}},
	}
	bad := wrong[kind]
	if required && kind != "" {
		bad = append(bad, nil)
	}
	if required && kind != "" && (kind != "string" || len(schema.Enum) > 0) {
		bad = append(bad, "")
	}
	if schema.Minimum != nil {
		bad = append(bad, *schema.Minimum-1)
	}
	if schema.Maximum != nil {
		bad = append(bad, *schema.Maximum+1)
	}
	if schema.MaxLength != nil {
		bad = append(bad, strings.Repeat("x", *schema.MaxLength+1))
	}
	if schema.MinLength != nil && *schema.MinLength > 0 {
		bad = append(bad, "")
	}
	if len(schema.Enum) > 0 && kind == "string" {
		bad = append(bad, "zz_no_such_word")
	}
	if schema.MaxItems != nil {
		bad = append(bad, make([]any, *schema.MaxItems+1))
	}
	return bad
}
