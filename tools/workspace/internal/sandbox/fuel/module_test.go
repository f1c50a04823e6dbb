package fuel

import (
	"math/rand/v2"
	"slices"
)

// A module of tests: type 0 is ()->i32, type 1 (i32)->i32. Function 0 is the
// import env.interrupt of type 0, function 1 has the body under test and is
// exported as "f", function 2 returns its argument plus one. There are one
// memory of a page and one mutable global i32, exported as "g".
type testModule struct {
	locals  []byte // of function 1, encoded
	body    []byte
	global  int32
	data    []byte // at global, if any
	maxPage byte   // 0: none
	start   bool   // runs function 2's sibling at start: it stores 7 at 100
	extra   []byte // sections behind all others
}

func vector(entries ...[]byte) []byte {
	return append(appendUint(nil, uint64(len(entries))), slices.Concat(entries...)...)
}

func sized(b []byte) []byte { return append(appendUint(nil, uint64(len(b))), b...) }

func section(id byte, body []byte) []byte { return append([]byte{id}, sized(body)...) }

func (m testModule) encode() []byte {
	export := func(name string, kind, index byte) []byte { return append(appendName(nil, name), kind, index) }
	locals := m.locals
	if locals == nil {
		locals = []byte{1, 2, typeI32} // two of them: indexes 1 and 2
	}
	memory := []byte{0, 1}
	if m.maxPage > 0 {
		memory = []byte{1, 1, m.maxPage}
	}
	out := slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(0, appendName(nil, "custom")),
		section(sectionType, vector([]byte{0x60, 0, 1, typeI32}, []byte{0x60, 1, typeI32, 1, typeI32}, []byte{0x60, 0, 0})),
		section(sectionImport, vector(append(appendName(appendName(nil, "env"), "interrupt"), 0, 0))),
		section(sectionFunction, vector([]byte{1}, []byte{1}, []byte{2})),
		section(sectionMemory, vector(memory)),
		section(sectionGlobal, vector(append(appendInt([]byte{typeI32, 1, opI32Const}, int64(m.global)), opEnd))),
		section(sectionExport, vector(export("f", 0, 1), export("g", 3, 0), export("memory", 2, 0))))
	if m.start {
		out = append(out, section(sectionStart, []byte{3})...)
	}
	out = append(out, section(sectionCode, vector(
		sized(slices.Concat(locals, m.body)),
		sized([]byte{0, opLocalGet, 0, opI32Const, 1, 0x6a, opEnd}),
		sized([]byte{0, opI32Const, 0xe4, 0, opI32Const, 7, 0x36, 2, 0, opEnd}),
	))...)
	if m.data != nil {
		out = append(out, section(sectionData, vector(slices.Concat(
			append(appendInt([]byte{0, opI32Const}, int64(m.global)), opEnd), sized(m.data))))...)
	}
	return append(out, m.extra...)
}

func module(body ...byte) testModule { return testModule{body: append(body, opEnd)} }

// countdown is a loop of as many turns as the argument says, 9 instructions each.
//
//	loop; arg -= 1; sum += arg; br_if 0 (arg != 0); end; sum
func countdown() []byte {
	return []byte{
		opLoop, typeEmpty,
		opLocalGet, 0, opI32Const, 1, 0x6b, opLocalTee, 0,
		opLocalGet, 1, 0x6a, 0x21, 1,
		opLocalGet, 0, opBrIf, 0,
		opEnd, opLocalGet, 1,
	}
}

// randomBody is a valid body without an end that leaves an i32 behind. Its loops end:
// each counts a local of its own down.
func randomBody(r *rand.Rand, depth int) []byte {
	if depth == 0 {
		return []byte{opI32Const, byte(r.IntN(64))}
	}
	value := func() []byte { return randomBody(r, depth-1) }
	address := func() []byte { return append(value(), opI32Const, 0xff, 0x3f, 0x71) } // & 0x1fff
	switch r.IntN(12) {
	case 0:
		return []byte{opLocalGet, byte(r.IntN(3))}
	case 1:
		return append(value(), opLocalTee, byte(r.IntN(2)))
	case 2:
		binary := []byte{0x6a, 0x6b, 0x6c, 0x71, 0x72, 0x73, 0x74, 0x46, 0x48, 0x77}
		return slices.Concat(value(), value(), []byte{binary[r.IntN(len(binary))]})
	case 3:
		return slices.Concat(value(), []byte{opIf, typeI32}, value(), []byte{opElse}, value(), []byte{opEnd})
	case 4: // leaves the block with one value or the other
		return slices.Concat([]byte{opBlock, typeI32}, value(), value(), []byte{opBrIf, 0, opDrop}, value(), []byte{opEnd})
	case 5: // a loop of up to 15 turns, counted by local 2, which no other loop inside changes for good
		return slices.Concat(
			[]byte{opI32Const}, []byte{byte(r.IntN(15))}, []byte{0x21, 2, opLoop, typeEmpty}, value(),
			[]byte{0x21, 0, opLocalGet, 2, opI32Const, 1, 0x6b, opLocalTee, 2, opI32Const, 0, 0x4a, opBrIf, 0, opEnd, opLocalGet, 0})
	case 6:
		return slices.Concat(address(), value(), []byte{0x36, 2, 0}, address(), []byte{opFirstLoad, 2, 0})
	case 7:
		return append(value(), opCall, 2)
	case 8:
		return slices.Concat(address(), value(), value(), []byte{opI32Const, 31, 0x71, opPrefix, prefixMemoryFill, 0}, value())
	case 9:
		return slices.Concat(address(), address(), value(), []byte{opI32Const, 31, 0x71, opPrefix, prefixMemoryCopy, 0, 0}, value())
	case 10:
		return slices.Concat([]byte{opBlock, typeEmpty, opBlock, typeEmpty}, value(), []byte{opBrTable, 1, 0, 1, opEnd}, value(), []byte{0x21, 1, opEnd}, value())
	default:
		return slices.Concat(value(), value(), value(), []byte{opSelect})
	}
}
