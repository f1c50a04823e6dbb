package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A fault is one way for the System below to break a promise.
type fault string

const (
	claimsNoNotes          fault = "claims no notes"
	wrongAnswer            fault = "wrong answer"
	readWrites             fault = "a read that writes"
	hostileReadWrites      fault = "a read that writes when provoked"
	blindDigest            fault = "a digest that sees nothing"
	dryWrites              fault = "a dry run that writes"
	undeclaredCode         fault = "undeclared code"
	foreignError           fault = "error of another package"
	panics                 fault = "panic"
	escapes                fault = "path that escapes"
	endlessMessage         fault = "message that repeats a megabyte"
	collidingOutput        fault = "output that collides with the error object"
	cancelledButWritten    fault = "cancelled and written"
	shared                 fault = "sources that share"
	missingResource        fault = "resource that is listed but does not exist"
	missingPage            fault = "page that is listed but does not exist"
	listsHidden            fault = "list of hidden pages"
	silentPrompt           fault = "prompt without messages"
	progressGoesBack       fault = "progress that goes back"
	closeFails             fault = "close that fails"
	checkFails             fault = "check that fails"
	silentWrite            fault = "write that reports nothing"
	lateReport             fault = "write that reports afterwards"
	losesText              fault = "additive write that replaces"
	silentOutcome          fault = "write that does not say that it was made"
	writtenOutcome         fault = "refused write that says it was made"
	wrongBefore            fault = "report of what was not there"
	wrongAfter             fault = "report of what will not be there"
	dryReport              fault = "dry run that reports"
	ignoresRefusal         fault = "write that does not hear a refusal"
	wrappedRefusal         fault = "refusal in other words"
	lossyState             fault = "state that is not whole"
	restoreOverwritesEdits fault = "restore that does not look"
	restoreChecksTooLate   fault = "restore that looks too late"
	namelessConflict       fault = "conflict that names nothing"
	restoresTooMuch        fault = "restore that changes more"
	restoresWhatMustStay   fault = "restore of what no undo takes back"
	takesBackNoRemoval     fault = "no undo takes a removal back, which is no fault"
	readsHidden            fault = "read of what is hidden"
	countsHidden           fault = "count of what is hidden"
	announcesHidden        fault = "announcement of what is hidden"
	overwritesHidden       fault = "write onto what is hidden"
	hidesNothing           fault = "place in which nothing can be hidden"
	noChangeFilter         fault = "source that cannot tell which changes are hidden"
	tellsHiddenChanges     fault = "change of what is hidden that agents may know of"
	doctorPanics           fault = "doctor's check that panics"
	doctorWrites           fault = "doctor's check that writes"
	doctorSaysNothing      fault = "doctor's check that says nothing"
	takesAnyPeer           fault = "peer of another application"
	secretInError          fault = "error with a secret"
	secretInLog            fault = "log with a secret"
	silentNearHidden       fault = "tool that says nothing where something is hidden"
	noHandler              fault = "routes without a handler"
	routePanics            fault = "route that panics"
	routeFails             fault = "route that answers 500"
	routeWrites            fault = "route that writes by itself"
	routeReports           fault = "route that reports a write"
	getWrites              fault = "GET that writes"
	anyKey                 fault = "every key is right"
	wrongKeyFails          fault = "wrong key is an error of another package"
)

// A faultyStore is what the faulty sources share.
type faultyStore struct {
	mu      sync.Mutex
	shelves map[string]map[string]string
	outside int
}

// A faultySource is a source with at most one fault.
type faultySource struct {
	*faultyStore
	fault   fault
	name    string
	env     tools.Env
	writing sync.Mutex
}

// faultyTools are the methods of a faulty source, with or without a ChangeFilter.
type faultyTools interface {
	tools.Source
	handled
	shown
}

type handled interface {
	get(ctx context.Context, c tools.CallContext, in getIn) (getOut, error)
	put(ctx context.Context, c tools.CallContext, in putIn) (getOut, error)
}

type shown interface {
	read(ctx context.Context, uri string, vars map[string]string) (tools.Content, error)
	list(ctx context.Context) ([]tools.PageInfo, error)
	page(ctx context.Context, name string) (tools.PageText, error)
	ask(ctx context.Context, args map[string]string) ([]tools.Message, error)
	look(ctx context.Context, d tools.Doctor) status.Check
}

type sourceConfig struct {
	Shelf string       `json:"shelf" jsonschema:"which source"`
	Key   tools.Secret `json:"key,omitzero" jsonschema:"what opens it"`
}

type getIn struct {
	Key string `json:"key" jsonschema:"which thing"`
}

type getOut struct {
	Value string `json:"value" jsonschema:"the thing"`
}

