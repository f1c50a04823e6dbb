package main

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// The measures of a cell and of the window around the text, in pixels.
const (
	cellWide, cellHigh = 8.4, 18
	fontSize, baseline = 14, 13.5
	border             = 12
)

// A palette is what a terminal draws on where a program says nothing.
type palette struct{ foreground, background string }

// drawSVG draws a screen, as tmux prints it with its colours, in a grid of
// cells. Every stretch of like cells has its width said, so that it fits whatever
// font the reader has.
func drawSVG(screen, title string, width int, p palette) string {
	screen = strings.TrimRight(screen, "\n")
	cells := uv.NewScreenBuffer(width, strings.Count(screen, "\n")+1)
	cells.Method = ansi.GraphemeWidth
	uv.NewStyledString(screen).Draw(cells, cells.Bounds())
	lines := cells.Lines
	wide, high := float64(width)*cellWide+2*border, float64(len(lines)*cellHigh+2*border)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img">`, wide, high, wide, high)
	fmt.Fprintf(&b, "\n<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n", html.EscapeString(title), p.background)
	fmt.Fprintf(&b, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d" fill="%s">`+"\n", fontSize, p.foreground)
	for y, line := range lines {
		for _, r := range textRuns(line) {
			r.draw(&b, y, p)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// A textRun is a text of one style and where it begins, in cells.
type textRun struct {
	text     string
	at, wide int
	style    uv.Style
}

func textRuns(line uv.Line) []textRun {
	var all []textRun
	for x, c := range line {
		if c.Width == 0 { // the second half of a wide one
			continue
		}
		if n := len(all); n > 0 && c.Width == 1 && all[n-1].wide == len([]rune(all[n-1].text)) && all[n-1].style.Equal(&c.Style) {
			all[n-1].text += c.Content
			all[n-1].wide++
			continue
		}
		all = append(all, textRun{c.Content, x, c.Width, c.Style})
	}
	return all
}

func (r textRun) draw(b *strings.Builder, y int, p palette) {
	ink, ground := hexColour(r.style.Fg, p.foreground), hexColour(r.style.Bg, p.background)
	if r.style.Attrs&uv.AttrReverse != 0 {
		ink, ground = ground, ink
	}
	left, wide := border+float64(r.at)*cellWide, float64(r.wide)*cellWide
	if ground != p.background {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, left, border+y*cellHigh, wide, cellHigh, ground)
	}
	text := strings.TrimLeft(r.text, " ")
	left += float64(len(r.text)-len(text)) * cellWide
	text = strings.TrimRight(text, " ")
	if text == "" {
		return
	}
	wide -= float64(len(r.text)-len(text)) * cellWide
	var style strings.Builder
	if ink != p.foreground {
		fmt.Fprintf(&style, ` fill="%s"`, ink)
	}
	if r.style.Attrs&uv.AttrBold != 0 {
		style.WriteString(` font-weight="bold"`)
	}
	if r.style.Attrs&uv.AttrFaint != 0 {
		style.WriteString(` opacity="0.6"`)
	}
	if r.style.Underline != uv.UnderlineNone {
		style.WriteString(` text-decoration="underline"`)
	}
	if r.wide > 1 { // a sign by itself keeps its shape
		fmt.Fprintf(&style, ` textLength="%.1f" lengthAdjust="spacingAndGlyphs"`, wide)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f"%s>%s</text>`+"\n", left, border+float64(y*cellHigh)+baseline, style.String(), html.EscapeString(strings.ReplaceAll(text, " ", "\u00a0"))) // readers join plain spaces
}

// hexColour is c as SVG writes it, or usual where nothing is said.
func hexColour(c color.Color, usual string) string {
	if c == nil {
		return usual
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
