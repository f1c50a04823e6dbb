package sandbox

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/fuel"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/quickjs"
)

//go:embed prelude.js
var prelude string

// preparedModule is the engine as every script finds it: rewritten to count
// fuel, with the heap as the prelude left it.
type preparedModule struct {
	Module []byte // the engine
	Memory []byte // what instances begin with, for fuel.ReadSegments
	Size   int    // of their memory, in bytes
	// Values of JavaScript in the image: the prelude's functions.
	Begin, Fail, Settle uint64
}

// prepareVersion is part of the cache's key. Raise it when prepare.go or package
// fuel make another module of the same input, which a test holds, or cache.go another
// entry of the same module.
const prepareVersion = 11

// headroom is how much memory of the image is free, in bytes.
const headroom = 512 * kibibyte

func (s *Sandbox) fuelOptions() fuel.Options {
	return fuel.Options{
		Interrupt:  "env.host_interrupt",
		Callable:   engineFunctions(),
		MaxPages:   uint32(s.limits.Memory / fuel.PageSize),
		BulkShift:  3,
		StackFirst: true,
	}
}

// prepare sets the engine up in an interpreter, which starts at once, and takes
// the image of it.
func (s *Sandbox) prepare(ctx context.Context) (*preparedModule, error) {
	options := s.fuelOptions()
	engine, err := quickjs.Module()
	if err != nil {
		return nil, err
	}
	plain, err := fuel.Rewrite(engine, options)
	if err != nil {
		return nil, err
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(wazero.NewRuntimeConfigInterpreter()))
	var in *instance
	p, err := func() (p *preparedModule, err error) {
		if err := provideImports(ctx, runtime, func(api.Module) *instance { return in }); err != nil {
			return nil, err
		}
		compiled, err := runtime.CompileModule(ctx, plain)
		if err != nil {
			return nil, err
		}
		if in, err = newInstance(ctx, runtime, compiled, newMemoryPool()); err != nil {
			return nil, err
		}
		if p, err = in.setUp(s.options.Globals); err != nil {
			return nil, err
		}
		image, err := in.image()
		if err != nil {
			return nil, err
		}
		options.Image = &image
		return p, nil
	}()
	if err = errors.Join(err, runtime.Close(ctx)); err != nil {
		return nil, fmt.Errorf("prepare engine: %w", err)
	}
	module, err := fuel.Rewrite(engine, options)
	if err != nil {
		return nil, err
	}
	p.Module, p.Memory, p.Size, err = fuel.SplitData(module)
	return p, err
}

// setUp starts the engine, and evaluates the prelude and the globals.
func (in *instance) setUp(globals string) (*preparedModule, error) {
	if _, err := in.call(initialize); err != nil {
		return nil, err
	}
	if failed, err := in.call(qjsInit); err != nil {
		return nil, err
	} else if failed != 0 {
		return nil, fmt.Errorf("start engine: result %d", failed)
	}
	if _, err := in.call(qjsSetMaxStackSize, maxStack); err != nil {
		return nil, err
	}
	if _, err := in.call(qjsSetRejectionHandler, 1); err != nil {
		return nil, err
	}
	if err := in.defineNative(); err != nil {
		return nil, err
	}
	functions, err := in.evaluateTrusted(prelude, "prelude.js")
	if err != nil {
		return nil, err
	}
	if _, err := in.evaluateTrusted(globals, "globals.js"); err != nil {
		return nil, err
	}
	p := &preparedModule{}
	for _, f := range []struct {
		name  string
		value *uint64
	}{{"begin", &p.Begin}, {"fail", &p.Fail}, {"settle", &p.Settle}} {
		if *f.value, err = in.property(functions, f.name); err != nil {
			return nil, err
		}
	}
	if _, err := in.call(qjsRunGC); err != nil {
		return nil, err
	}
	// Scripts that need no more than this do not grow the memory, so that their
	// instance can be used again.
	room, err := in.call(wasmMalloc, headroom)
	if err != nil {
		return nil, err
	}
	_, err = in.call(wasmFree, room)
	return p, err
}

// evaluateTrusted evaluates code of ours, in which an error is a defect.
func (in *instance) evaluateTrusted(code, file string) (uint64, error) {
	value, thrown, err := in.evaluate(code, file, 0)
	if err != nil || !thrown {
		return value, err
	}
	message, err := in.property(value, "message")
	if err != nil {
		return 0, err
	}
	text, _, err := in.readString(message, 1000)
	return 0, errors.Join(fmt.Errorf("%s throws %s", file, text), err)
}

func (in *instance) property(object uint64, name string) (uint64, error) {
	at, err := in.place(name)
	if err != nil {
		return 0, err
	}
	value, err := in.call(qjsGetPropString, object, at)
	if err != nil {
		return 0, err
	}
	_, err = in.call(wasmFree, at)
	return value, err
}

// defineNative defines the global native, whose functions call hostCall. The
// prelude takes it away.
func (in *instance) defineNative() error {
	native, err := in.evaluateTrusted("globalThis.native = {}", "native.js")
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(nativeFunctions) {
		at, err := in.place(name)
		if err != nil {
			return err
		}
		function, err := in.call(qjsNewHostFunction, at, uint64(len(name)), 0)
		if err != nil {
			return err
		}
		if _, err := in.call(qjsSetPropString, native, at, function); err != nil {
			return err
		}
	}
	return nil
}