// collidingOut has a message that is not a string, as the error object has one.
type collidingOut struct {
	Message int `json:"message" jsonschema:"how many messages"`
}

type putIn struct {
	Key    string `json:"key" jsonschema:"which thing"`
	Value  string `json:"value" jsonschema:"the thing"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"change nothing"`
}

// faulty is a System with one fault, and its fixture.
func faulty(f fault) (tools.Kind, NewFixture) {
	w := &faultyStore{shelves: map[string]map[string]string{}}
	system := tools.System[faultyTools, sourceConfig]{
		Name: "faulty", Title: "Faulty", Doc: "Things by key.",
		Open: func(ctx context.Context, c sourceConfig, env tools.Env) (faultyTools, error) {
			s := &faultySource{faultyStore: w, fault: f, name: c.Shelf, env: env}
			if f == noChangeFilter {
				return s, nil
			}
			secret, err := env.Reveal(ctx, c.Key)
			switch {
			case err != nil:
				return nil, err
			case f == secretInError && secret != "":
				return nil, tools.Errorf(tools.Unavailable, "%s opens nothing", secret)
			case f == secretInLog:
				env.Log.Info("opened", "key", secret)
			}
			if f == draftWritesThrough {
				return faultyWithDraft{faultyWithFilter{s}}, nil
			}
			if f == noHandler {
				return struct{ faultyTools }{s}, nil
			}
			return faultyWithFilter{s}, nil
		},
		Tools: []tools.Tool[faultyTools]{
			tools.DefineWithContext(tools.Spec[getIn, getOut]{
				Name: "get", Title: "Get", Doc: "Get a thing.", Effect: tools.Reads, Errors: []tools.Code{tools.NotFound},
				Examples: []tools.Example[getIn, getOut]{{Purpose: "get a", In: getIn{"a"}, Want: getOut{"1"}}}, NoNotes: f == claimsNoNotes,
			}, faultyTools.get),
			tools.DefineWithContext(tools.Spec[putIn, getOut]{
				Name: "put", Title: "Put", Doc: "Put a thing.", Effect: tools.Writes, Additive: f == losesText,
				Examples: []tools.Example[putIn, getOut]{{Purpose: "put b", In: putIn{Key: "b", Value: "2"}, Want: getOut{"2"}}},
			}, faultyTools.put),
		},
		Resources: []tools.Resource[faultyTools]{{
			Name: "all", Title: "All", Doc: "All things.", URI: "faulty://{source}/all", MIME: "text/plain", Read: faultyTools.read,
		}},
		Checks: []tools.Check[faultyTools]{{Name: "things", Title: "There are things", Look: faultyTools.look}},
		Peer: &tools.PeerSpec[sourceConfig]{
			Name: func(sourceConfig) string { return "" }, Code: func(string) tools.Code { return tools.Internal },
			Describe: func(json.RawMessage) (tools.PeerInfo, bool, error) { return tools.PeerInfo{}, f == takesAnyPeer, nil },
		},
		Pages:  &tools.Pages[faultyTools]{List: tools.AllPages(faultyTools.list), Read: faultyTools.page},
		Routes: faultyRoutes(),
		Prompts: []tools.Prompt[faultyTools]{{
			Name: "ask", Title: "Ask", Doc: "Ask for a thing.",
			Arguments: []tools.PromptArgument{{Name: "key", Doc: "which thing", Required: true}}, Get: faultyTools.ask,
		}},
	}
	if f == callsUnderLock {
		system.Tools = append(system.Tools, batch())
	}
	if f == collidingOutput {
		system.Tools = append(system.Tools, tools.Define(tools.Spec[getIn, collidingOut]{
			Name: "count", Title: "Count", Doc: "Count messages.", Effect: tools.Reads,
			Examples: []tools.Example[getIn, collidingOut]{{Purpose: "count", In: getIn{"a"}}},
		}, func(faultyTools, context.Context, getIn) (collidingOut, error) { return collidingOut{}, nil }))
	}
	return tools.Erase(system), func(testing.TB) Fixture { return w.place(f) }
}

func (w *faultyStore) place(f fault) Fixture {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := fmt.Sprint("source ", len(w.shelves))
	w.shelves[name] = map[string]string{"a": "1"}
	set := func(key, value string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.shelves[name][key] = value
	}
	place := Fixture{
		Names:   []string{"a", "b", "c", "1"},
		Edit:    func(seed uint64) { set([]string{"a", "b"}[seed%2], fmt.Sprint(seed)) },
		Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "hidden*"}}},
		Hide: func(round int) []string {
			set("hidden", fmt.Sprint(round))
			return []string{"hidden"}
		},
		Config: sourceConfig{Shelf: name},
		Digest: func() string {
			w.mu.Lock()
			defer w.mu.Unlock()
			if f == blindDigest {
				return ""
			}
			return fmt.Sprint(w.shelves[name])
		},
		Outside: func() string {
			w.mu.Lock()
			defer w.mu.Unlock()
			return fmt.Sprint(w.outside)
		},
	}
	if f == hidesNothing {
		place.Hide = nil
	}
	return place
}

