package fuel

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

const (
	sectionType      = 1
	sectionImport    = 2
	sectionFunction  = 3
	sectionTable     = 4
	sectionMemory    = 5
	sectionGlobal    = 6
	sectionExport    = 7
	sectionStart     = 8
	sectionElement   = 9
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
)

// sectionOrder is the order that the format demands.
var sectionOrder = []byte{ //nolint:gochecknoglobals // a table of the format
	sectionType, sectionImport, sectionFunction, sectionTable, sectionMemory, sectionGlobal, sectionExport, sectionStart, sectionElement,
	sectionDataCount, sectionCode, sectionData,
}

// parsedModule is what the rewriter knows of a module. Sections that it does not
// change stay bytes.
type parsedModule struct {
	header   []byte
	sections map[byte][]byte

	signatures []signature
	imports    []importedFunction
	functions  []uint32 // the type of each function with a body
	globals    []global
	exports    map[string]uint32 // functions
	hasMemory  bool
	minPages   uint32
	maxPages   uint32 // noMaximum if none
}

type signature struct{ parameters, results []byte }

// interrupts says whether it is ()->i32.
func (s signature) interrupts() bool {
	return len(s.parameters) == 0 && string(s.results) == string([]byte{typeI32})
}

const (
	kindFunction = 0
	kindTable    = 1
	kindMemory   = 2
	kindGlobal   = 3
)

type importedFunction struct {
	name      string // module.name
	signature uint32
}

type global struct {
	encoded []byte
	mutable bool
	kind    byte
	value   int64
}

const noMaximum = 1<<32 - 1

func parse(module []byte) (*parsedModule, error) {
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	p := &parsedModule{header: module[:8], sections: map[byte][]byte{}, exports: map[string]uint32{}}
	d := &decoder{data: module, pos: 8}
	last := -1
	for d.more() {
		id := d.byte()
		body := d.bytes(d.uint32())
		if id == 0 || d.err != nil {
			continue // names and the like; they would be wrong afterwards
		}
		place := slices.Index(sectionOrder, id)
		if place < 0 {
			return nil, fmt.Errorf("%w: section %d", ErrUnsupported, id)
		}
		if place <= last {
			return nil, fmt.Errorf("section %d is out of order", id)
		}
		last = place
		p.sections[id] = body
	}
	if d.err != nil {
		return nil, d.err
	}
	for _, s := range []struct {
		id    byte
		parse func(*decoder)
	}{
		{sectionType, p.parseType},
		{sectionImport, p.parseImport},
		{sectionFunction, p.parseFunction},
		{sectionMemory, p.parseMemory},
		{sectionGlobal, p.parseGlobal},
		{sectionExport, p.parseExport},
	} {
		body, ok := p.sections[s.id]
		if !ok {
			continue
		}
		d := &decoder{data: body}
		for n := d.uint32(); n > 0 && d.err == nil; n-- {
			s.parse(d)
		}
		if err := d.end(); err != nil {
			return nil, fmt.Errorf("section %d: %w", s.id, err)
		}
	}
	return p, nil
}

// bodies are those of the functions, in their order.
func (p *parsedModule) bodies() ([][]byte, error) {
	section := p.sections[sectionCode]
	d := &decoder{data: section}
	var n uint32
	if len(section) > 0 {
		n = d.uint32()
	}
	if d.err == nil && int64(n) != int64(len(p.functions)) {
		return nil, fmt.Errorf("%d functions have %d bodies", len(p.functions), n)
	}
	bodies := make([][]byte, 0, len(p.functions))
	for ; n > 0 && d.err == nil; n-- {
		bodies = append(bodies, d.bytes(d.uint32()))
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("section %d: %w", sectionCode, err)
	}
	return bodies, nil
}

// encode is the reverse of parse.
func (p *parsedModule) encode() []byte {
	out := append([]byte(nil), p.header...)
	for _, id := range sectionOrder {
		if body, ok := p.sections[id]; ok {
			out = append(out, id)
			out = appendUint(out, uint64(len(body)))
			out = append(out, body...)
		}
	}
	return out
}

func (p *parsedModule) parseType(d *decoder) {
	if form := d.byte(); form != 0x60 {
		d.fail("%w: type of form %#02x", ErrUnsupported, form)
	}
	parameters := d.bytes(d.uint32())
	p.signatures = append(p.signatures, signature{parameters, d.bytes(d.uint32())})
}

// signatureOf returns the type of a function, if there is one.
func (p *parsedModule) signatureOf(function uint32) (signature, bool) {
	index := int64(function) - int64(len(p.imports))
	switch {
	case index >= int64(len(p.functions)):
		return signature{}, false
	case index >= 0:
		return p.signatures[p.functions[index]], true
	}
	imported := p.imports[function].signature
	if int64(imported) >= int64(len(p.signatures)) {
		return signature{}, false
	}
	return p.signatures[imported], true
}

func (p *parsedModule) parseImport(d *decoder) {
	name := d.name() + "." + d.name()
	if kind := d.byte(); kind != 0 {
		d.fail("%w: import %q is not a function", ErrUnsupported, name)
	}
	p.imports = append(p.imports, importedFunction{name, d.uint32()})
}

func (p *parsedModule) parseFunction(d *decoder) {
	index := d.uint32()
	if int64(index) >= int64(len(p.signatures)) {
		d.fail("no type %d", index)
	}
	p.functions = append(p.functions, index)
}

func (p *parsedModule) parseMemory(d *decoder) {
	if p.hasMemory {
		d.fail("%w: more than one memory", ErrUnsupported)
	}
	p.hasMemory = true
	flags := d.byte()
	p.minPages, p.maxPages = d.uint32(), noMaximum
	switch flags {
	case 0:
	case 1:
		p.maxPages = d.uint32()
	default:
		d.fail("%w: memory with flags %#02x", ErrUnsupported, flags)
	}
}

func (p *parsedModule) parseGlobal(d *decoder) {
	start := d.pos
	d.byte()
	mutable := d.byte() == 1
	kind, value := d.constant()
	p.globals = append(p.globals, global{encoded: d.data[start:d.pos], mutable: mutable, kind: kind, value: value})
}

func (p *parsedModule) parseExport(d *decoder) {
	name := d.name()
	if kind, index := d.byte(), d.uint32(); kind == kindFunction {
		p.exports[name] = index
	}
}
