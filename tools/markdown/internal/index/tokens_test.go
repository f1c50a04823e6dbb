package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// tokensOfFolded are the tokens of a text that is folded as a whole.
func tokensOfFolded(text string) (tokens []string) {
	var token strings.Builder
	end := func() {
		if token.Len() > 0 {
			whole := token.String()
			tokens = append(tokens, strings.ToValidUTF8(whole[:min(len(whole), maxToken)], ""))
		}
		token.Reset()
	}
	for _, r := range Fold(text) {
		switch {
		case isIdeograph(r):
			end()
			token.WriteRune(r)
			end()
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mc, r):
			token.WriteRune(r)
		default:
			end()
		}
	}
	end()
	return tokens
}

// Folding what is not ASCII piece by piece finds the tokens of the text folded as a whole.
func TestTokensOfPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	pieces := []string{
		"a", "Z", "q9", " ", "\n", "-", "_", "é", "e\u0301", "\u0301", "\u0323\u0301", "\u0301\u0323", "İ", "ı", "K", "ß", "ẞ", "Å", "ﬁ", "½", "٣", "ा", "का", "東", "京都", "ひ", "カ\u3099",
		"가", "\u1112\u1161\u11ab", "Σ", "ς", "\u037e", "\u200d", "😀", "\u0344", "ǆ", "\x00", strings.Repeat("é", 60), strings.Repeat("x", 120),
	}
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		want, got := tokensOfFolded(b.String()), Tokens(b.String())
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", b.String(), got, want)
		}
		if joined := joinTokens(b.String()); joined != strings.Join(append(want, ""), " ") {
			t.Fatalf("%q: %q", b.String(), joined)
		}
	}
}
