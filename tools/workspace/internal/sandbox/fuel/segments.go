package fuel

import "fmt"

// A Segment is a part of the memory that a module starts with.
type Segment struct {
	Offset int
	Data   []byte
}

// ReadSegments returns what a module that [Rewrite] made writes into its memory, which
// is zero everywhere else, by rising offset, and the size of that memory in bytes. The
// data are bytes of module.
func ReadSegments(module []byte) (segments []Segment, size int, err error) {
	p, err := parse(module)
	if err != nil {
		return nil, 0, fmt.Errorf("read segments: %w", err)
	}
	size = int(p.minPages) * PageSize
	d := &decoder{data: p.sections[sectionData]}
	if len(d.data) == 0 {
		return nil, size, nil
	}
	end := 0
	for n := d.uint32(); n > 0 && d.err == nil; n-- {
		if flags := d.uint32(); flags != 0 {
			d.fail("%w: data segment with flags %#x", ErrUnsupported, flags)
		}
		_, offset := d.constant()
		s := Segment{int(uint32(offset)), d.bytes(d.uint32())}
		if d.err == nil && (s.Offset < end || s.Offset+len(s.Data) > size) {
			d.fail("the data segment at %d is out of order or out of the memory", s.Offset)
		}
		end = s.Offset + len(s.Data)
		segments = append(segments, s)
	}
	if err := d.end(); err != nil {
		return nil, 0, fmt.Errorf("read segments: section %d: %w", sectionData, err)
	}
	return segments, size, nil
}
