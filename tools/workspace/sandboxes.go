package workspace

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/lectern-mcp/lectern/internal/typescript"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox"
)

// A sharedSandbox is the one sandbox of all sources in a process, opened with the
// first script and closed with the last source.
type sharedSandbox struct {
	mu       sync.Mutex
	users    int
	box      *sandbox.Sandbox
	compiler *typescript.Compiler
}

func (s *sharedSandbox) use() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
}

// open returns the sandbox. Its compiled engine is kept in cacheDir.
func (s *sharedSandbox) open(ctx context.Context, cacheDir string) (*sandbox.Sandbox, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.box != nil {
		return s.box, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that compiles TypeScript: %w", err)
	}
	compiler := typescript.NewCompiler(exe, typescript.ChildArgument)
	box, err := sandbox.Open(context.WithoutCancel(ctx), sandbox.Options{
		CacheDir: cacheDir, Globals: facadeScript(), GlobalNames: []string{"kb"}, TypeScript: compiler,
	})
	if err != nil {
		return nil, err
	}
	s.box, s.compiler = box, compiler
	return box, nil
}

// release is called once for each use, when no script of that source runs.
func (s *sharedSandbox) release(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 || s.box == nil {
		return nil
	}
	s.compiler.Close()
	box := s.box
	s.box, s.compiler = nil, nil
	return box.Close(ctx)
}
