//go:build unix && race

package publish

// underRace reports whether the tests run under the race detector, which touches
// memory from C, where Go can catch no fault.
const underRace = true
