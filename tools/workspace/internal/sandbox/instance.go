package sandbox

import (
	"context"
	"errors"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/fuel"
)

// instance is one engine with one heap. It serves one run at a time.
type instance struct {
	reservation *reservation
	module      api.Module
	memory      api.Memory
	remaining   api.MutableGlobal // fuel
	refused     api.Global
	stack       api.MutableGlobal           // the C stack's pointer
	callers     []api.Function              // fuel.CallFunction, one for each call within another
	depth       int                         // calls under way
	parameters  [1 + fuel.CallParams]uint64 // of the call that begins, and then its result

	clock int64 // ns since 1970, what Date reads
	run   *run  // the one under way; nil while the image is built
}

// newInstance instantiates compiled. find must lead the imports to what add is
// given, which happens before any code runs.
func newInstance(ctx context.Context, runtime wazero.Runtime, compiled wazero.CompiledModule, pool *memoryPool) (*instance, error) {
	in := &instance{reservation: &reservation{pool: pool}}
	ctx = experimental.WithMemoryAllocator(ctx, in.reservation)
	module, err := runtime.InstantiateModule(ctx, compiled, instanceConfig())
	if err != nil {
		return nil, errors.Join(err, in.reservation.err)
	}
	in.module = module
	in.memory = module.Memory()
	remaining, haveFuel := module.ExportedGlobal(fuel.RemainingGlobal).(api.MutableGlobal)
	stack, haveStack := module.ExportedGlobal("__stack_pointer").(api.MutableGlobal)
	in.refused = module.ExportedGlobal(fuel.RefusedGlobal)
	if !haveFuel || !haveStack || in.refused == nil {
		return nil, errors.Join(errors.New("the engine's module lacks a global"), module.Close(ctx))
	}
	in.remaining, in.stack = remaining, stack
	in.remaining.Set(unlimitedFuel)
	memory, ok := in.memory.Read(0, in.memory.Size())
	if !ok {
		return nil, errors.Join(errors.New("the engine's memory cannot be read"), module.Close(ctx))
	}
	pool.image.write(memory)
	return in, nil
}

// instanceConfig gives an instance nothing. A source of random numbers, which nothing reads,
// is set because wazero would seed one of its own for each instance.
func instanceConfig() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(strings.NewReader(""))
}

func (in *instance) close(ctx context.Context) error { return in.module.Close(ctx) }

// stopped is what ends a run from inside a call of the engine.
type stopped struct{ cause error }

func (s stopped) Error() string { return s.cause.Error() }
func (s stopped) Unwrap() error { return s.cause }

// call calls a function of the engine that has at most one result. An error
// means that the instance must not be used again.
func (in *instance) call(f engineFunction, arguments ...uint64) (uint64, error) {
	if in.depth == len(in.callers) {
		in.callers = append(in.callers, nil)
	}
	caller := in.callers[in.depth]
	if caller == nil {
		caller = in.module.ExportedFunction(fuel.CallFunction)
		in.callers[in.depth] = caller
	}
	// A call within this one may use them as well: parameters are read when a call
	// begins, and the result is written when it ends.
	in.parameters[0] = uint64(f)
	copy(in.parameters[1:], arguments)
	in.depth++
	err := caller.CallWithStack(context.Background(), in.parameters[:])
	in.depth--
	if err != nil {
		return 0, err
	}
	return in.parameters[0], nil
}

// must is call for the inside of an import, which can only end by panicking.
func (in *instance) must(f engineFunction, arguments ...uint64) uint64 {
	result, err := in.call(f, arguments...)
	if err != nil {
		panic(stopped{err})
	}
	return result
}

// place copies text into the engine's memory, with a zero behind it.
func (in *instance) place(text string) (uint64, error) {
	at, err := in.call(wasmMalloc, uint64(len(text))+1)
	if err != nil {
		return 0, err
	}
	if at == 0 || !in.memory.WriteString(uint32(at), text) || !in.memory.WriteByte(uint32(at)+uint32(len(text)), 0) {
		return 0, errors.New("the engine has no memory")
	}
	return at, nil
}

// newString makes a string of JavaScript.
func (in *instance) newString(text string) (uint64, error) {
	at, err := in.place(text)
	if err != nil {
		return 0, err
	}
	value, err := in.call(qjsNewString, at, uint64(len(text)))
	if err != nil {
		return 0, err
	}
	_, err = in.call(wasmFree, at)
	return value, err
}

// newNumber makes a number of JavaScript.
func (in *instance) newNumber(number float64) (uint64, error) {
	return in.call(qjsNewNumber, api.EncodeF64(number))
}

