package loopnet

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/big"
	"strings"
)

// A token is lectern_ + 43 digits of base 62 (256 random bits) + 6 digits of
// checksum. Prefix and checksum are for secret scanners: they can search for
// lectern_[0-9A-Za-z]{49} and drop false positives.
const (
	tokenPrefix    = "lectern_"
	tokenDigits    = 43 // 62^43 > 2^256
	checksumDigits = 6  // 62^6 > 2^32
	redacted       = tokenPrefix + "[redacted]"
)

// Token is a bearer secret. However it is printed, logged or encoded, even
// inside another value, it shows as lectern_[redacted]; only Reveal returns
// it. The zero Token matches nothing.
type Token struct {
	// A pointer, so that a Token in an unexported field, whose methods fmt
	// cannot call, prints as an address.
	text *string
	sum  [sha256.Size]byte
}

// Reveal returns the token as a client sends it, for the token's file and for
// the snippet that a person copies. The zero Token returns "".
func (t Token) Reveal() string {
	if t.text == nil {
		return ""
	}
	return *t.text
}

// Matches reports whether bearer is this token, in a time that does not depend
// on how much of it is right.
func (t Token) Matches(bearer string) bool {
	sum := sha256.Sum256([]byte(bearer))
	same := subtle.ConstantTimeCompare(t.sum[:], sum[:]) == 1
	return same && t.text != nil
}

// MAC returns the HMAC-SHA256 of message with the token's text as the key. It
// proves the token to those who have it and reveals nothing to others. The
// zero Token returns nil, so that no proof equals it.
func (t Token) MAC(message []byte) []byte {
	if t.text == nil {
		return nil
	}
	mac := hmac.New(sha256.New, []byte(*t.text))
	mac.Write(message)
	return mac.Sum(nil)
}

// AuthorizeAs returns an Authorize function for a guard: the bearer of this token is
// the principal called name.
func (t Token) AuthorizeAs(name string) func(bearer string) (principal string, ok bool) {
	return func(bearer string) (string, bool) { return name, t.Matches(bearer) }
}

// String and the methods below keep the secret out of every log line and dump.
func (Token) String() string { return redacted }

// GoString is String.
func (Token) GoString() string { return redacted }

// LogValue is String.
func (Token) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText is String, for JSON and all other encodings of text.
func (Token) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Format is String for every verb: %x and %d would look inside.
func (Token) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, redacted) }

func newToken() Token {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never fails (crypto/rand)
	digits := base62(new(big.Int).SetBytes(bits[:]), tokenDigits)
	return tokenFromText(tokenPrefix + digits + checksum(digits))
}

func tokenFromText(text string) Token { return Token{&text, sha256.Sum256([]byte(text))} }

// parseToken refuses what newToken cannot have written, such as a truncated
// file or a password that a person typed into it.
func parseToken(text string) (Token, error) {
	digits, ok := strings.CutPrefix(text, tokenPrefix)
	if !ok || len(digits) != tokenDigits+checksumDigits {
		return Token{}, errors.New("it does not hold a token")
	}
	if checksum(digits[:tokenDigits]) != digits[tokenDigits:] {
		return Token{}, errors.New("the token in it is damaged (wrong checksum)")
	}
	return tokenFromText(text), nil
}

func checksum(digits string) string {
	return base62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(digits)))), checksumDigits)
}

func base62(n *big.Int, width int) string {
	s := n.Text(62)
	return strings.Repeat("0", width-len(s)) + s
}
