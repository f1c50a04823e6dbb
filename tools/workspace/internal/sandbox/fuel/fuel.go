// Package fuel rewrites a WebAssembly module so that it can be stopped by what
// it did and not by a clock: every instruction costs fuel, and memory that is
// refused stops the module. The count is exact and the same on every machine,
// CPU and operating system, because it is made by the module's own code.
//
// It is no validator and no engine: an invalid module may be rewritten into an
// invalid one, which the engine that loads it refuses. It understands what
// compilers of C emit, and fails on every opcode and section besides.
//
// SplitData takes the memory out of what it made.
//
// The sandbox beside it imports it. Start at Rewrite.
package fuel

import (
	"errors"
	"fmt"
)

// Names of the globals that a rewritten module exports.
const (
	// RemainingGlobal is a mutable i64: the fuel that is left. It may be below
	// zero by what was spent since it was last looked at.
	RemainingGlobal = "fuel_remaining"
	// RefusedGlobal is a mutable i32: 1 if the module stopped, by an
	// unreachable instruction, because it could not have more memory.
	RefusedGlobal = "memory_refused"
)

// CallFunction is a function of type (i32, [CallParams] times i64)->i64 that a
// rewritten module exports if Options.Callable has names. It calls the function whose
// place there is its first parameter, with the others as that takes them: the lower half
// of an i64 as an i32, its bits as an f64. It returns what was returned, an i32 with
// zeros above it, or 0 for nothing. It costs no fuel itself. Engines that keep a stack
// for each exported function that is called need only one so.
const CallFunction = "call_function"

// CallParams is how many parameters CallFunction passes on.
const CallParams = 4

// PageSize is how many bytes a page of memory has.
const PageSize = 65536

// Options say how a module is rewritten.
type Options struct {
	// Interrupt is the import, as "module.name" and of type ()->i32, that is
	// called when no fuel is left: on entry to a function that calls others, at
	// the head of a loop and before a bulk operation; and before each part of a
	// large one, whatever is left. It refills RemainingGlobal, or stops the module
	// by not returning. Its result is ignored.
	Interrupt string
	// Callable are the exported functions that CallFunction can call. If there are
	// any, CallFunction is the only function that the module exports, and those that
	// nothing reaches any more only trap.
	Callable []string
	// MaxPages is the most memory that the module can have, in pages; 0 keeps
	// what it declares. A module whose memory.grow is refused, by this or by
	// its host, stops at once.
	MaxPages uint32
	// BulkShift makes copying and filling n bytes cost n >> BulkShift besides the
	// instruction itself, and splits what is large, so that it can be stopped; 0
	// makes it cost the instruction only. It is at most 20.
	BulkShift uint8
	// StackFirst says that the first global is the pointer of a C stack which
	// lies below all data, so that a stack that overflows leaves the memory and
	// traps. Rewrite fails if that is not so.
	StackFirst bool
	// Image, if set, is the memory that the module starts with, in place of its
	// data segments and its start function. It needs StackFirst.
	Image *Image
}

// Image is the state of an instance between two calls. A module that can be
// rewritten with one keeps no other state: Rewrite refuses instructions that
// change tables or drop segments, and globals besides the stack pointer that
// can change.
type Image struct {
	Memory       []byte // whole pages
	StackPointer int32
}

// ErrUnsupported is what Rewrite's errors match when the module may be valid but
// has something that is not understood.
var ErrUnsupported = errors.New("unsupported WebAssembly")

// Rewrite returns the module with fuel. It never changes module, and the index
// of no function moves. The result is the same for the same arguments.
//
// Nop, drop, block, loop, else, end, return and unreachable are free, every
// other instruction costs 1, and so does entering a function. That is the table
// of wasmtime, so its count is a second opinion.
func Rewrite(module []byte, options Options) ([]byte, error) {
	p, err := parse(module)
	if err != nil {
		return nil, fmt.Errorf("rewrite module: %w", err)
	}
	w := rewriter{module: p, options: options}
	out, err := w.rewrite()
	if err != nil {
		return nil, fmt.Errorf("rewrite module: %w", err)
	}
	return out, nil
}
