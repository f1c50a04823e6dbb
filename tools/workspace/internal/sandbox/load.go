package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/quickjs"
)

// load prepares and compiles the engine, or finds both in the cache.
func (s *Sandbox) load(ctx context.Context) error {
	if s.options.CacheDir == "" {
		p, err := s.prepare(ctx)
		if err != nil {
			return err
		}
		return s.compile(ctx, p, "", compileWhole)
	}
	c, err := openCache(s.options.CacheDir, s.cacheKey())
	if err != nil {
		return err
	}
	if p := c.read(); p != nil {
		if err := s.compile(ctx, p, c.dir, findCore); err == nil {
			c.markUsed()
			return nil
		}
		// Whatever is wrong with it, it can be made again.
	}
	p, err := s.prepare(ctx)
	if err != nil {
		return err
	}
	dir, err := c.begin()
	if err != nil {
		return err
	}
	if err := s.compile(ctx, p, dir, compileIntoCache); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return c.commit(dir, p)
}

// compiledEngine are the compiled parts of a preparedModule; rest is nil where it is still
// to be found.
type compiledEngine struct{ core, rest wazero.CompiledModule }

// compileWhole compiles what p has.
func compileWhole(ctx context.Context, runtime wazero.Runtime, p *preparedModule, _ string) (c compiledEngine, err error) {
	if c.core, err = runtime.CompileModule(ctx, p.Core.Module); err == nil {
		c.rest, err = runtime.CompileModule(ctx, p.Rest.Module)
	}
	return c, err
}

// compileIntoCache compiles what p has, and leaves the code in dir.
func compileIntoCache(ctx context.Context, runtime wazero.Runtime, p *preparedModule, dir string) (c compiledEngine, err error) {
	var name string
	if c.core, err = runtime.CompileModule(ctx, p.Core.Module); err == nil {
		name, err = moveCode(ctx, dir, p.Core.Outline)
	}
	if err != nil {
		return c, err
	}
	if c.rest, err = runtime.CompileModule(ctx, p.Rest.Module); err == nil {
		_, err = moveCode(ctx, dir, p.Rest.Outline, name)
	}
	return c, err
}

// findCore finds the code of the core in the cache that the runtime has.
func findCore(ctx context.Context, runtime wazero.Runtime, p *preparedModule, _ string) (c compiledEngine, err error) {
	c.core, err = runtime.CompileModule(ctx, p.Core.Outline)
	return c, err
}

// compile makes p ready to run, by one of the functions above.
func (s *Sandbox) compile(ctx context.Context, p *preparedModule, dir string,
	compile func(context.Context, wazero.Runtime, *preparedModule, string) (compiledEngine, error),
) error {
	config := runtimeConfig(wazero.NewRuntimeConfigCompiler())
	var cache wazero.CompilationCache
	if dir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return err
		}
		config = config.WithCompilationCache(cache)
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	surroundings := make(chan error, 1)
	go func() { surroundings <- s.provideSurroundings(ctx, runtime, p, dir) }()
	compiled, err := compile(ctx, runtime, p, dir)
	err = errors.Join(err, <-surroundings)
	if err == nil {
		s.runtime, s.cache, s.core, s.rest.compiled, s.prepared = runtime, cache, compiled.core, compiled.rest, p
		err = s.makeFirst(ctx)
	}
	if err != nil {
		s.runtime, s.cache = nil, nil
		err = errors.Join(fmt.Errorf("compile engine: %w", err), runtime.Close(ctx))
		if cache != nil {
			err = errors.Join(err, cache.Close(ctx))
		}
	}
	return err
}

// provideSurroundings makes what instances need besides the code: the imports, the image
// and the first one's memory. It takes a good part of the time that the code takes, so it
// is done beside that.
func (s *Sandbox) provideSurroundings(ctx context.Context, runtime wazero.Runtime, p *preparedModule, dir string) error {
	err := p.readMemory(dir)
	if err != nil {
		return err
	}
	if s.pool.image, err = readHeapImage(p); err != nil {
		return err
	}
	if err := s.pool.fill(int(s.limits.Memory)); err != nil {
		return err
	}
	return provideImports(ctx, runtime, s.find)
}

// makeFirst makes the first instance, and calls it: code that was found in a cache may be
// none.
func (s *Sandbox) makeFirst(ctx context.Context) error {
	in, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	s.pool.image.stackPointer = in.stack.Get()
	_, err = in.call(qjsGetUndefined)
	s.finish(ctx, in, err == nil)
	return err
}

func (s *Sandbox) find(module api.Module) *instance {
	in, ok := s.instances.Load(module)
	if !ok {
		panic(stopped{errUnexpected})
	}
	return in.(*instance)
}

// cacheKey names all that the prepared module is made of.
func (s *Sandbox) cacheKey() string {
	h := sha256.New()
	for _, part := range [][]byte{quickjs.Compressed, []byte(prelude), []byte(s.options.Globals)} {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(s.limits.Memory)))
	h.Write([]byte{prepareVersion})
	return hex.EncodeToString(h.Sum(nil)[:16])
}
