package tui

import (
	"slices"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// colourChoice is which ones a person chose, as it is remembered.
type colourChoice string

const (
	coloursAuto     colourChoice = "" // those for the background that the terminal says it has
	coloursDark     colourChoice = "dark"
	coloursLight    colourChoice = "light"
	coloursContrast colourChoice = "contrast" // high contrast on the background that the terminal says it has
	contrastDark    colourChoice = "contrast-dark"
	contrastLight   colourChoice = "contrast-light"
)

// allColourChoices are what there is to choose from, in the order of the key.
func allColourChoices() []colourChoice {
	return []colourChoice{coloursAuto, coloursDark, coloursLight, coloursContrast, contrastDark, contrastLight}
}

// mode is the Mode of c on a terminal that is like m.
func (c colourChoice) mode(m theme.Mode) theme.Mode {
	switch c {
	case coloursDark, contrastDark:
		m.Dark = true
	case coloursLight, contrastLight:
		m.Dark = false
	case coloursAuto, coloursContrast:
	}
	m.HighContrast = c == coloursContrast || c == contrastDark || c == contrastLight
	return m
}

func (c colourChoice) description() string {
	switch c {
	case coloursDark:
		return "dark"
	case coloursLight:
		return "light"
	case coloursContrast:
		return "high contrast, automatic"
	case contrastDark:
		return "high contrast, dark"
	case contrastLight:
		return "high contrast, light"
	default:
		return "automatic (from the terminal background)"
	}
}

// switchToNextColours turns to the next ones that look different from those on the screen:
// a key that changes nothing to see is taken for broken.
func (m Model) switchToNextColours() Model {
	all := allColourChoices()
	before, at := m.colours.mode(m.mode), slices.Index(all, m.colours)
	for range all {
		at = (at + 1) % len(all)
		if m.colours = all[at]; m.colours.mode(m.mode) != before {
			break
		}
	}
	m.notice = infoNotice("Colours: " + m.colours.description() + ". Press C for the next.")
	return m.restyle(m.mode)
}
