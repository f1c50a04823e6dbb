package toolstest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// An argumentGenerator generates arguments from the declared examples: it
// swaps names, invents new ones, and omits or sets optional arguments. The
// same seed gives the same arguments.
type argumentGenerator struct {
	rand     *rand.Rand
	examples map[string][]string // what the examples say, by argument
	names    []string
	counter  int
}

func (s *suite) newGenerator(seed uint64, place Fixture) *argumentGenerator {
	v := &argumentGenerator{rand: rand.New(rand.NewPCG(seed, 0x1ec7e54)), examples: map[string][]string{}, names: slices.Clone(place.Names)}
	for _, t := range s.manifest.Tools {
		for _, x := range t.Examples {
			in := decodeObject(x.In)
			for _, name := range slices.Sorted(maps.Keys(in)) {
				if text, ok := in[name].(string); ok && !slices.Contains(v.examples[name], text) {
					v.examples[name] = append(v.examples[name], text)
				}
			}
		}
	}
	return v
}

// arguments generates arguments that t may accept.
func (v *argumentGenerator) arguments(t tools.ToolInfo) map[string]any {
	args := decodeObject(t.Examples[v.rand.IntN(len(t.Examples))].In)
	delete(args, t.DryRunArgument())
	for _, name := range slices.Sorted(maps.Keys(t.In.Properties)) {
		required := slices.Contains(t.In.Required, name)
		_, given := args[name]
		switch {
		case name == t.DryRunArgument():
		case !required && given && v.rand.IntN(4) == 0:
			delete(args, name)
		case given && v.rand.IntN(2) == 0 || !given && v.rand.IntN(5) == 0:
			if value, ok := v.value(name, t.In.Properties[name]); ok {
				args[name] = value
			}
		}
	}
	return args
}

// value generates a value of a simple type.
func (v *argumentGenerator) value(name string, schema *jsonschema.Schema) (any, bool) {
	switch {
	case len(schema.Enum) > 0:
		return schema.Enum[v.rand.IntN(len(schema.Enum))], true
	case schema.Type == "boolean":
		return v.rand.IntN(2) == 0, true
	case schema.Type == "integer":
		return 1 + v.rand.IntN(4), true
	case schema.Type == "string":
		return v.text(name), true
	}
	return nil, false
}

// text returns a known text for the argument, a name, or a new one like it.
func (v *argumentGenerator) text(argument string) string {
	known := slices.Concat(v.examples[argument], v.names)
	if len(known) == 0 {
		known = []string{"x"}
	}
	text := known[v.rand.IntN(len(known))]
	if v.rand.IntN(3) > 0 {
		return text
	}
	v.counter++
	if ext := path.Ext(text); !strings.ContainsAny(text, "\n ") && len(ext) < 5 {
		return fmt.Sprintf("%s %d%s", strings.TrimSuffix(text, ext), v.counter, ext)
	}
	return fmt.Sprintf("%s %d", text, v.counter)
}

// learn adds the targets of changes to the names.
func (v *argumentGenerator) learn(changes []tools.Change) {
	for _, c := range changes {
		if !slices.Contains(v.names, c.Target) {
			v.names = append(v.names, c.Target)
		}
	}
}
