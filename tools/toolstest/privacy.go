package toolstest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/yosida95/uritemplate/v3"

	"github.com/lectern-mcp/lectern/tools"
)

// An observedSource is an open source that records everything that reaches an
// agent: answers, errors and announcements.
type observedSource struct {
	source
	mu        sync.Mutex
	announced []string
	answered  map[string]bool // tools that said something
}

// openWorld opens a fixture with its Privacy, with or without the hidden
// pages.
func (s *suite) openWorld(hidden bool) (*observedSource, []string) {
	s.Helper()
	place := s.fixture(s.tb)
	var words []string
	if place.Hide == nil || !place.Privacy.Any() {
		s.Fatalf("%s has a fixture without hidden pages: set Privacy and Hide", s.manifest.Name)
	}
	if hidden {
		words = place.Hide(0)
	}
	w := &observedSource{answered: map[string]bool{}}
	e := newEnv("one")
	e.Privacy = place.Privacy
	e.ResourceChanged = func(uri string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.announced = append(w.announced, uri)
	}
	e.Subscribed = func() []string { return place.Names }
	w.source = s.openAt(place, e)
	return w, words
}

// checkTwoWorlds sends the same requests to a source that hides pages and to
// one that never had them, and compares every byte of the answers. What also
// differs between two sources without hidden pages, such as a random id, is
// ignored.
func checkTwoWorlds(s *suite) {
	s.Helper()
	secretive, words, ask := s.openWorlds()
	s.compareReads(ask, words, 1)
	for _, t := range s.writingTools() {
		s.compareExamples(ask, t)
	}
	ask("a change of what is hidden", func(w *observedSource) any {
		if w == secretive {
			w.Hide(1)
		}
		return nil
	})
	s.compareReads(ask, words, 2)
	for _, t := range s.manifest.Tools {
		if secretive.answered[t.Name] {
			continue
		}
		// What others have changed may be in its way, so it has worlds of its own.
		own, _, ask := s.openWorlds()
		s.compareExamples(ask, t)
		if !own.answered[t.Name] {
			s.Errorf("%s fails for all of its examples when something is hidden: add an example that succeeds", t.Name)
		}
	}
}

// checkHiddenCount checks that people are told how much is hidden: without it both
// worlds have the same number of pages.
func checkHiddenCount(s *suite) {
	s.Helper()
	var visible [2]int
	for i, hidden := range []bool{false, true} {
		w, _ := s.openWorld(hidden)
		c, ok := tools.As[tools.HiddenPageCounter](w.OpenedSource)
		if !ok {
			return
		}
		pages, err := c.CountHiddenPages(s.ctx())
		if err != nil || hidden && pages.Hidden == 0 {
			s.Errorf("a source that hides pages counts: %s, %v", pages, err)
		}
		visible[i] = pages.Total - pages.Hidden
	}
	if visible[0] != visible[1] {
		s.Errorf("%d pages are counted as visible when others are hidden, and %d without them", visible[1], visible[0])
	}
}

// openWorlds opens three equal sources, one of which hides pages, and returns
// a function that compares them.
func (s *suite) openWorlds() (secretive *observedSource, words []string, ask compareFunc) {
	s.Helper()
	secretive, words = s.openWorld(true)
	innocent, _ := s.openWorld(false)
	twin, _ := s.openWorld(false)
	return secretive, words, func(what string, request func(w *observedSource) any) {
		s.Helper()
		a, b, c := observe(innocent, request), observe(twin, request), observe(secretive, request)
		maskRandom(&a, b, &c)
		if diff := cmp.Diff(a, c); diff != "" {
			s.Errorf("%s tells that something is hidden (-never there +hidden):\n%s", what, abbreviate(diff, 2000))
		}
	}
}

// compareExamples compares the answers to a tool's examples.
func (s *suite) compareExamples(ask compareFunc, t tools.ToolInfo) {
	s.Helper()
	for _, x := range t.Examples {
		ask(describeCall(t, x.In), func(w *observedSource) any { return s.callAndRecord(w, t, x.In) })
	}
}

// A compareFunc makes the same request to every source and compares the
// answers.
type compareFunc func(what string, request func(w *observedSource) any)

// compareReads makes requests that change nothing, with words wherever text
// goes.
func (s *suite) compareReads(ask compareFunc, words []string, seed uint64) {
	s.Helper()
	for _, t := range s.manifest.Tools {
		if t.Effect == tools.Reads {
			s.compareTool(ask, t, words, seed)
		}
	}
	for _, r := range s.manifest.Resources {
		s.compareResource(ask, r.ForSource("one"), words)
	}
	for _, p := range s.manifest.Prompts {
		s.comparePrompt(ask, p, words)
	}
	s.comparePages(ask, words)
	ask("check", func(w *observedSource) any { return fmt.Sprint(w.Check(s.ctx())) })
}

