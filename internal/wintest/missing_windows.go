package wintest

import (
	"os"
	"testing"

	"github.com/winperf/winperf/internal/winapi"
)

// missing skips the test on Windows. Under Wine with CI=true it fails the test, so that the build
// server cannot pass without the libraries.
func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" && Wine() {
		t.Fatal(why)
	}
	t.Skip("skipped: " + why)
}

// Wine reports whether the test runs under Wine, by a function that only Wine's ntdll.dll has.
func Wine() bool {
	_, err := winapi.NewDLL("ntdll.dll").Proc("wine_get_version").Addr()
	return err == nil
}
