//go:build !race

package toolstest

// UnderRace is false without the race detector.
const UnderRace = false
