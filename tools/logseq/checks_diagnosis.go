package logseq

import (
	"context"
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A diagnosis is what a plugin reports about the Logseq that it runs in; see
// plugin/src/diagnose.ts.
type diagnosis struct {
	Hidden     bool           `json:"hidden"`             // its window cannot be seen
	Editor     *timing        `json:"editor,omitempty"`   // nil: no graph is open
	Database   *timing        `json:"database,omitempty"` // likewise
	Namespaces map[string]int `json:"namespaces"`         // number of properties in each
	Missing    []string       `json:"missing"`            // methods that this Logseq lacks
	Settings   []string       `json:"settings"`           // of the plugin that remove capabilities
}

// A timing is how one question to Logseq went.
type timing struct {
	Millis int    `json:"ms"`
	Error  string `json:"error"` // a code; empty: it was answered
}

func (t timing) String() string {
	if t.Error != "" {
		return fmt.Sprintf("gave no answer within %d ms (%s)", t.Millis, t.Error)
	}
	return fmt.Sprintf("answers in %d ms", t.Millis)
}

func (d diagnosis) String() string {
	window := "visible"
	if d.Hidden {
		window = "hidden"
	}
	return fmt.Sprintf("with the window %s the editor %s and the database %s", window, d.Editor, d.Database)
}

// errOldPlugin is for plugins that cannot diagnose.
var errOldPlugin = errors.New("the plugin is older than this Lectern and cannot tell")

func (c graphCheck) diagnose(ctx context.Context) (d diagnosis, err error) {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	err = c.peer.Call(ctx, "diagnose", struct{}{}, &d, true)
	if e, ours := errors.AsType[*tools.Error](err); ours && e.SpecCode == capabilityMissingCode {
		return d, errOldPlugin
	}
	return d, err
}

// diagnosisFailed is the result when nothing was measured.
func diagnosisFailed(d diagnosis, err error) (c status.Check, failed bool) {
	switch {
	case errors.Is(err, errOldPlugin):
		return checkResult(status.CheckWarn, reinstallPlugin, "%v", err), true
	case err != nil:
		return checkResult(status.CheckFail, "See the plugin's page in Logseq, which its toolbar button opens.", "%v", err), true
	case d.Editor == nil || d.Database == nil:
		return checkResult(status.CheckSkipped, "", "no graph is open"), true
	}
	return c, false
}
