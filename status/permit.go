package status

import (
	"strings"
	"time"
)

// PermitTime is how long a Permit lasts.
const PermitTime = 10 * time.Minute

// A Permit is a person's approval of all calls of one client that have one effect
// in one source and touch nothing but what it reaches, for [PermitTime]. A hub
// keeps it in its memory only.
type Permit struct {
	ID     string `json:"id"` // that of the Approval that gave it
	Client string `json:"client"`
	Proven bool   `json:"proven,omitempty"`
	// Session is the only one that may use it, because its client has not proved its
	// name; empty: every session of the client.
	Session string `json:"session,omitempty"`
	Source  string `json:"source"`
	Effect  string `json:"effect"`
	// Within is what it reaches: one target by its name, what is below a folder,
	// "Projects/**", or all of the source, "**".
	Within string    `json:"within"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"`
	Calls  uint64    `json:"calls"` // that it has let through, besides the one that was asked about
}

// Contains reports whether p reaches all of these targets. Of those that are not
// known only a Permit for the whole source reaches all.
func (p Permit) Contains(targets []string) bool {
	if p.Within == "**" {
		return true
	}
	folder, isFolder := strings.CutSuffix(p.Within, "**")
	for _, t := range targets {
		below := isFolder && strings.HasPrefix(t, folder) && !strings.Contains("/"+t+"/", "/../")
		if t != p.Within && !below {
			return false
		}
	}
	return len(targets) > 0
}

// PermitPatterns lists what a Permit could reach that covers all of these targets,
// the narrowest first. Without targets it is the whole source.
func PermitPatterns(targets []string) []string {
	reaches := []string{}
	if len(targets) == 1 && !strings.HasSuffix(targets[0], "/") && !strings.HasSuffix(targets[0], "**") {
		reaches = append(reaches, targets[0])
	}
	if len(targets) > 0 {
		for folder := parentFolder(targets[0]); folder != ""; folder = parentFolder(folder) {
			if within := folder + "/**"; (Permit{Within: within}).Contains(targets) {
				reaches = append(reaches, within)
			}
		}
	}
	return append(reaches, "**")
}

// parentFolder is what stands before the last slash; that of "a/" is "a". Empty:
// there is no folder.
func parentFolder(name string) string {
	i := strings.LastIndexByte(name, '/')
	return name[:max(0, i)]
}

// WithinText is what a Permit reaches, as it is shown: "Projects/**", or "all of
// notes".
func WithinText(within, source string) string {
	if within == "**" {
		return "all of " + source
	}
	return within
}

// ScopeText is what p allows, as it is shown: "write in Projects/** of notes".
func (p Permit) ScopeText() string {
	if p.Within == "**" {
		return p.Effect + " in all of " + p.Source
	}
	return p.Effect + " in " + p.Within + " of " + p.Source
}
