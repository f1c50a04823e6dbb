package cardtext

import (
	"html"
	"net/url"
	"slices"
	"strings"

	parser "golang.org/x/net/html"
)

// keptTags are the elements that rich text may have, and their attributes besides
// class and style.
var keptTags = map[string][]string{
	"br": nil, "i": nil, "b": nil, "u": nil, "s": nil, "em": nil, "strong": nil, "ins": nil, "del": nil, "strike": nil, "sup": nil, "sub": nil,
	"small":   nil,
	"details": {"open"}, "summary": nil,
	"pre": nil, "code": {"lang"}, "cite": nil, "caption": nil, "hr": nil, "ol": nil, "ul": nil, "li": nil, "dl": nil, "dt": nil, "dd": nil,
	"p": nil, "div": nil,
	"span": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "table": nil, "thead": nil, "tbody": nil, "tfoot": nil,
	"tr": nil,
	"td": {"colspan", "rowspan", "align"}, "th": {"colspan", "rowspan", "align"}, "a": {"href", "title", "target"},
	"img":        {"src", "alt", "title", "width", "height"},
	"blockquote": {"cite"}, "iframe": nil,
}

// CleanHTML is rich text as it is kept: an element that is not known, and every
// comment, becomes a space, attributes that are not known go, and so do addresses of
// other schemes than http, https and mailto. Everything else stays byte for byte.
func CleanHTML(content string) string {
	if !strings.Contains(content, "<") {
		return content
	}
	var b strings.Builder
	content = closedComments(content)
	z := newTagReader(content)
	for {
		kind, raw, name, _ := z.next()
		switch kind {
		case parser.ErrorToken: // the end; an element that is not closed is left over
			b.WriteString(html.EscapeString(content[min(z.read-len(raw), len(content)):]))
			return b.String()
		case parser.TextToken:
			b.WriteString(strings.ReplaceAll(raw, "<", "&lt;"))
		case parser.StartTagToken, parser.SelfClosingTagToken, parser.EndTagToken:
			b.WriteString(cleanTag(raw, tagToken(z, kind, name)))
		case parser.CommentToken, parser.DoctypeToken:
			b.WriteByte(' ')
		}
	}
}

// tagToken is the tag that was read last.
func tagToken(z *tagReader, kind parser.TokenType, name string) parser.Token {
	t := parser.Token{Type: kind, Data: name}
	for {
		key, value, more := z.TagAttr()
		if len(key) > 0 {
			t.Attr = append(t.Attr, parser.Attribute{Key: string(key), Val: string(value)})
		}
		if !more {
			return t
		}
	}
}

// cleanTag is raw as it is where nothing is wrong with it.
func cleanTag(raw string, t parser.Token) string {
	known, kept := keptTags[t.Data]
	if t.Data == "input" {
		return taskBox(t)
	}
	if !kept || t.Data == "iframe" {
		return " "
	}
	if t.Type == parser.EndTagToken {
		return "</" + t.Data + ">"
	}
	attributes := slices.DeleteFunc(slices.Clone(t.Attr), func(a parser.Attribute) bool { return !keepsAttribute(known, a) })
	if len(attributes) == len(t.Attr) && strings.Count(raw, "<") == 1 {
		return raw
	}
	var b strings.Builder
	b.WriteString("<" + t.Data)
	for _, a := range attributes {
		b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
	}
	if t.Type == parser.SelfClosingTagToken {
		b.WriteString("/")
	}
	return b.String() + ">"
}

// taskBox is the state of a task in place of a box that is ticked; a space in place of what
// else can be filled in.
func taskBox(t parser.Token) string {
	has := func(key, value string) bool {
		return slices.ContainsFunc(t.Attr, func(a parser.Attribute) bool {
			return a.Key == key && (value == "" || strings.EqualFold(a.Val, value))
		})
	}
	switch {
	case !has("type", "checkbox"):
		return " "
	case has("checked", ""):
		return "[x]"
	}
	return "[ ]"
}

func keepsAttribute(known []string, a parser.Attribute) bool {
	switch a.Key {
	case "style":
		return isPlainStyle(a.Val)
	case "class":
		return !slices.ContainsFunc(strings.Fields(a.Val), func(class string) bool {
			return !strings.HasPrefix(class, "w-") && !strings.HasPrefix(class, "language-")
		})
	}
	if !slices.Contains(known, a.Key) {
		return false
	}
	if a.Key == "href" || a.Key == "src" || a.Key == "cite" {
		return isSafeAddress(a.Val)
	}
	return true
}

// isSafeAddress reports whether following an address runs nothing. Browsers ignore
// space and control characters before and within a scheme.
func isSafeAddress(address string) bool {
	plain := strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, address)
	u, err := url.Parse(plain)
	if err != nil {
		return !strings.Contains(plain, ":")
	}
	switch u.Scheme {
	case "", "http", "https", "mailto":
		return true
	}
	return false
}

// isPlainStyle reports whether a style loads and runs nothing.
func isPlainStyle(style string) bool {
	plain := strings.ToLower(style)
	for _, word := range []string{"url", "expression", "import", "behavior", "binding", "\\", "/*"} {
		if strings.Contains(plain, word) {
			return false
		}
	}
	return true
}
