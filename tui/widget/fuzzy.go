package widget

import "strings"

// Bounds of what is compared: of a longer text or filter only the beginning is.
const (
	maxFuzzyTextBytes   = 1 << 10
	maxFuzzyFilterBytes = 1 << 8
)

// FuzzyScore scores how well the letters of want, in their order and in any case, are
// found in text; 0: not all of them are. Letters side by side and at the beginning
// of words count more. Spaces in want separate words that may stand in any order.
func FuzzyScore(text, want string) int {
	total := 0
	text = strings.ToLower(text[:min(len(text), maxFuzzyTextBytes)])
	want = strings.ToLower(want[:min(len(want), maxFuzzyFilterBytes)])
	for word := range strings.FieldsSeq(want) {
		s := fuzzyWordScore(text, word)
		if s == 0 {
			return 0
		}
		total += s
	}
	return total
}

func fuzzyWordScore(text, word string) int {
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
