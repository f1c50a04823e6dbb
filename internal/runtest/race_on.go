//go:build race

package runtest

// UnderRace: the race detector watches, and everything takes ten times as long.
const UnderRace = true
