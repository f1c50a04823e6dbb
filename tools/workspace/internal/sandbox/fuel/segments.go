package fuel

import "fmt"

// A Segment is a part of the memory that a module starts with.
type Segment struct {
	Offset int
	Data   []byte
}

// SplitData returns a module that [Rewrite] made without what it writes into its memory,
// for [ReadSegments], and the size of that memory in bytes. Who writes the segments into
// the memory of an instance has one of the whole module, without an engine that decodes
// and copies them.
func SplitData(module []byte) (code, data []byte, size int, err error) {
	p, err := parse(module)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("split data: %w", err)
	}
	data = p.sections[sectionData]
	delete(p.sections, sectionData)
	delete(p.sections, sectionDataCount)
	return p.encode(), data, int(p.minPages) * PageSize, nil
}

// ReadSegments returns what data says about a memory of size bytes, which is zero
// everywhere else, by rising offset. The segments are bytes of data.
func ReadSegments(data []byte, size int) (segments []Segment, err error) {
	d := &decoder{data: data}
	if len(d.data) == 0 {
		return nil, nil
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
		return nil, fmt.Errorf("read segments: %w", err)
	}
	return segments, nil
}
