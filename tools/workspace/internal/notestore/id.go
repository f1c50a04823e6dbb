package notestore

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// An IDSource makes the ids and times of a Draft: the same for the same seed and
// beginning.
type IDSource struct {
	rnd *rand.Rand
	now time.Time
}

func newIDSource(began time.Time, seed uint64) *IDSource {
	began = began.UTC().Round(0)
	return &IDSource{rand.New(rand.NewPCG(seed, uint64(began.UnixNano()))), began} //nolint:gosec // ids, not secrets
}

// Next is a moment later than those before, and than at.
func (s *IDSource) Next(at time.Time) time.Time {
	s.now = s.now.Add(time.Microsecond)
	if !s.now.After(at) {
		s.now = at.Add(time.Microsecond).UTC()
	}
	return s.now
}

// NewID is a random id in the form of a UUID.
func (s *IDSource) NewID() string {
	a, b := s.rnd.Uint64(), s.rnd.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0x3fff|0x8000, b&0xffffffffffff)
}

// NewTimedID is an id that sorts by the moment at which it is made.
func (s *IDSource) NewTimedID() (string, time.Time) {
	at := s.Next(time.Time{})
	return fmt.Sprintf("%016x-%08x", at.UnixNano(), s.rnd.Uint32()), at
}
