// Package toolstest is the suite that every System passes: what an agent may
// rely on whichever knowledge base it talks to.
//
// It knows only declarations. It executes every example, proves every read by
// comparing the data before and after, takes every change back, compares what
// hides pages with what never had them, and calls every tool with what strangers
// send: wrong types, hostile names, a megabyte, a context that has ended. It is
// not the place for what one System promises alone; that is tested beside the
// System. Test packages import it, nobody else.
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

	"github.com/lectern-mcp/lectern/tools"
)

// A NewFixture lays out a place with the same content each time, apart from every
// other place it has laid out, and cleans up through t.
type NewFixture func(t testing.TB) Fixture

// A Fixture is what a source is opened on.
type Fixture struct {
	// Config is the source's configuration: a value that marshals to a JSON
	// object, or nil for none.
	Config any
	// Digest identifies everything the source keeps: equal digests, equal
	// contents, byte for byte. It looks from outside, not through the source.
	Digest func() string
	// Outside identifies what lies around the place and no call may ever touch,
	// such as the folder that holds the vault. Nil: nothing to look at.
	Outside func() string
	// URIs are resources to read, besides those the suite finds by completion.
	URIs []string
	// Peer is the other application, for a System that has one.
	Peer tools.Peer
	// Names are further names, paths and words to make up arguments from,
	// besides those of the examples. None is of a hidden page.
	Names []string
	// Edit is a person at work in the place: it changes something there, not
	// through the source, as seed decides. Nil: nobody else edits.
	Edit func(seed uint64)
	// Nested is for targets that lie within others. Nil: each is by itself.
	Nested *NestedTargets
	// Privacy and Hide are for comparing a source that hides pages with one
	// that never had them. Without both the suite fails.
	Privacy tools.Privacy
	Hide    Hide
}

// Hide puts things into a place that its Privacy hides, and whatever else makes
// them hard to hide: links to and from what can be seen, attachments, names
// that differ by little. It is called with round 0 before the source is opened;
// with a greater round, while it is open, it changes some of them.
// It answers words that lead to them, such as names, titles and ids. Those that
// are targets of [tools.Keeper] must outlive whatever agents try.
type Hide func(round int) (words []string)

// A Reporter is the part of *testing.T that checks report to.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	// Fatalf reports and does not return.
	Fatalf(format string, args ...any)
}

// A check is one promise; it opens as many places as it wants.
type check struct {
	name string
	run  func(s *suite)
}

func checks() []check {
	return []check{
		{"declaration", func(s *suite) { CheckDeclaration(s, s.manifest) }},
		{"manifest is stable", checkStableManifest},
		{"configuration", checkConfigRefused},
		{"check", checkHealthy},
		{"examples", checkExamples},
		{"writes are seen", checkDigestSeesWrites},
		{"changes are reported", checkChangesReported},
		{"refused changes change nothing", checkRefusedChanges},
		{"changes are taken back", checkUndo},
		{"others' edits are kept", checkLaterEditsKept},
		{"sequences", checkSequences},
		{"two worlds", checkTwoWorlds},
		{"hidden things are kept", checkHiddenUntouched},
		{"reads change nothing", checkReadsChangeNothing},
		{"dry runs change nothing", checkDryRunsChangeNothing},
		{"arguments", checkArguments},
		{"hostile text", checkHostileText},
		{"cancelled", checkCancelledCalls},
		{"resources", checkResourceReads},
		{"prompts", checkPromptRendering},
		{"pages", checkPages},
		{"searches", checkSearch},
		{"sources are apart", checkSourcesAreIsolated},
		{"concurrent calls", checkConcurrentCalls},
		{"closed", checkClosedSource},
	}
}

// Run checks all that kind's callers rely on, each promise as a subtest. absent
// are tools that answer nothing in such a place, as where the other application
// has no such thing; what they answer instead is for a test beside the System.
func Run(t *testing.T, kind tools.Kind, fixture NewFixture, absent ...string) {
	t.Helper()
	manifest := *kind.Manifest()
	manifest.Tools = slices.DeleteFunc(slices.Clone(manifest.Tools), func(t tools.ToolInfo) bool { return slices.Contains(absent, t.Name) })
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			c.run(&suite{Reporter: t, tb: t, kind: kind, manifest: &manifest, fixture: fixture})
		})
	}
}

// A suite is one check at work.
type suite struct {
	Reporter
	tb       testing.TB // for fixtures; findings go to the Reporter
	kind     tools.Kind
	manifest *tools.Manifest
	fixture  NewFixture
}

// A source is an open source and the place it is open on.
type source struct {
	*tools.OpenedSource
	Fixture
}

// ctx ends with the test.
func (s *suite) ctx() context.Context { return s.tb.Context() }

// open opens a fresh place as a source of that name.
func (s *suite) open(name string) source {
	s.Helper()
	return s.openAt(s.fixture(s.tb), newEnv(name))
}

func (s *suite) openAt(place Fixture, e tools.Env) source {
	s.Helper()
	e.Peer = place.Peer
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

// newEnv has a clock that stands still, so that answers can be compared.
func newEnv(name string) tools.Env {
	return tools.Env{
		Name:            name,
		Log:             slog.New(slog.DiscardHandler),
		Now:             func() time.Time { return time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC) },
		ResourceChanged: func(string) {},
	}
}
