package tools

import (
	"encoding/json"
	"reflect"
)

// A declaration is what a [Spec] says, but for its types.
type declaration struct {
	info            ToolInfo
	normalize       func(args map[string]any) error
	countHits       func(out any) (answered, total int) // nil: the tool is not a search
	targetsInAnswer bool
}

// readSpec panics if the declaration cannot be published.
func readSpec[In, Out any](spec *Spec[In, Out]) *declaration {
	d := &declaration{normalize: spec.Normalize, info: ToolInfo{
		Name: spec.Name, Title: spec.Title, Doc: spec.Doc, Effect: spec.Effect, Additive: spec.Additive,
		Errors: append([]Code{}, spec.Errors...), Timeout: spec.Timeout,
		Calls: spec.Calls, Unlisted: spec.Unlisted, OptIn: spec.OptIn, Roles: spec.Roles, NoNotes: spec.NoNotes,
	}}
	_, d.targetsInAnswer = any(*new(Out)).(TargetProvider)
	for _, x := range spec.Examples {
		d.info.addExample(x.Purpose, x.In, x.Want, x.AnyAnswer)
	}
	if spec.Hits != nil {
		d.countHits = func(out any) (answered, total int) {
			answer := out.(Out) //nolint:forcetypeassert // what the tool answers
			if spec.HitTotal != nil {
				total = spec.HitTotal(answer)
			}
			return len(spec.Hits(answer)), total
		}
		d.info.Hits = func(raw json.RawMessage) ([]Hit, error) {
			var answer Out
			if err := readAnswer(spec.Name, raw, &answer); err != nil {
				return nil, err
			}
			return spec.Hits(answer), nil
		}
	}
	if spec.Redact != nil {
		d.info.Redact = func(r Result, covered func(page string) bool) (Result, error) {
			var answer Out
			if err := readAnswer(spec.Name, r.JSON, &answer); err != nil {
				return Result{}, err
			}
			return d.newResult(spec.Redact(answer, covered))
		}
	}
	d.info.setSchemas(reflect.TypeFor[In](), reflect.TypeFor[Out](), spec.Selects)
	d.info.ReadMeaning = d.readMeaning
	if spec.Computes != nil {
		d.info.Computes = func(raw json.RawMessage) bool {
			var in In
			return d.readArguments(raw, &in) == nil && spec.Computes(in) // the call tells what is wrong with them
		}
	}
	return d
}
