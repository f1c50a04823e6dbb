package org

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeText returns text of a file as UTF-8, from what Emacs reads too: UTF-16, and
// Latin-1 where it is no UTF-8. ok is false if it was UTF-8 already.
func decodeText(data []byte) (text []byte, ok bool) {
	var order binary.ByteOrder
	switch nuls := bytes.Count(data, []byte{0}); {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	case nuls > len(data)/4 && data[0] == 0: // most of the text is ASCII
		order = binary.BigEndian
	case nuls > len(data)/4:
		order = binary.LittleEndian
	case utf8.Valid(data):
		return data, false
	default:
		for _, b := range data {
			text = utf8.AppendRune(text, rune(b))
		}
		return text, true
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return bytes.TrimPrefix([]byte(string(utf16.Decode(units))), []byte("\uFEFF")), true
}
