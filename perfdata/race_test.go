//go:build race

package perfdata_test

// underRace tells that the race detector is on.
const underRace = true
