package widget

import "strings"

// Fuzzy scores how well the letters of want, in their order, are found in
// text; 0: not all of them are. Letters side by side and at the beginning of
// words count more. Spaces in want separate words that may stand in any order.
func Fuzzy(text, want string) int {
	total := 0
	for word := range strings.FieldsSeq(want) {
		s := fuzzyWord(text, word)
		if s == 0 {
			return 0
		}
		total += s
	}
	return total
}

func fuzzyWord(text, word string) int {
	if i := strings.Index(text, word); i >= 0 {
		s := 10 * len(word)
		if i == 0 || text[i-1] == ' ' {
			s += 10
		}
		return s
	}
	score, last := 0, -2
	i := 0
	for _, c := range []byte(word) {
		j := strings.IndexByte(text[i:], c)
		if j < 0 {
			return 0
		}
		j += i
		score++
		if j == last+1 {
			score += 2
		}
		if j == 0 || text[j-1] == ' ' {
			score += 3
		}
		last, i = j, j+1
	}
	return score
}
