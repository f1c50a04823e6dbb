package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// A screen becomes one drawing: each text where its cells are, in its colours,
// and nothing in it is taken for a drawing's own marks.
func TestDrawSVG(t *testing.T) {
	screen := "plain \x1b[1;38;5;203mloud\x1b[m\n" +
		"\x1b[7mturned\x1b[m \x1b[48;2;1;2;3m \x1b[m\n" +
		"世界 <script>&\n"
	got := drawSVG(screen, `a "title" & more`, 20, palette{foreground: "#eeeeee", background: "#111111"})
	for _, want := range []string{
		`<title>a &#34;title&#34; &amp; more</title>`,
		`<text x="12.0" y="25.5" textLength="42.0" lengthAdjust="spacingAndGlyphs">plain</text>`,
		`<text x="62.4" y="25.5" fill="#ff5f5f" font-weight="bold" textLength="33.6" lengthAdjust="spacingAndGlyphs">loud</text>`,
		`<rect x="12.0" y="30" width="50.4" height="18" fill="#eeeeee"/><text x="12.0" y="43.5" fill="#111111"`,
		`<rect x="70.8" y="30" width="8.4" height="18" fill="#010203"/>`,
		`<text x="12.0" y="61.5" textLength="16.8" lengthAdjust="spacingAndGlyphs">世</text>`,
		`<text x="54.0" y="61.5" textLength="75.6" lengthAdjust="spacingAndGlyphs">&lt;script&gt;&amp;</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	d := xml.NewDecoder(strings.NewReader(got))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "script" {
			t.Error("text of the screen became an element")
		}
	}
}
