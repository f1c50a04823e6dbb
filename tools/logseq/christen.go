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

// christen gives drafts that go to p their uuids. The caller has the turn.
func (g *Graph) christen(p place, drafts []*draft) {
	given := map[UUID]bool{}
	for _, d := range drafts {
		for again := 0; d.UUID == "" || g.used[d.UUID] || given[d.UUID]; again++ {
			d.UUID = g.drawn(string(p.target), string(p.position), d.Content, strconv.Itoa(again))
		}
		given[d.UUID] = true
		g.christenBelow(d)
	}
}

func (g *Graph) christenBelow(d *draft) {
	for i, c := range d.Children {
		c.UUID = g.drawn(string(d.UUID), strconv.Itoa(i))
		g.christenBelow(c)
	}
}

func (g *Graph) drawn(parts ...string) UUID {
	var text strings.Builder
	text.Write(g.salt[:])
	for _, part := range parts {
		text.WriteString(strconv.Itoa(len(part)) + ":" + part)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return uuidOf([16]byte(sum[:16]))
}
