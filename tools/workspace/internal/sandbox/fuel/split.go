package fuel

import (
	"errors"
	"fmt"
	"slices"
)

// CoreModule is the module from which the rest of one that was split imports its core:
// functions, the memory, the table and the globals.
const CoreModule = "core"

// Probe is the function, of type ()->i32, by which the rest of a module that was split
// answers 1. Its outline traps.
const Probe = "probe"

// LoadImport is what the core of a module that was split imports besides, as
// "module.name" and of type ()->(). It is called before the first function of the rest
// is, and gives the core an instance of the rest, or does not return. It is called again
// whenever the module calls a place in its table where there is nothing, which traps
// afterwards.
const LoadImport = "env.host_load_rest"

// A Part is one of the two modules that [Split] makes.
type Part struct {
	Module []byte
	// Outline is Module with bodies that only trap: its types, imports, exports and
	// elements are the same, and so is the index of every function. It is for an engine that
	// has the code of Module already, compiled, and needs to know its outside only.
	Outline []byte
}

// Split divides a module that [Rewrite] made with Options.Callable, and [SplitData] took
// the data of, into two that do the same together, fuel included: what engines do with the
// code of one need not be done with that of the other before it is called. The core has
// the memory, the table and the globals, and a second table for what it calls of the rest; it has the functions of which inCore, which gets
// their indexes in module, says so, and those that are exported. It works without an
// instance of the rest until one of the others is called. What nothing can call is left
// out of both.
//
// The core finds the functions of the rest in its tables, so instances of both must be of one
// runtime; an instance of the core has at most one of the rest.
func Split(module []byte, inCore func(function uint32) bool) (core, rest Part, err error) {
	p, err := parse(module)
	if err != nil {
		return Part{}, Part{}, fmt.Errorf("split module: %w", err)
	}
	s := splitter{module: p}
	if err := s.plan(inCore); err != nil {
		return Part{}, Part{}, fmt.Errorf("split module: %w", err)
	}
	if core, err = s.corePart(); err == nil {
		rest, err = s.restPart()
	}
	if err != nil {
		return Part{}, Part{}, fmt.Errorf("split module: %w", err)
	}
	return core, rest, nil
}

// splitter knows where every function of a module goes. Functions are those of the
// module, by their index there, unless something else is said.
type splitter struct {
	module   *parsedModule
	elements []element
	table    []byte   // its type
	bodies   [][]byte // of the functions behind the imported ones

	core   []bool   // whether it is in the core
	called []bool   // whether something can call it
	wanted []uint32 // functions of the rest that the core calls; their places here are those in the second table
	shared []uint32 // functions of the core that the rest calls

	inCore     []uint32          // their indexes in the core
	inRest     []uint32          // their indexes in the rest
	forwarders map[uint32]uint32 // by the index of a type: the function of the core that calls what is in the second table
	forwarded  []uint32          // the types with a forwarder, in the order of their forwarders
}

// plan decides where every function goes.
func (s *splitter) plan(inCore func(uint32) bool) (err error) {
	m := s.module
	for _, id := range []byte{sectionStart, sectionData, sectionDataCount} {
		if _, ok := m.sections[id]; ok {
			return fmt.Errorf("%w: a module with section %d cannot be split", ErrUnsupported, id)
		}
	}
	if !m.hasMemory {
		return fmt.Errorf("%w: a module without a memory cannot be split", ErrUnsupported)
	}
	if s.table, err = m.tableType(); err != nil {
		return err
	}
	if s.elements, err = parseElements(m.sections[sectionElement]); err != nil {
		return err
	}
	if s.bodies, err = m.bodies(); err != nil {
		return err
	}
	n := uint32(len(m.imports) + len(m.functions))
	s.core, s.called = make([]bool, n), make([]bool, n)
	for i := range n {
		s.core[i] = i < uint32(len(m.imports)) || inCore(i)
	}
	for _, function := range m.exports {
		if function >= n {
			return errors.New("an exported function does not exist")
		}
		s.core[function], s.called[function] = true, true
	}
	if err := s.findCalls(); err != nil {
		return err
	}
	s.number()
	return nil
}

// findCalls finds out what can be called, and from where.
func (s *splitter) findCalls() error {
	for _, e := range s.elements {
		for _, function := range e.functions {
			if int(function) >= len(s.core) {
				return fmt.Errorf("an element is function %d, which does not exist", function)
			}
			s.called[function] = true
		}
	}
	for i, body := range s.bodies {
		caller := uint32(len(s.module.imports) + i)
		unknown := false
		err := calls(body, func(function uint32) {
			if int(function) < len(s.core) {
				s.noteCall(caller, function)
			} else {
				unknown = true
			}
		})
		if err == nil && unknown {
			err = errors.New("it calls a function that does not exist")
		}
		if err != nil {
			return fmt.Errorf("body %d: %w", i, err)
		}
	}
	for _, list := range []*[]uint32{&s.wanted, &s.shared} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return nil
}

func (s *splitter) noteCall(caller, function uint32) {
	s.called[function] = true
	imported := int(function) < len(s.module.imports)
	switch {
	case s.core[caller] && !s.core[function]:
		s.wanted = append(s.wanted, function)
	case !s.core[caller] && s.core[function] && !imported:
		s.shared = append(s.shared, function)
	}
}

// number gives the functions their indexes in the two modules. Imports come first: in the
// core those of the module and LoadImport, in the rest those of the module and then what
// the core shares.
func (s *splitter) number() {
	imports := uint32(len(s.module.imports))
	s.inCore, s.inRest = make([]uint32, len(s.core)), make([]uint32, len(s.core))
	nextCore, nextRest := imports+1, imports+uint32(len(s.shared))
	for i := range uint32(len(s.core)) {
		switch {
		case i < imports:
			s.inCore[i], s.inRest[i] = i, i
		case !s.called[i]:
		case s.core[i]:
			s.inCore[i] = nextCore
			nextCore++
		default:
			s.inRest[i] = nextRest
			nextRest++
		}
	}
	for i, function := range s.shared {
		s.inRest[function] = imports + uint32(i)
	}
	s.forwarders = map[uint32]uint32{}
	for _, function := range s.wanted {
		if t := s.typeOf(function); s.forwarders[t] == 0 {
			s.forwarders[t] = nextCore
			s.forwarded = append(s.forwarded, t)
			nextCore++
		}
	}
}

// typeOf returns the index of the type of a function that is not imported.
func (s *splitter) typeOf(function uint32) uint32 {
	return s.module.functions[function-uint32(len(s.module.imports))]
}
