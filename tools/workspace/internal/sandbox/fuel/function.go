package fuel

// maxLocals is the limit that engines set.
const maxLocals = 50000

// function inserts the accounting into one body. A body is a row of segments:
// stretches of code that run from their first to their last instruction. Each
// is charged on entry, as a whole, which is why the count is exact whenever
// nothing is half done: a segment ends behind whatever can jump or be jumped to.
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
	e.out = append(e.out, 1, typeI64, numLocals, typeI32)

	e.load()
	s := segment{cost: 1, check: true}
	depth := 1
	for d.more() && depth > 0 {
		at := d.pos
		i := d.next()
		s.cost += i.cost
		switch i.op {
		case opBlock, opLoop, opIf:
			depth++
		case opEnd:
			depth--
		}
		s.insertions = append(s.insertions, e.insertions(i, at, d.pos, depth)...)
		if i.endsSegment() {
			e.segment(s, d.pos)
			s = segment{check: i.op == opLoop}
		}
	}
	if depth > 0 {
		d.fail("the body does not end")
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	return e.out, nil
}

// segment is a stretch of straight code.
type segment struct {
	cost  int64
	check bool // whether the fuel is looked at: function entries and loops

	insertions []insertion
}

// insertion is what is written at a place inside a segment: behind a
// memory.grow, before a bulk operation.
type insertion struct {
	pos   int
	write func()
}

// insertions are what an instruction from at to end needs around it, depth blocks
// being open behind it.
func (e *emitter) insertions(i instruction, at, end, depth int) []insertion {
	switch i.op {
	case opCall, opCallInd:
		return []insertion{{at, e.save}, {end, e.load}}
	case opMemoryGrow:
		return []insertion{{end, e.stopIfRefused}}
	case opPrefix:
		if i.bulk && e.options.BulkShift > 0 {
			return []insertion{{at, func() { e.splitBulk(e.source[at:end]) }}}
		}
	case opReturn, opUnreachable:
		return []insertion{{at, e.save}}
	case opEnd:
		if depth == 0 {
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
	i32    uint32 // the first of our own locals of that type
}

// Locals of our own, from emitter.i32 on: what a bulk operation was given, and
// how far it is.
const (
	localTarget = iota
	localSource // or the value that is filled in
	localLength
	localLeft
	localPart
	numLocals
)

// maxBulk is how many bytes a bulk operation handles at a time. In between, Interrupt is
// called, whatever fuel is left: memory that is written for the first time takes up to
// a hundred times as long as its price says. It is a multiple of what one unit of fuel
// pays for.
const maxBulk = 1 << 18

func (e *emitter) copyTo(pos int) {
	e.out = append(e.out, e.source[e.copied:pos]...)
	e.copied = pos
}

func (e *emitter) op(op byte, immediate uint64) {
	e.out = appendUint(append(e.out, op), immediate)
}

// segment writes s, which ends at end, behind its charge.
func (e *emitter) segment(s segment, end int) {
	if s.cost > 0 || s.check {
		e.op(opLocalGet, uint64(e.amount))
		e.out = appendInt(append(e.out, opI64Const), s.cost)
		e.out = append(e.out, opI64Sub)
		e.setRemaining(s.check)
	}
	for _, i := range s.insertions {
		e.copyTo(i.pos)
		i.write()
	}
	e.copyTo(end)
}

// setRemaining stores the i64 on the stack, and interrupts if it is negative.
func (e *emitter) setRemaining(check bool) {
	if !check {
		e.op(opLocalSet, uint64(e.amount))
		return
	}
	e.op(opLocalTee, uint64(e.amount))
	e.out = append(e.out, opI64Const, 0, opI64LtS, opIf, typeEmpty)
	e.callInterrupt()
	e.out = append(e.out, opEnd)
}

func (e *emitter) callInterrupt() {
	e.save()
	e.op(opCall, uint64(e.interrupt))
	e.out = append(e.out, opDrop)
	e.load()
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

func (e *emitter) get(local uint32) { e.op(opLocalGet, uint64(e.i32+local)) }

func (e *emitter) set(local uint32) { e.op(opLocalSet, uint64(e.i32+local)) }

func (e *emitter) constant(value int64) { e.out = appendInt(append(e.out, opI32Const), value) }

// splitBulk goes before a bulk operation, whose three arguments are on the
// stack, and charges for it. A large one it carries out itself, in parts, and
// leaves one of no bytes.
func (e *emitter) splitBulk(operation []byte) {
	e.set(localLength)
	e.set(localSource)
	e.set(localTarget)
	e.get(localLength)
	e.constant(maxBulk)
	e.out = append(e.out, opI32GtU, opIf, typeEmpty)
	e.get(localLength)
	e.set(localLeft)
	e.out = append(e.out, opLoop, typeEmpty)
	e.get(localLeft) // part = min(left, maxBulk)
	e.constant(maxBulk)
	e.get(localLeft)
	e.constant(maxBulk)
	e.out = append(e.out, opI32LtU, opSelect)
	e.set(localPart)
	e.chargeBulk(localPart, false)
	e.callInterrupt()
	e.get(localTarget)
	e.offset()
	e.out = append(e.out, opI32Add)
	e.get(localSource)
	if operation[1] == prefixMemoryCopy {
		e.offset()
		e.out = append(e.out, opI32Add)
	}
	e.get(localPart)
	e.out = append(e.out, operation...)
	e.get(localLeft)
	e.get(localPart)
	e.out = append(e.out, opI32Sub)
	e.op(opLocalTee, uint64(e.i32+localLeft))
	e.out = append(e.out, opBrIf, 0, opEnd)
	e.constant(0)
	e.set(localLength)
	e.out = append(e.out, opEnd)
	e.chargeBulk(localLength, true)
	e.get(localTarget)
	e.get(localSource)
	e.get(localLength)
}

// offset is where the next part begins: parts go up when the target is below
// the source and else down, so that none overwrites what is still to be copied.
func (e *emitter) offset() {
	e.get(localLength)
	e.get(localLeft)
	e.out = append(e.out, opI32Sub)
	e.get(localLeft)
	e.get(localPart)
	e.out = append(e.out, opI32Sub)
	e.get(localTarget)
	e.get(localSource)
	e.out = append(e.out, opI32LtU, opSelect)
}

// chargeBulk charges for as many bytes as a local says.
func (e *emitter) chargeBulk(local uint32, check bool) {
	e.op(opLocalGet, uint64(e.amount))
	e.get(local)
	e.out = append(e.out, opI64ExtendU)
	e.out = appendInt(append(e.out, opI64Const), int64(e.options.BulkShift))
	e.out = append(e.out, opI64ShrU, opI64Sub)
	e.setRemaining(check)
}

// stopIfRefused traps if the result of memory.grow on top of the stack, which
// stays there, is -1: programs would go on without the memory, and a program in
// a loop that catches the error would go on for ever.
func (e *emitter) stopIfRefused() {
	e.op(opLocalTee, uint64(e.i32+localLength))
	e.constant(-1)
	e.out = append(e.out, opI32Eq, opIf, typeEmpty, opI32Const, 1)
	e.op(opGlobalSet, uint64(e.refused))
	e.save()
	e.out = append(e.out, opUnreachable, opEnd)
	e.get(localLength)
}
