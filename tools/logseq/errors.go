package logseq

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// capabilityMissingCode is the specification's code for something that this
// Logseq cannot do.
const capabilityMissingCode = "CAPABILITY_MISSING"

func notConnectedError(graph string) error {
	what, start := "Logseq is not connected", "Logseq"
	if graph != "" {
		start = "Logseq with that graph"
		what = fmt.Sprintf("no Logseq with the graph %.80q is connected", graph)
	}
	return tools.Errorf(tools.Unavailable, "%s", what).
		WithHint("Ask the user to start %s and the Lectern plugin, and to check the plugin's toolbar button. Use ping to see when it is "+
			"connected.", start)
}

// missingCapability is the data of an error about a missing capability.
type missingCapability struct {
	Capability string `json:"capability"`
	Logseq     string `json:"logseq_version,omitempty"`
	Graph      string `json:"graph_kind,omitempty"`
}

func capabilityMissingError(key string, a *hello) error {
	c, known := findCapability(key)
	why := ""
	if known {
		why = ": " + a.missingReason(c)
	}
	e := tools.Errorf(tools.Unavailable, "this Logseq does not offer %s%s", key, why).WithData(missingCapability{key, a.Logseq, a.Graph.Kind})
	e.SpecCode = capabilityMissingCode
	if known && c.Row(a.Graph.Kind) == unsupported {
		return e.WithHint("Continue without it. get_capabilities lists what is available.")
	}
	return e.WithHint("%s", capabilityHint)
}

// capabilityHint is what to do if the capability may be available after a
// change of settings or an update.
const capabilityHint = "Continue without it, or ask the user to check the Lectern plugin's settings in Logseq (read-only, hidden pages) " +
	"and to update both. get_capabilities lists what is available."

// timeoutHint is what to do when Logseq does not answer.
const timeoutHint = "Read before you repeat a write. Logseq may be closed, or stalled while its window is hidden: ask the user " +
	"to show it, and use ping."

// connectionLostHint is what to do after a call that a lost connection ended,
// and that did nothing.
const connectionLostHint = "Nothing was changed. Call again when ping says that Logseq is connected; if another graph is open now, ask " +
	"the user to open this one again."

func noPageError(name string) error {
	return tools.Errorf(tools.NotFound, "no page %.120q in this graph", name).WithHint("Use list_pages or search to find it.")
}

func noBlockError(uuid UUID) error {
	return tools.Errorf(tools.NotFound, "no block with uuid %.40s in this graph", uuid).WithHint("Use search or get_page_content to find it.")
}

// toolError converts an error of the Peer for an agent. Its codes become ours.
// Logseq's own message is kept in shortened form, because the user can search
// for it.
func toolError(err error) error {
	if err == nil {
		return nil
	}
	e, ours := errors.AsType[*tools.Error](err)
	if !ours {
		return tools.AsError(err)
	}
	f := *e
	f.Message = cleanMessage(e.Message)
	if b, err := json.Marshal(e.Data); err != nil || len(b) > 4<<10 {
		f.Data = nil
	}
	switch e.SpecCode {
	case "NOT_FOUND":
		f.Code = tools.NotFound
	case "INVALID_INPUT":
		f.Code = tools.Invalid
	case "CONFLICT":
		f.Code = tools.Conflict
		if candidates := nameCandidates(e.Data); len(candidates) > 0 {
			f.Data, f.SpecCode = nil, ""
			return &ambiguousNameError{&f, candidates}
		}
	case "TIMEOUT":
		f.Code = tools.Timeout
	case "LIMITED":
		f.Code = tools.Limited
	case "UNAVAILABLE", "UNAUTHORIZED":
		f.Code = tools.Unavailable
	case capabilityMissingCode:
		f.Code = tools.Unavailable
		if f.Hint == "" {
			f.Hint = capabilityHint
		}
		return &f // keeps its code
	case "":
		if e.Code == tools.Unavailable && f.Hint == "" {
			f.Hint = connectionLostHint
		}
		if e.Code == tools.Timeout && !errors.Is(err, context.Canceled) {
			f.Message, f.Hint = "Logseq did not answer in time", cmp.Or(f.Hint, timeoutHint)
		}
		if e.Code == tools.NotFound || e.Code == tools.Conflict || e.Code == tools.Unavailable || e.Code == tools.Timeout {
			return &f
		}
	default:
		f.Code = tools.Internal
	}
	f.SpecCode = ""
	if f.Code == tools.Internal && !strings.Contains(f.Message, "Logseq") {
		f.Message = "Logseq says: " + f.Message
	}
	return &f
}

// cleanMessage puts an untrusted message on one line of at most 300
// bytes.
func cleanMessage(msg string) string {
	line := strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(msg, "?"))), " ")
	return cmp.Or(safetext.Shorten(line, 300), "no reason given")
}

// isNotFound reports whether the Peer said that something does not exist.
func isNotFound(err error) bool {
	e, ok := errors.AsType[*tools.Error](err)
	return ok && (e.Code == tools.NotFound || e.SpecCode == "NOT_FOUND")
}

// outcomeUnknown reports whether it is not known after err if a request was
// carried out.
func outcomeUnknown(err error) bool {
	return isTimeout(err) || errors.Is(err, tools.ErrOutcomeUnknown{})
}
