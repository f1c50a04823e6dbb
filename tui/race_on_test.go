//go:build race

package tui

// underRace: the race detector watches, and everything takes ten times as long. What
// is drawn comes from one goroutine, so long loops over sizes, texts and keys then
// make only some of their rounds; see [sampled].
const underRace = true
