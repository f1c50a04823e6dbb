package toolstest

import (
	"encoding/json"
	"strings"
)

// strangeHellos are of no application, or of one that means harm.
var strangeHellos = []string{"", "null", "{}", "[]", "7", `"hello"`, `{"version":"1"}`, `{"graph":{},"session":null}`, "{"}

// checkPeer checks what a System says of its Peers: it knows its own and leaves
// others alone, whatever they say.
func checkPeer(s *suite) {
	s.Helper()
	spec := s.kind.Peer()
	if spec == nil {
		s.tb.Skipf("%s has no Peer", s.manifest.Name)
	}
	if _, err := spec.Name(s.config(s.fixture(s.tb))); err != nil {
		s.Errorf("the name of the Peer that the fixture wants: %v", err)
	}
	if spec.Code("A_CODE_THAT_NOBODY_KNOWS") == "" {
		s.Errorf("an unknown error code of a Peer means nothing")
	}
	for _, hello := range strangeHellos {
		if _, mine, err := spec.Describe(json.RawMessage(hello)); mine || err != nil {
			s.Errorf("a Peer that says %s is taken for one of %s: %v", hello, s.manifest.Name, err)
		}
	}
	for _, origin := range spec.Origins {
		if !strings.Contains(origin, "://") || strings.HasPrefix(origin, "http") {
			s.Errorf("origin %s: a web page must not connect without asking", origin)
		}
	}
	peer := s.fixture(s.tb).Peer
	if peer == nil {
		return
	}
	info, mine, err := spec.Describe(peer.Hello())
	if err != nil || !mine || info.Key == "" || len(info.Names) == 0 || len(info.Facts) == 0 {
		s.Errorf("the fixture's Peer: %+v, mine %v, %v", info, mine, err)
	}
	for _, c := range info.Capabilities {
		if c.Key == "" || c.Title == "" {
			s.Errorf("capability %+v has no key or no title", c)
		}
	}
}
