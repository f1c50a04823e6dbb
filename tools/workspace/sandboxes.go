package workspace

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/lectern-mcp/lectern/internal/typescript"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox"
)

// A sharedSandbox is the one sandbox of all sources in a process, opened with the
// first script and closed with the last source.
type sharedSandbox struct {
	mu     sync.Mutex
	users  int
	opened *openedSandbox // nil: no script has needed one, or it could not be opened
}

// An openedSandbox is a sandbox that is open, or being opened, for all who wait for it.
type openedSandbox struct {
	done     chan struct{} // closed when the rest is set
	box      *sandbox.Sandbox
	compiler *typescript.Compiler
	err      error
}

func (s *sharedSandbox) use() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
}

// open returns the sandbox. Its compiled engine is kept in cacheDir. If it is not ready,
// wait is called before it is waited for.
func (s *sharedSandbox) open(ctx context.Context, cacheDir string, wait func()) (*sandbox.Sandbox, error) {
	s.mu.Lock()
	o := s.opened
	if o == nil {
		o = &openedSandbox{done: make(chan struct{})}
		s.opened = o
		go s.load(o, cacheDir) // who asked first may leave; the others need it
	}
	s.mu.Unlock()
	select {
	case <-o.done:
		return o.box, o.err
	default:
		wait()
	}
	select {
	case <-o.done:
		return o.box, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *sharedSandbox) load(o *openedSandbox, cacheDir string) {
	defer close(o.done)
	if o.box, o.compiler, o.err = openSandbox(cacheDir); o.err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened == o { // the next script tries again
		s.opened = nil
	}
}

func openSandbox(cacheDir string) (*sandbox.Sandbox, *typescript.Compiler, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find the program that compiles TypeScript: %w", err)
	}
	compiler := typescript.NewCompiler(exe, typescript.ChildArgument)
	box, err := sandbox.Open(context.Background(), sandbox.Options{
		CacheDir: cacheDir, Globals: facadeScript(), GlobalNames: []string{"kb"}, TypeScript: compiler,
		Limits: sandbox.Limits{HostCalls: maxScriptSize}, // a source has its own
	})
	return box, compiler, err
}

// release is called once for each use, when no script of that source runs.
func (s *sharedSandbox) release(ctx context.Context) error {
	s.mu.Lock()
	s.users--
	o := s.opened
	if s.users > 0 || o == nil {
		s.mu.Unlock()
		return nil
	}
	s.opened = nil
	s.mu.Unlock()
	<-o.done
	if o.box == nil { // it could not be opened
		return nil
	}
	o.compiler.Close()
	return o.box.Close(ctx)
}

// Prepare implements [tools.Preparer]: the first script of a machine has the engine compiled.
func (w *Workspaces) Prepare(ctx context.Context, c tools.CallContext) error {
	_, err := w.sandboxes.open(ctx, w.cache, func() {
		c.Progress(0, 0, "getting the script engine ready; the first script on a machine waits a few seconds for it")
	})
	return err
}
