package orgfile

import (
	"slices"
	"strings"
)

// A TagOption is one tag that a file or the configuration offers, or the border
// of a group of them.
type TagOption struct {
	Name   string
	Key    rune // 0 for none
	Border TagBorder
}

// A TagBorder marks the parts of a list of tags.
type TagBorder uint8

// What a TagOption is, if it is no tag.
const (
	TagName TagBorder = iota
	TagGroupStart
	TagGroupEnd
	TagHierarchyStart
	TagHierarchyEnd
	TagMembers // what follows, to the end of the group, belongs to the tag before
	TagNewline
)

// ParseTags reads the values of "#+TAGS:" lines.
func ParseTags(lines []string) []TagOption {
	var out []TagOption
	for i, line := range lines {
		if i > 0 {
			out = append(out, TagOption{Border: TagNewline})
		}
		tokens := strings.Fields(line)
		for i, token := range tokens {
			switch token {
			case "{":
				out = append(out, TagOption{Border: TagGroupStart})
			case "}":
				out = append(out, TagOption{Border: TagGroupEnd})
			case "[":
				out = append(out, TagOption{Border: TagHierarchyStart})
			case "]":
				out = append(out, TagOption{Border: TagHierarchyEnd})
			case ":":
				if i >= 2 && (tokens[i-2] == "{" || tokens[i-2] == "[") {
					out = append(out, TagOption{Border: TagMembers})
				}
			case "\\n":
				out = append(out, TagOption{Border: TagNewline})
			default:
				if tag, ok := parseTagOption(token); ok {
					out = append(out, tag)
				}
			}
		}
	}
	return out
}

// parseTagOption reads "name" or "name(k)". A name in braces is a pattern.
func parseTagOption(token string) (TagOption, bool) {
	t := TagOption{Name: token}
	if open := strings.LastIndexByte(token, '('); open > 0 && strings.HasSuffix(token, ")") {
		if key := []rune(token[open+1 : len(token)-1]); len(key) == 1 {
			t.Name, t.Key = token[:open], key[0]
		}
	}
	pattern := len(t.Name) > 2 && t.Name[0] == '{' && t.Name[len(t.Name)-1] == '}'
	return t, pattern || ValidTag(t.Name)
}

// AllTags returns what tags the configuration and the file offer.
func (s *Settings) AllTags() []TagOption {
	out := slices.Clone(s.PersistentTags)
	for _, t := range s.Tags {
		if t.Border != TagName || !slices.ContainsFunc(out, func(o TagOption) bool { return o.Border == TagName && o.Name == t.Name }) {
			out = append(out, t)
		}
	}
	return out
}

// TagGroups returns the members of each group tag.
func (s *Settings) TagGroups() map[string][]string {
	groups := map[string][]string{}
	name, members := "", false
	for _, t := range s.AllTags() {
		switch t.Border {
		case TagGroupStart, TagHierarchyStart, TagGroupEnd, TagHierarchyEnd:
			name, members = "", false
		case TagMembers:
			members = name != ""
		case TagName:
			if members {
				groups[name] = append(groups[name], t.Name)
			} else {
				name = t.Name
			}
		case TagNewline:
		}
	}
	return groups
}

// LocalTags returns the tags that stand on headline i.
func (f *File) LocalTags(i int) []string { return SplitTags(f.Text(f.Headlines[i].Tags)) }

// AllTags returns the tags of headline i: the file's, those of its ancestors
// from the top, its own. Of a tag that stands at several places the nearest is
// kept.
func (f *File) AllTags(i int) []string {
	return mergeTags(f.InheritedTags(i), f.LocalTags(i))
}

// InheritedTags returns the tags that headline i takes over. One that an
// ancestor repeats is there once.
func (f *File) InheritedTags(i int) []string {
	var chain []int32
	for p := f.Headlines[i].Parent; p >= 0; p = f.Headlines[p].Parent {
		chain = append(chain, p)
	}
	tags := slices.Clone(f.Settings.FileTags)
	for _, p := range slices.Backward(chain) {
		tags = append(tags, f.LocalTags(int(p))...)
	}
	return mergeTags(slices.DeleteFunc(tags, func(t string) bool {
		return !f.Settings.TagInheritance.Includes(t) || slices.Contains(f.Settings.TagsExcluded, t)
	}), nil)
}

// mergeTags appends own to inherited and keeps the last of equal tags.
func mergeTags(inherited, own []string) []string {
	all := slices.Concat(inherited, own)
	out := all[:0]
	for i, t := range all {
		if !slices.Contains(all[i+1:], t) {
			out = append(out, t)
		}
	}
	return out
}
