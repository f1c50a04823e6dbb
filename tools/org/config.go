package org

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgvars"
)

// Config holds the keys of a [[source]] table with kind "org".
type Config struct {
	Path   tools.Folder      `json:"path,omitempty" jsonschema:"the folder that holds the Org files"`
	Files  []string          `json:"files,omitempty" jsonschema:"which files are open, with their archives: globs below path (all .org and .org_archive files when omitted), and absolute paths of files, folders and globs elsewhere; with ! in front: which are not"`
	Inbox  string            `json:"inbox,omitempty" jsonschema:"the file that new entries go to; inbox.org when omitted"`
	Vars   map[string]string `json:"vars,omitempty" jsonschema:"Emacs variables by name, as Lisp data: org-log-done = \"time\""`
	Quirks string            `json:"quirks,omitempty" jsonschema:"9.5: write as Org 9.5 does where newer versions differ"`
	IDs    string            `json:"ids,omitempty" jsonschema:"which headlines get an ID: create (those that agents make; the default), touch (also those that they change) or never"`
	Compat string            `json:"compat,omitempty" jsonschema:"org-mcp: URIs in the spelling of the server of that name"`
	Emacs  string            `json:"emacs,omitempty" jsonschema:"a running Emacs: auto (the default), off or required"`

	EmacsSocket string `json:"emacs_socket,omitempty" jsonschema:"name or path of Emacs's server; server when omitted"`
	IDLocations string `json:"id_locations,omitempty" jsonschema:"the file of org-id that tells where IDs are; Emacs's usual one when omitted"`
	RoamDB      string `json:"roam_db,omitempty" jsonschema:"the database of org-roam; the usual one when omitted"`
	EmacsVars   bool   `json:"emacs_vars,omitempty" jsonschema:"take over the variables of the running Emacs when the source is opened; vars override them"`
}

// An idPolicy says which headlines get an ID.
type idPolicy string

const (
	createIDs idPolicy = "create" // those that agents make
	touchIDs  idPolicy = "touch"  // also those that they change
	neverIDs  idPolicy = "never"
)

// emacsPolicy says what a running Emacs is for.
type emacsPolicy string

const (
	emacsAuto     emacsPolicy = "auto"
	emacsOff      emacsPolicy = "off"
	emacsRequired emacsPolicy = "required"
)

const defaultInbox = "inbox.org"

// checkWords checks the keys that take one of some words. An empty one is the
// first.
func (c Config) checkWords() error {
	for _, key := range []struct {
		name, value string
		known       []string
	}{
		{"quirks", c.Quirks, []string{"", string(orgfile.Org95)}},
		{"ids", c.IDs, []string{"", string(createIDs), string(touchIDs), string(neverIDs)}},
		{"compat", c.Compat, []string{"", compatOrgMCP}},
		{"emacs", c.Emacs, []string{"", string(emacsAuto), string(emacsOff), string(emacsRequired)}},
	} {
		if !slices.Contains(key.known, key.value) {
			return tools.Errorf(tools.Invalid, "%s: %q is not known", key.name, key.value).
				WithHint("Write one of %q, or leave it out.", key.known[1:])
		}
	}
	return nil
}

// check returns what is wrong with the configuration whatever is on the disk.
func (c Config) check() error {
	if err := c.checkWords(); err != nil {
		return err
	}
	if _, err := c.applyTo(orgfile.DefaultSettings()); err != nil {
		return err
	}
	_, _, err := c.rootSpecs()
	return err
}

// applyTo sets what the configuration says about Emacs's variables.
func (c Config) applyTo(s orgfile.Settings) (orgfile.Settings, error) {
	s.Quirks = orgfile.Quirks(c.Quirks)
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		if err := orgvars.Set(&s, name, c.Vars[name]); err != nil {
			return s, &tools.Error{
				Code: tools.Invalid, Message: fmt.Sprintf("vars: %v", err), Hint: "Write the value as `M-x describe-variable` shows it in Emacs.",
				Cause: err,
			}
		}
	}
	return s, nil
}

// compatOrgMCP is the dialect of the server whose specification this System keeps.
const compatOrgMCP = "org-mcp"
