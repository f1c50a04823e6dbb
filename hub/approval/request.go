package approval

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A Request is a call that a person is asked about.
type Request struct {
	Session string
	Call    policy.Request  // who calls what, as the policy judged it
	Policy  string          // digest of that policy
	Args    json.RawMessage // in one form: the same arguments are the same bytes
	// Changes are what a dry run of the call would have written; they mean
	// nothing unless ChangesKnown.
	Changes      []tools.Change
	ChangesKnown bool
	// Of a call that makes others: the source of each of Changes, and the reads
	// that are asked about. It can be approved only once: what it calls the next
	// time may be something else.
	Sources  []string
	Reads    []string
	OnlyOnce bool
	// TextTarget: what the call changes is the text of one page, which a person may edit.
	TextTarget bool
	// SharedSession: other clients of the same name are in the session, too.
	SharedSession bool

	AskReason string // the person is asked
	Setting   string // of the user's, that would allow it without asking; empty: not known
	Reason    string // the agent states for the call; empty: none
}

// A Digest is equal for two requests only if an approval of one approves the
// other.
type Digest [sha256.Size]byte

// Digest covers who calls what with which arguments, under which policy and
// declaration of the tool, and what the targets hold before.
func (r Request) Digest() Digest {
	type before struct {
		Target string
		State  tools.State
		Open   bool
	}
	states := make([]before, len(r.Changes))
	for i, c := range r.Changes {
		states[i] = before{targetWithoutUUID(c), c.Before, c.AfterUnknown}
	}
	slices.SortFunc(states, func(a, b before) int { return cmp.Compare(a.Target, b.Target) })
	b, err := json.Marshal([]any{
		r.Call.Client, r.Call.Source, r.Call.Tool, r.Call.ToolDigest, string(r.Args), states, r.Policy, r.Sources,
		r.Reads,
	})
	if err != nil { // strings, bytes and booleans marshal
		panic(err)
	}
	return sha256.Sum256(b)
}

// callDigest covers only what the client sends, so that it can be compared
// before the changes are known.
func (r Request) callDigest() Digest {
	r.Changes, r.Sources, r.Reads, r.Policy = nil, nil, nil, ""
	return r.Digest()
}

// targetWithoutUUID is the target's name. A target that does not exist yet may be
// named by a UUID that every call draws again, so that is left out.
func targetWithoutUUID(c tools.Change) string {
	if c.Before.Exists {
		return c.Target
	}
	words := strings.Fields(c.Target)
	for i, w := range words {
		if uuidPattern.MatchString(w) {
			words[i] = "(new)"
		}
	}
	return strings.Join(words, " ")
}

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
