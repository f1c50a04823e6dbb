package org

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/emacs"
)

// emacsChecks are what `lectern doctor` looks at about a running Emacs.
func emacsChecks() []tools.Check[*Source] {
	return []tools.Check[*Source]{
		{Name: "emacs", Title: "Emacs answers", Look: (*Source).checkEmacs},
		{Name: "emacsbuffers", Title: "No open file has unsaved changes in Emacs", Look: (*Source).checkBuffers},
		{Name: "emacsrevert", Title: "Emacs shows what is on the disk", Look: (*Source).checkRevert},
		{Name: "emacsvars", Title: "Emacs's variables are taken over", Look: (*Source).checkVariables},
		{Name: "ids", Title: "Every ID that is linked to exists", Look: (*Source).checkIDs},
		{Name: "list", Title: "Emacs's unsaved Org files are open to agents", Look: (*Source).checkList},
	}
}

// maxNamed is how many names the detail of a check lists.
const maxNamed = 10

func listNames(names []string) string {
	if len(names) > maxNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
	}
	return strings.Join(names, ", ")
}

func (s *Source) checkEmacs(ctx context.Context, _ tools.Doctor) status.Check {
	b := s.buffers
	if b.client == nil {
		return status.Check{Result: status.CheckSkipped, Detail: "emacs = off"}
	}
	server, err := b.client.Find()
	var found emacs.Status
	if err == nil {
		found, err = b.client.Status(ctx)
	}
	switch {
	case err != nil && b.required:
		return status.Check{
			Result: status.CheckFail, Detail: err.Error(), Fix: "In Emacs, run M-x server-start. Until then agents cannot write (emacs = required).",
		}
	case err != nil:
		return status.Check{Result: status.CheckSkipped, Detail: err.Error()}
	case !found.LockFiles:
		return status.Check{
			Result: status.CheckWarn, Detail: fmt.Sprintf("Emacs %s on %s makes no lock files, so it is asked at each read of a file", found.Version,
				server.Address),
			Fix: "In Emacs, set create-lockfiles to t.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("Emacs %s, process %d, on %s", found.Version, found.PID, server.Address)}
}

// unsavedFiles returns the files with unsaved changes: names of those that are open
// here, paths of others. ok is false if Emacs does not answer.
func (s *Source) unsavedFiles(ctx context.Context) (open, others []string, ok bool) {
	if s.buffers.client == nil {
		return nil, nil, false
	}
	found, err := s.buffers.client.Status(ctx)
	if err != nil {
		return nil, nil, false
	}
	for _, file := range found.Unsaved {
		if name, ok := s.nameAt(file); ok {
			open = append(open, name)
		} else {
			others = append(others, file)
		}
	}
	return open, others, true
}

func (s *Source) checkBuffers(ctx context.Context, _ tools.Doctor) status.Check {
	open, _, ok := s.unsavedFiles(ctx)
	switch {
	case !ok:
		return status.Check{Result: status.CheckSkipped, Detail: "Emacs does not answer"}
	case len(open) > 0:
		return status.Check{
			Result: status.CheckWarn, Detail: "unsaved: " + listNames(open) + ". Agents read and write these buffers, not the files",
			Fix: "Save them in Emacs: C-x C-s, or C-x s for all.",
		}
	}
	return status.Check{Result: status.CheckOK}
}

// checkList tells of Org files that a person works on and agents cannot open.
func (s *Source) checkList(ctx context.Context, _ tools.Doctor) status.Check {
	_, others, ok := s.unsavedFiles(ctx)
	switch {
	case !ok:
		return status.Check{Result: status.CheckSkipped, Detail: "Emacs does not answer"}
	case len(others) > 0:
		return status.Check{
			Result: status.CheckOK, Detail: "not open to agents: " + listNames(others),
			Fix: "Add them to files of this source if agents are to see them.",
		}
	}
	return status.Check{Result: status.CheckOK}
}

// checkRevert looks for buffers that show an older text than the disk has.
func (s *Source) checkRevert(ctx context.Context, _ tools.Doctor) status.Check {
	if s.buffers.client == nil {
		return status.Check{Result: status.CheckSkipped, Detail: "emacs = off"}
	}
	names, err := s.fileNames(ctx)
	if err != nil {
		return status.Check{Result: status.CheckSkipped, Detail: err.Error()}
	}
	var outdated []string
	visited, automatic := 0, 0
	for _, name := range names {
		r, rel, _ := s.locate(name)
		b, err := s.buffers.client.Buffer(ctx, r.path(rel))
		if err != nil {
			return status.Check{Result: status.CheckSkipped, Detail: err.Error()}
		}
		if b.State == emacs.NotVisited {
			continue
		}
		visited++
		if b.AutoRevert {
			automatic++
		}
		if b.Outdated {
			outdated = append(outdated, name)
		}
	}
	detail := fmt.Sprintf("%d files are open in Emacs, %d with auto-revert", visited, automatic)
	if len(outdated) > 0 {
		return status.Check{
			Result: status.CheckWarn, Detail: detail + "; changed on the disk since Emacs read them: " + listNames(outdated),
			Fix: "In Emacs, M-x revert-buffer; or turn on global-auto-revert-mode.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: detail}
}

func (s *Source) checkVariables(context.Context, tools.Doctor) status.Check {
	v := s.imported
	switch {
	case !s.config.EmacsVars:
		return status.Check{Result: status.CheckSkipped, Detail: "emacs_vars is not set"}
	case v.err != nil:
		return status.Check{
			Result: status.CheckWarn, Detail: "none was taken over when the source was opened: " + v.err.Error(),
			Fix: "Start Emacs with a server, then restart the hub: lectern restart.",
		}
	case len(v.failed) > 0:
		return status.Check{
			Result: status.CheckWarn, Detail: fmt.Sprintf("%d were taken over; the values of %s are not understood", len(v.set),
				listNames(v.failed)),
			Fix: "Set them under vars of the source, as Lisp data. What vars refuses too is not followed: agents write as by its default.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: listNames(v.set)}
}

var idLink = regexp.MustCompile(`\[\[id:([^\]]+)\]`)

// checkIDs finds links to IDs that no open file has.
func (s *Source) checkIDs(ctx context.Context, _ tools.Doctor) status.Check {
	names, err := s.fileNames(ctx)
	if err != nil {
		return status.Check{Result: status.CheckSkipped, Detail: err.Error()}
	}
	known, linked := map[string]bool{}, map[string]string{}
	for _, name := range names {
		f, err := s.file(name)
		if err != nil {
			continue
		}
		for i := -1; i < len(f.Headlines); i++ {
			if id, ok := f.Property(i, "ID"); ok {
				known[id] = true
			}
		}
		for _, m := range idLink.FindAllSubmatch(f.Source, -1) {
			id, _, _ := strings.Cut(string(m[1]), "::")
			if linked[id] == "" {
				linked[id] = name
			}
		}
	}
	var broken []string
	for _, id := range slices.Sorted(maps.Keys(linked)) {
		if !known[id] {
			broken = append(broken, fmt.Sprintf("%s (in %s)", id, linked[id]))
		}
	}
	if len(broken) > 0 {
		return status.Check{
			Result: status.CheckWarn, Detail: "links to IDs that no open file has: " + listNames(broken),
			Fix: "Open the files that have them to agents, or correct the links.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("%d IDs, %d linked to", len(known), len(linked))}
}
