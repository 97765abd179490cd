//go:build !race

package datablock_test

// underRace tells that the race detector is on.
const underRace = false
