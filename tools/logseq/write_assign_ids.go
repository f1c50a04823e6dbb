package logseq

import (
	"crypto/sha256"
	"strconv"
	"strings"
)

// The uuid of a new block is part of the name of a Change, and an approval is
// bound to the Changes that were shown. So a dry run and the call after it
// must assign the same uuids: they are derived from the content and position
// of the block, with a secret salt. A uuid is never used twice.

// assignIDs assigns uuids to drafts that are inserted at p. The caller holds
// the write lock.
func (g *Graph) assignIDs(p insertPosition, drafts []*draft) {
	given := map[UUID]bool{}
	for _, d := range drafts {
		for again := 0; d.UUID == "" || g.usedIDs[d.UUID] || given[d.UUID]; again++ {
			d.UUID = g.deriveID(string(p.target), string(p.position), d.Content, strconv.Itoa(again))
		}
		given[d.UUID] = true
		g.assignChildIDs(d)
	}
}

func (g *Graph) assignChildIDs(d *draft) {
	for i, c := range d.Children {
		c.UUID = g.deriveID(string(d.UUID), strconv.Itoa(i))
		g.assignChildIDs(c)
	}
}

func (g *Graph) deriveID(parts ...string) UUID {
	var text strings.Builder
	text.Write(g.idSalt[:])
	for _, part := range parts {
		text.WriteString(strconv.Itoa(len(part)) + ":" + part)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return formatUUID([16]byte(sum[:16]))
}
