package tools

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// A SchemaProvider is a Go type with constraints of its own (bounds, enum,
// default). They become part of every schema that uses the type, so that struct
// tags hold only the description.
type SchemaProvider interface {
	JSONSchema() *jsonschema.Schema
}

// Limit is the maximum number of entries in a list: 1 to 200, 50 when omitted.
type Limit int

// JSONSchema implements [SchemaProvider].
func (Limit) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(200.0), Default: []byte("50")}
}

// Offset is the number of entries that a list skips: 0 when omitted.
type Offset int

// JSONSchema implements [SchemaProvider].
func (Offset) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(0.0)}
}

// inferSchema infers the schema of a type and panics if there is none.
func inferSchema(t reflect.Type) *jsonschema.Schema {
	s := inferNullable(t)
	forbidNull(s)
	return s
}

// inferNullable is inferSchema with the null that inference allows for slices, maps and
// pointers, as a second type.
func inferNullable(t reflect.Type) *jsonschema.Schema {
	known := map[reflect.Type]*jsonschema.Schema{}
	collectSchemaProviders(t, known, map[reflect.Type]bool{})
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		panic(fmt.Sprintf("tools: schema of %v: %v", t, err))
	}
	return s
}

func collectSchemaProviders(t reflect.Type, known map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if t.Kind() != reflect.Interface && t.Implements(reflect.TypeFor[SchemaProvider]()) {
		typed, _ := reflect.TypeAssert[SchemaProvider](reflect.Zero(t))
		known[t] = typed.JSONSchema()
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		collectSchemaProviders(t.Elem(), known, seen)
	case reflect.Struct:
		for f := range t.Fields() {
			collectSchemaProviders(f.Type, known, seen)
		}
	default:
	}
}

// forbidNull removes the null that inference allows for slices, maps and pointers: some
// clients refuse a type that is a list.
func forbidNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		forbidNull(p)
	}
	for _, sub := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if sub != nil {
			forbidNull(sub)
		}
	}
	for _, d := range s.Defs {
		forbidNull(d)
	}
}

// takesNull reports whether s is of a pointer to a scalar value: in a map, null removes what
// has the name then, and an argument has an empty text as a value of its own.
func takesNull(s *jsonschema.Schema) bool {
	return len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] != "array" && s.Types[1] != "object"
}

// valueType is the type of the values that s allows besides null; empty: any JSON.
func valueType(s *jsonschema.Schema) string {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		return s.Types[1]
	}
	return s.Type
}

// publishInput is a copy of in as clients are shown it, each of which refuses something
// else: every property and entry has one type, and no schema is a bare true. What takes any
// JSON is an object, or text in a list.
func publishInput(in *jsonschema.Schema) *jsonschema.Schema {
	published := *in
	published.Properties = maps.Clone(in.Properties)
	for name, p := range in.Properties {
		p = publishInput(p)
		p.Type = cmp.Or(p.Type, "object")
		published.Properties[name] = p
	}
	if in.Items != nil {
		published.Items = publishInput(in.Items)
		published.Items.Type = cmp.Or(published.Items.Type, "string")
	}
	switch members := in.AdditionalProperties; {
	case members == nil, members.Not != nil:
	case valueType(members) == "":
		published.AdditionalProperties = nil
	default:
		published.AdditionalProperties = publishInput(members)
	}
	published.Type, published.Types = valueType(in), nil
	return &published
}

// publishOutput is a copy of out without what may be any JSON: clients check answers against
// the schema, and some refuse one in which a type is missing.
func publishOutput(out *jsonschema.Schema) *jsonschema.Schema {
	published := publishInput(out)
	dropAnyJSON(published, out)
	return published
}

func dropAnyJSON(published, declared *jsonschema.Schema) {
	for name, p := range declared.Properties {
		if holdsAnyJSON(p) {
			delete(published.Properties, name)
			continue
		}
		dropAnyJSON(published.Properties[name], p)
	}
	isDropped := func(name string) bool { return published.Properties[name] == nil }
	published.Required = slices.DeleteFunc(slices.Clone(published.Required), isDropped)
	published.PropertyOrder = slices.DeleteFunc(slices.Clone(published.PropertyOrder), isDropped)
	if published.Items != nil {
		dropAnyJSON(published.Items, declared.Items)
	}
	if published.AdditionalProperties != nil && published.AdditionalProperties.Not == nil {
		dropAnyJSON(published.AdditionalProperties, declared.AdditionalProperties)
	}
}

// holdsAnyJSON reports whether values of s, or entries of its lists, may be any JSON.
func holdsAnyJSON(s *jsonschema.Schema) bool {
	return valueType(s) == "" || s.Items != nil && holdsAnyJSON(s.Items)
}

// allowErrorObject returns the output schema as published. Objects are open, so
// that fields can be added later, and the System's error object is valid too,
// because clients check the structuredContent of failed calls against it.
func allowErrorObject(out, failure *jsonschema.Schema) *jsonschema.Schema {
	open := copyOpen(out)
	open.Required, open.PropertyOrder = nil, slices.Clone(open.PropertyOrder)
	for _, name := range failure.PropertyOrder {
		if _, taken := open.Properties[name]; taken {
			continue
		}
		if open.Properties == nil {
			open.Properties = map[string]*jsonschema.Schema{}
		}
		open.Properties[name] = failure.Properties[name]
		open.PropertyOrder = append(open.PropertyOrder, name)
	}
	return open
}

// copyOpen copies a schema that was inferred, with all its objects open. What it
// does not change it shares: every command that reads the configuration makes the
// schemas of all tools, and jsonschema's CloneSchemas looks at each of sixty fields.
func copyOpen(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	open := *s
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		open.AdditionalProperties = nil
	}
	open.Properties, open.Defs, open.Items = copyEachOpen(s.Properties), copyEachOpen(s.Defs), copyOpen(s.Items)
	return &open
}

func copyEachOpen(all map[string]*jsonschema.Schema) map[string]*jsonschema.Schema {
	if all == nil {
		return nil
	}
	open := make(map[string]*jsonschema.Schema, len(all))
	for name, s := range all {
		open[name] = copyOpen(s)
	}
	return open
}

// noNilSlices returns v with every nil slice and map replaced by an empty one,
// so that no result holds a null list.
func noNilSlices(v any) any {
	p := reflect.New(reflect.TypeOf(v)).Elem()
	p.Set(reflect.ValueOf(v))
	fillNil(p)
	return p.Interface()
}

func fillNil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		fillSlice(v)
	case reflect.Map:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fillNil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillNil(v.Field(i))
			}
		}
	default:
	}
}

func fillSlice(v reflect.Value) {
	of := v.Type().Elem()
	if v.IsNil() && v.CanSet() && of.Kind() != reflect.Uint8 {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	if !canHoldSlice(of) {
		return
	}
	for i := range v.Len() {
		fillNil(v.Index(i))
	}
}

func canHoldSlice(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Struct:
		return true
	default:
		return false
	}
}