func (s *suite) compareTool(ask compareFunc, t tools.ToolInfo, words []string, seed uint64) {
	s.Helper()
	call := func(args json.RawMessage) {
		ask(describeCall(t, args), func(w *observedSource) any { return s.callAndRecord(w, t, args) })
	}
	for _, x := range t.Examples {
		call(x.In)
	}
	for i, path := range stringPaths(t.In, nil) {
		for j, word := range words {
			if !makesCall(s, i+j) {
				continue
			}
			args := decodeObject(t.Examples[0].In)
			setAtPath(args, path, word)
			call(encode(args))
		}
	}
	v := s.newGenerator(seed, s.fixture(s.tb))
	v.names = append(v.names, words...)
	for i := range 30 {
		if args := encode(v.arguments(t)); makesCall(s, i) {
			call(args)
		}
	}
}

func (s *suite) comparePrompt(ask compareFunc, p tools.PromptInfo, words []string) {
	s.Helper()
	for _, a := range p.Arguments {
		for _, word := range words {
			ask("complete "+a.Name+" of "+p.Name, func(w *observedSource) any { return s.completions(w, p.Name, a.Name, word) })
			ask("prompt "+p.Name+" with "+word, func(w *observedSource) any { return s.renderPrompt(w, p, a.Name, word) })
		}
	}
}

// compareResource completes and reads one kind of resource.
func (s *suite) compareResource(ask compareFunc, r tools.ResourceInfo, words []string) {
	s.Helper()
	read := func(uri string) {
		ask("read "+uri, func(w *observedSource) any {
			c, err := w.Read(s.ctx(), uri)
			return []any{c, s.errorJSON(err)}
		})
	}
	if !r.IsTemplate() {
		read(r.URI)
		return
	}
	t, err := uritemplate.New(r.URI)
	if err != nil {
		s.Fatalf("resource %s: %v", r.Name, err)
	}
	for _, variable := range t.Varnames() {
		for _, word := range append([]string{""}, words...) {
			for _, prefix := range []string{word, truncate(word, 1), truncate(word, 3)} {
				ask("complete "+r.URI+" from "+prefix, func(w *observedSource) any { return s.completions(w, r.URI, variable, prefix) })
			}
			if uri, err := t.Expand(uritemplate.Values{variable: uritemplate.String(word)}); err == nil {
				read(uri)
			}
		}
	}
}

func (s *suite) completions(w *observedSource, ref, argument, prefix string) any {
	values, err := w.Complete(s.ctx(), ref, argument, prefix)
	return []any{values, s.errorJSON(err)}
}

// renderPrompt renders a prompt with one argument set.
func (s *suite) renderPrompt(w *observedSource, p tools.PromptInfo, argument, word string) any {
	args := map[string]string{}
	for _, a := range p.Arguments {
		args[a.Name] = "x"
	}
	args[argument] = word
	messages, err := w.Prompt(s.ctx(), p.Name, args)
	return []any{messages, s.errorJSON(err)}
}

// callAndRecord calls a tool and returns everything that an agent sees.
func (s *suite) callAndRecord(w *observedSource, t tools.ToolInfo, args json.RawMessage) any {
	s.Helper()
	l := &messageRecorder{progressChecker: &progressChecker{s: s, what: describeCall(t, args)}}
	got := s.callAs(s.ctx(), callContext(s.manifest, l, nil), w.OpenedSource, t, args)
	l.mu.Lock()
	defer l.mu.Unlock()
	if got.err != nil {
		if tools.AsError(got.err).Code == tools.Denied { // off wherever anything may be hidden: that is an answer
			w.answered[t.Name] = true
		}
		return []any{s.errorJSON(got.err), l.messages}
	}
	w.answered[t.Name] = true
	return []any{decodeValue(got.result.JSON), got.result.Content, l.messages}
}

