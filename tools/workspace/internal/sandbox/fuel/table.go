package fuel

import "fmt"

// tableType returns the type of the only table, of functions, or of an empty one if there
// is none.
func (p *parsedModule) tableType() ([]byte, error) {
	section, ok := p.sections[sectionTable]
	if !ok {
		return encodeTable(0), nil
	}
	d := &decoder{data: section}
	if n := d.uint32(); n != 1 {
		d.fail("%w: %d tables", ErrUnsupported, n)
	}
	start := d.pos
	if kind := d.byte(); kind != typeFunction {
		d.fail("%w: table of type %#02x", ErrUnsupported, kind)
	}
	flags := d.byte()
	d.uint32()
	switch flags {
	case 0:
	case 1:
		d.uint32()
	default:
		d.fail("%w: table with flags %#02x", ErrUnsupported, flags)
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("section %d: %w", sectionTable, err)
	}
	return section[start:], nil
}

// encodeTable is the type of a table of so many functions.
func encodeTable(size int) []byte {
	return appendUint(appendUint([]byte{typeFunction, 1}, uint64(size)), uint64(size))
}

// element is a stretch of a table that a module fills when it starts.
type element struct {
	table     byte
	offset    uint32
	functions []uint32
}

func parseElements(section []byte) (elements []element, err error) {
	if len(section) == 0 {
		return nil, nil
	}
	d := &decoder{data: section}
	for n := d.uint32(); n > 0 && d.err == nil; n-- {
		if flags := d.uint32(); flags != 0 {
			d.fail("%w: element segment with flags %#x", ErrUnsupported, flags)
		}
		_, offset := d.constant()
		e := element{offset: uint32(offset)}
		for m := d.uint32(); m > 0 && d.err == nil; m-- {
			e.functions = append(e.functions, d.uint32())
		}
		elements = append(elements, e)
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("section %d: %w", sectionElement, err)
	}
	return elements, nil
}

func encodeElements(elements []element) []byte {
	section := appendUint(nil, uint64(len(elements)))
	for _, e := range elements {
		if e.table == 0 {
			section = append(section, 0)
		} else {
			section = append(section, 2, e.table) // and the kind of elements, behind the offset
		}
		section = append(appendInt(append(section, opI32Const), int64(int32(e.offset))), opEnd)
		if e.table != 0 {
			section = append(section, 0)
		}
		section = appendUint(section, uint64(len(e.functions)))
		for _, function := range e.functions {
			section = appendUint(section, uint64(function))
		}
	}
	return section
}
