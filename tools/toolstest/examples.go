package toolstest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

// checkExamples runs the examples of each tool in order, with a new fixture
// for each tool.
func checkExamples(s *suite) {
	s.Helper()
	for _, t := range s.manifest.Tools {
		src := s.open("one")
		for i, x := range t.Examples {
			s.runExample(src, t, i, x)
		}
	}
}

// runExample runs one example and compares its answer, unless any answer is
// allowed.
func (s *suite) runExample(src source, t tools.ToolInfo, i int, x tools.ExampleInfo) {
	s.Helper()
	what := fmt.Sprintf("%s: example %d, to %s", t.Name, i+1, x.Purpose)
	s.checkAgainstSchema(what+": input", t.Accepted, x.In)
	targets, known := src.Targets(s.ctx(), t.Name, x.In)
	if t.HasTargets && (!known || len(targets) == 0 || slices.Contains(targets, "")) {
		s.Errorf("%s: the tool has targets and names %q", what, targets)
	}
	got := s.call(s.ctx(), src.OpenedSource, t, x.In)
	if got.err != nil {
		s.Errorf("%s: %v", what, got)
		return
	}
	if t.TargetsInAnswer && !slices.Equal(got.result.Targets, targets) {
		s.Errorf("%s: the tool names the targets %q, and its answer %q", what, targets, got.result.Targets)
	}
	if name := nameIn(src.Names, decodeValue(got.result.JSON)); t.NoNotes && (name != "" || t.Effect != tools.Reads) {
		s.Errorf("%s: with NoNotes a tool only reads, and answers nothing from notes, but this answers %q", what, name)
	}
	if x.AnyAnswer {
		return
	}
	if diff := cmp.Diff(decodeValue(x.Want), decodeValue(got.result.JSON)); diff != "" {
		s.Errorf("%s: answer differs (-want +got):\n%s", what, diff)
	}
}

// nameIn is a text within a decoded value that is one of the names, or empty.
func nameIn(names []string, value any) string {
	switch v := value.(type) {
	case string:
		if slices.Contains(names, v) {
			return v
		}
	case []any:
		for _, one := range v {
			if name := nameIn(names, one); name != "" {
				return name
			}
		}
	case map[string]any:
		for _, one := range v {
			if name := nameIn(names, one); name != "" {
				return name
			}
		}
	}
	return ""
}

// decodeValue is JSON decoded for comparison.
func decodeValue(data json.RawMessage) any {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return string(data)
	}
	return v
}

// checkDigestSeesWrites checks that Digest changes when tools write, because
// otherwise it would prove nothing. Dry-run examples are run without dry_run
// here.
func checkDigestSeesWrites(s *suite) {
	s.Helper()
	for _, t := range s.manifest.Tools {
		if t.Effect != tools.Writes && t.Effect != tools.Deletes {
			continue
		}
		src := s.open("one")
		before := src.Digest()
		for _, x := range t.Examples {
			args := decodeObject(x.In)
			delete(args, t.DryRunArgument())
			s.call(s.ctx(), src.OpenedSource, t, encode(args))
		}
		if src.Digest() == before {
			s.Errorf("%s: its effect is %s, but after its examples the digest is the same", t.Name, t.Effect)
		}
	}
}

// checkReadsChangeNothing uses everything that only reads on one source.
func checkReadsChangeNothing(s *suite) {
	s.Helper()
	src := s.open("one")
	before := src.Digest()
	same := func(what string) {
		s.Helper()
		if after := src.Digest(); after != before {
			s.Errorf("%s has effect read but changed the data", what)
			before = after
		}
	}
	for _, t := range s.manifest.Tools {
		if t.Effect != tools.Reads {
			continue
		}
		for _, x := range t.Examples {
			s.call(s.ctx(), src.OpenedSource, t, x.In)
		}
		same("tool " + t.Name)
	}
	for _, uri := range s.findURIs(src, "one") {
		_, _ = src.Read(s.ctx(), uri)
		same("resource " + uri)
	}
	for _, p := range s.manifest.Prompts {
		_, _ = src.Prompt(s.ctx(), p.Name, s.fillPromptArguments(src, p))
		same("prompt " + p.Name)
	}
	_ = src.Check(s.ctx())
	same("Check")
}

// checkDryRunsChangeNothing runs every example with dry_run, if the tool has
// it.
func checkDryRunsChangeNothing(s *suite) {
	s.Helper()
	for _, t := range s.manifest.Tools {
		if t.DryRunArgument() == "" {
			continue
		}
		for i, x := range t.Examples {
			src := s.open("one")
			before := src.Digest()
			args := decodeObject(x.In)
			args[t.DryRunArgument()] = true
			s.call(s.ctx(), src.OpenedSource, t, encode(args))
			if src.Digest() != before {
				s.Errorf("%s: example %d changed the data in a dry run", t.Name, i+1)
			}
		}
	}
}

// decodeObject returns a JSON object as a map that may be changed.
func decodeObject(data json.RawMessage) map[string]any {
	m := map[string]any{}
	_ = json.Unmarshal(data, &m) // examples are marshalled structs
	return m
}

// encode marshals what was decoded from JSON.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("toolstest: %v", err))
	}
	return b
}