// errorJSON is an error as an agent gets it.
func (s *suite) errorJSON(err error) any {
	if err == nil {
		return nil
	}
	b, err := json.Marshal(s.manifest.ErrorFormat.Object(tools.AsError(err)))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// A messageRecorder is a Notifier that records what an agent is told during
// a call.
type messageRecorder struct {
	*progressChecker
	messages []string
}

// Progress implements [tools.Notifier].
func (o *messageRecorder) Progress(done, total float64, message string) {
	o.progressChecker.Progress(done, total, message)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.messages = append(o.messages, fmt.Sprint(done, total, message))
}

// Log implements [tools.Notifier].
func (o *messageRecorder) Log(level slog.Level, message string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.messages = append(o.messages, level.String()+" "+message)
}

// observe makes a request and returns the answer and the announcements as
// plain JSON values.
func observe(w *observedSource, request func(*observedSource) any) any {
	answer := request(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.announced)
	b := encode([]any{answer, w.announced})
	w.announced = nil
	return decodeValue(b)
}

// maskRandom replaces values of a and c where a and b, which should be equal,
// differ.
func maskRandom(a *any, b any, c *any) {
	switch was := (*a).(type) {
	case map[string]any:
		twin, ok := b.(map[string]any)
		other, ok2 := (*c).(map[string]any)
		if !ok || !ok2 {
			return
		}
		for _, k := range slices.Sorted(maps.Keys(was)) {
			x, y := was[k], other[k]
			maskRandom(&x, twin[k], &y)
			was[k] = x
			if _, there := other[k]; there {
				other[k] = y
			}
		}
	case []any:
		twin, ok := b.([]any)
		other, ok2 := (*c).([]any)
		if !ok || !ok2 || len(twin) != len(was) || len(other) != len(was) {
			return
		}
		for i := range was {
			maskRandom(&was[i], twin[i], &other[i])
		}
	default:
		if _, text := (*c).(string); text && !cmp.Equal(*a, b) {
			*a, *c = "(random)", "(random)"
		}
	}
}

// checkHiddenUntouched calls every tool that writes with words that lead to
// hidden pages. Hidden targets must not change.
func checkHiddenUntouched(s *suite) {
	s.Helper()
	w, words := s.openWorld(true)
	if len(s.writingTools()) == 0 {
		return
	}
	if w.Restorer() == nil {
		s.Fatalf("%s has tools that write but is not a tools.Restorer, so hidden pages cannot be checked", s.manifest.Name)
	}
	if _, ok := w.Restorer().(tools.ChangeFilter); !ok {
		s.Errorf("%s is not a tools.ChangeFilter, so agents see none of their own changes when anything is hidden", s.manifest.Name)
	}
	hidden := map[string]tools.State{}
	for _, word := range words {
		if st, err := w.Restorer().State(s.ctx(), word); err == nil && st.Exists {
			hidden[word] = st
			s.checkChangeHidden(w, tools.Change{Target: word, Before: st})
		}
	}
	if len(hidden) == 0 {
		s.Errorf("none of %.300q is an existing target", words)
	}
	for _, t := range s.writingTools() {
		callWithHidden(s, w, hidden, t, words)
	}
}

// callWithHidden calls a tool with the words that lead to what is hidden, and at random.
func callWithHidden(s *suite, w *observedSource, hidden map[string]tools.State, t tools.ToolInfo, words []string) {
	s.Helper()
	for i, path := range stringPaths(t.In, nil) {
		for j, word := range words {
			if !makesCall(s, i+j) {
				continue
			}
			args := decodeObject(t.Examples[0].In)
			delete(args, t.DryRunArgument())
			setAtPath(args, path, word)
			s.callLeavingHidden(w, hidden, t, encode(args))
		}
	}
	v := s.newGenerator(7, w.Fixture)
	v.names = append(v.names, words...)
	for i := range 60 {
		if args := encode(v.arguments(t)); makesCall(s, i) {
			s.callLeavingHidden(w, hidden, t, args)
		}
	}
}

// checkChangeHidden checks that agents may not see a Change of something
// hidden.
func (s *suite) checkChangeHidden(w *observedSource, c tools.Change) {
	s.Helper()
	if hidden, err := w.HidesChange(s.ctx(), c); err == nil && !hidden {
		s.Errorf("%q is hidden, but agents may see a change of it", c.Target)
	}
}

// callLeavingHidden makes a call and checks that it leaves hidden targets
// alone.
func (s *suite) callLeavingHidden(w *observedSource, hidden map[string]tools.State, t tools.ToolInfo, args json.RawMessage) {
	s.Helper()
	l := s.newRecorder(describeCall(t, args))
	s.callAs(s.ctx(), l.callContext(), w.OpenedSource, t, args)
	for target, was := range hidden {
		if now := s.readState(w.source, target); !equalStates(now, was) {
			s.Errorf("%s: %q is hidden but was changed from %s to %s", l.what, target, describeState(was), describeState(now))
			hidden[target] = now
		}
	}
	for _, c := range l.changes {
		if _, ok := hidden[c.Target]; ok {
			s.Errorf("%s: reports a change of %q, which is hidden", l.what, c.Target)
		}
	}
}
