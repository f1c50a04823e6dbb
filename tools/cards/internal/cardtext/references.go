// Package cardtext reads and changes the content of cards: links and nests in it,
// headings, patches, the cleaning of HTML, and Markdown both ways.
//
// It knows texts and no cards: what a link leads to, and who may read it, decides
// the store. tools/cards imports it. Start reading at [References].
package cardtext

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// Kind is how one card refers to another.
type Kind string

// The kinds of references.
const (
	Link Kind = "L" // [[name]]
	Nest Kind = "I" // {{name}}
)

// A Reference is a name in content. Text from Start to End is the name as written.
type Reference struct {
	Kind       Kind
	Name       cardname.Name
	Start, End int
}

// A Token is a link or nest in content: all of it from Start to End, brackets
// included.
type Token struct {
	Kind       Kind
	Start, End int
}

// Tokens are the links and nests of content from its beginning to its end. What is
// escaped by a backslash, or not closed, is none; a nest in the text of a link
// belongs to it.
func Tokens(content string) (all []Token) {
	open := map[string]bool{} // ends that do not follow any more: a text of open brackets is read once
	for i := 0; i+1 < len(content); i++ {
		begin := content[i : i+2]
		kind, end := Link, "]]"
		if begin == "{{" {
			kind, end = Nest, "}}"
		} else if begin != "[[" {
			continue
		}
		if open[end] {
			continue
		}
		if i > 0 && content[i-1] == '\\' {
			i++
			continue
		}
		length := strings.Index(content[i+2:], end)
		if length < 0 {
			open[end] = true
			continue
		}
		// A bracket that is opened twice belongs to the inner token.
		if again := strings.LastIndex(content[i+2:i+2+length], begin); again >= 0 {
			i += again + 1
			continue
		}
		all = append(all, Token{kind, i, i + 2 + length + 2})
		i += 2 + length + 1
	}
	return all
}

// References are the names that content refers to, in their order. Addresses, which
// begin with a slash or a scheme, and comments in nests are none.
func References(content string) (all []Reference) {
	for _, t := range Tokens(content) {
		start, end := t.Start+2, t.End-2
		inside := content[start:end]
		name, _, _ := strings.Cut(inside, "|")
		if t.Kind == Nest && strings.HasPrefix(strings.TrimSpace(name), "#") || t.Kind == Link && isAddress(name) {
			name = ""
		}
		if parsed := cardname.Parse(name); parsed != "" {
			lead := len(name) - len(strings.TrimLeft(name, " \t\r\n"))
			all = append(all, Reference{t.Kind, parsed, start + lead, start + len(strings.TrimRight(name, " \t\r\n"))})
		}
		if at := strings.IndexByte(inside, '|'); t.Kind == Link && at >= 0 {
			for _, r := range References(inside[at+1:]) {
				r.Start, r.End = r.Start+start+at+1, r.End+start+at+1
				all = append(all, r)
			}
		}
	}
	return all
}

func isAddress(target string) bool {
	target = strings.TrimSpace(target)
	if strings.HasPrefix(target, "/") {
		return true
	}
	scheme, _, found := strings.Cut(target, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto":
		return found
	}
	return false
}

// Rename gives content in which references to old, and to what is below it, lead to
// with. Labels, options, code and all other text stay as they are.
func Rename(content string, old, with cardname.Name) string {
	var b strings.Builder
	at, code := 0, codeIn(content)
	for _, r := range References(content) {
		if slices.ContainsFunc(code, func(block []int) bool { return block[0] <= r.Start && r.End <= block[1] }) {
			continue
		}
		if swapped := r.Name.Swap(old, with); swapped != r.Name {
			b.WriteString(content[at:r.Start])
			b.WriteString(string(swapped))
			at = r.End
		}
	}
	b.WriteString(content[at:])
	return b.String()
}

var codeBlocks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?is)<pre\\b[^>]*>.*?</pre\\s*>|<code\\b[^>]*>.*?</code\\s*>|(?m:^)```.*?(?m:^)```")
})

// codeIn is where code stands in HTML or Markdown: from and to.
func codeIn(content string) [][]int {
	if !strings.Contains(content, "```") && !strings.Contains(content, "<") {
		return nil
	}
	return codeBlocks().FindAllStringIndex(content, -1)
}

// Items are the names in a list or pointer, one a line, with or without brackets.
func Items(content string) (names []cardname.Name) {
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(line, "[["); ok {
			line = strings.TrimSuffix(inner, "]]")
		}
		if name := cardname.Parse(line); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// JoinItems is the content of a list of these names.
func JoinItems(names []cardname.Name) string {
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = string(name)
	}
	return strings.Join(lines, "\n")
}