// readString returns a string of JavaScript as UTF-8, at most most bytes, and
// how many bytes there were. A half of a surrogate pair comes as three bytes
// that are no valid UTF-8.
func (in *instance) readString(value uint64, most int64) (text string, length int64, err error) {
	// The length is written to the C stack, as if a function in C had called.
	const frame = 16
	top := in.stack.Get()
	at := top - frame
	in.stack.Set(at)
	chars, err := in.call(qjsGetStringLen, value, at)
	if err != nil {
		return "", 0, err
	}
	n, ok := in.memory.ReadUint32Le(uint32(at))
	in.stack.Set(top)
	if chars == 0 || !ok {
		return "", 0, errors.New("the engine returned no string")
	}
	b, ok := in.memory.Read(uint32(chars), uint32(min(int64(n), most)))
	if !ok {
		return "", 0, errors.New("the engine returned a string outside of its memory")
	}
	text = string(b)
	_, err = in.call(qjsFreeCString, chars)
	return text, int64(n), err
}

// evaluate runs code as a script named file. What it returns is a value or,
// with thrown set, what was thrown.
func (in *instance) evaluate(code, file string, flags uint64) (value uint64, thrown bool, err error) {
	source, err := in.place(code)
	if err != nil {
		return 0, false, err
	}
	name, err := in.place(file)
	if err != nil {
		return 0, false, err
	}
	value, err = in.call(qjsEval, source, uint64(len(code)), name, flags)
	if err != nil {
		return 0, false, err
	}
	if _, err = in.call(wasmFree, source); err != nil {
		return 0, false, err
	}
	if _, err = in.call(wasmFree, name); err != nil {
		return 0, false, err
	}
	return in.caught(value)
}

// caught takes the exception, if value stands for one.
func (in *instance) caught(value uint64) (result uint64, thrown bool, err error) {
	exception, err := in.call(qjsIsException, value)
	if err != nil || exception == 0 {
		return value, false, err
	}
	value, err = in.call(qjsGetException)
	return value, true, err
}

// invoke calls a function of JavaScript for what it does.
func (in *instance) invoke(function uint64, arguments ...uint64) (thrown bool, err error) {
	undefined, err := in.call(qjsGetUndefined)
	if err != nil {
		return false, err
	}
	at, err := in.call(wasmMalloc, uint64(4*len(arguments)))
	if err != nil {
		return false, err
	}
	for i, a := range arguments {
		in.memory.WriteUint32Le(uint32(at)+uint32(4*i), uint32(a))
	}
	value, err := in.call(qjsCall, function, undefined, uint64(len(arguments)), at)
	if err != nil {
		return false, err
	}
	if _, err = in.call(wasmFree, at); err != nil {
		return false, err
	}
	_, thrown, err = in.caught(value)
	return thrown, err
}

// drain runs the jobs of promises and of queueMicrotask until there are none.
func (in *instance) drain() error {
	for {
		pending, err := in.call(qjsIsJobPending)
		if err != nil || pending == 0 {
			return err
		}
		made, err := in.call(qjsExecutePendingJob)
		if err == nil && int32(made) < 0 {
			err = in.jobThrew()
		}
		if err != nil {
			return err
		}
	}
}

// arguments reads the pointers that host_call was given. Of an i32 the upper half is not
// defined.
func (in *instance) arguments(count, at uint64) []uint64 {
	values := make([]uint64, min(uint32(count), 4))
	for i := range values {
		v, ok := in.memory.ReadUint32Le(uint32(at) + uint32(4*i))
		if !ok {
			panic(stopped{errUnexpected})
		}
		values[i] = uint64(v)
	}
	return values
}

// image copies the state of an instance that is not running.
func (in *instance) image() (fuel.Image, error) {
	memory, ok := in.memory.Read(0, in.memory.Size())
	if !ok {
		return fuel.Image{}, errors.New("the engine's memory cannot be read")
	}
	return fuel.Image{Memory: append([]byte(nil), memory...), StackPointer: int32(in.stack.Get())}, nil
}

// restore makes the instance as it was when it was new. Where it cannot, it
// says so, and the instance must be dropped: memory does not shrink.
func (in *instance) restore(image *heapImage) bool {
	size := uint32(image.size)
	if in.memory.Size() != size || in.stack.Get() != image.stackPointer || in.refused.Get() != 0 {
		return false
	}
	memory, ok := in.memory.Read(0, size)
	if !ok || image.restore(memory) != nil {
		return false
	}
	in.run, in.clock = nil, 0
	in.remaining.Set(unlimitedFuel)
	in.callers = nil // they keep the stacks of compiled code, as large as the deepest recursion made them
	return true
}
