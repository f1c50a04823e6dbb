package status

import "fmt"

// HiddenPages says how much the privacy rules of a source hide, for people: agents
// must not learn it.
type HiddenPages struct {
	Hidden int `json:"hidden"` // pages
	Total  int `json:"total"`  // pages, the hidden ones included
	// Unmatched are the rules that match nothing, hidden or not, as people write
	// them.
	Unmatched []string `json:"unmatched,omitempty"`
	// LeftOut says what lists leave out although no rule hides it, and why: a few
	// words each.
	LeftOut []string `json:"left_out,omitempty"`
}

// String is "hides 12 of 340 pages".
func (h HiddenPages) String() string {
	if h.Total == 1 {
		return fmt.Sprintf("hides %d of 1 page", h.Hidden)
	}
	return fmt.Sprintf("hides %d of %d pages", h.Hidden, h.Total)
}
