package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/fuel"
)

// restCode is the code of the functions of the engine that few scripts need. Where it is in
// the cache, it is loaded when the first instance needs it: that takes as long as all that
// every script needs.
type restCode struct {
	mu       sync.Mutex
	compiled wazero.CompiledModule // set from the start where it was compiled and not found
}

// loadRest is called when the engine calls a function of the rest for the first time. The
// script has not asked for what this takes.
func (in *instance) loadRest() {
	if in.sandbox == nil {
		panic(stopped{errUnexpected})
	}
	if in.run != nil && in.rest == nil {
		defer in.run.clock.pause()()
	}
	if err := in.sandbox.giveRest(context.Background(), in); err != nil {
		if in.run != nil {
			in.run.aborted = err // it is not the script's fault
		}
		panic(stopped{err})
	}
}

// giveRest makes the rest of the engine for an instance, if it has none.
func (s *Sandbox) giveRest(ctx context.Context, in *instance) error {
	if in.rest != nil {
		return nil
	}
	compiled, err := s.compiledRest(ctx)
	if err == nil {
		err = s.instantiateRest(ctx, in, compiled)
	}
	if err != nil {
		return fmt.Errorf("load the rest of the engine: %w", err)
	}
	return nil
}

// compiledRest finds the rest if it was not found yet. Where it fails, on a full disk for
// example, the next script tries again.
func (s *Sandbox) compiledRest(ctx context.Context) (wazero.CompiledModule, error) {
	s.rest.mu.Lock()
	defer s.rest.mu.Unlock()
	if s.rest.compiled != nil {
		return s.rest.compiled, nil
	}
	compiled, err := s.findRest(ctx)
	if err != nil {
		return nil, err
	}
	s.rest.compiled = compiled
	return compiled, nil
}

// findRest loads what the cache has. Whatever is wrong with it, it can be made again.
func (s *Sandbox) findRest(ctx context.Context) (wazero.CompiledModule, error) {
	if compiled, err := s.runtime.CompileModule(ctx, s.prepared.Rest.Outline); err == nil && s.tryRest(ctx, compiled) == nil {
		return compiled, nil
	}
	p, err := s.prepare(ctx)
	if err != nil {
		return nil, err
	}
	// Who opens this entry next must not find what was wrong, and wazero needs its folder.
	c, err := openCache(s.options.CacheDir, s.cacheKey())
	if err == nil {
		err = os.RemoveAll(c.dir)
	}
	if err != nil {
		return nil, err
	}
	folder, err := wazero.NewCompilationCacheWithDir(c.dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close(ctx) //nolint:errcheck // it has compiled nothing
	return s.runtime.CompileModule(ctx, p.Rest.Module)
}

// tryRest calls the rest in an instance of its own: code that was found in a cache may be
// none.
func (s *Sandbox) tryRest(ctx context.Context, compiled wazero.CompiledModule) error {
	in, err := newInstance(ctx, s.runtime, s.core, s.pool)
	if err != nil {
		return err
	}
	defer in.close(ctx) //nolint:errcheck // nothing is lost with it
	if err := s.instantiateRest(ctx, in, compiled); err != nil {
		return err
	}
	defer s.instances.Delete(in.rest)
	answer, err := in.rest.ExportedFunction(fuel.Probe).Call(ctx)
	if err == nil && answer[0] != 1 {
		err = errors.New("the rest of the engine does not answer")
	}
	return err
}

func (s *Sandbox) instantiateRest(ctx context.Context, in *instance, compiled wazero.CompiledModule) error {
	ctx = experimental.WithImportResolver(ctx, func(name string) api.Module {
		if name == fuel.CoreModule {
			return in.module
		}
		return nil
	})
	rest, err := s.runtime.InstantiateModule(ctx, compiled, instanceConfig())
	if err != nil {
		return err
	}
	in.rest = rest
	s.instances.Store(rest, in)
	return nil
}
