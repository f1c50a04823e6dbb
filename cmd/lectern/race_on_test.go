//go:build race

package main

// underRace: the race detector watches, and everything takes ten times as long.
const underRace = true
