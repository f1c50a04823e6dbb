package fuel

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// What is read of a module is the image that it was made with.
func TestReadSegments(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		memory := make([]byte, PageSize*(1+rnd.IntN(3)))
		for range rnd.IntN(20) {
			at := rnd.IntN(len(memory))
			for i := range rnd.IntN(100) {
				if at+i < len(memory) {
					memory[at+i] = byte(rnd.Uint32())
				}
			}
		}
		section, _ := imageData(memory)
		module := []byte("\x00asm\x01\x00\x00\x00")
		for _, s := range []struct {
			id   byte
			body []byte
		}{{sectionMemory, []byte{1, 0, byte(len(memory) / PageSize)}}, {sectionData, section}} {
			module = append(appendUint(append(module, s.id), uint64(len(s.body))), s.body...)
		}
		code, data, size, err := SplitData(module)
		if err != nil || size != len(memory) {
			t.Fatal(size, err)
		}
		if _, rest, _, err := SplitData(code); err != nil || len(rest) > 0 {
			t.Fatalf("%d bytes of data stay: %v", len(rest), err)
		}
		segments, err := ReadSegments(data, size)
		if err != nil {
			t.Fatal(err)
		}
		again := make([]byte, size)
		for _, s := range segments {
			copy(again[s.Offset:], s.Data)
		}
		if !bytes.Equal(again, memory) {
			t.Fatal("the memory is another one")
		}
		for range 20 { // whatever is wrong with it, it is said
			broken := bytes.Clone(data)
			broken[rnd.IntN(len(broken))] ^= byte(1 + rnd.IntN(255))
			segments, err := ReadSegments(broken[:len(broken)-rnd.IntN(2)], size)
			for _, s := range segments {
				if err == nil && s.Offset+len(s.Data) > size {
					t.Fatal("a segment lies out of the memory")
				}
			}
		}
	}
}
