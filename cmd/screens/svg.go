package main

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// The size of a cell and of the border around the text, in pixels.
const (
	cellWide, cellHigh       = 8.4, 18
	fontSize, baselinePixels = 14, 13.5
	border                   = 12
)

// A palette is what a terminal draws on where a program says nothing.
type palette struct{ foreground, background string }

// drawSVG draws a screen, as tmux prints it with colours, in a grid of cells.
// Every run of cells has its width, so that it fits with any font.
func drawSVG(screen, title string, width int, p palette) string {
	lines := screenLines(screen, width)
	var b strings.Builder
	beginSVG(&b, title, width, len(lines), p)
	drawLines(&b, lines, p)
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

func screenLines(screen string, width int) []uv.Line {
	screen = strings.TrimRight(screen, "\n")
	cells := uv.NewScreenBuffer(width, strings.Count(screen, "\n")+1)
	cells.Method = ansi.GraphemeWidth
	uv.NewStyledString(screen).Draw(cells, cells.Bounds())
	return cells.Lines
}

// beginSVG begins a drawing of so many cells, and the group that holds its text.
func beginSVG(b *strings.Builder, title string, width, height int, p palette) {
	wide, high := float64(width)*cellWide+2*border, float64(height*cellHigh+2*border)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img">`, wide, high, wide,
		high)
	fmt.Fprintf(b, "\n<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n", html.EscapeString(title),
		p.background)
	fmt.Fprintf(b, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d" fill="%s">`+"\n",
		fontSize, p.foreground)
}

func drawLines(b *strings.Builder, lines []uv.Line, p palette) {
	for y, line := range lines {
		for _, r := range textRuns(line) {
			r.draw(b, y, p)
		}
	}
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
		if c.Width == 0 { // the second half of a wide cell
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
	if r.wide > 1 { // a single character keeps its shape
		fmt.Fprintf(&style, ` textLength="%.1f" lengthAdjust="spacingAndGlyphs"`, wide)
	}
	// SVG viewers collapse plain spaces
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f"%s>%s</text>`+"\n", left, border+float64(y*cellHigh)+baselinePixels, style.String(),
		html.EscapeString(strings.ReplaceAll(text, " ", "\u00a0")))
}

// hexColour is c in SVG's notation, or usual if c is nil.
func hexColour(c color.Color, usual string) string {
	if c == nil {
		return usual
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
