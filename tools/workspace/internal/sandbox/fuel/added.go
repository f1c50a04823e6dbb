package fuel

import "fmt"

// addedFunction is a function of ours. It goes behind those of the module, whose
// indexes stay.
type addedFunction struct {
	signature []byte // encoded
	body      []byte
}

// addFunctions writes the functions that rewritten bodies call, and [CallFunction].
func (w *rewriter) addFunctions() error {
	if w.options.BulkShift > 0 && w.module.hasMemory {
		signature := []byte{0x60, 3, typeI32, typeI32, typeI32, 0}
		w.copyBulk = w.add(signature, w.bulk([]byte{opPrefix, prefixMemoryCopy, 0, 0}))
		w.fillBulk = w.add(signature, w.bulk([]byte{opPrefix, prefixMemoryFill, 0}))
	}
	if len(w.options.Callable) == 0 {
		return nil
	}
	signature := []byte{0x60, 1 + CallParams, typeI32}
	for range CallParams {
		signature = append(signature, typeI64)
	}
	body, err := w.callBody()
	if err != nil {
		return err
	}
	w.call = w.add(append(signature, 1, typeI64), body)
	return nil
}

// add returns the index of the function.
func (w *rewriter) add(signature, body []byte) uint32 {
	w.added = append(w.added, addedFunction{signature, body})
	return uint32(len(w.module.imports) + len(w.module.functions) + len(w.added) - 1)
}

// callBody is the body of [CallFunction]: a block for each function, within each other,
// behind which it is called.
func (w *rewriter) callBody() ([]byte, error) {
	e := emitter{rewriter: w, out: []byte{0}}
	n := len(w.options.Callable)
	for range n + 1 {
		e.write(opBlock, typeEmpty)
	}
	e.op(opLocalGet, 0)
	e.op(opBrTable, uint64(n))
	for i := range n + 1 {
		e.out = appendUint(e.out, uint64(i))
	}
	for _, name := range w.options.Callable {
		e.write(opEnd)
		if err := e.callExport(name); err != nil {
			return nil, err
		}
		e.write(opReturn)
	}
	return append(e.out, opEnd, opUnreachable, opEnd), nil
}

// callExport calls an exported function with the parameters from 1 on, as many as it
// takes.
func (e *emitter) callExport(name string) error {
	index, ok := e.module.exports[name]
	if !ok {
		return fmt.Errorf("no exported function %q", name)
	}
	s, ok := e.module.signatureOf(index)
	if !ok || len(s.parameters) > CallParams || len(s.results) > 1 {
		return fmt.Errorf("%w: function %q has more parameters or results than can be passed", ErrUnsupported, name)
	}
	for i, parameter := range s.parameters {
		e.op(opLocalGet, uint64(1+i))
		switch parameter {
		case typeI32:
			e.write(opI32WrapI64)
		case typeF64:
			e.write(opF64FromBits)
		case typeI64:
		default:
			return fmt.Errorf("%w: parameter %d of %q", ErrUnsupported, i, name)
		}
	}
	e.op(opCall, uint64(index))
	switch {
	case len(s.results) == 0:
		e.write(opI64Const, 0)
	case s.results[0] == typeI32:
		e.write(opI64ExtendU)
	case s.results[0] != typeI64:
		return fmt.Errorf("%w: result of %q", ErrUnsupported, name)
	}
	return nil
}

// appendFunctions adds the types and the indexes of what was added to their sections.
func (w *rewriter) appendFunctions() {
	types := appendUint(nil, uint64(len(w.module.signatures)+len(w.added)))
	types = append(types, withoutCount(w.module.sections[sectionType])...)
	functions := appendUint(nil, uint64(len(w.module.functions)+len(w.added)))
	functions = append(functions, withoutCount(w.module.sections[sectionFunction])...)
	for i, f := range w.added {
		types = append(types, f.signature...)
		functions = appendUint(functions, uint64(len(w.module.signatures)+i))
	}
	w.module.sections[sectionType], w.module.sections[sectionFunction] = types, functions
}

// withoutCount is a section behind the number of its entries.
func withoutCount(section []byte) []byte {
	d := &decoder{data: section}
	if len(section) > 0 {
		d.uint32()
	}
	return section[d.pos:]
}
