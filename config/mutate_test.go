package config_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/lectern-mcp/lectern/config"
)

const guarded = `[hub]
http = false
port = 4000

[[source]]
name = "n"
kind = "markdown"
path = "/n"
read_only = true
effects = ["read"]
`

// However one byte of the file is damaged, what guards the user is either
// still in force or the file is refused: it never falls back to a default.
// Only a byte that turns a line into a comment cannot be noticed.
func TestEveryDamagedByte(t *testing.T) {
	for i := range len(guarded) {
		for _, b := range slices.Concat([]byte("\x00\n\r \"'=[]{}.,_-aT0\\\x7f\xff"), []byte{guarded[i] ^ 1, guarded[i] ^ 0x20}) {
			if b != '#' {
				stillGuarded(t, guarded[:i]+string([]byte{b})+guarded[i+1:])
			}
		}
		stillGuarded(t, guarded[:i]+guarded[i+1:])
	}
}

func stillGuarded(t *testing.T, text string) {
	t.Helper()
	c, err := config.Parse(file, []byte(text), schema)
	if err != nil {
		return
	}
	if c.Hub.HTTP || len(c.Sources) != 1 || !c.Sources[0].ReadOnly || !slices.Equal(c.Sources[0].Effects, []string{"read"}) {
		t.Errorf("%q is read as %+v", text, c)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(guarded))
	f.Add([]byte("\ufeffsource = [{name='a', kind='cards', url='x'}]\n"))
	f.Add([]byte("[[source]]\r\nname='a'\r\n[source.x]\r\n[[source.y]]\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := config.Parse(file, text, schema)
		if err != nil {
			return
		}
		for _, s := range c.Sources {
			e, err := c.RemoveSource(s.Name)
			if err != nil {
				continue
			}
			if _, err := config.Parse(file, e.After, schema); err != nil || len(e.After) > len(text) {
				t.Errorf("removing %s gave %q: %v", s.Name, e.After, err)
			}
		}
		if e, _, err := c.AddSource(config.Source{Kind: "cards"}, map[string]string{"titles": "a=b"}); err == nil && !bytes.HasPrefix(e.After, text) {
			t.Errorf("adding changed what was there: %q", e.After)
		}
	})
}
