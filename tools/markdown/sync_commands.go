package markdown

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagestore"
)

// syncCommands are what a person does from the shell: `lectern markdown sync status`.
func syncCommands() []tools.Command[*Notebook] {
	return []tools.Command[*Notebook]{
		{
			CommandInfo: tools.CommandInfo{Name: "sync status", Doc: "Say how far a folder and its database are in step."},
			Run:         syncCommand((*syncer).writeStatus),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "sync conflicts", Doc: "List the pages that were edited in the folder and in the database at once.\n\n" +
					"The database's version is in place on both sides. With a number, the folder's version is printed.",
				Args: []tools.CommandArgument{{Name: "number", Doc: "of a conflict", Positional: true}},
			},
			Run: syncCommand((*syncer).listConflicts),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "sync resolve", Doc: "Decide a conflict.\n\nKEEP is database: the version that is in place stays and the other is removed; or " +
					"folder: " +
					"the folder's version takes its place, and `lectern undo` brings the present one back.",
				Args: []tools.CommandArgument{
					{Name: "number", Doc: "of the conflict, as `sync conflicts` lists it", Required: true},
					{Name: "keep", Doc: "folder or database", Required: true},
				},
			},
			Run: syncCommand((*syncer).resolve),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "sync accept", Doc: "Remove pages from one side after many are gone from the other.\n\n" +
					"Lectern does nothing when more than half of all pages, or all below a folder, are gone at once, ten or more: " +
					"a disk that is not mounted looks the same.",
				Confirm: "The pages are removed from the side that still has them. Continue?",
			},
			Run: syncCommand((*syncer).acceptVanished),
		},
	}
}

// syncCommand is a command for sources with a database.
func syncCommand(
	run func(*syncer, context.Context, tools.CommandCall, io.Writer) error,
) func(*Notebook, context.Context, tools.CommandCall, io.Writer) error {
	return func(n *Notebook, ctx context.Context, call tools.CommandCall, out io.Writer) error {
		if n.sync == nil {
			return tools.Errorf(tools.Invalid, "source %s has no database", n.name).
				WithHint("Put the database's URL into a variable and run: lectern source set %s sync=env:NAME", n.name)
		}
		return run(n.sync, ctx, call, out)
	}
}

func (s *syncer) writeStatus(ctx context.Context, _ tools.CommandCall, out io.Writer) error {
	s.mu.Lock()
	base, last, ended, why, unread := s.base, s.last, s.ended, s.why, s.unread
	s.mu.Unlock()
	state := "in step"
	switch {
	case why != "":
		state = "not in step: " + why
	case ended.IsZero():
		state = "comparing"
	case last.Skipped > 0:
		state = fmt.Sprintf("%d pages wait", last.Skipped)
	}
	lines := []string{"state      " + state, fmt.Sprintf("database   %s", s.url)}
	if s.tenant != "" {
		lines = append(lines, "tenant     "+s.tenant)
	}
	if !ended.IsZero() {
		lines = append(lines, fmt.Sprintf("pages      %d", last.Pages), "compared   "+ended.Format(time.DateTime))
	}
	if base != nil {
		copies, err := base.Copies(ctx)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("conflicts  %d", len(copies)))
	}
	for _, file := range last.Unreadable {
		lines = append(lines, fmt.Sprintf("left       %s in the folder: it cannot be read, or is not UTF-8", file))
	}
	for _, file := range last.Refused {
		lines = append(lines, fmt.Sprintf("left       %q in the database: no page can have this path", file))
	}
	for _, page := range unread {
		lines = append(lines, fmt.Sprintf("left       blocks of %q in the database: %v", page.Path, page.Err))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// copies are the conflicts that are kept.
func (s *syncer) copies(ctx context.Context) (*pagestore.Base, []pagestore.Copy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base == nil {
		return nil, nil, tools.Errorf(tools.Unavailable, "the database cannot be reached").WithHint("lectern markdown sync status says why.")
	}
	copies, err := s.base.Copies(ctx)
	return s.base, copies, err
}

// findCopy is the conflict with a number that a person typed.
func findCopy(copies []pagestore.Copy, number string) (pagestore.Copy, error) {
	i := slices.IndexFunc(copies, func(c pagestore.Copy) bool { return strconv.FormatInt(c.Number, 10) == number })
	if i < 0 {
		return pagestore.Copy{}, tools.Errorf(tools.NotFound, "no conflict has the number %.20q", number).
			WithHint("lectern markdown sync conflicts lists them.")
	}
	return copies[i], nil
}

func (s *syncer) listConflicts(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	_, copies, err := s.copies(ctx)
	if err != nil {
		return err
	}
	if number := call.Args["number"]; number != "" {
		kept, err := findCopy(copies, number)
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, kept.Content)
		return err
	}
	if len(copies) == 0 {
		_, err = fmt.Fprintln(out, "no conflicts")
	}
	for _, kept := range copies {
		if _, err := fmt.Fprintf(out, "%d  %s  %s\n", kept.Number, kept.Time.Format(time.DateTime), kept.Path); err != nil {
			return err
		}
	}
	return err
}

func (s *syncer) resolve(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	base, copies, err := s.copies(ctx)
	if err != nil {
		return err
	}
	kept, err := findCopy(copies, call.Args["number"])
	if err != nil {
		return err
	}
	switch call.Args["keep"] {
	case "database":
	case "folder":
		if err := s.putBack(ctx, call.Context, kept); err != nil {
			return err
		}
	default:
		return tools.Errorf(tools.Invalid, "keep: %.20q is neither folder nor database", call.Args["keep"])
	}
	if err := base.Remove(ctx, kept.Number); err != nil {
		return err
	}
	s.wake()
	_, err = fmt.Fprintf(out, "%s: kept the version of the %s\n", kept.Path, call.Args["keep"])
	return err
}

// putBack writes a version that was kept into the page's file, or a new one.
func (s *syncer) putBack(ctx context.Context, c tools.CallContext, kept pagestore.Copy) error {
	if err := s.n.writing.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.n.writing.Release(1)
	disk := s.folder.disk
	now, err := disk.State(kept.Path)
	if err != nil {
		return s.n.toolError(kept.Path, err)
	}
	after := folder.State{Exists: true, Data: []byte(kept.Content), Mode: now.Mode}
	if !now.Exists {
		if after.Mode, _, err = disk.Modes(); err != nil {
			return s.n.toolError(kept.Path, err)
		}
	}
	changes := []folder.Change{{Target: kept.Path, Before: now, After: after}}
	r := changeReport{ctx: ctx, c: c, first: kept.Path}
	if err := r.restore(disk, changes); err != nil {
		if r.err != nil {
			return r.err
		}
		return s.n.toolError(kept.Path, err)
	}
	s.n.announceVisible(changes)
	return nil
}

// acceptVanished has the next pass believe that a side has lost many pages.
func (s *syncer) acceptVanished(_ context.Context, _ tools.CommandCall, out io.Writer) error {
	s.mu.Lock()
	s.accept = true
	s.mu.Unlock()
	s.wake()
	_, err := fmt.Fprintln(out, "accepted; `lectern markdown sync status` says how far it is")
	return err
}
