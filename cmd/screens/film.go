package main

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// A frame is one screen of a film, and what is said below it.
type frame struct{ screen, caption string }

// frameTime is how long a frame is seen.
const frameTime = 4 * time.Second

// drawFilm draws frames that follow each other for ever, without a script. Where
// nothing moves, because a viewer cannot or a reader does not want it, the frame
// at still is seen.
func drawFilm(frames []frame, still int, title string, width, height int, p palette) string {
	var b strings.Builder
	beginSVG(&b, title, width, height+2, p)
	share := 100 / float64(len(frames))
	b.WriteString("<style>\n")
	fmt.Fprintf(&b, ".frame{opacity:0}#frame%d{opacity:1}\n@media (prefers-reduced-motion:no-preference){\n", still)
	for i := range frames {
		seen, gone := float64(i)*share, float64(i+1)*share
		fmt.Fprintf(&b, "@keyframes show%d{0%%{opacity:%d}%.3f%%{opacity:1}%.3f%%{opacity:0}100%%{opacity:0}}\n", i, 1-min(i, 1), seen, gone)
		fmt.Fprintf(&b, "#frame%d{animation:show%d %.0fs step-end infinite}\n", i, i, frameTime.Seconds()*float64(len(frames)))
	}
	b.WriteString("}\n</style>\n")
	for i, f := range frames {
		fmt.Fprintf(&b, "<g class=\"frame\" id=\"frame%d\">\n", i)
		drawLines(&b, screenLines(f.screen, width), p)
		fmt.Fprintf(&b, `<text x="50%%" y="%.1f" text-anchor="middle" font-family="sans-serif" font-size="%d">%s</text>`+"\n</g>\n",
			border+float64((height+1)*cellHigh)+baselinePixels, fontSize+4, html.EscapeString(f.caption))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}
