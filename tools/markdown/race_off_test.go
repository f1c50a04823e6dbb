//go:build !race

package markdown

// UnderRace is false without the race detector.
const UnderRace = false
