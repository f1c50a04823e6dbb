package journal

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// The IDs of Changes are row numbers, permuted by the journal's key: an agent that
// reads its own IDs cannot count what others wrote in between, and a person can
// look up what an agent quotes.
const (
	idHalfBits = 20 // of a number below 2^40, which 8 letters hold
	idHalfMask = 1<<idHalfBits - 1
	idRounds   = 6
)

// changeID is the ID of a Change: c and 8 letters or digits.
func (k *encryptionKey) changeID(seq int64) string { return "c" + k.encodeNumber(seq) }

// callID is the ID of the call whose first Change is seq.
func (k *encryptionKey) callID(seq int64) string { return "k" + k.encodeNumber(seq) }

func (k *encryptionKey) encodeNumber(seq int64) string {
	var data [8]byte
	binary.BigEndian.PutUint64(data[:], k.permute(uint64(seq), idRoundOrder()))
	return strings.ToLower(base32.HexEncoding.EncodeToString(data[3:]))
}

// parseChangeID returns the row number of an ID. Of an ID that was never given that
// may be any number.
func (k *encryptionKey) parseChangeID(id string) (int64, error) {
	var data [8]byte
	text, ok := strings.CutPrefix(id, "c")
	ok = ok && len(text) == base32.HexEncoding.EncodedLen(5) && text == strings.ToLower(text)
	if ok {
		n, err := base32.HexEncoding.Decode(data[3:], []byte(strings.ToUpper(text)))
		ok = err == nil && n == 5
	}
	if !ok {
		return 0, fmt.Errorf("invalid change ID %.40q; `lectern changes` lists the IDs", id)
	}
	rounds := idRoundOrder()
	slices.Reverse(rounds)
	return int64(k.permute(binary.BigEndian.Uint64(data[:]), rounds)), nil
}

func idRoundOrder() []byte {
	order := make([]byte, idRounds)
	for i := range order {
		order[i] = byte(i)
	}
	return order
}

// permute is a Feistel network over 40 bits, which its rounds in reverse order
// invert.
func (k *encryptionKey) permute(n uint64, rounds []byte) uint64 {
	left, right := n>>idHalfBits&idHalfMask, n&idHalfMask
	for _, round := range rounds {
		var block [16]byte
		binary.LittleEndian.PutUint64(block[:], right)
		block[15] = round
		k.ids.Encrypt(block[:], block[:])
		left, right = right, left^binary.LittleEndian.Uint64(block[:])&idHalfMask
	}
	return right<<idHalfBits | left
}
