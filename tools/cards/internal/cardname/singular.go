package cardname

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// stableSingular is the singular of a word. A word whose singular would have another
// singular keeps its form, so that the key of a key is the key.
func stableSingular(word string) string {
	once := singular(word)
	if singular(once) != once {
		return word
	}
	return once
}

// A rule makes a singular where its pattern fits. The first that fits decides.
type singularRule struct {
	pattern *regexp.Regexp
	to      string
	last    byte // letter that the words end with that it fits; 0: several
}

// uncountable words have no plural; they may follow a character that makes no word.
var uncountable = regexp.MustCompile(`(?i)(?:^|\W)(?:equipment|information|rice|money|species|series|fish|sheep|jeans|police|this|anonymous|s)$`)

// The rules of English that Rails has, and what Decko adds; the youngest first.
var singularRules = rules(
	`ss$`, `ss`,
	`(g)raveyard$`, `${1}rave`, `(g)rave$`, `${1}rave`,
	`(z)ombies$`, `${1}ombie`, `(z)ombie$`, `${1}ombie`,
	`(m)oves$`, `${1}ove`, `(m)ove$`, `${1}ove`,
	`(s)exes$`, `${1}ex`, `(s)ex$`, `${1}ex`,
	`(c)hildren$`, `${1}hild`, `(c)hild$`, `${1}hild`,
	`(m)en$`, `${1}an`, `(m)an$`, `${1}an`,
	`(p)eople$`, `${1}erson`, `(p)erson$`, `${1}erson`,
	`(database)s$`, `${1}`,
	`(quiz)zes$`, `${1}`,
	`(matr)ices$`, `${1}ix`,
	`(vert|ind)ices$`, `${1}ex`,
	`^(ox)en`, `${1}`,
	`(alias|status)(es)?$`, `${1}`,
	`(octop|vir)(us|i)$`, `${1}us`,
	`^(a)x[ie]s$`, `${1}xis`,
	`(cris|test)(is|es)$`, `${1}is`,
	`(shoe)s$`, `${1}`,
	`(o)es$`, `${1}`,
	`(bus)(es)?$`, `${1}`,
	`^(m|l)ice$`, `${1}ouse`,
	`(x|ch|ss|sh)es$`, `${1}`,
	`(m)ovies$`, `${1}ovie`,
	`(s)eries$`, `${1}eries`,
	`([^aeiouy]|qu)ies$`, `${1}y`,
	`([lr])ves$`, `${1}f`,
	`(tive)s$`, `${1}`,
	`(hive)s$`, `${1}`,
	`([^f])ves$`, `${1}fe`,
	`(^analy)(sis|ses)$`, `${1}sis`,
	`((a)naly|(b)a|(d)iagno|(p)arenthe|(p)rogno|(s)ynop|(t)he)(sis|ses)$`, `${1}sis`,
	`([ti])a$`, `${1}um`,
	`(n)ews$`, `${1}ews`,
	`s$`, ``,
)

func rules(pairs ...string) (all []singularRule) {
	for i := 0; i < len(pairs); i += 2 {
		r := singularRule{pattern: regexp.MustCompile(`(?i)` + pairs[i]), to: pairs[i+1]}
		if end, whole := strings.CutSuffix(pairs[i], "$"); whole && end[len(end)-1] >= 'a' {
			r.last = end[len(end)-1]
		}
		all = append(all, r)
	}
	return all
}

// hasNoPlural reports whether the end of a word alone tells that no rule fits: most words
// are looked up without a pattern.
func hasNoPlural(word string) bool {
	last := word[len(word)-1]
	return last < utf8.RuneSelf && !strings.ContainsRune("sexdniaSEXDNIA", rune(last)) && (len(word) < 4 ||
		!strings.EqualFold(word[:4], "oxen"))
}

// isPlain reports whether only the last rule fits a word that ends with s: what comes
// before it is none of the endings that the others know.
func isPlain(word string) bool {
	return len(word) > 4 && strings.ContainsRune("bcdfghjklmnopqrtvxyz", rune(word[len(word)-2]|0x20)) && !strings.EqualFold(word[:4], "oxen")
}

func singular(word string) string {
	if word == "" || hasNoPlural(word) || uncountable.MatchString(word) {
		return word
	}
	last := word[len(word)-1] | 0x20 // in lower case
	if last == 's' && isPlain(word) {
		return word[:len(word)-1]
	}
	for _, r := range singularRules {
		if r.last != 0 && r.last != last && last < utf8.RuneSelf {
			continue
		}
		at := r.pattern.FindStringSubmatchIndex(word)
		if at == nil {
			continue
		}
		var b strings.Builder
		b.WriteString(word[:at[0]])
		b.Write(r.pattern.ExpandString(nil, r.to, word, at))
		b.WriteString(word[at[1]:])
		return b.String()
	}
	return word
}
