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

// A worldly is an open source of which everything that reaches an agent is
// kept: answers, errors and announcements.
type worldly struct {
	source
	mu        sync.Mutex
	announced []string
	answered  map[string]bool // tools that said something
}

// inWorld opens a place with its Privacy, and with what that hides or without.
func (s *suite) inWorld(hidden bool) (*worldly, []string) {
	s.Helper()
	place := s.fixture(s.tb)
	var words []string
	if place.Hide == nil || !place.Privacy.Any() {
		s.Fatalf("%s says in its Place nothing of what can be hidden: give it Privacy and Hide", s.manifest.Name)
	}
	if hidden {
		words = place.Hide(0)
	}
	w := &worldly{answered: map[string]bool{}}
	e := env("one")
	e.Privacy = place.Privacy
	e.ResourceChanged = func(uri string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.announced = append(w.announced, uri)
	}
	w.source = s.openAt(place, e)
	return w, words
}

// twoWorlds sends the same requests to a source that hides pages and to one
// that never had them, and compares every byte that comes back. What differs
// between two that never had them, such as a random id, says nothing.
func twoWorlds(s *suite) {
	s.Helper()
	secretive, words, ask := s.worlds()
	s.reads(ask, words, 1)
	for _, t := range s.writers() {
		s.showcase(ask, t)
	}
	ask("a change of what is hidden", func(w *worldly) any {
		if w == secretive {
			w.Hide(1)
		}
		return nil
	})
	s.reads(ask, words, 2)
	for _, t := range s.manifest.Tools {
		if secretive.answered[t.Name] {
			continue
		}
		// What others have changed may be in its way, so it has worlds of its own.
		own, _, ask := s.worlds()
		s.showcase(ask, t)
		if !own.answered[t.Name] {
			s.Errorf("%s answers none of its examples where something is hidden, which proves nothing: give it one that it does", t.Name)
		}
	}
}

// worlds are three of a kind, one of which hides something, and a way to ask
// them all.
func (s *suite) worlds() (secretive *worldly, words []string, ask asking) {
	s.Helper()
	secretive, words = s.inWorld(true)
	innocent, _ := s.inWorld(false)
	twin, _ := s.inWorld(false)
	return secretive, words, func(what string, request func(w *worldly) any) {
		s.Helper()
		a, b, c := seen(innocent, request), seen(twin, request), seen(secretive, request)
		mask(&a, b, &c)
		if diff := cmp.Diff(a, c); diff != "" {
			s.Errorf("%s tells that something is hidden (-never there +hidden):\n%s", what, clip(diff, 2000))
		}
	}
}

// showcase asks for every example of a tool.
func (s *suite) showcase(ask asking, t tools.ToolInfo) {
	s.Helper()
	for _, x := range t.Examples {
		ask(describe(t, x.In), func(w *worldly) any { return s.saysTo(w, t, x.In) })
	}
}

// asking makes the same request in every world and compares.
type asking func(what string, request func(w *worldly) any)

// reads makes requests that change nothing, and tries words wherever text goes.
func (s *suite) reads(ask asking, words []string, seed uint64) {
	s.Helper()
	for _, t := range s.manifest.Tools {
		if t.Effect == tools.Reads {
			s.readsTool(ask, t, words, seed)
		}
	}
	for _, r := range s.manifest.Resources {
		s.readsResource(ask, r.Of("one"), words)
	}
	for _, p := range s.manifest.Prompts {
		s.readsPrompt(ask, p, words)
	}
	s.readsPages(ask, words)
	ask("check", func(w *worldly) any { return fmt.Sprint(w.Check(s.ctx())) })
}

func (s *suite) readsTool(ask asking, t tools.ToolInfo, words []string, seed uint64) {
	s.Helper()
	call := func(args json.RawMessage) {
		ask(describe(t, args), func(w *worldly) any { return s.saysTo(w, t, args) })
	}
	for _, x := range t.Examples {
		call(x.In)
	}
	for _, path := range stringPaths(t.In, nil) {
		for _, word := range words {
			args := object(t.Examples[0].In)
			put(args, path, word)
			call(encode(args))
		}
	}
	v := s.inventor(seed, s.fixture(s.tb))
	v.names = append(v.names, words...)
	for range 30 {
		call(encode(v.arguments(t)))
	}
}

func (s *suite) readsPrompt(ask asking, p tools.PromptInfo, words []string) {
	s.Helper()
	for _, a := range p.Arguments {
		for _, word := range words {
			ask("complete "+a.Name+" of "+p.Name, func(w *worldly) any { return s.proposals(w, p.Name, a.Name, word) })
			ask("prompt "+p.Name+" with "+word, func(w *worldly) any { return s.asked(w, p, a.Name, word) })
		}
	}
}

