//go:build !windows

package wintest

import "testing"

func missing(t testing.TB, why string) {
	t.Helper()
	t.Skip("skipped: " + why)
}
