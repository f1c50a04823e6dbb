package fuel

import "fmt"

// decoder reads the binary format. The first error sticks: every later read
// returns zeros, so callers check once at the end of a unit.
type decoder struct {
	data []byte
	pos  int
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("offset %d: %w", d.pos, fmt.Errorf(format, args...))
		d.pos = len(d.data)
	}
}

func (d *decoder) more() bool { return d.err == nil && d.pos < len(d.data) }

// end says what was wrong, if anything was: bytes that nobody read are too.
func (d *decoder) end() error {
	if d.more() {
		d.fail("bytes after the last entry")
	}
	return d.err
}

func (d *decoder) byte() byte {
	if d.pos >= len(d.data) {
		d.fail("unexpected end")
		return 0
	}
	d.pos++
	return d.data[d.pos-1]
}

func (d *decoder) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(d.data)-d.pos) {
		d.fail("unexpected end")
		return nil
	}
	d.pos += int(n)
	return d.data[d.pos-int(n) : d.pos]
}

func (d *decoder) uint32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := d.byte()
		v |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	d.fail("integer of more than 32 bits")
	return 0
}

// int64 reads a signed integer of at most 64 bits.
func (d *decoder) int64() int64 {
	var v int64
	for shift := 0; shift < 70; shift += 7 {
		b := d.byte()
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 57 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	d.fail("integer of more than 64 bits")
	return 0
}

func (d *decoder) name() string { return string(d.bytes(d.uint32())) }

func appendUint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendInt(b []byte, v int64) []byte {
	for {
		low := byte(v & 0x7f)
		v >>= 7
		if v == 0 && low&0x40 == 0 || v == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

func appendName(b []byte, name string) []byte {
	return append(appendUint(b, uint64(len(name))), name...)
}
