package fuel

import "fmt"

// reached says of each function with a body whether something can call it: one of
// Options.Callable, the start function, a table, or another that is reached.
func (w *rewriter) reached(bodies [][]byte) ([]bool, error) {
	reached := make([]bool, len(bodies))
	if len(w.options.Callable) == 0 { // whoever has the exports can
		for i := range reached {
			reached[i] = true
		}
		return reached, nil
	}
	var waiting []uint32
	reach := func(function uint32) {
		if i := int64(function) - int64(len(w.module.imports)); i >= 0 && i < int64(len(bodies)) && !reached[i] {
			reached[i] = true
			waiting = append(waiting, uint32(i))
		}
	}
	if err := w.roots(reach); err != nil {
		return nil, err
	}
	for len(waiting) > 0 {
		i := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if err := calls(bodies[i], reach); err != nil {
			return nil, fmt.Errorf("body %d: %w", i, err)
		}
	}
	return reached, nil
}

// roots are the functions that can be called from outside or by their place in a table.
func (w *rewriter) roots(reach func(uint32)) error {
	for _, name := range w.options.Callable {
		reach(w.module.exports[name])
	}
	if start, ok := w.module.sections[sectionStart]; ok {
		d := &decoder{data: start}
		reach(d.uint32())
	}
	return w.inTable(reach)
}

// inTable goes through the functions that can be called by their place in a table.
func (w *rewriter) inTable(reach func(uint32)) error {
	section := w.module.sections[sectionElement]
	if len(section) == 0 {
		return nil
	}
	d := &decoder{data: section}
	for n := d.uint32(); n > 0 && d.err == nil; n-- {
		if flags := d.uint32(); flags != 0 {
			d.fail("%w: element segment with flags %#x", ErrUnsupported, flags)
		}
		d.constant()
		for m := d.uint32(); m > 0 && d.err == nil; m-- {
			reach(d.uint32())
		}
	}
	if err := d.end(); err != nil {
		return fmt.Errorf("section %d: %w", sectionElement, err)
	}
	return nil
}

// calls goes through the functions that a body calls directly.
func calls(body []byte, reach func(uint32)) error {
	d := &decoder{data: body}
	for n := d.uint32(); n > 0 && d.err == nil; n-- {
		d.uint32()
		d.byte()
	}
	for d.more() {
		if i := d.next(); i.op == opCall && d.err == nil {
			reach(uint32(i.value))
		}
	}
	return d.end()
}

// trap is a body that only traps.
func trap() []byte { return []byte{0, opUnreachable, opEnd} }

// exportsBesidesFunctions are the entries of a section of exports that are no functions.
func exportsBesidesFunctions(section []byte) (entries []byte, n uint32) {
	d := &decoder{data: section}
	for left := d.uint32(); left > 0 && d.err == nil; left-- {
		start := d.pos
		d.name()
		kind := d.byte()
		if d.uint32(); kind != kindFunction {
			entries = append(entries, section[start:d.pos]...)
			n++
		}
	}
	return entries, n
}
