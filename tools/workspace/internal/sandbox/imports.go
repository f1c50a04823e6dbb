package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// errUnexpected stops a script that reached a function which nothing leads to.
var errUnexpected = errors.New("the engine called a function that it has no use for")

// Answers of WASI.
const (
	wasiSuccess     = 0
	wasiBadFile     = 8
	wasiUnsupported = 52
)

// importedFunction is one of the twelve functions that the engine can call.
// There are no others, and none of these reaches a file, a clock or the network.
type importedFunction struct {
	module, name       string
	parameters, result string // "i" is an i32, "l" an i64
	call               func(in *instance, stack []uint64)
}

func imports() []importedFunction {
	const env, wasi = "env", "wasi_snapshot_preview1"
	return []importedFunction{
		{env, "host_interrupt", "", "i", func(in *instance, stack []uint64) { in.interrupt(); stack[0] = 0 }},
		{env, "host_call", "iiiii", "i", func(in *instance, stack []uint64) { stack[0] = in.hostCall(stack) }},
		{env, "host_get_timezone_offset", "ii", "i", func(_ *instance, stack []uint64) { stack[0] = 0 }},
		{env, "host_promise_rejection", "iii", "", func(in *instance, stack []uint64) { in.promiseRejected(stack) }},
		{env, "host_module_normalize", "ii", "i", func(_ *instance, stack []uint64) { stack[0] = 0 }}, // import() fails
		{env, "host_module_load", "ii", "i", func(_ *instance, stack []uint64) { stack[0] = 0 }},
		{wasi, "clock_time_get", "ili", "i", func(in *instance, stack []uint64) {
			in.memory.WriteUint64Le(uint32(stack[2]), uint64(in.clock))
			stack[0] = wasiSuccess
		}},
		{wasi, "random_get", "ii", "i", func(in *instance, stack []uint64) {
			if b, ok := in.memory.Read(uint32(stack[0]), uint32(stack[1])); ok {
				clear(b)
			}
			stack[0] = wasiSuccess
		}},
		{wasi, "fd_write", "iiii", "i", func(_ *instance, stack []uint64) { stack[0] = wasiBadFile }},
		{wasi, "fd_close", "i", "i", func(_ *instance, stack []uint64) { stack[0] = wasiBadFile }},
		{wasi, "fd_fdstat_get", "ii", "i", func(_ *instance, stack []uint64) { stack[0] = wasiBadFile }},
		{wasi, "fd_seek", "ilii", "i", func(_ *instance, stack []uint64) { stack[0] = wasiUnsupported }},
	}
}

// provideImports makes the imports known to a runtime. Which instance calls is
// found by its module.
func provideImports(ctx context.Context, runtime wazero.Runtime, find func(api.Module) *instance) error {
	builders := map[string]wazero.HostModuleBuilder{}
	for _, f := range imports() {
		b := builders[f.module]
		if b == nil {
			b = runtime.NewHostModuleBuilder(f.module)
			builders[f.module] = b
		}
		call := api.GoModuleFunc(func(_ context.Context, module api.Module, stack []uint64) { f.call(find(module), stack) })
		b.NewFunctionBuilder().WithGoModuleFunction(call, valueTypes(f.parameters), valueTypes(f.result)).Export(f.name)
	}
	for name, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("provide imports of %s: %w", name, err)
		}
	}
	return nil
}

func valueTypes(letters string) []api.ValueType {
	types := make([]api.ValueType, len(letters))
	for i, letter := range letters {
		types[i] = api.ValueTypeI32
		if letter == 'l' {
			types[i] = api.ValueTypeI64
		}
	}
	return types
}
