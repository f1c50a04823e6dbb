package logs

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// What stands for itself is written without an encoder, and is the same.
func TestAppendJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("az09 _-./=<>&\"\\\n\x00\x1f\x7fé語\u2028\U0001F600\uFFFD")
	for range 2000 {
		text := make([]rune, r.IntN(12))
		for i := range text {
			text[i] = alphabet[r.IntN(len(alphabet))]
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(string(text)); err != nil {
			t.Fatal(err)
		}
		if got := appendJSON([]byte("x"), string(text)); "x"+want.String() != string(got)+"\n" {
			t.Fatalf("%q is %s, want %s", string(text), got[1:], want.Bytes())
		}
	}
}
