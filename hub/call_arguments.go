package hub

import (
	"encoding/json"
	"maps"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// arguments are those of one call, parsed once. What is not a JSON object has a
// nil object and reaches the tool, which refuses it.
type arguments struct {
	raw    json.RawMessage // without the choice of a source
	input  any             // what raw was made of; nil: not known
	object map[string]any  // numbers as they were written
	// invalid is why there is no object.
	invalid error
	// unparsed: nobody has needed object yet, which parsed makes. Most calls that others
	// make never need it.
	unparsed bool
}

// toToolArguments are args for the tool: with the value that they were made of, if they are the
// very bytes of the call.
func (a *arguments) toToolArguments(args json.RawMessage) tools.Arguments {
	if len(args) == 0 || len(args) != len(a.raw) || &args[0] != &a.raw[0] {
		return tools.Arguments{JSON: args}
	}
	return tools.Arguments{JSON: args, Input: a.input}
}

// parsedObject is the object.
func (a *arguments) parsedObject() map[string]any {
	if a.unparsed {
		a.object, a.unparsed = parseArguments(a.raw).object, false
	}
	return a.object
}

func parseArguments(raw json.RawMessage) arguments {
	object, err := tools.ParseArguments(raw)
	if err != nil {
		return arguments{raw: raw, invalid: err}
	}
	return arguments{raw: raw, object: object}
}

// meaning is a in the spelling and the forms that the tool declares, by which everything
// that looks at arguments knows them. What is wrong stays as it is, for the tool to tell.
func (a *arguments) meaning(info tools.ToolInfo) arguments {
	if a.unparsed || a.object == nil || info.ReadMeaning == nil {
		return *a
	}
	object, changed, err := info.ReadMeaning(a.object)
	if err != nil || !changed {
		return *a
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return *a
	}
	return arguments{raw: raw, object: object}
}

// without takes one argument out.
func (a *arguments) without(name string) (arguments, error) {
	object := maps.Clone(a.parsedObject())
	delete(object, name)
	raw, err := json.Marshal(object)
	return arguments{raw: raw, object: object}, err
}

// canonical writes equal arguments as equal bytes: keys sorted, numbers as they
// were written, the schema's defaults filled in.
func (a *arguments) canonical(in *jsonschema.Schema) json.RawMessage {
	full := maps.Clone(a.parsedObject())
	if full == nil {
		return a.raw
	}
	for name, p := range in.Properties {
		if _, given := full[name]; !given && p.Default != nil {
			full[name] = p.Default
		}
	}
	b, err := json.Marshal(full)
	if err != nil {
		return a.raw
	}
	return b
}

// isDryRun reports whether a call of a tool that has dry runs asks for one.
func (a *arguments) isDryRun(info tools.ToolInfo) bool {
	name := info.DryRunArgument()
	return name != "" && a.parsedObject()[name] == true
}

// undoArguments are those of undo_change; false: the tool will refuse them.
func (a *arguments) undoArguments() (tools.UndoChangeIn, bool) {
	id, _ := a.parsedObject()["id"].(string)
	merge, _ := a.parsedObject()["merge"].(bool)
	return tools.UndoChangeIn{ID: id, Merge: merge}, id != ""
}
