// Package cardname is how a wiki of cards names its cards: parts joined by +, and a
// key by which names that mean the same are equal.
//
// It knows no cards and no permissions. The store of tools/cards imports it. The
// rules are those of Decko's names; every name is checked against keys that a
// running Decko computed. Start reading at [Name.Key].
package cardname

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Joint joins the parts of a compound name.
const Joint = "+"

// MaxLength is the maximum length of a name, in characters.
const MaxLength = 255

// A Name is a name as a person wrote it. Two names with the same [Name.Key] are
// those of one card.
type Name string

var joint = regexp.MustCompile(`\s*\+\s*`)

// Parse drops the space around a name and around its joints, and spells its characters in one
// way of those that Unicode has.
func Parse(text string) Name {
	return Name(joint.ReplaceAllString(strings.TrimSpace(norm.NFC.String(text)), Joint))
}

// Join makes a compound name of parts or names.
func Join(parts ...Name) Name {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = string(p)
	}
	return Name(strings.Join(texts, Joint))
}

// Parts are the names between the joints; the empty name has none. A part is empty
// where a joint has nothing beside it.
func (n Name) Parts() []Name {
	if n == "" {
		return nil
	}
	texts := strings.Split(string(n), Joint)
	parts := make([]Name, len(texts))
	for i, text := range texts {
		parts[i] = Name(strings.TrimSpace(text))
	}
	return parts
}

// IsCompound reports whether a name has more than one part.
func (n Name) IsCompound() bool { return strings.Contains(string(n), Joint) }

// Left is all of a compound name but its last part; empty for a simple name.
func (n Name) Left() Name { return n.left(1) }

// left drops the last parts of a name.
func (n Name) left(count int) Name {
	parts := n.Parts()
	return Join(parts[:max(len(parts)-count, 0)]...)
}

// Right is the last part of a compound name; empty for a simple name.
func (n Name) Right() Name {
	if !n.IsCompound() {
		return ""
	}
	parts := n.Parts()
	return parts[len(parts)-1]
}

// Key is what makes a name unique, and by which it is looked up: letter case where
// it has ASCII capitals, plurals, punctuation and spacing make no difference. A
// character that is neither of a word nor * counts as a space. A name that is far too
// long for a card has a key that no card has.
func (n Name) Key() string {
	if len(n) > 16*MaxLength {
		return Joint
	}
	parts := n.Parts()
	keys := make([]string, len(parts))
	for i, part := range parts {
		keys[i] = partKey(norm.NFC.String(string(part)))
	}
	return strings.Join(keys, Joint)
}

// Letters, marks, decimal digits and connectors make words; * is significant.
var between = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\p{L}\p{M}\p{Nd}\p{Pc}*]+`) })

func partKey(part string) string {
	words := strings.FieldsFunc(between().ReplaceAllString(underscore(decodeEntities(part)), "_"), func(r rune) bool { return r == '_' })
	for i, word := range words {
		words[i] = stableSingular(word)
	}
	return strings.Join(words, "_")
}

var spaces = regexp.MustCompile(`[\s_]+`)

// URLKey is the name as it stands in addresses: it leads to the same key, and keeps
// the letters as they are.
func (n Name) URLKey() string {
	parts := n.Parts()
	keys := make([]string, len(parts))
	for i, part := range parts {
		plain := strings.TrimSpace(between().ReplaceAllString(decodeEntities(string(part)), " "))
		keys[i] = spaces.ReplaceAllString(plain, "_")
	}
	return strings.Join(keys, Joint)
}

var entity = regexp.MustCompile(`&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);`)

func decodeEntities(text string) string {
	return entity.ReplaceAllStringFunc(text, html.UnescapeString)
}

var (
	camel       = regexp.MustCompile(`[A-Z-]|::`)
	lastCapital = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
	wordCapital = regexp.MustCompile(`([a-z\d])([A-Z])`)
)

// underscore separates the words of CamelCase and lower-cases them. A text without
// ASCII capitals and hyphens stays as it is, whatever other capitals it has.
func underscore(text string) string {
	if !camel.MatchString(text) {
		return text
	}
	text = strings.ReplaceAll(text, "::", "/")
	// The matches of one pattern may touch each other, and Go has no look-around: a
	// second round finds those that the first has used up.
	for range 2 {
		text = lastCapital.ReplaceAllString(text, "${1}_${2}")
		text = wordCapital.ReplaceAllString(text, "${1}_${2}")
	}
	return strings.ToLower(strings.ReplaceAll(text, "-", "_"))
}

// Problem says what is wrong with a name that a card is to have; empty: nothing.
func (n Name) Problem() string {
	switch {
	case n == "":
		return "can't be blank"
	case utf8.RuneCountInString(string(n)) > MaxLength:
		return fmt.Sprintf("is too long (%d character maximum; length is %d)", MaxLength, utf8.RuneCountInString(string(n)))
	case !utf8.ValidString(string(n)):
		return "is not UTF-8"
	}
	for _, part := range n.Parts() {
		if part == "" {
			return "is incomplete"
		}
		if part.Key() == "" {
			return "needs a letter or a digit in each part"
		}
	}
	return ""
}
