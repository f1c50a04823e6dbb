package logseq

import (
	"crypto/sha256"
	"strconv"
	"strings"
)

// The uuid of a new block is the name of a Change, and a person's yes to a call
// is bound to the Changes that they saw. So a call that is rehearsed and then
// made must come to the same uuids: they are drawn from what the block is and
// where it goes, with a salt, so that nobody else comes to them. One that was
// used is not used again, whatever became of its block.

// assignIDs gives drafts that go to p their uuids. The caller has the turn.
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
