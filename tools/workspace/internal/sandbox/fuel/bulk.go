package fuel

// maxBulk is how many bytes a bulk operation handles at a time. In between, Interrupt is
// called, whatever fuel is left: memory that is written for the first time takes up to
// a hundred times as long as its price says. It is a multiple of what one unit of fuel
// pays for.
const maxBulk = 1 << 18

// The parameters and locals of a function that carries out a bulk operation.
const (
	localTarget = iota
	localSource // or the value that is filled in
	localLength
	localAmount // the fuel
	localLeft
	localPart
)

// bulkCost is the price of copying or filling so many bytes.
func (o Options) bulkCost(bytes int64) int64 {
	if o.BulkShift == 0 {
		return 0
	}
	return bytes >> o.BulkShift
}

// bulk is the body of a function that takes what a bulk operation takes, charges for
// it, and carries it out, a large one in parts. Bodies call it in place of an operation
// whose length is not constant: its code in each of them would be large, and engines keep
// less in registers around it.
func (w *rewriter) bulk(operation []byte) []byte {
	e := emitter{rewriter: w, amount: localAmount}
	e.out = append(e.out, 2, 1, typeI64, 2, typeI32)
	e.load()
	e.op(opLocalGet, localLength)
	e.constant(maxBulk)
	e.out = append(e.out, opI32GtU, opIf, typeEmpty)
	e.parts(operation)
	e.out = append(e.out, opEnd)
	e.chargeBulk(localLength)
	e.setRemaining(true)
	e.save()
	e.op(opLocalGet, localTarget)
	e.op(opLocalGet, localSource)
	e.op(opLocalGet, localLength)
	e.out = append(e.out, operation...)
	return append(e.out, opEnd)
}

// parts carries out a large operation, and leaves one of no bytes.
func (e *emitter) parts(operation []byte) {
	e.op(opLocalGet, localLength)
	e.op(opLocalSet, localLeft)
	e.out = append(e.out, opLoop, typeEmpty)
	e.op(opLocalGet, localLeft) // part = min(left, maxBulk)
	e.constant(maxBulk)
	e.op(opLocalGet, localLeft)
	e.constant(maxBulk)
	e.out = append(e.out, opI32LtU, opSelect)
	e.op(opLocalSet, localPart)
	e.chargeBulk(localPart)
	e.op(opLocalSet, localAmount)
	e.callInterrupt()
	e.op(opLocalGet, localTarget)
	e.offset()
	e.out = append(e.out, opI32Add)
	e.op(opLocalGet, localSource)
	if operation[1] == prefixMemoryCopy {
		e.offset()
		e.out = append(e.out, opI32Add)
	}
	e.op(opLocalGet, localPart)
	e.out = append(e.out, operation...)
	e.op(opLocalGet, localLeft)
	e.op(opLocalGet, localPart)
	e.out = append(e.out, opI32Sub)
	e.op(opLocalTee, localLeft)
	e.out = append(e.out, opBrIf, 0, opEnd)
	e.constant(0)
	e.op(opLocalSet, localLength)
}

// offset is where the next part begins: parts go up when the target is below
// the source and else down, so that none overwrites what is still to be copied.
func (e *emitter) offset() {
	e.op(opLocalGet, localLength)
	e.op(opLocalGet, localLeft)
	e.out = append(e.out, opI32Sub)
	e.op(opLocalGet, localLeft)
	e.op(opLocalGet, localPart)
	e.out = append(e.out, opI32Sub)
	e.op(opLocalGet, localTarget)
	e.op(opLocalGet, localSource)
	e.out = append(e.out, opI32LtU, opSelect)
}

// chargeBulk leaves on the stack what remains after as many bytes as a local says.
func (e *emitter) chargeBulk(local uint64) {
	e.op(opLocalGet, localAmount)
	e.op(opLocalGet, local)
	e.out = append(e.out, opI64ExtendU)
	e.out = appendInt(append(e.out, opI64Const), int64(e.options.BulkShift))
	e.out = append(e.out, opI64ShrU, opI64Sub)
}