func (s *faultySource) Close() error {
	if s.fault == closeFails {
		return errors.New("stuck")
	}
	return nil
}

func (s *faultySource) Check(context.Context) error {
	if s.fault == checkFails {
		return errors.New("sick")
	}
	return nil
}

func (s *faultySource) get(_ context.Context, c tools.CallContext, in getIn) (getOut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	things := s.shelves[s.name]
	if s.fault == progressGoesBack {
		c.Progress(2, 2, "")
		c.Progress(1, 2, "")
	}
	if s.fault == readWrites || s.fault == hostileReadWrites && in.Key == ".." {
		things["read"] += "x"
	}
	v, ok := things[in.Key]
	ok = ok && (s.fault == readsHidden || !s.hides(in.Key))
	switch {
	case s.fault == silentNearHidden && s.env.Privacy.Any():
		return getOut{}, s.absent(in.Key)
	case ok && s.fault == wrongAnswer:
		return getOut{v + "!"}, nil
	case ok:
		return getOut{v}, nil
	default:
		return getOut{}, s.absent(in.Key)
	}
}

// absent is the error for a key that is not there.
func (s *faultySource) absent(key string) error {
	switch {
	case s.fault == panics && strings.Contains(key, "\x1b"):
		panic("escape")
	case s.fault == escapes && strings.HasPrefix(key, "../"):
		s.outside++
	case s.fault == undeclaredCode:
		return tools.Errorf(tools.Conflict, "another was faster")
	case s.fault == foreignError:
		return errors.New("no such thing")
	case s.fault == endlessMessage:
		return tools.Errorf(tools.NotFound, "nothing at %s", key)
	}
	return tools.Errorf(tools.NotFound, "nothing there")
}

func (s *faultySource) put(ctx context.Context, c tools.CallContext, in putIn) (getOut, error) {
	if err := ctx.Err(); err != nil && s.fault != cancelledButWritten {
		return getOut{}, err
	}
	if s.hides(in.Key) && s.fault != overwritesHidden {
		return getOut{}, tools.Errorf(tools.Denied, "hidden from agents")
	}
	if in.DryRun && s.fault != dryWrites {
		if s.fault == dryReport {
			_ = c.BeforeWrite(ctx, tools.Change{Target: in.Key})
		}
		return getOut{in.Value}, nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.fault == lateReport {
		s.set(in.Key, &in.Value)
	}
	if err := s.report(ctx, c, in); err != nil && s.fault != ignoresRefusal {
		return getOut{}, err
	}
	s.set(in.Key, &in.Value)
	if s.fault == announcesHidden {
		s.env.ResourceChanged(fmt.Sprint("faulty://", s.count()))
	}
	return getOut{in.Value}, ctx.Err()
}

// count is how many things there are, hidden ones too.
func (s *faultySource) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.shelves[s.name])
}

func (s *faultySource) read(context.Context, string, map[string]string) (tools.Content, error) {
	if s.fault == missingResource {
		return tools.Content{}, tools.Errorf(tools.NotFound, "not there today")
	}
	if s.fault == countsHidden {
		return tools.Content{Text: fmt.Sprint(s.count())}, nil
	}
	return tools.Content{Text: "a"}, nil
}

func (s *faultySource) list(context.Context) ([]tools.PageInfo, error) {
	if s.fault == listsHidden {
		return []tools.PageInfo{{Name: fmt.Sprint(s.count())}}, nil
	}
	return []tools.PageInfo{{Name: "all"}}, nil
}

func (s *faultySource) page(_ context.Context, name string) (tools.PageText, error) {
	if name != "all" && s.fault != listsHidden || s.fault == missingPage {
		return tools.PageText{}, tools.Errorf(tools.NotFound, "no such page")
	}
	return tools.PageText{Text: "a", MIME: "text/plain"}, nil
}

func (s *faultySource) look(context.Context, tools.Doctor) status.Check {
	if s.fault == doctorPanics {
		panic("oh")
	}
	if s.fault == doctorWrites {
		s.set("looked", new("x"))
	}
	if s.fault == doctorSaysNothing {
		return status.Check{}
	}
	return status.Check{Result: status.CheckOK, Detail: "there are"}
}

func (s *faultySource) ask(context.Context, map[string]string) ([]tools.Message, error) {
	if s.fault == silentPrompt {
		return nil, nil
	}
	return []tools.Message{{Content: tools.Content{Kind: tools.Text, Text: "Which?"}}}, nil
}
