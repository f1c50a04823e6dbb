package org

import (
	"context"
	"path/filepath"

	"github.com/lectern-mcp/lectern/tools"
)

type archiveSubtreeIn struct {
	ResourceURI string `json:"resourceUri" jsonschema:"the headline"`
	WriteOptions
}

type archiveSubtreeOut struct {
	Success     bool   `json:"success" jsonschema:"true"`
	ArchiveFile string `json:"archiveFile" jsonschema:"where it is"`
	ResourceURI string `json:"resourceUri" jsonschema:"of the headline by its ID, or of that file"`
	OrgID       string `json:"orgId,omitempty" jsonschema:"its ID"`
	Diff        string `json:"diff,omitempty" jsonschema:"of a dry run"`
	dialect
}

func archiveSubtree() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[archiveSubtreeIn, archiveSubtreeOut]{
		Name: "org-archive-subtree", Title: "Archive a headline", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"resourceUri"},
		Doc:       "Move a headline with all below it to its archive, as its file says: usually FILE_archive.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases(),
		Examples: []tools.Example[archiveSubtreeIn, archiveSubtreeOut]{
			{
				Purpose: "put away what is done", In: archiveSubtreeIn{ResourceURI: "org://projects.org/headline/Alpha/Kickoff"}, AnyAnswer: true,
				Want: archiveSubtreeOut{Success: true, ArchiveFile: "projects.org_archive", ResourceURI: "org://projects.org_archive"},
			},
		},
	}, (*Source).archiveSubtree), func(s *Source, ctx context.Context, in archiveSubtreeIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *editor) archiveSubtree(ctx context.Context, c tools.CallContext, in archiveSubtreeIn) (out archiveSubtreeOut, err error) {
	out.Success = true
	out.Diff, err = s.edit(ctx, c, in.WriteOptions, func(e *edit) error {
		f, i, err := e.headline(in.ResourceURI, in.IfMatch)
		if err != nil {
			return err
		}
		e.touch(f, i)
		e.archives = true
		place, err := f.ArchivePlace(i)
		if err != nil {
			return editError(err)
		}
		to := f
		if place.File != "" {
			name, ok := s.nameAt(filepath.Clean(place.File))
			if !ok {
				return tools.Errorf(tools.Denied, "The archive of this headline is a file that is not open to agents").
					WithHint("Ask the user to add it to the source, or to archive the headline.")
			}
			if to, err = e.open(name); err != nil {
				return err
			}
		}
		if place.Heading == "" {
			to.separateFromHidden()
		}
		out.OrgID, _ = f.File().Property(i, "ID")
		out.ArchiveFile, out.ResourceURI = to.name, "org://"+escapePath(to.name)
		if out.OrgID != "" {
			out.ResourceURI = "org://id/" + escapeSegment(out.OrgID)
		}
		return editError(f.Archive(i, to.Draft, to.created, place, f.root.path(f.rel)))
	})
	uri := out.ResourceURI
	if out.OrgID != "" {
		uri = "org-id://" + out.OrgID
	}
	out.dialect = s.dialects().write(uri, out.Diff, map[string]any{"archive_file": s.dialects().absolute(out.ArchiveFile)})
	return out, err
}

// separateFromHidden puts a blank line in front of hidden headlines at the end of a file.
// Emacs puts one behind them, where it is hidden with them, before it archives: whether
// agents see one must not depend on that.
func (f *editedFile) separateFromHidden() {
	if f.shown == nil || f.shown.index == nil || f.Changed() || f.File().Settings.ArchiveReversed {
		return
	}
	n := len(f.shown.whole.Headlines)
	for n > 0 {
		if _, shown := f.shown.shownIndex(n - 1); shown {
			break
		}
		n--
	}
	if all := f.File().Headlines; n < len(all) {
		f.ReplaceText(int(all[n].Begin), int(all[n].Begin), "\n")
	}
}
