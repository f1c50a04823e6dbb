package prose

import "strings"

// The most of what a parser of Markdown nests or looks back over: marks of
// quotes and lists at the beginning of a line, and openings of links, emphasis
// and code in one paragraph. Notes of people have a few.
const (
	maxNesting       = 60
	maxInlineMarkers = 2000
)

// tooComplex reports whether source has more of these than is worth parsing.
func tooComplex(source string) bool {
	marks := 0
	for line := range strings.Lines(source) {
		body := strings.TrimLeft(line, " \t>-+*0123456789.)")
		if strings.TrimSpace(line) == "" {
			marks = 0
			continue
		}
		head := line[:len(line)-len(body)]
		if strings.Count(head, ">")+strings.Count(head, "- ")+strings.Count(head, "+ ")+strings.Count(head, "* ")+strings.Count(head,
			". ") > maxNesting ||
			len(head)-len(strings.TrimLeft(head, " \t")) > 4*maxNesting {
			return true
		}
		for i := range len(body) {
			switch body[i] {
			case '[', '*', '_', '`', '<':
				marks++
			}
		}
		if marks > maxInlineMarkers {
			return true
		}
	}
	return false
}
