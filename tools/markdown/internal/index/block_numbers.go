package index

import "math/bits"

// Numbers in blocks are written as SQLite writes them: seven bits a byte, the first ones
// first, and all bytes but the last with the highest bit set.

// A blockReader reads numbers. Its failed is set if there are not so many.
type blockReader struct {
	rest   []byte
	failed bool
}

// next reads a number.
func (r *blockReader) next() (n uint64) {
	for i, b := range r.rest {
		if i == 8 {
			r.rest = r.rest[9:]
			return n<<8 | uint64(b)
		}
		n = n<<7 | uint64(b&0x7f)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return n
		}
	}
	r.failed = true
	return 0
}

func (r *blockReader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.failed = true
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// readNumber is [blockReader.next] for numbers that are asked for most. Where there is
// none, the next place is behind the end.
func readNumber(b []byte, at int) (n uint64, next int) {
	for ; at < len(b) && n < 1<<40; at++ {
		n = n<<7 | uint64(b[at]&0x7f)
		if b[at] < 0x80 {
			return n, at + 1
		}
	}
	return 0, len(b) + 1
}

// appendNumber writes a number, which is less than 2^56.
func appendNumber(b []byte, n uint64) []byte {
	if n < 0x80 {
		return append(b, byte(n))
	}
	for shift := (bits.Len64(n) - 1) / 7 * 7; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n&0x7f))
}
