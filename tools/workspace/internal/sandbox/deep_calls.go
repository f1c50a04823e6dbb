package sandbox

import (
	"errors"

	"github.com/tetratelabs/wazero/api"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/fuel"
)

// deepCallStack is how much of the C stack a recursion uses before it goes on on another
// stack of compiled code. Such a stack is some thirty times as large, and doubled as a whole: no
// deadline interrupts that, and a virtual machine may have to find each page of it.
const deepCallStack = 32 * kibibyte

func (in *instance) findDeepCalls() error {
	limit, haveLimit := in.module.ExportedGlobal(fuel.StackLimitGlobal).(api.MutableGlobal)
	deepCall, haveCall := in.module.ExportedGlobal(fuel.DeepCallGlobal).(api.MutableGlobal)
	if !haveLimit || !haveCall {
		return errors.New("the engine's module lacks a global for deep calls")
	}
	in.stackLimit, in.deepCall = limit, deepCall
	in.limitStack()
	return nil
}

// limitStack allows the call that begins deepCallStack more of the C stack, and all that is
// left where that is not twice as much: what is below it has to have room for parameters.
func (in *instance) limitStack() {
	limit := int64(int32(in.stack.Get())) - deepCallStack
	if limit < deepCallStack {
		limit = 0
	}
	in.stackLimit.Set(uint64(limit))
}

// callDeeper calls a function that a recursion came to, by another caller than those that
// are under way.
func (in *instance) callDeeper(f engineFunction) {
	if in.run != nil {
		if err := in.run.clock.cause(); err != nil {
			panic(stopped{err})
		}
	}
	in.deep = true
	limit := in.stackLimit.Get()
	in.limitStack()
	in.deepCall.Set(0)
	result := in.must(f)
	in.deepCall.Set(result)
	in.stackLimit.Set(limit)
}

// forgetDeepStacks drops the callers that scripts ran in: they keep the stacks that they
// once needed. One that served what host calls do to the engine needs little.
func (in *instance) forgetDeepStacks() {
	const ofHostCalls = 1
	for i := range in.callers {
		if i != ofHostCalls || in.deep {
			in.callers[i] = nil
		}
	}
	in.deep = false
}
