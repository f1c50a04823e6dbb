package theme

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// ToASCII is a painted screen for a terminal that shows nothing but ASCII: signs and
// borders become letters that look like them, and other characters as many question
// marks as they take cells, so that all columns stay where they are.
func ToASCII(painted string) string {
	if isASCII(painted) {
		return painted
	}
	var b strings.Builder
	b.Grow(len(painted))
	for state := byte(0); painted != ""; {
		sequence, width, n, next := ansi.DecodeSequence(painted, state, nil)
		if n == 0 { // half a sequence at the end
			break
		}
		painted, state = painted[n:], next
		switch {
		case isASCII(sequence), sequence[0] < ' ':
			b.WriteString(sequence)
			continue
		case width == 0: // an accent
			continue
		}
		sign, _ := utf8.DecodeRuneInString(sequence)
		if letter := asciiSign(sign); letter != 0 && width == 1 {
			b.WriteByte(letter)
		} else {
			b.WriteString(strings.Repeat("?", width))
		}
	}
	return b.String()
}

// asciiSign is the letter for a sign that the panel draws; 0: it draws none like it.
func asciiSign(sign rune) byte {
	const signs = "●*◐o◑o▲!‖=✗x○.◆*•-⏎>▸>‹<›>█#░.▐#▕|─-━=│|╭+╮+╰+╯+┬+┴+├+┤+┼+…~·-–-—-−-→>←<↑^↓v⨯x↶<×x“\"”\"‘'’'«<»>␊ ▾v▁_▂_▃.▄-▅-▆=▇#☐.☑x✓+"
	if i := strings.IndexRune(signs, sign); i >= 0 {
		return signs[i+utf8.RuneLen(sign)]
	}
	return 0
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
