package frame

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	in := "\ufeffone\r\n\n  \ntwo\n" + long + "\nthree\n" + strings.Repeat("y", 100) + "\nlast"
	want := []string{"one", "two", "too long", "three", strings.Repeat("y", 100), "last"}
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)),
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for fr := NewReader(r, 100); ; {
				b, err := fr.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				switch {
				case errors.Is(err, ErrTooLong):
					got = append(got, "too long")
				case err != nil:
					t.Fatal(err)
				default:
					got = append(got, string(b))
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
