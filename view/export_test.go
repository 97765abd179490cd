package view

import "testing"

// SetWholeLimit changes the limit of logs that are read as a whole, during a test.
func SetWholeLimit(t testing.TB, values int) {
	before := wholeLimit
	wholeLimit = values
	t.Cleanup(func() { wholeLimit = before })
}
