package fuel

import (
	"fmt"
	"slices"
)

// partBodies are the bodies of the functions of one of the two modules.
func (s *splitter) partBodies(core bool) ([][]byte, error) {
	var bodies [][]byte
	for i, body := range s.bodies {
		function := uint32(len(s.module.imports) + i)
		if !s.called[function] || s.core[function] != core {
			continue
		}
		parameters := s.module.signatures[s.module.functions[i]].parameters
		body, err := s.body(body, uint64(len(parameters)), core)
		if err != nil {
			return nil, fmt.Errorf("body %d: %w", i, err)
		}
		bodies = append(bodies, body)
	}
	return bodies, nil
}

// body replaces the calls in a body by those of the module that it goes to.
func (s *splitter) body(body []byte, parameters uint64, core bool) ([]byte, error) {
	d := &decoder{data: body}
	groups := d.uint32()
	groupsStart := d.pos
	locals := parameters
	for n := groups; n > 0 && d.err == nil; n-- {
		locals += uint64(d.uint32())
		d.byte()
	}
	e := splitEmitter{splitter: s, source: body, copied: d.pos, local: locals}
	groupsEnd := d.pos
	checks := false
	for d.more() {
		at := d.pos
		switch i := d.next(); {
		case i.op == opCall:
			e.copyTo(at)
			e.call(uint32(i.value), core)
			e.copied = d.pos
		case i.op == opCallInd && core:
			e.copyTo(at)
			e.check(0)
			checks = true
		}
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	e.copyTo(len(body))
	if !checks {
		return append(append([]byte(nil), body[:groupsEnd]...), e.out...), nil
	}
	out := append(appendUint(nil, uint64(groups)+1), body[groupsStart:groupsEnd]...)
	return append(append(out, 1, typeI32), e.out...), nil
}

// splitEmitter writes the code of a body.
type splitEmitter struct {
	*splitter
	source []byte
	copied int // how much of source is in out
	out    []byte
	local  uint64 // one of our own, i32: the place in a table that is called
}

func (e *splitEmitter) copyTo(pos int) {
	e.out = append(e.out, e.source[e.copied:pos]...)
	e.copied = pos
}

func (e *splitEmitter) op(op byte, immediate uint64) {
	e.out = appendUint(append(e.out, op), immediate)
}

// call calls a function of either module.
func (e *splitEmitter) call(function uint32, core bool) {
	switch {
	case !core:
		e.op(opCall, uint64(e.inRest[function]))
	case e.core[function]:
		e.op(opCall, uint64(e.inCore[function]))
	default:
		e.out = appendInt(append(e.out, opI32Const), int64(e.place(function)))
		e.op(opCall, uint64(e.forwarders[e.typeOf(function)]))
	}
}

// check loads the rest if there is nothing in a table at the place that is on top of the
// stack, and leaves the place there.
func (e *splitEmitter) check(table byte) {
	e.op(opLocalTee, e.local)
	e.op(opTableGet, uint64(table))
	e.out = append(e.out, opRefIsNull, opIf, typeEmpty)
	e.op(opCall, uint64(len(e.module.imports)))
	e.out = append(e.out, opEnd)
	e.op(opLocalGet, e.local)
}

// wantedTable is the index of the second table, of what the core calls of the rest.
const wantedTable = 1

// place returns where a function is in the second table.
func (s *splitter) place(function uint32) int {
	place, _ := slices.BinarySearch(s.wanted, function)
	return place
}

// forwarder is the body of a function that calls what is in the second table, with its
// own parameters but for the last, which is the place.
func (s *splitter) forwarder(t uint32) []byte {
	n := uint64(len(s.module.signatures[t].parameters))
	e := splitEmitter{splitter: s, out: []byte{0}, local: n}
	e.op(opLocalGet, n)
	e.check(wantedTable)
	e.out = append(e.out, opDrop)
	for i := range n + 1 {
		e.op(opLocalGet, i)
	}
	e.op(opCallInd, uint64(t))
	return append(e.out, wantedTable, opEnd)
}

func (s *splitter) forwarderType(t uint32) []byte {
	signature := s.module.signatures[t]
	out := appendUint([]byte{0x60}, uint64(len(signature.parameters))+1)
	out = append(append(out, signature.parameters...), typeI32)
	return append(appendUint(out, uint64(len(signature.results))), signature.results...)
}
