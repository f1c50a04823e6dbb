// Package nearest finds the word that somebody meant who typed another one: it
// is behind every "did you mean". It is a leaf without I/O, so that package
// tools, which checks the arguments of agents, and package config, which reads
// what people type, give the same suggestions. Start reading at [Word].
package nearest

import "strings"

// Word returns the entry of known that is nearest to word, or "" if none is
// near: at most a third of the letters, and at least one, may differ. Letter
// case, dashes and underscores make no difference.
func Word(word string, known []string) string {
	word = normalize(word)
	best, limit := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := distance(word, normalize(k)); d < limit {
			best, limit = k, d
		}
	}
	return best
}

func normalize(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

// distance counts the bytes to insert, delete or replace to get from a to b.
// Two neighbours that changed places count once (Damerau-Levenshtein).
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			d[i][j] = min(replace, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