// readsResource completes and reads one kind of resource.
func (s *suite) readsResource(ask asking, r tools.ResourceInfo, words []string) {
	s.Helper()
	read := func(uri string) {
		ask("read "+uri, func(w *worldly) any {
			c, err := w.Read(s.ctx(), uri)
			return []any{c, s.told(err)}
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
			for _, prefix := range []string{word, clipTo(word, 1), clipTo(word, 3)} {
				ask("complete "+r.URI+" from "+prefix, func(w *worldly) any { return s.proposals(w, r.URI, variable, prefix) })
			}
			if uri, err := t.Expand(uritemplate.Values{variable: uritemplate.String(word)}); err == nil {
				read(uri)
			}
		}
	}
}

func (s *suite) proposals(w *worldly, ref, argument, prefix string) any {
	values, err := w.Complete(s.ctx(), ref, argument, prefix)
	return []any{values, s.told(err)}
}

// asked renders a prompt about word.
func (s *suite) asked(w *worldly, p tools.PromptInfo, argument, word string) any {
	args := map[string]string{}
	for _, a := range p.Arguments {
		args[a.Name] = "x"
	}
	args[argument] = word
	messages, err := w.Prompt(s.ctx(), p.Name, args)
	return []any{messages, s.told(err)}
}

// saysTo calls a tool and keeps all that an agent sees.
func (s *suite) saysTo(w *worldly, t tools.ToolInfo, args json.RawMessage) any {
	s.Helper()
	l := &overheard{witness: &witness{s: s, what: describe(t, args)}}
	got := s.callAs(s.ctx(), l, w.OpenedSource, t, args)
	l.mu.Lock()
	defer l.mu.Unlock()
	if got.err != nil {
		if tools.AsError(got.err).Code == tools.Denied { // off wherever anything may be hidden: that is an answer
			w.answered[t.Name] = true
		}
		return []any{s.told(got.err), l.said}
	}
	w.answered[t.Name] = true
	return []any{value(got.result.JSON), got.result.Content, l.said}
}

// told is an error as an agent gets it.
func (s *suite) told(err error) any {
	if err == nil {
		return nil
	}
	b, err := json.Marshal(s.manifest.ErrorFormat.Object(tools.AsError(err)))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// An overheard is a Caller that keeps what an agent hears during a call.
type overheard struct {
	*witness
	said []string
}

// Progress implements [tools.Caller].
func (o *overheard) Progress(done, total float64, message string) {
	o.witness.Progress(done, total, message)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.said = append(o.said, fmt.Sprint(done, total, message))
}

// Log implements [tools.Caller].
func (o *overheard) Log(level slog.Level, message string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.said = append(o.said, level.String()+" "+message)
}

// seen is what a request brings, and what was announced meanwhile, as plain
// JSON values.
func seen(w *worldly, request func(*worldly) any) any {
	answer := request(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.announced)
	b := encode([]any{answer, w.announced})
	w.announced = nil
	return value(b)
}

// mask makes a and c say the same wherever a and its twin b differ.
func mask(a *any, b any, c *any) {
	switch was := (*a).(type) {
	case map[string]any:
		twin, ok := b.(map[string]any)
		other, ok2 := (*c).(map[string]any)
		if !ok || !ok2 {
			return
		}
		for _, k := range slices.Sorted(maps.Keys(was)) {
			x, y := was[k], other[k]
			mask(&x, twin[k], &y)
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
			mask(&was[i], twin[i], &other[i])
		}
	default:
		if _, text := (*c).(string); text && !cmp.Equal(*a, b) {
			*a, *c = "(random)", "(random)"
		}
	}
}

// hiddenKept calls every tool that writes with words that lead to what is
// hidden. What is a target of the Keeper holds the same afterwards.
func hiddenKept(s *suite) {
	s.Helper()
	w, words := s.inWorld(true)
	if len(s.writers()) == 0 {
		return
	}
	if w.Restorer() == nil {
		s.Fatalf("%s writes and is no tools.Keeper, so nobody can tell what it does to hidden things", s.manifest.Name)
	}
	if _, ok := w.Restorer().(tools.ChangeFilter); !ok {
		s.Errorf("%s hides things and is no tools.Hider, so where anything is hidden agents see none of their own changes", s.manifest.Name)
	}
	hidden := map[string]tools.State{}
	for _, word := range words {
		if st, err := w.Restorer().State(s.ctx(), word); err == nil && st.Exists {
			hidden[word] = st
			s.hidesChange(w, tools.Change{Target: word, Before: st})
		}
	}
	if len(hidden) == 0 {
		s.Errorf("none of %.300q is a target that is there", words)
	}
	for _, t := range s.writers() {
		for _, path := range stringPaths(t.In, nil) {
			for _, word := range words {
				args := object(t.Examples[0].In)
				delete(args, "dry_run")
				put(args, path, word)
				s.leaves(w, hidden, t, encode(args))
			}
		}
		v := s.inventor(7, w.Place)
		v.names = append(v.names, words...)
		for range 60 {
			s.leaves(w, hidden, t, encode(v.arguments(t)))
		}
	}
}

// hidesChange checks that agents must not know of a Change of what is hidden.
func (s *suite) hidesChange(w *worldly, c tools.Change) {
	s.Helper()
	if hidden, err := w.Hides(s.ctx(), c); err == nil && !hidden {
		s.Errorf("%q is hidden, and agents may know of a change of it", c.Target)
	}
}

// leaves makes a call and checks that it leaves hidden alone.
func (s *suite) leaves(w *worldly, hidden map[string]tools.State, t tools.ToolInfo, args json.RawMessage) {
	s.Helper()
	l := s.ledger(describe(t, args))
	s.callAs(s.ctx(), l, w.OpenedSource, t, args)
	for target, was := range hidden {
		if now := s.state(w.source, target); !equalStates(now, was) {
			s.Errorf("%s: %q is hidden, and was changed from %s to %s", l.what, target, showState(was), showState(now))
			hidden[target] = now
		}
	}
	for _, c := range l.changes {
		if _, ok := hidden[c.Target]; ok {
			s.Errorf("%s: reports a change of %q, which is hidden", l.what, c.Target)
		}
	}
}
