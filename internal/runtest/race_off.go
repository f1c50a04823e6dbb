//go:build !race

package runtest

// UnderRace is false without the race detector.
const UnderRace = false
