package cardtext

import (
	"slices"
	"strings"

	parser "golang.org/x/net/html"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// contentsClass marks a list that is a table of contents. Rich text keeps classes that
// begin so.
const contentsClass = "w-toc"

// A contentsList is a table of contents within a text: the list of the class, or else the
// first list that is links and nothing else.
type contentsList struct {
	start, end int // of what is between its tags
	items      []contentsItem
}

// A contentsItem is one item from its tag to the end of its tag.
type contentsItem struct{ start, end int }

// findContents returns the table of contents of a text; false: it has none.
func findContents(content string) (contentsList, bool) {
	lists := listsOf(content)
	i := slices.IndexFunc(lists, func(l markedList) bool { return l.marked })
	if i < 0 {
		i = slices.IndexFunc(lists, func(l markedList) bool { return isOnlyLinks(content[l.start:l.end]) })
	}
	if i < 0 {
		return contentsList{}, false
	}
	return lists[i].contentsList, true
}

type markedList struct {
	contentsList
	marked bool
}

// listsOf are the lists of a text that are in no other list.
func listsOf(content string) (all []markedList) {
	z := parser.NewTokenizer(strings.NewReader(content))
	var list markedList
	depth, item, at := 0, 0, 0 // lists around, where the item begins, bytes read
	for {
		kind := z.Next()
		begin := at
		at += len(z.Raw())
		if kind == parser.ErrorToken {
			return all
		}
		name, hasAttributes := z.TagName()
		switch tag := string(name); {
		case kind == parser.StartTagToken && (tag == "ul" || tag == "ol"):
			if depth++; depth == 1 {
				list = markedList{contentsList{start: at}, hasAttributes && hasClass(z)}
			}
		case kind == parser.StartTagToken && tag == "li" && depth == 1:
			item = begin
		case kind == parser.EndTagToken && tag == "li" && depth == 1:
			list.items = append(list.items, contentsItem{item, at})
		case kind == parser.EndTagToken && (tag == "ul" || tag == "ol") && depth > 0:
			if depth--; depth == 0 {
				list.end = begin
				all = append(all, list)
			}
		}
	}
}

func hasClass(z *parser.Tokenizer) bool {
	for more := true; more; {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) == "class" && slices.Contains(strings.Fields(string(value)), contentsClass) {
			return true
		}
	}
	return false
}

// isOnlyLinks reports whether a text has links and besides them only tags and space.
func isOnlyLinks(text string) bool {
	plain, links := protect(text)
	rest := strings.Map(func(r rune) rune {
		if _, is := links[r]; is {
			return -1
		}
		return r
	}, plain)
	return len(links) > 0 && strings.TrimSpace(tag.ReplaceAllString(rest, "")) == ""
}

// A contentsEntry is a line of a table of contents that a patch gives: a name, or a link with a
// text. Without one it shows the last part of its name.
type contentsEntry struct {
	name cardname.Name
	link string
}

func readEntries(text string) (all []contentsEntry) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if refs := References(line); len(refs) == 1 && refs[0].Kind == Link {
			all = append(all, contentsEntry{refs[0].Name, line})
			continue
		}
		name := cardname.Parse(line)
		if name == "" {
			continue
		}
		link := "[[" + string(name) + "]]"
		if name.IsCompound() {
			link = "[[" + string(name) + "|" + string(name.Right()) + "]]"
		}
		all = append(all, contentsEntry{name, link})
	}
	return all
}

func writeEntries(entries []contentsEntry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString("  <li>" + e.link + "</li>\n")
	}
	return b.String()
}

// changeContents adds links to the table of contents, removes some or replaces all. A
// text without one gets one at its beginning.
func (p Patch) changeContents(content string) (string, int, error) {
	var entries []contentsEntry
	if p.Content != nil {
		entries = readEntries(*p.Content)
	}
	if len(entries) == 0 {
		return "", 0, misfit("content", "Missing content for %s", p.Mode)
	}
	list, found := findContents(content)
	switch {
	case !found && p.Mode == "remove_toc":
		return "", 0, misfit("mode", "The card has no table of contents")
	case !found:
		return "<ul class=\"" + contentsClass + "\">\n" + writeEntries(entries) + "</ul>\n" + content, len(entries), nil
	case p.Mode == "replace_toc":
		return content[:list.start] + "\n" + writeEntries(entries) + content[list.end:], len(entries), nil
	case p.Mode == "remove_toc":
		return list.without(content, entries)
	}
	there := References(content[list.start:list.end])
	entries = slices.DeleteFunc(entries, func(e contentsEntry) bool {
		return slices.ContainsFunc(there, func(r Reference) bool { return r.Name.Key() == e.name.Key() })
	})
	return content[:list.end] + writeEntries(entries) + content[list.end:], len(entries), nil
}

// without is content without the items that link to these cards.
func (l contentsList) without(content string, entries []contentsEntry) (text string, removed int, err error) {
	text = content
	for _, item := range slices.Backward(l.items) {
		refs := References(content[item.start:item.end])
		if len(refs) == 0 || !slices.ContainsFunc(entries, func(e contentsEntry) bool { return e.name.Key() == refs[0].Name.Key() }) {
			continue
		}
		before := strings.TrimRight(text[:item.start], " \t")
		text = strings.TrimSuffix(before, "\n") + text[item.end:]
		removed++
	}
	return text, removed, nil
}
