package fuel

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Names under which the core exports what the rest imports from CoreModule.
const (
	corePrefix   = "core:"
	coreMemory   = corePrefix + "memory"
	coreTable    = corePrefix + "table"
	coreWanted   = corePrefix + "wanted"
	coreGlobal   = corePrefix + "global:"   // and its index
	coreFunction = corePrefix + "function:" // and its index in the module
)

// part makes a Part of sections and bodies.
func (s *splitter) part(sections map[byte][]byte, bodies [][]byte) Part {
	p := parsedModule{header: s.module.header, sections: sections}
	p.sections[sectionCode] = encodeBodies(bodies)
	module := p.encode()
	for i := range bodies {
		bodies[i] = trap()
	}
	p.sections[sectionCode] = encodeBodies(bodies)
	return Part{Module: module, Outline: p.encode()}
}

func encodeBodies(bodies [][]byte) []byte {
	section := appendUint(nil, uint64(len(bodies)))
	for _, body := range bodies {
		section = append(appendUint(section, uint64(len(body))), body...)
	}
	return section
}

// corePart writes the core.
func (s *splitter) corePart() (Part, error) {
	m := s.module
	sections := maps.Clone(m.sections)

	// Behind the types of the module come that of LoadImport and those of the forwarders.
	types := appendUint(nil, uint64(len(m.signatures)+1+len(s.forwarded)))
	types = append(append(types, withoutCount(m.sections[sectionType])...), 0x60, 0, 0)
	functions := s.types(func(function uint32) bool { return s.core[function] })
	for i, t := range s.forwarded {
		types = append(types, s.forwarderType(t)...)
		functions = append(functions, uint32(len(m.signatures)+1+i))
	}
	sections[sectionType], sections[sectionFunction] = types, encodeIndexes(functions)

	imports := appendUint(nil, uint64(len(m.imports)+1))
	imports = append(imports, withoutCount(m.sections[sectionImport])...)
	module, name, _ := strings.Cut(LoadImport, ".")
	imports = append(appendName(appendName(imports, module), name), kindFunction)
	sections[sectionImport] = appendUint(imports, uint64(len(m.signatures)))

	sections[sectionTable] = append(append([]byte{2}, s.table...), encodeTable(len(s.wanted))...)
	exports, err := s.coreExports()
	if err != nil {
		return Part{}, err
	}
	sections[sectionExport] = exports
	sections[sectionElement] = encodeElements(s.partOfTable(true))

	bodies, err := s.partBodies(true)
	if err != nil {
		return Part{}, err
	}
	for _, t := range s.forwarded {
		bodies = append(bodies, s.forwarder(t))
	}
	return s.part(sections, bodies), nil
}

// restPart writes the rest.
func (s *splitter) restPart() (Part, error) {
	m := s.module
	types := appendUint(nil, uint64(len(m.signatures)+1))
	types = append(append(types, withoutCount(m.sections[sectionType])...), 0x60, 0, 1, typeI32)
	functions := append(s.types(func(function uint32) bool { return !s.core[function] }), uint32(len(m.signatures)))

	imports := appendUint(nil, uint64(len(m.imports)+len(s.shared)+3+len(m.globals)))
	imports = append(imports, withoutCount(m.sections[sectionImport])...)
	add := func(name string, kind byte, what []byte) {
		imports = append(append(appendName(appendName(imports, CoreModule), name), kind), what...)
	}
	for _, function := range s.shared {
		add(indexed(coreFunction, int(function)), kindFunction, appendUint(nil, uint64(s.typeOf(function))))
	}
	add(coreTable, kindTable, s.table)
	add(coreWanted, kindTable, encodeTable(len(s.wanted)))
	add(coreMemory, kindMemory, withoutCount(m.sections[sectionMemory]))
	for i, g := range m.globals {
		add(indexed(coreGlobal, i), kindGlobal, g.encoded[:2])
	}

	exports := append(appendName([]byte{1}, Probe), kindFunction)
	exports = appendUint(exports, uint64(len(m.imports)+len(s.shared)+len(functions)-1))

	bodies, err := s.partBodies(false)
	if err != nil {
		return Part{}, err
	}
	return s.part(map[byte][]byte{
		sectionType:     types,
		sectionImport:   imports,
		sectionFunction: encodeIndexes(functions),
		sectionExport:   exports,
		sectionElement:  encodeElements(s.partOfTable(false)),
	}, append(bodies, []byte{0, opI32Const, 1, opEnd})), nil
}

// types are those of the functions that are chosen.
func (s *splitter) types(chosen func(function uint32) bool) []uint32 {
	var types []uint32
	for i, t := range s.module.functions {
		if function := uint32(len(s.module.imports) + i); s.called[function] && chosen(function) {
			types = append(types, t)
		}
	}
	return types
}

func encodeIndexes(indexes []uint32) []byte {
	section := appendUint(nil, uint64(len(indexes)))
	for _, i := range indexes {
		section = appendUint(section, uint64(i))
	}
	return section
}

// coreExports are the exports of the module, and what the rest imports.
func (s *splitter) coreExports() ([]byte, error) {
	entries, n := exportsBesidesFunctions(s.module.sections[sectionExport])
	add := func(name string, kind byte, index uint32) {
		entries = appendUint(append(appendName(entries, name), kind), uint64(index))
		n++
	}
	for _, name := range slices.Sorted(maps.Keys(s.module.exports)) {
		add(name, kindFunction, s.inCore[s.module.exports[name]])
	}
	add(coreTable, kindTable, 0)
	add(coreWanted, kindTable, wantedTable)
	add(coreMemory, kindMemory, 0)
	for i := range s.module.globals {
		add(indexed(coreGlobal, i), kindGlobal, uint32(i))
	}
	for _, function := range s.shared {
		add(indexed(coreFunction, int(function)), kindFunction, s.inCore[function])
	}
	if bytes.Contains(s.module.sections[sectionExport], []byte(corePrefix)) {
		return nil, fmt.Errorf("%w: an export whose name begins with %q", ErrUnsupported, corePrefix)
	}
	return append(appendUint(nil, uint64(n)), entries...), nil
}

func indexed(name string, index int) string { return fmt.Sprint(name, index) }

// partOfTable are the elements of one of the two modules: the stretches of those of the
// module that are its functions, and, in the rest, what the core calls of it.
func (s *splitter) partOfTable(core bool) []element {
	var elements []element
	index := s.inRest
	if core {
		index = s.inCore
	}
	for _, e := range s.elements {
		next := ^uint32(0) // the place behind the last one that was ours
		for i, function := range e.functions {
			if s.core[function] != core {
				continue
			}
			place := e.offset + uint32(i)
			if place != next {
				elements = append(elements, element{offset: place})
			}
			last := &elements[len(elements)-1]
			last.functions = append(last.functions, index[function])
			next = place + 1
		}
	}
	if !core && len(s.wanted) > 0 {
		wanted := element{table: wantedTable}
		for _, function := range s.wanted {
			wanted.functions = append(wanted.functions, index[function])
		}
		elements = append(elements, wanted)
	}
	return elements
}
