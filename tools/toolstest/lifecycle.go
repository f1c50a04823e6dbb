package toolstest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// checkStableManifest checks that the JSON of a declaration does not vary,
// because agents cache the list of tools.
func checkStableManifest(s *suite) {
	s.Helper()
	first, err := json.Marshal(s.kind.Manifest())
	if err != nil {
		s.Fatalf("marshal manifest: %v", err)
	}
	s.open("one")
	for range 20 {
		again, err := json.Marshal(s.kind.Manifest())
		if err != nil || !bytes.Equal(first, again) {
			s.Fatalf("the manifest's bytes differ from call to call (error %v)", err)
		}
	}
	if i := bytes.Index(first, []byte(":null")); i >= 0 {
		s.Errorf("the manifest holds null: …%s", abbreviate(string(first[max(0, i-60):]), 80))
	}
}

// checkConfigRefused opens a source with invalid configuration.
func checkConfigRefused(s *suite) {
	s.Helper()
	for raw, want := range map[string]string{`{"zz_unknown":1}`: "zz_unknown", `[]`: "object", `"x"`: "object"} {
		o, err := s.kind.Open(s.ctx(), json.RawMessage(raw), newEnv("one"))
		if err == nil {
			_ = o.Close()
			s.Errorf("open with %s: no error", raw)
			continue
		}
		if e := tools.AsError(err); e.Code != tools.Invalid || !strings.Contains(e.Message, want) {
			s.Errorf("open with %s: want an invalid error that mentions %s, got %v", raw, want, err)
		}
	}
}

// checkHealthy checks that Check succeeds for a new source.
func checkHealthy(s *suite) {
	s.Helper()
	if err := s.open("one").Check(s.ctx()); err != nil {
		s.Errorf("check of a fresh source: %v", err)
	}
}

// checkCancelledCalls calls every tool with a cancelled context. A fast tool
// may still succeed; one that fails must have changed nothing.
func checkCancelledCalls(s *suite) {
	s.Helper()
	for _, t := range s.manifest.Tools {
		if len(t.Examples) == 0 {
			continue
		}
		src := s.open("one")
		before := src.Digest()
		ctx, cancel := context.WithCancel(s.ctx())
		cancel()
		got := s.call(ctx, src.OpenedSource, t, t.Examples[0].In)
		if got.err == nil {
			continue
		}
		if got.err.Code != tools.Timeout {
			s.Errorf("%s after cancellation: want timeout, got %v", t.Name, got)
		}
		if src.Digest() != before {
			s.Errorf("%s after cancellation: returned an error but changed the data", t.Name)
		}
	}
}

// checkSourcesAreIsolated changes one source and checks another.
func checkSourcesAreIsolated(s *suite) {
	s.Helper()
	one, two := s.open("one"), s.open("two")
	before := two.Digest()
	for _, t := range s.manifest.Tools {
		if t.Effect == tools.Reads {
			continue
		}
		for _, x := range t.Examples {
			s.call(s.ctx(), one.OpenedSource, t, x.In)
		}
		if two.Digest() != before {
			s.Fatalf("%s on one source changed another", t.Name)
		}
	}
	for _, t := range s.manifest.Tools {
		if t.Effect != tools.Reads {
			continue
		}
		for i, x := range t.Examples {
			s.runExample(two, t, i, x)
		}
	}
}

// checkConcurrentCalls calls all tools at once from several goroutines, for
// the race detector.
func checkConcurrentCalls(s *suite) {
	s.Helper()
	src := s.open("one")
	n := len(s.manifest.Tools)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range runtest.Size(3, 1, 1) * n {
				t := s.manifest.Tools[(g+i)%n]
				for _, x := range t.Examples {
					s.call(s.ctx(), src.OpenedSource, t, x.In)
				}
			}
		})
	}
	wg.Wait()
	if err := src.Check(s.ctx()); err != nil {
		s.Errorf("check after concurrent calls: %v", err)
	}
}

// checkClosedSource closes a source twice and then calls everything.
func checkClosedSource(s *suite) {
	s.Helper()
	src := s.open("one")
	for range 2 {
		if err := src.Close(); err != nil {
			s.Errorf("close: %v", err)
		}
	}
	var errs []error
	for _, t := range s.manifest.Tools {
		_, err := src.Call(s.ctx(), callContext(s.manifest, nil, nil), t.Name, []byte(`{}`))
		errs = append(errs, err)
	}
	_, err := src.Read(s.ctx(), "nobody://one/nothing")
	errs = append(errs, err)
	_, err = src.Prompt(s.ctx(), "zz_nobody", nil)
	errs = append(errs, err, src.Check(s.ctx()))
	_, err = src.Pages(s.ctx(), tools.PageQuery{})
	errs = append(errs, err)
	_, err = src.Page(s.ctx(), "nothing")
	errs = append(errs, err)
	for _, err := range errs {
		if e, ok := errors.AsType[*tools.Error](err); !ok || e.Code != tools.Unavailable {
			s.Errorf("a call after Close: want unavailable, got %v", err)
		}
	}
}
