package loopnet

import (
	"crypto/hmac"
	"crypto/sha256"
	"testing"
)

func TestTokenMAC(t *testing.T) {
	tok, other := newToken(), newToken()
	want := hmac.New(sha256.New, []byte(tok.Reveal()))
	want.Write([]byte("message"))
	if got := tok.MAC([]byte("message")); !hmac.Equal(got, want.Sum(nil)) {
		t.Errorf("MAC = %x, want %x", got, want.Sum(nil))
	}
	if hmac.Equal(tok.MAC([]byte("message")), other.MAC([]byte("message"))) {
		t.Error("two tokens have the same MAC")
	}
	if got := (Token{}).MAC([]byte("message")); got != nil {
		t.Errorf("the zero token proves %x", got)
	}
}

func TestRouteAdmitsLate(t *testing.T) {
	let := ""
	r := Route{Origins: []string{"lsp://logseq.io"}, AllowOrigin: func(origin string) bool { return origin == let }}
	for _, step := range []struct {
		let, origin string
		want        bool
	}{
		{"", "lsp://logseq.io", true},
		{"", "file://", false},
		{"file://", "file://", true},
		{"file://", "lsp://logseq.io", true},
		{"file://", "null", false},
	} {
		let = step.let
		if got := r.allowsOrigin(step.origin); got != step.want {
			t.Errorf("with %q let in, allows(%q) = %v", step.let, step.origin, got)
		}
	}
	if (Route{}).allowsOrigin("") {
		t.Error("the zero route allows an origin")
	}
}
