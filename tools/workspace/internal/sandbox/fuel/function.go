package fuel

// maxLocals is the limit that engines set.
const maxLocals = 50000

// function inserts the accounting into one body.
//
// Inside a function the fuel is in a local, which engines keep in a register;
// it is in the global whenever other code can look at it.
func (w *rewriter) function(body []byte, parameters uint32) ([]byte, error) {
	d := &decoder{data: body}
	groups := d.uint32()
	groupsStart := d.pos
	locals := uint64(parameters)
	for n := groups; n > 0 && d.err == nil; n-- {
		locals += uint64(d.uint32())
		d.byte()
	}
	if locals > maxLocals {
		d.fail("%d locals", locals)
	}
	e := emitter{rewriter: w, source: body, amount: uint32(locals), i32: uint32(locals) + 1}
	e.out = appendUint(make([]byte, 0, 2*len(body)), uint64(groups)+2)
	e.copied = groupsStart
	e.copyTo(d.pos)
	e.write(1, typeI64, 1, typeI32)

	e.load()
	s := newSegmenter()
	var before instruction
	for d.more() && len(s.blocks) > 0 {
		at := d.pos
		i := d.next()
		constant := i.bulk && before.op == opI32Const && before.value >= 0 && before.value <= maxBulk
		if constant {
			i.cost += w.options.bulkCost(before.value)
		}
		s.add(i, d.pos, e.insertions(i, constant, at, d.pos, len(s.blocks)))
		before = i
	}
	if len(s.blocks) > 0 {
		d.fail("the body does not end")
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	for _, s := range s.finish() {
		e.segment(s)
	}
	return e.out, nil
}

// insertions are what an instruction from at to end needs around it, with so many
// blocks open before it. A bulk operation whose length is constant was charged for.
func (e *emitter) insertions(i instruction, constant bool, at, end, depth int) []insertion {
	switch i.op {
	case opCall, opCallInd:
		return []insertion{{at, e.save}, {end, e.load}}
	case opMemoryGrow:
		return []insertion{{end, e.stopIfRefused}}
	case opPrefix:
		if i.bulk && !constant && e.options.BulkShift > 0 {
			return []insertion{{at, e.save}, {at, func() { e.callBulk(e.source[at:end]) }}, {end, e.load}}
		}
	case opReturn, opUnreachable:
		return []insertion{{at, e.save}}
	case opEnd:
		if depth == 1 {
			return []insertion{{at, e.save}}
		}
	case opBr, opBrIf, opBrTable:
		if int64(i.label) >= int64(depth)-1 { // it can leave the function
			return []insertion{{at, e.save}}
		}
	}
	return nil
}

// emitter writes a body with its insertions.
type emitter struct {
	*rewriter
	source []byte
	out    []byte
	copied int    // how much of source is in out
	amount uint32 // a local of our own, i64: the fuel
	i32    uint32 // another one, i32
}

func (e *emitter) copyTo(pos int) {
	e.out = append(e.out, e.source[e.copied:pos]...)
	e.copied = pos
}

func (e *emitter) op(op byte, immediate uint64) {
	e.out = appendUint(append(e.out, op), immediate)
}

func (e *emitter) write(code ...byte) { e.out = append(e.out, code...) }

// segment writes s behind its charge.
func (e *emitter) segment(s segment) {
	if s.cost > 0 || s.check {
		e.op(opLocalGet, uint64(e.amount))
		e.out = appendInt(append(e.out, opI64Const), s.cost)
		e.write(opI64Sub)
		e.setRemaining(s.check)
	}
	for _, i := range s.insertions {
		e.copyTo(i.pos)
		i.write()
	}
	e.copyTo(s.end)
}

// setRemaining stores the i64 on the stack, and interrupts if it is negative.
func (e *emitter) setRemaining(check bool) {
	if !check {
		e.op(opLocalSet, uint64(e.amount))
		return
	}
	e.op(opLocalTee, uint64(e.amount))
	e.write(opI64Const, 0, opI64LtS, opIf, typeEmpty)
	e.callInterrupt()
	e.write(opEnd)
}

func (e *emitter) callInterrupt() {
	e.save()
	e.op(opCall, uint64(e.interrupt))
	e.write(opDrop)
	e.load()
}

// callBulk goes in place of a bulk operation.
func (e *emitter) callBulk(operation []byte) {
	if operation[1] == prefixMemoryCopy {
		e.op(opCall, uint64(e.copyBulk))
	} else {
		e.op(opCall, uint64(e.fillBulk))
	}
	e.copied += len(operation)
}

// save and load move the fuel between the local and the global.
func (e *emitter) save() {
	e.op(opLocalGet, uint64(e.amount))
	e.op(opGlobalSet, uint64(e.remaining))
}

func (e *emitter) load() {
	e.op(opGlobalGet, uint64(e.remaining))
	e.op(opLocalSet, uint64(e.amount))
}

func (e *emitter) constant(value int64) { e.out = appendInt(append(e.out, opI32Const), value) }

// stopIfRefused traps if the result of memory.grow on top of the stack, which
// stays there, is -1: programs would go on without the memory, and a program in
// a loop that catches the error would go on for ever.
func (e *emitter) stopIfRefused() {
	e.op(opLocalTee, uint64(e.i32))
	e.constant(-1)
	e.write(opI32Eq, opIf, typeEmpty, opI32Const, 1)
	e.op(opGlobalSet, uint64(e.refused))
	e.save()
	e.write(opUnreachable, opEnd)
	e.op(opLocalGet, uint64(e.i32))
}
