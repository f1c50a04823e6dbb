// Package sandbox runs JavaScript that nobody trusts. A script computes, and
// asks its [Host]; nothing else gets in or out: no file, no network, no clock,
// no randomness but a seed, no environment, no other script.
//
// The engine is QuickJS-NG compiled to WebAssembly, run by wazero after package
// fuel has rewritten it. So the walls are those of WebAssembly, the engine's
// bugs stay inside, and every script stops: by its fuel, which is counted by
// instructions and equal on every machine, by its memory, or by its deadline.
// Every script starts from the same image of a heap that was set up once, and an
// instance is used again only after its memory was restored to that image.
//
// It knows no workspace and no MCP: what host.call means is the Host's. Only
// tools/workspace imports it. Start at [Open] and [Sandbox.Run]; limits.go has
// the limits, prelude.js what a script finds.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/lectern-mcp/lectern/internal/typescript"
)

// Options say how a sandbox is opened. The zero value is valid.
type Options struct {
	// CacheDir is a folder for the compiled engine, made if it is missing; empty
	// compiles it each time, which takes a second or two. What lies in it is
	// executed. It is protected by its owner and permissions: Open refuses a
	// folder that another user owns or can write to. Checksums find damage, not
	// forgery, since a program that can write there as this user could change
	// this process as well.
	CacheDir string
	// Limits of every script. What is zero has its default.
	Limits Limits
	// Globals is JavaScript that every script finds evaluated, such as a facade
	// over host.call. It is trusted.
	Globals string
	// GlobalNames are the globals that Globals defines, for messages.
	GlobalNames []string
	// TypeScript compiles scripts in TypeScript; without it they are refused. The
	// sandbox does not close it.
	TypeScript *typescript.Compiler
}

// Sandbox runs scripts, several at a time.
type Sandbox struct {
	options  Options
	limits   Limits
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	prepared *preparedModule
	pool     *memoryPool

	slice     int64    // fuel that is granted at a time
	instances sync.Map // api.Module → *instance
	idle      chan *instance
}

// maxIdle is how many clean instances are kept. Each holds about 2 MiB.
const maxIdle = 8

// Open makes a sandbox ready to run. Close it to free its memory.
func Open(ctx context.Context, options Options) (*Sandbox, error) {
	limits, err := options.Limits.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open sandbox: %w", err)
	}
	s := &Sandbox{options: options, limits: limits, slice: fuelSlice, idle: make(chan *instance, maxIdle), pool: newMemoryPool()}
	if err := s.load(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open sandbox: %w", err), s.Close(ctx))
	}
	return s, nil
}

// Close frees everything. No run may be under way.
func (s *Sandbox) Close(ctx context.Context) error {
	var err error
	s.instances.Range(func(_, in any) bool {
		err = errors.Join(err, in.(*instance).close(ctx))
		return true
	})
	return errors.Join(err, s.closeRuntime(ctx), s.pool.close())
}

// Limits are the most that a script can have.
func (s *Sandbox) Limits() Limits { return s.limits }

// runtimeConfig turns everything off that a script could notice or that costs.
func runtimeConfig(c wazero.RuntimeConfig) wazero.RuntimeConfig {
	return c.WithCoreFeatures(api.CoreFeaturesV2).
		WithCloseOnContextDone(false). // it would slow scripts down several times
		WithDebugInfoEnabled(false).
		WithCustomSections(false)
}

// unlimitedFuel is for what the sandbox itself does.
const unlimitedFuel = math.MaxInt64
