package fuel

import "fmt"

// deepCalls let a recursion go on elsewhere. Each function through which a recursion goes
// looks, when it is entered, at the pointer of the C stack. Below a limit it does nothing
// itself: it leaves its parameters below the pointer, and has the host call it again by
// CallFunction, which engines do on a stack of its own.
type deepCalls struct {
	functions []uint32       // those that look, with a body each
	entries   map[int][]byte // what goes before a body
}

// The globals of deep calls, behind those that count: the limit and the call.
func (w *rewriter) stackLimit() uint32 { return w.refused + 1 }
func (w *rewriter) deepCall() uint32   { return w.refused + 2 }

// findDeepCalls chooses the functions.
func (w *rewriter) findDeepCalls() error {
	bodies, err := w.module.bodies()
	if err != nil {
		return err
	}
	g := newCallGraph(w.module, len(bodies))
	if err := w.inTable(g.addToTable); err != nil {
		return err
	}
	for i, body := range bodies {
		if err := g.read(i, body); err != nil {
			return fmt.Errorf("body %d: %w", i, err)
		}
	}
	if err := w.roots(func(function uint32) { g.visit(int(function) - len(w.module.imports)) }); err != nil {
		return err
	}
	for i, recursive := range g.recursive {
		if s := w.module.signatures[w.module.functions[i]]; recursive && s.integers() {
			w.deep.functions = append(w.deep.functions, uint32(len(w.module.imports)+i))
		}
	}
	return nil
}

// integers says whether all parameters and at most one result are integers, and there are
// so few parameters that their offsets are encoded in a byte.
func (s signature) integers() bool {
	for _, t := range append(append([]byte(nil), s.parameters...), s.results...) {
		if t != typeI32 && t != typeI64 {
			return false
		}
	}
	return len(s.parameters) <= 16 && len(s.results) <= 1
}

// addDeepCalls adds what functions call when they are entered below the limit.
func (w *rewriter) addDeepCalls() {
	w.deep.entries = map[int][]byte{}
	elsewhere := map[uint32]uint32{} // by the type
	for n, function := range w.deep.functions {
		i := int(function) - len(w.module.imports)
		t := w.module.functions[i]
		s := w.module.signatures[t]
		if _, ok := elsewhere[t]; !ok {
			signature := append(append([]byte{0x60, byte(len(s.parameters) + 1)}, s.parameters...), typeI64, byte(len(s.results)))
			elsewhere[t] = w.add(append(signature, s.results...), w.deepCallBody(s))
		}
		e := emitter{rewriter: w}
		e.op(opGlobalGet, 0)
		e.op(opGlobalGet, uint64(w.stackLimit()))
		e.write(opI32LtU, opIf, typeEmpty)
		for p := range s.parameters {
			e.op(opLocalGet, uint64(p))
		}
		e.out = appendInt(append(e.out, opI64Const), int64(len(w.options.Callable)+n))
		e.op(opCall, uint64(elsewhere[t]))
		e.write(opReturn, opEnd)
		w.deep.entries[i] = e.out
	}
}

// deepCallBody asks for a call of the function that CallFunction knows by a number, which
// is behind the parameters.
func (w *rewriter) deepCallBody(s signature) []byte {
	number := uint64(len(s.parameters))
	e := emitter{rewriter: w, out: []byte{1, 1, typeI32}}
	at := number + 1
	e.parametersAt(s, at)
	for i, parameter := range s.parameters {
		e.op(opLocalGet, at)
		e.op(opLocalGet, uint64(i))
		if parameter == typeI32 {
			e.write(opI64ExtendU)
		}
		e.write(opI64Store, 3, s.parameterOffset(i))
	}
	e.op(opLocalGet, number)
	e.op(opGlobalSet, uint64(w.deepCall()))
	e.op(opCall, uint64(w.interrupt))
	e.write(opDrop)
	e.op(opGlobalGet, uint64(w.deepCall()))
	e.write(opI64Const, 0)
	e.op(opGlobalSet, uint64(w.deepCall()))
	e.fromCall(s.results)
	return append(e.out, opEnd)
}

// parametersAt puts into a local where the parameters are between the two calls, in which
// nothing else uses the C stack.
func (e *emitter) parametersAt(s signature, local uint64) {
	e.op(opGlobalGet, 0)
	e.constant(int64(8 * len(s.parameters)))
	e.write(opI32Sub)
	e.op(opLocalSet, local)
}

// parameterOffset is where a parameter is among the others: the first is the last, so that
// engines know of the others that they are in memory.
func (s signature) parameterOffset(i int) byte { return byte(8 * (len(s.parameters) - 1 - i)) }

// callDeep is the part of CallFunction that calls a function as deepCallBody asked for.
func (e *emitter) callDeep(function uint32) {
	const number = 0 // the parameter of CallFunction, which has served
	s, _ := e.module.signatureOf(function)
	e.parametersAt(s, number)
	for i, parameter := range s.parameters {
		e.op(opLocalGet, number)
		e.write(opI64Load, 3, s.parameterOffset(i))
		if parameter == typeI32 {
			e.write(opI32WrapI64)
		}
	}
	e.op(opCall, uint64(function))
	e.toCall(s.results)
}

// toCall makes of at most one integer on the stack what CallFunction returns, and fromCall
// the reverse.
func (e *emitter) toCall(results []byte) {
	switch {
	case len(results) == 0:
		e.write(opI64Const, 0)
	case results[0] == typeI32:
		e.write(opI64ExtendU)
	}
}

func (e *emitter) fromCall(results []byte) {
	switch {
	case len(results) == 0:
		e.write(opDrop)
	case results[0] == typeI32:
		e.write(opI32WrapI64)
	}
}
