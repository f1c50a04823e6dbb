package toolstest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// A recorder is a Reporter that keeps what is reported.
type recorder struct {
	mu    sync.Mutex
	found []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failing runs the check of that name on a kind, or all for no name, and tells
// which found what.
func failing(t *testing.T, name string, patience time.Duration, kind tools.Kind, fixture NewFixture) map[string][]string {
	t.Helper()
	failed := map[string][]string{}
	for _, c := range checks() {
		if name != "" && c.name != name {
			continue
		}
		r := &recorder{}
		var wg sync.WaitGroup
		wg.Go(func() {
			c.run(&suite{Reporter: r, tb: t, kind: kind, manifest: kind.Manifest(), fixture: fixture, patience: patience})
		})
		wg.Wait()
		if len(r.found) > 0 {
			failed[c.name] = r.found
		}
	}
	return failed
}

// A System with one fault fails the check made for it, and the same
// System without the fault passes all.
func TestSuiteFindsFaults(t *testing.T) {
	for fault, want := range map[fault]struct{ check, says string }{
		"":                     {},
		takesBackNoRemoval:     {},
		wrongAnswer:            {"examples", "answer differs"},
		claimsNoNotes:          {"examples", "with NoNotes a tool only reads"},
		readWrites:             {"reads change nothing", "tool get has effect read"},
		hostileReadWrites:      {"hostile text", "get has effect read"},
		blindDigest:            {"digest sees writes", "the digest is the same"},
		dryWrites:              {"dry runs change nothing", "in a dry run"},
		undeclaredCode:         {"hostile text", "does not declare"},
		foreignError:           {"hostile text", "not a *tools.Error"},
		panics:                 {"hostile text", "panic: escape"},
		escapes:                {"hostile text", "outside of its source"},
		endlessMessage:         {"hostile text", "an error's message has"},
		collidingOutput:        {"arguments", "does not fit the published schema"},
		cancelledButWritten:    {"cancelled calls", "but changed the data"},
		shared:                 {"sources are isolated", "changed another"},
		missingResource:        {"resources", "not there today"},
		missingPage:            {"pages", "is listed but does not exist"},
		listsHidden:            {"hidden pages leave no trace", "list pages tells"},
		silentPrompt:           {"prompts", "0 messages"},
		progressGoesBack:       {"examples", "progress 1 of 2 after 2"},
		closeFails:             {"closed source", "close: stuck"},
		checkFails:             {"health check", "check of a fresh source"},
		doctorPanics:           {"doctor", "panic: oh"},
		doctorWrites:           {"doctor", "though it may not write"},
		doctorSaysNothing:      {"doctor", "the result is"},
		takesAnyPeer:           {"peer", "is taken for one of faulty"},
		silentWrite:            {"changes are reported", "without reporting it"},
		losesText:              {"sequences", "the tool is additive, but"},
		silentOutcome:          {"changes are reported", "reports that it has written \"b\": false"},
		writtenOutcome:         {"refused changes change nothing", "reports that it has written"},
		lateReport:             {"changes are reported", "the data changed before the report"},
		wrongBefore:            {"changes are reported", "but it holds nothing"},
		wrongAfter:             {"changes are reported", "but it holds"},
		dryReport:              {"changes are reported", "in a dry run"},
		ignoresRefusal:         {"refused changes change nothing", "although BeforeWrite failed"},
		wrappedRefusal:         {"refused changes change nothing", "the same error"},
		lossyState:             {"undo", "the data is not what it was"},
		restoreOverwritesEdits: {"undo keeps later edits", "want a conflict"},
		restoreChecksTooLate:   {"sequences", "but changed the data"},
		namelessConflict:       {"undo keeps later edits", "want a conflict that names"},
		restoresTooMuch:        {"sequences", "it also changed"},
		restoresWhatMustStay:   {"undo", "want Denied, as CheckUndo says"},
		readsHidden:            {"hidden pages leave no trace", "tells that something is hidden"},
		countsHidden:           {"hidden pages leave no trace", "read faulty://one/all tells"},
		announcesHidden:        {"hidden pages leave no trace", "tells that something is hidden"},
		overwritesHidden:       {"hidden pages are not changed", "is hidden but was changed"},
		hidesNothing:           {"hidden pages leave no trace", "set Privacy and Hide"},
		noChangeFilter:         {"hidden pages are not changed", "is not a tools.ChangeFilter"},
		tellsHiddenChanges:     {"hidden pages are not changed", "agents may see a change"},
		secretInError:          {"secrets", "repeats the secret"},
		secretInLog:            {"secrets", "the secret is in the log"},
		draftWritesThrough:     {"drafts", "on a draft changes the source"},
		callsUnderLock:         {"examples", "a tool holds no lock while it calls"},
		silentNearHidden:       {"hidden pages leave no trace", "get fails for all of its examples"},
		noHandler:              {"routes", "is no http.Handler"},
		routePanics:            {"routes", "panic: NUL"},
		routeFails:             {"routes", "answers 500"},
		routeWrites:            {"routes", "changes the data by itself"},
		routeReports:           {"routes", "reports a write of its own"},
		getWrites:              {"routes", "GET must change nothing"},
		anyKey:                 {"routes", "want denied, got <nil>"},
		wrongKeyFails:          {"routes", "want denied, got no such key"},
	} {
		t.Run(string(fault), func(t *testing.T) {
			kind, fixture := faulty(fault)
			patience := runtest.Timeout
			if fault == callsUnderLock {
				patience = time.Second // it would wait for ever
			}
			failed := failing(t, want.check, patience, kind, fixture)
			if want.check == "" && len(failed) > 0 {
				t.Fatalf("without a fault: %v", failed)
			}
			if want.check != "" && !strings.Contains(strings.Join(failed[want.check], "\n"), want.says) {
				t.Errorf("check %q does not say %q: %.600v", want.check, want.says, failed)
			}
		})
	}
}

// The rules of declarations, one broken at a time.
func TestDeclaredFindsFaults(t *testing.T) {
	for says, breakIt := range map[string]func(m *tools.Manifest){
		"a name must be lower case letters":   func(m *tools.Manifest) { m.Name = "Faulty" },
		"has no title":                        func(m *tools.Manifest) { m.Tools[0].Title = "" },
		"that ends in a full stop":            func(m *tools.Manifest) { m.Tools[0].Doc = "Get a thing\n\nMore." },
		"is declared twice":                   func(m *tools.Manifest) { m.Tools[1].Name = m.Tools[0].Name },
		"a name must be words of lower case":  func(m *tools.Manifest) { m.Tools[0].Name = "getThing" },
		"unknown effect":                      func(m *tools.Manifest) { m.Tools[0].Effect = "harmless" },
		"is unknown or listed twice":          func(m *tools.Manifest) { m.Tools[0].Errors = []tools.Code{"odd"} },
		"has no example":                      func(m *tools.Manifest) { m.Tools[0].Examples = nil },
		"has no purpose":                      func(m *tools.Manifest) { m.Tools[0].Examples[0].Purpose = "" },
		"has no description":                  func(m *tools.Manifest) { m.Tools[0].In.Properties["key"].Description = "" },
		"its type is a list":                  func(m *tools.Manifest) { m.Tools[0].In.Properties["key"].Types = []string{"null", "string"} },
		"has no type":                         func(m *tools.Manifest) { m.Tools[0].In.Properties["key"].Type = "" },
		"what its entries are":                func(m *tools.Manifest) { m.Tools[0].In.Properties["key"].Type = "array" },
		"understood by few clients":           func(m *tools.Manifest) { m.Tools[0].In.AnyOf = append(m.Tools[0].In.AnyOf, m.Tools[0].Out) },
		"is added where several sources":      func(m *tools.Manifest) { m.Tools[0].In.Properties["source"] = m.Tools[0].In.Properties["key"] },
		"dry_run must be an optional boolean": func(m *tools.Manifest) { m.Tools[0].In.Properties["dry_run"] = m.Tools[0].In.Properties["key"] },
		"two sources would collide":           func(m *tools.Manifest) { m.Resources[0].URI = "faulty://all" },
		"has no MIME type":                    func(m *tools.Manifest) { m.Resources[0].MIME = "" },
		"configuration key kind: a name":      func(m *tools.Manifest) { m.Config.Properties["kind"] = m.Config.Properties["shelf"] },
		"key shelf: has no description":       func(m *tools.Manifest) { m.Config.Properties["shelf"].Description = "" },
		"key shelf: must be text":             func(m *tools.Manifest) { m.Config.Properties["shelf"].Type = "number" },
		"a secret has no default":             func(m *tools.Manifest) { m.Config.Properties["key"].Default = []byte(`"env:A"`) },
		"sample: has no title":                func(m *tools.Manifest) { m.Sample = &tools.Sample{} },
		"must be a folder of the":             func(m *tools.Manifest) { m.Sample = &tools.Sample{Title: "A", Key: "shelf"} },
		"\"colour\" is no configuration key": func(m *tools.Manifest) {
			m.Sample = &tools.Sample{Title: "A", Keys: map[string]string{"colour": "red"}}
		},
		"needs a name of capitals": func(m *tools.Manifest) {
			m.Environment = []tools.EnvironmentVariable{{Name: "A", Key: "gone", Doc: "a", Required: true}}
		},
		"no variable is required": func(m *tools.Manifest) {
			m.Environment = []tools.EnvironmentVariable{{Name: "A", Key: "shelf", Doc: "a"}}
		},
		"routes: the mount \"faulty\"":        func(m *tools.Manifest) { m.Routes.Mount = "faulty" },
		"routes: the mount \"/faulty/\"":      func(m *tools.Manifest) { m.Routes.Mount = "/faulty/" },
		"routes: the mount \"/mcp/faulty\"":   func(m *tools.Manifest) { m.Routes.Mount = "/mcp/faulty" },
		"route things/: a path must":          func(m *tools.Manifest) { m.Routes.List[0].Path = "things/" },
		"route /a/../b: a path must":          func(m *tools.Manifest) { m.Routes.List[0].Path = "/a/../b" },
		"route /events: a path must":          func(m *tools.Manifest) { m.Routes.List[0].Path = "/events" },
		"route /things/: its purpose":         func(m *tools.Manifest) { m.Routes.List[0].Purpose = "" },
		"route /things/: has no methods":      func(m *tools.Manifest) { m.Routes.List[0].Methods = nil },
		"route /things/: the method \"HEAD\"": func(m *tools.Manifest) { m.Routes.List[0].Methods = []string{"HEAD"} },
		"route /events: content types":        func(m *tools.Manifest) { m.Routes.List[1].Types = []string{"text/plain"} },
		"route /things/: unknown way":         func(m *tools.Manifest) { m.Routes.List[0].Auth = "guess" },
		"needs a plain name":                  func(m *tools.Manifest) { m.Prompts[0].Arguments[0].Doc = "" },
		"the error format has no word for": func(m *tools.Manifest) {
			m.ErrorFormat = tools.NewErrorFormat(map[tools.Code]string{}, func(c string, _ *tools.Error) tools.DefaultErrorObject { return tools.DefaultErrorObject{Code: c} })
		},
	} {
		t.Run(says, func(t *testing.T) {
			kind, _ := faulty("")
			r := &recorder{}
			if CheckDeclaration(r, kind.Manifest()); len(r.found) > 0 {
				t.Fatalf("before: %v", r.found)
			}
			breakIt(kind.Manifest())
			if CheckDeclaration(r, kind.Manifest()); !strings.Contains(strings.Join(r.found, "\n"), says) {
				t.Errorf("want a finding that says %q, got %v", says, r.found)
			}
		})
	}
}
