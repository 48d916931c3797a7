//go:build race

package edge

// raceEnabled tells tests that the race detector makes everything ten times as
// slow.
const raceEnabled = true
