// Package toolstest is the suite that every System must pass: what an agent
// can rely on in every knowledge base.
//
// It knows only declarations. It runs every example, checks that reads change
// nothing by comparing digests, undoes every change, compares a source that
// hides pages with one that never had them, and calls every tool with hostile
// input: wrong types, odd names, a megabyte, a cancelled context. What only
// one System promises is tested beside that System. Only test packages import
// it.
//
// Start reading at [Run]; the checks are listed in the order they run.
package toolstest

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// A NewFixture creates a Fixture with the same content each time, separate
// from all others, and cleans it up through t.
type NewFixture func(t testing.TB) Fixture

// A Fixture is the data that a source is opened on.
type Fixture struct {
	// Config is the source's configuration: a value that marshals to a JSON
	// object, or nil.
	Config any
	// Digest identifies everything that the source stores: equal digests,
	// equal contents, byte for byte. It reads from outside, not through the
	// source.
	Digest func() string
	// Outside identifies what is around the fixture and must never be touched,
	// such as the folder that holds the vault. Nil: nothing.
	Outside func() string
	// URIs are resources to read, besides those that completion finds.
	URIs []string
	// Peer is the other application, if the System has one.
	Peer tools.Peer
	// Reveal answers what secrets of Config refer to. Nil: there are none.
	Reveal tools.Reveal
	// Names are more names, paths and words for generated arguments, besides
	// those in the examples. None may be of a hidden page.
	Names []string
	// Edit changes something as a person would, not through the source; seed
	// decides what. Nil: nobody else edits.
	Edit func(seed uint64)
	// Nested is for targets inside other targets. Nil: there are none.
	Nested *NestedTargets
	// Privacy and Hide are for comparing a source that hides pages with one
	// that never had them. The suite fails without them.
	Privacy tools.Privacy
	Hide    Hide
}

// Hide adds things that the Privacy of the fixture hides, and whatever makes
// them hard to hide: links in both directions, attachments, similar names. It
// is called with round 0 before the source is opened. With a higher round,
// while the source is open, it changes some of them. It returns words that
// lead to them, such as names, titles and ids. Those that are targets of
// [tools.Restorer] must survive whatever agents try.
type Hide func(round int) (words []string)

// A Reporter is the part of *testing.T that checks use.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	// Fatalf reports and does not return.
	Fatalf(format string, args ...any)
}

// A check tests one promise.
type check struct {
	name string
	run  func(s *suite)
	// meets says that calls, and what goes on in the background, meet in it. In the others one call
	// follows the other, and the race detector looks at them by turn.
	meets bool
}

func checks() []check {
	return []check{
		{"declaration", func(s *suite) { CheckDeclaration(s, s.manifest) }, false},
		{"manifest is stable", checkStableManifest, false},
		{"configuration", checkConfigRefused, false},
		{"secrets", checkSecrets, false},
		{"health check", checkHealthy, false},
		{"examples", checkExamples, false},
		{"digest sees writes", checkDigestSeesWrites, false},
		{"changes are reported", checkChangesReported, false},
		{"refused changes change nothing", checkRefusedChanges, false},
		{"undo", checkUndo, false},
		{"undo keeps later edits", checkLaterEditsKept, false},
		{"sequences", checkSequences, false},
		{"hidden pages leave no trace", checkTwoWorlds, false},
		{"hidden pages are counted", checkHiddenCount, false},
		{"hidden pages are not changed", checkHiddenUntouched, false},
		{"reads change nothing", checkReadsChangeNothing, false},
		{"dry runs change nothing", checkDryRunsChangeNothing, false},
		{"arguments", checkArguments, false},
		{"arguments in other forms", checkLenientArguments, false},
		{"hostile text", checkHostileText, false},
		{"cancelled calls", checkCancelledCalls, true},
		{"resources", checkResourceReads, false},
		{"prompts", checkPromptRendering, false},
		{"pages", checkPages, false},
		{"search", checkSearch, false},
		{"sources are isolated", checkSourcesAreIsolated, true},
		{"concurrent calls", checkConcurrentCalls, true},
		{"problems", checkProblems, true},
		{"background work", checkBackground, true},
		{"drafts", checkDrafts, false},
		{"routes", checkRoutes, false},
		{"doctor", checkChecks, false},
		{"peer", checkPeer, true},
		{"closed source", checkClosedSource, true},
	}
}

// Run tests a System, with a subtest for each promise. unsupported are tools
// that cannot answer with this fixture, because the other application lacks
// something; their errors are tested beside the System.
func Run(t *testing.T, kind tools.Kind, fixture NewFixture, unsupported ...string) {
	t.Helper()
	RunWithout(t, kind, fixture, nil, unsupported...)
}

// RunWithout is Run without some checks, by their names, that this fixture is not for, such
// as that of drafts for a source that has none there. Each skipped one is shown with
// its reason.
func RunWithout(t *testing.T, kind tools.Kind, fixture NewFixture, except map[string]string, unsupported ...string) {
	t.Helper()
	manifest := *kind.Manifest()
	manifest.Tools = slices.DeleteFunc(slices.Clone(manifest.Tools), func(t tools.ToolInfo) bool {
		return slices.Contains(unsupported, t.Name)
	})
	for i, c := range checks() {
		if !c.meets && !runtest.Watched(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if reason, skipped := except[c.name]; skipped {
				t.Skip(reason)
			}
			c.run(&suite{Reporter: t, tb: t, kind: kind, manifest: &manifest, fixture: fixture, sampled: true, patience: runtest.Timeout})
		})
	}
}

// A suite runs one check.
type suite struct {
	Reporter
	tb       testing.TB // for fixtures; findings go to the Reporter
	kind     tools.Kind
	manifest *tools.Manifest
	fixture  NewFixture
	// sampled says that of many similar calls only those of this run's sample are made.
	sampled bool
	// patience is how long what must not block may take.
	patience time.Duration
}

// makesCall says whether the i-th of many similar calls is made.
func makesCall(s *suite, i int) bool { return !s.sampled || runtest.InSample(i, 8, 16) }

// A source is an open source with its fixture.
type source struct {
	*tools.OpenedSource
	Fixture
}

// ctx ends with the test.
func (s *suite) ctx() context.Context { return s.tb.Context() }

// open opens a new fixture as a source with that name.
func (s *suite) open(name string) source {
	s.Helper()
	return s.openAt(s.fixture(s.tb), newEnv(name))
}

func (s *suite) openAt(place Fixture, e tools.Env) source {
	s.Helper()
	e.Peer, e.Reveal = place.Peer, place.Reveal
	if s.manifest.Folders {
		e.Cache = s.tb.TempDir()
	}
	o, err := s.kind.Open(s.ctx(), s.config(place), e)
	if err != nil {
		s.Fatalf("open: %v", err)
	}
	s.tb.Cleanup(func() { _ = o.Close() }) // closed checks what Close answers
	return source{o, place}
}

func (s *suite) config(p Fixture) json.RawMessage {
	s.Helper()
	if p.Config == nil {
		return nil
	}
	b, err := json.Marshal(p.Config)
	if err != nil {
		s.Fatalf("marshal configuration: %v", err)
	}
	return b
}

// newEnv has a clock that does not move, so that answers can be compared.
func newEnv(name string) tools.Env {
	return tools.Env{
		Name:            name,
		Log:             slog.New(slog.DiscardHandler),
		Now:             func() time.Time { return time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC) },
		ResourceChanged: func(string) {},
	}
}
