package hub

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A binding is the digest of all that a person said yes to.
type binding [sha256.Size]byte

// bind digests who calls what with which arguments, under which policy and
// declaration, and what the targets hold before.
func bind(who policy.Client, source string, t *tool, args json.RawMessage, changes []tools.Change, policyDigest string) binding {
	type before struct {
		Target string
		State  tools.State
		Open   bool
	}
	states := make([]before, len(changes))
	for i, c := range changes {
		states[i] = before{nameOfTarget(c), c.Before, c.AfterUnknown}
	}
	slices.SortFunc(states, func(a, b before) int { return cmp.Compare(a.Target, b.Target) })
	b, err := json.Marshal([]any{who, source, t.info.Name, t.digest, string(args), states, policyDigest})
	if err != nil { // strings, bytes and booleans marshal
		panic(err)
	}
	return sha256.Sum256(b)
}

// nameOfTarget is a target by its name, but for one that is to be made under an
// identifier that each call draws anew: nothing is there to be mistaken for.
func nameOfTarget(c tools.Change) string {
	if c.Before.Exists {
		return c.Target
	}
	words := strings.Fields(c.Target)
	for i, w := range words {
		if isUUID(w) {
			words[i] = "(new)"
		}
	}
	return strings.Join(words, " ")
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		if hyphen != (c == '-') || !hyphen && !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// A ticket is a person's yes: to one call, once, for a while.
type ticket struct {
	covers binding
	until  time.Time

	mu   sync.Mutex
	used bool
}

func newTicket(b binding, now time.Time, lasts time.Duration) *ticket {
	return &ticket{covers: b, until: now.Add(lasts)}
}

// use takes the yes for what b digests, or says why it does not cover that.
// What it does not cover leaves it unused.
func (t *ticket) use(now time.Time, b binding) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	again := func(why string) error {
		return tools.Errorf(tools.Conflict, "%s", why).WithHint("Read again, then call again; the user is asked anew.")
	}
	switch {
	case t.used:
		return tools.Errorf(tools.Conflict, "what the user approved was done; the call goes on to change what they were not shown").
			WithHint("Look what was done, and make the other changes one call at a time.")
	case b != t.covers:
		return again("what the call would change is not what the user approved")
	case over(now, t.until):
		return again("the user's approval is too old")
	}
	t.used = true
	return nil
}

// over reports whether until has passed, by the wall clock or by the steady
// one: a machine that slept, or whose clock was set back, gains no time.
func over(now, until time.Time) bool {
	return now.After(until) || now.Round(0).After(until.Round(0))
}
