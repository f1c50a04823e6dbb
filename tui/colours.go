package tui

import (
	"slices"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// colours is which ones a person chose, as it is remembered.
type colours string

const (
	coloursAsked    colours = "" // those for the ground that the terminal says it has
	coloursDark     colours = "dark"
	coloursLight    colours = "light"
	coloursContrast colours = "contrast" // high contrast on the ground that the terminal says it has
	contrastDark    colours = "contrast-dark"
	contrastLight   colours = "contrast-light"
)

// allColours are what there is to choose from, in the order of the key.
func allColours() []colours {
	return []colours{coloursAsked, coloursDark, coloursLight, coloursContrast, contrastDark, contrastLight}
}

// on is the Mode of c on a terminal that is like m.
func (c colours) on(m theme.Mode) theme.Mode {
	switch c {
	case coloursDark, contrastDark:
		m.Dark = true
	case coloursLight, contrastLight:
		m.Dark = false
	case coloursAsked, coloursContrast:
	}
	m.Contrast = c == coloursContrast || c == contrastDark || c == contrastLight
	return m
}

func (c colours) words() string {
	switch c {
	case coloursDark:
		return "for a dark ground"
	case coloursLight:
		return "for a light ground"
	case coloursContrast:
		return "high contrast, for the ground that the terminal has"
	case contrastDark:
		return "high contrast, for a dark ground"
	case contrastLight:
		return "high contrast, for a light ground"
	default:
		return "for the ground that the terminal has"
	}
}

// noColours says why there is nothing to choose; empty: there is.
func (m Model) noColours() string {
	switch {
	case m.cfg.NoColor:
		return "There are no colours while NO_COLOR is set."
	case m.mode.NoColor:
		return "This terminal shows no colours."
	default:
		return ""
	}
}

// otherColours turns to the next ones.
func (m Model) otherColours() Model {
	all := allColours()
	m.colours = all[(slices.Index(all, m.colours)+1)%len(all)]
	m.notice = said("Colours " + m.colours.words() + ". C shows others.")
	return m.look(m.mode)
}
