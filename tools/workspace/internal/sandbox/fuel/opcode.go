package fuel

// Opcodes that are treated specially or emitted.
const (
	opUnreachable = 0x00
	opNop         = 0x01
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opElse        = 0x05
	opEnd         = 0x0b
	opBr          = 0x0c
	opBrIf        = 0x0d
	opBrTable     = 0x0e
	opReturn      = 0x0f
	opCall        = 0x10
	opCallInd     = 0x11
	opDrop        = 0x1a
	opSelect      = 0x1b
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opLocalTee    = 0x22
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opTableGet    = 0x25
	opFirstLoad   = 0x28
	opLastStore   = 0x3e
	opMemorySize  = 0x3f
	opMemoryGrow  = 0x40
	opI32Const    = 0x41
	opI64Const    = 0x42
	opF32Const    = 0x43
	opF64Const    = 0x44
	opFirstPlain  = 0x45 // from here on, instructions without immediates
	opI32Eq       = 0x46
	opI32LtU      = 0x49
	opI32GtU      = 0x4b
	opI32Add      = 0x6a
	opI32Sub      = 0x6b
	opI64LtS      = 0x53
	opI64Sub      = 0x7d
	opI64ShrU     = 0x88
	opI32WrapI64  = 0xa7
	opI64ExtendU  = 0xad
	opF64FromBits = 0xbf
	opLastPlain   = 0xc4
	opRefIsNull   = 0xd1
	opPrefix      = 0xfc

	prefixLastConvert = 7 // the saturating conversions
	prefixMemoryCopy  = 10
	prefixMemoryFill  = 11

	typeI32      = 0x7f
	typeI64      = 0x7e
	typeF64      = 0x7c
	typeFunction = 0x70
	typeEmpty    = 0x40
)

// instruction is what the rewriter has to know of one.
type instruction struct {
	op    byte
	bulk  bool   // memory.copy or memory.fill
	value int64  // of an i32.const, or the function of a call
	label uint32 // the outermost that a branch can go to
	cost  int64
}

// endsSegment says whether code behind i may run another number of times than
// code before it.
func (i instruction) endsSegment() bool {
	switch i.op {
	case opLoop, opIf, opElse, opEnd, opBr, opBrIf, opBrTable, opReturn, opUnreachable:
		return true
	}
	return false
}

// next reads an instruction with its immediates.
func (d *decoder) next() instruction {
	op := d.byte()
	switch {
	case op == opUnreachable, op == opNop, op == opElse, op == opEnd, op == opReturn, op == opDrop:
		return instruction{op: op}
	case op == opBlock, op == opLoop:
		d.int64()
		return instruction{op: op}
	case op == opIf, op == opI32Const, op == opI64Const:
		return instruction{op: op, cost: 1, value: d.int64()}
	case op == opBr, op == opBrIf:
		return instruction{op: op, cost: 1, label: d.uint32()}
	case op == opCall:
		return instruction{op: op, cost: 1, value: int64(d.uint32())}
	case op >= opLocalGet && op <= opGlobalSet:
		d.uint32()
	case op == opBrTable:
		i := instruction{op: op, cost: 1}
		for n := uint64(d.uint32()) + 1; n > 0 && d.err == nil; n-- {
			i.label = max(i.label, d.uint32())
		}
		return i
	case op == opCallInd, op >= opFirstLoad && op <= opLastStore:
		d.uint32()
		d.uint32()
	case op == opMemorySize, op == opMemoryGrow:
		d.zero()
	case op == opF32Const:
		d.bytes(4)
	case op == opF64Const:
		d.bytes(8)
	case op == opSelect, op >= opFirstPlain && op <= opLastPlain:
	case op == opPrefix:
		return d.nextPrefixed()
	default:
		d.fail("%w: opcode %#02x", ErrUnsupported, op)
	}
	return instruction{op: op, cost: 1}
}

func (d *decoder) nextPrefixed() instruction {
	i := instruction{op: opPrefix, cost: 1}
	switch sub := d.uint32(); {
	case sub <= prefixLastConvert:
	case sub == prefixMemoryCopy:
		d.zero()
		d.zero()
		i.bulk = true
	case sub == prefixMemoryFill:
		d.zero()
		i.bulk = true
	default:
		d.fail("%w: opcode 0xfc %d", ErrUnsupported, sub)
	}
	return i
}

// zero reads the index of the only memory.
func (d *decoder) zero() {
	if b := d.byte(); b != 0 {
		d.fail("%w: memory %d", ErrUnsupported, b)
	}
}

// constant reads an initialiser: one constant. value is that of an integer.
func (d *decoder) constant() (op byte, value int64) {
	switch op = d.byte(); op {
	case opI32Const, opI64Const:
		value = d.int64()
	case opF32Const:
		d.bytes(4)
	case opF64Const:
		d.bytes(8)
	default:
		d.fail("%w: initialiser with opcode %#02x", ErrUnsupported, op)
	}
	if end := d.byte(); d.err == nil && end != opEnd {
		d.fail("%w: initialiser of several instructions", ErrUnsupported)
	}
	return op, value
}
