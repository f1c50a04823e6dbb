package tools

import (
	"encoding/json"
	"reflect"
	"time"
)

// A declaration is what a [Spec] says, but for its types.
type declaration struct {
	info            ToolInfo
	normalize       func(args map[string]any) error
	countHits       func(out any) (answered, total int) // nil: the tool is not a search
	targetsInAnswer bool
}

// readSpec reads a Spec of any types by reflection: written with type parameters this
// would be compiled once for each tool, four kilobytes each time. It panics if the
// declaration cannot be published.
func readSpec(spec reflect.Value, in, out reflect.Type) (d declaration) {
	field := spec.FieldByName
	d.info = ToolInfo{
		Name: field("Name").String(), Title: field("Title").String(), Doc: field("Doc").String(),
		Effect: valueOf[Effect](field("Effect")), Errors: valueOf[[]Code](field("Errors")), Timeout: valueOf[time.Duration](field("Timeout")),
		Calls: field("Calls").Bool(), Unlisted: field("Unlisted").Bool(), OptIn: field("OptIn").Bool(), Roles: valueOf[[]string](field("Roles")),
		NoNotes: field("NoNotes").Bool(),
	}
	d.normalize = valueOf[func(map[string]any) error](field("Normalize"))
	d.targetsInAnswer = out.Implements(reflect.TypeFor[TargetProvider]())
	for _, x := range field("Examples").Seq2() {
		d.info.addExample(x.FieldByName("Purpose").String(), x.FieldByName("In").Interface(), x.FieldByName("Want").Interface(),
			x.FieldByName("AnyAnswer").Bool())
	}
	name := d.info.Name
	if find := field("Hits"); !find.IsNil() {
		all := field("HitTotal")
		d.countHits = func(out any) (answered, total int) {
			answer := []reflect.Value{reflect.ValueOf(out)}
			if !all.IsNil() {
				total = int(all.Call(answer)[0].Int())
			}
			return find.Call(answer)[0].Len(), total
		}
		d.info.Hits = func(raw json.RawMessage) ([]Hit, error) {
			answer := reflect.New(out)
			if err := readAnswer(name, raw, answer.Interface()); err != nil {
				return nil, err
			}
			return valueOf[[]Hit](find.Call([]reflect.Value{answer.Elem()})[0]), nil
		}
	}
	if redact := field("Redact"); !redact.IsNil() {
		d.info.Redact = func(r Result, covered func(page string) bool) (Result, error) {
			answer := reflect.New(out)
			if err := readAnswer(name, r.JSON, answer.Interface()); err != nil {
				return Result{}, err
			}
			return d.newResult(redact.Call([]reflect.Value{answer.Elem(), reflect.ValueOf(covered)})[0].Interface())
		}
	}
	d.info.setSchemas(in, out)
	if computes := field("Computes"); !computes.IsNil() {
		schema, verbatim := d.info.In, isReadVerbatim(in)
		d.info.Computes = func(raw json.RawMessage) bool {
			args := reflect.New(in)
			err := readArguments(d.normalize, schema, verbatim, raw, args.Interface())
			return err == nil && computes.Call([]reflect.Value{args.Elem()})[0].Bool() // the call tells what is wrong with them
		}
	}
	return d
}

// valueOf is a value of which the type is known.
func valueOf[T any](v reflect.Value) T { return v.Interface().(T) } //nolint:forcetypeassert // it is that of a field of Spec
