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
		return s.compile(ctx, p, "")
	}
	c, err := openCache(s.options.CacheDir, s.cacheKey())
	if err != nil {
		return err
	}
	if p := c.read(); p != nil {
		if err := s.compile(ctx, p, c.dir); err == nil {
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
	if err := s.compile(ctx, p, dir); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return c.commit(dir, p)
}

// compile makes p ready to run. The code is looked for in dir, and left there if it was
// compiled; "" keeps none.
func (s *Sandbox) compile(ctx context.Context, p *preparedModule, dir string) (err error) {
	config := runtimeConfig(wazero.NewRuntimeConfigCompiler())
	var cache wazero.CompilationCache
	if dir != "" {
		if cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return err
		}
		config = config.WithCompilationCache(cache)
	}
	s.runtime, s.cache, s.prepared = wazero.NewRuntimeWithConfig(ctx, config), cache, p
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("compile engine: %w", err), s.closeRuntime(ctx))
		}
	}()
	if s.compiled, err = s.runtime.CompileModule(ctx, p.Module); err != nil {
		return err
	}
	if err := provideImports(ctx, s.runtime, s.find); err != nil {
		return err
	}
	if s.pool.image, err = readHeapImage(p); err != nil {
		return err
	}
	return s.makeFirst(ctx)
}

// closeRuntime frees what compile made.
func (s *Sandbox) closeRuntime(ctx context.Context) (err error) {
	if s.runtime != nil {
		err = s.runtime.Close(ctx)
	}
	if s.cache != nil {
		err = errors.Join(err, s.cache.Close(ctx))
	}
	s.runtime, s.cache = nil, nil
	return err
}

// makeFirst makes the first instance, and calls it: the image lacks the stack's pointer.
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
