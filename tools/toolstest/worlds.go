package toolstest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// CompareWorlds is the check of hidden pages for a System whose privacy is a view of
// its data: with it a dry run too must answer, byte for byte, as if what is hidden
// were not there, for every name. It sends seeded random requests to a source that
// hides things and to one that never had them: reads, dry runs and completions with
// the words of Hide wherever text goes, and writes with Names alone. fixture makes
// the same world whenever it is called; call CompareWorlds for many random ones.
//
// It returns the number of requests that it compared. Where what pages hold decides, it
// makes no writes but dry runs: a write onto a hidden page is refused then, which an
// agent can tell from one onto a free name.
func CompareWorlds(t *testing.T, kind tools.Kind, fixture NewFixture, seed uint64) (compared int) {
	t.Helper()
	s := &suite{Reporter: t, tb: t, kind: kind, manifest: kind.Manifest(), fixture: fixture, patience: runtest.Timeout}
	secretive, words, compare := s.openWorlds()
	ask := func(what string, request func(w *observedSource) any) {
		compared++
		compare(what, request)
	}
	random := rand.New(rand.NewPCG(seed, 0xd1ff))
	probes, writes := s.newGenerator(seed, secretive.Fixture), s.newGenerator(seed+1, secretive.Fixture)
	probes.names = append(probes.names, words...)
	call := func(t tools.ToolInfo, args map[string]any) {
		in := encode(args)
		ask(describeCall(t, in), func(w *observedSource) any { return s.callAndRecord(w, t, in) })
	}
	for round := range runtest.Size(2, 1, 1) {
		for _, t := range s.manifest.Tools {
			probeTool(call, t, probes)
			probeNames(call, t, words, random)
		}
		s.comparePages(ask, words[:min(len(words), 3)])
		ask(fmt.Sprintf("a change of what is hidden, round %d", round), func(w *observedSource) any {
			if w == secretive {
				w.Hide(round + 1)
			}
			return nil
		})
		if secretive.Privacy.NeedsContent() {
			continue
		}
		for _, t := range s.writingTools() {
			call(t, writes.arguments(t))
		}
	}
	return compared
}

// probeTool calls a tool with random arguments, without writing.
func probeTool(call func(tools.ToolInfo, map[string]any), t tools.ToolInfo, probes *argumentGenerator) {
	dry := t.DryRunArgument() != ""
	for range 6 {
		args := probes.arguments(t)
		if t.Effect != tools.Reads {
			if !dry {
				return
			}
			args[t.DryRunArgument()] = true
		}
		call(t, args)
	}
}

// probeNames calls a tool with a hidden name in every argument that takes text, and
// with names below and beside it.
func probeNames(call func(tools.ToolInfo, map[string]any), t tools.ToolInfo, words []string, random *rand.Rand) {
	if dry := t.DryRunArgument() != ""; t.Effect != tools.Reads && !dry {
		return
	}
	for _, path := range stringPaths(t.In, nil) {
		for range 3 {
			word := words[random.IntN(len(words))]
			word = []string{word, word + "/x.md", word + ".md", word + "/", word + "-2.md"}[random.IntN(5)]
			args := maps.Clone(decodeObject(t.Examples[random.IntN(len(t.Examples))].In))
			if t.Effect != tools.Reads {
				args[t.DryRunArgument()] = true
			}
			setAtPath(args, slices.Clone(path), word)
			call(t, args)
		}
	}
}
