package orgfile

import (
	"slices"
	"strings"
)

// A Selection says which headlines of a file are wanted. The zero value wants all
// that are neither archived nor commented out.
type Selection struct {
	Hidden      func(i int) bool // headlines that do not exist for the asker; nil for none
	States      []string         // one of these keywords; "" stands for none
	Open        bool             // a keyword that is not final
	Tags        []string         // all of these, inherited or own; a group stands for its members
	ExcludeTags []string         // none of these
	LocalTags   bool             // do not inherit tags
	Title       string           // in the title
	MatchCase   bool             // of Title
	Archived    bool             // archived subtrees too
	Commented   bool             // subtrees under COMMENT too
}

// Select returns the headlines that a selection wants, in the order of the file.
func (f *File) Select(s Selection) []int {
	groups := map[string][]string{}
	if f.Settings.GroupTags {
		groups = f.Settings.TagGroups()
	}
	if !s.MatchCase {
		s.Title = strings.ToLower(s.Title)
	}
	if !s.Archived && slices.Contains(f.Settings.FileTags, ArchiveTag) {
		return nil
	}
	var out []int
	for i := 0; i < len(f.Headlines); {
		if f.skips(i, s) {
			i = f.AfterSubtree(i)
			continue
		}
		if f.wants(i, s, groups) {
			out = append(out, i)
		}
		i++
	}
	return out
}

// skips says whether the whole subtree of headline i is left out.
func (f *File) skips(i int, s Selection) bool {
	return s.Hidden != nil && s.Hidden(i) || !s.Commented && f.Headlines[i].Commented ||
		!s.Archived && slices.Contains(f.LocalTags(i), ArchiveTag)
}

func (f *File) wants(i int, s Selection, groups map[string][]string) bool {
	h := &f.Headlines[i]
	if s.Open && (h.Keyword.Empty() || h.Done) || len(s.States) > 0 && !slices.Contains(s.States, f.Text(h.Keyword)) {
		return false
	}
	if s.Title != "" {
		title := f.Text(h.Title)
		if !s.MatchCase {
			title = strings.ToLower(title)
		}
		if !strings.Contains(title, s.Title) {
			return false
		}
	}
	if len(s.Tags) == 0 && len(s.ExcludeTags) == 0 {
		return true
	}
	tags := f.LocalTags(i)
	if !s.LocalTags {
		tags = f.AllTags(i)
	}
	has := func(tag string) bool { return hasTag(tags, tag, groups, 0) }
	return !slices.ContainsFunc(s.ExcludeTags, has) && !slices.ContainsFunc(s.Tags, func(t string) bool { return !has(t) })
}

// maxGroupDepth bounds how deep groups of tags may contain each other.
const maxGroupDepth = 8

// HasTag says whether tag is one of tags, or a group (as [Settings.TagGroups]
// returns them) with a member among them.
func HasTag(tags []string, tag string, groups map[string][]string) bool {
	return hasTag(tags, tag, groups, 0)
}

// hasTag says whether tag is one of tags, or a group with a member among them.
func hasTag(tags []string, tag string, groups map[string][]string, depth int) bool {
	if slices.Contains(tags, tag) {
		return true
	}
	return depth < maxGroupDepth && slices.ContainsFunc(groups[tag], func(member string) bool {
		return member != tag && hasTag(tags, member, groups, depth+1)
	})
}
