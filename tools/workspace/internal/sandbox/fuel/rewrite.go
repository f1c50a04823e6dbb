package fuel

import (
	"errors"
	"fmt"
)

type rewriter struct {
	module  *parsedModule
	options Options

	interrupt uint32 // the imported function
	remaining uint32 // the global
	refused   uint32 // the global

	added                    []addedFunction
	copyBulk, fillBulk, call uint32 // their indexes
}

func (w *rewriter) rewrite() ([]byte, error) {
	m := w.module
	if w.options.BulkShift > 20 {
		return nil, fmt.Errorf("BulkShift %d: at most 20", w.options.BulkShift)
	}
	if err := w.findInterrupt(); err != nil {
		return nil, err
	}
	w.remaining = uint32(len(m.globals))
	w.refused = w.remaining + 1
	if err := w.checkStack(); err != nil {
		return nil, err
	}
	if err := w.replaceMemory(); err != nil {
		return nil, err
	}
	if w.options.Image != nil {
		delete(m.sections, sectionStart)
		data, segments := imageData(w.options.Image.Memory)
		m.sections[sectionData] = data
		if _, ok := m.sections[sectionDataCount]; ok {
			m.sections[sectionDataCount] = appendUint(nil, uint64(segments))
		}
	}
	m.sections[sectionGlobal] = w.globals()
	if err := w.addFunctions(); err != nil {
		return nil, err
	}
	m.sections[sectionExport] = w.exports()
	code, err := w.code()
	if err != nil {
		return nil, err
	}
	m.sections[sectionCode] = code
	w.appendFunctions()
	return m.encode(), nil
}

func (w *rewriter) findInterrupt() error {
	for i, f := range w.module.imports {
		if f.name != w.options.Interrupt {
			continue
		}
		if int64(f.signature) >= int64(len(w.module.signatures)) || !w.module.signatures[f.signature].interrupts() {
			return fmt.Errorf("import %s is not of type ()->i32", f.name)
		}
		w.interrupt = uint32(i)
		return nil
	}
	return fmt.Errorf("no import %q", w.options.Interrupt)
}

// checkStack makes sure that the C stack is where Options.StackFirst says, and
// that an image is all that the module remembers.
func (w *rewriter) checkStack() error {
	m := w.module
	if !w.options.StackFirst {
		if w.options.Image != nil {
			return errors.New("an image needs StackFirst")
		}
		return nil
	}
	if len(m.globals) == 0 || !m.globals[0].mutable || m.globals[0].kind != opI32Const {
		return errors.New("the first global is not a stack pointer")
	}
	for _, g := range m.globals[1:] {
		if g.mutable && w.options.Image != nil {
			return fmt.Errorf("%w: a second global that can change", ErrUnsupported)
		}
	}
	d := &decoder{data: m.sections[sectionData]}
	if len(d.data) == 0 {
		return nil
	}
	for n := d.uint32(); n > 0 && d.err == nil; n-- {
		if flags := d.uint32(); flags != 0 {
			d.fail("%w: data segment with flags %#x", ErrUnsupported, flags)
		}
		if _, offset := d.constant(); d.err == nil && offset < m.globals[0].value {
			d.fail("data at %d lies in the stack, which begins at %d", offset, m.globals[0].value)
		}
		d.bytes(d.uint32())
	}
	if err := d.end(); err != nil {
		return fmt.Errorf("section %d: %w", sectionData, err)
	}
	return nil
}

func (w *rewriter) replaceMemory() error {
	m := w.module
	if image := w.options.Image; image != nil {
		if len(image.Memory)%PageSize != 0 {
			return fmt.Errorf("an image of %d bytes is not whole pages", len(image.Memory))
		}
		m.minPages = uint32(len(image.Memory) / PageSize)
	}
	if !m.hasMemory {
		return nil
	}
	if w.options.MaxPages != 0 {
		m.maxPages = min(m.maxPages, w.options.MaxPages)
	}
	if m.minPages > m.maxPages {
		return fmt.Errorf("the module needs %d pages of memory and may have %d", m.minPages, m.maxPages)
	}
	section := []byte{1, 0}
	section = appendUint(section, uint64(m.minPages))
	if m.maxPages != noMaximum {
		section[1] = 1
		section = appendUint(section, uint64(m.maxPages))
	}
	m.sections[sectionMemory] = section
	return nil
}

func (w *rewriter) globals() []byte {
	added := append([]byte(nil),
		typeI64, 1, opI64Const, 0, opEnd,
		typeI32, 1, opI32Const, 0, opEnd)
	section := appendUint(nil, uint64(len(w.module.globals)+2))
	for i, g := range w.module.globals {
		if i == 0 && w.options.Image != nil {
			section = append(section, typeI32, 1, opI32Const)
			section = append(appendInt(section, int64(w.options.Image.StackPointer)), opEnd)
			continue
		}
		section = append(section, g.encoded...)
	}
	return append(section, added...)
}

func (w *rewriter) exports() []byte {
	d := &decoder{data: w.module.sections[sectionExport]}
	var n uint32
	if len(d.data) > 0 {
		n = d.uint32()
	}
	entries := d.data[d.pos:]
	if len(w.options.Callable) > 0 {
		entries, n = exportsBesidesFunctions(d.data)
	}
	type export struct {
		name  string
		kind  byte
		index uint32
	}
	added := []export{{RemainingGlobal, kindGlobal, w.remaining}, {RefusedGlobal, kindGlobal, w.refused}}
	if len(w.options.Callable) > 0 {
		added = append(added, export{CallFunction, kindFunction, w.call})
	}
	section := appendUint(nil, uint64(n)+uint64(len(added)))
	section = append(section, entries...)
	for _, export := range added {
		section = append(appendName(section, export.name), export.kind)
		section = appendUint(section, uint64(export.index))
	}
	return section
}

func (w *rewriter) code() ([]byte, error) {
	bodies, err := w.module.bodies()
	if err != nil {
		return nil, err
	}
	reached, err := w.reached(bodies)
	if err != nil {
		return nil, err
	}
	out := appendUint(nil, uint64(len(bodies)+len(w.added)))
	for i, body := range bodies {
		parameters := w.module.signatures[w.module.functions[i]].parameters
		if body, err = w.function(body, uint32(len(parameters))); err != nil {
			return nil, fmt.Errorf("body %d: %w", i, err)
		}
		if !reached[i] {
			body = trap()
		}
		out = appendUint(out, uint64(len(body)))
		out = append(out, body...)
	}
	for _, f := range w.added {
		out = append(appendUint(out, uint64(len(f.body))), f.body...)
	}
	return out, nil
}

// imageData encodes what is not zero as data segments.
func imageData(memory []byte) (section []byte, segments int) {
	// A segment costs about as much as this many zeros.
	const gap = 32
	var body []byte
	for i := 0; i < len(memory); {
		if memory[i] == 0 {
			i++
			continue
		}
		end := i + 1
		for j := end; j < len(memory) && j-end < gap; j++ {
			if memory[j] != 0 {
				end = j + 1
			}
		}
		body = append(body, 0, opI32Const)
		body = append(appendInt(body, int64(int32(i))), opEnd)
		body = appendUint(body, uint64(end-i))
		body = append(body, memory[i:end]...)
		segments++
		i = end
	}
	return append(appendUint(nil, uint64(segments)), body...), segments
}
