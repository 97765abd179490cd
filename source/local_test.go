package source

import (
	"errors"
	"runtime"
	"testing"

	"github.com/winperf/winperf"
)

// TestLocalOptions opens this machine with options, and refuses others.
func TestLocalOptions(t *testing.T) {
	for _, address := range []string{"local:?", "local:?kernel=fold", "local:?kernel=fold&groups=/user.slice,system.slice"} {
		src, err := Open(t.Context(), address)
		if err != nil {
			if runtime.GOOS != "linux" && errors.Is(err, winperf.ErrNotSupported) {
				continue
			}
			t.Fatalf("%s: %v", address, err)
		}
		if err := src.Close(); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"local:?kernel=", "local:?kernel=hide", "local:?groups=", "local:?x=y", "local:kernel=fold"} {
		if _, err := Open(t.Context(), address); !errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestBelow shows the groups that are named, those below them, and the way there.
func TestBelow(t *testing.T) {
	shown := below([]string{"/user.slice/user-1000.slice", "init.scope/"})
	for path, want := range map[string]bool{
		"/user.slice": true, "/user.slice/user-1000.slice": true, "/user.slice/user-1000.slice/a": true,
		"/user.slice/user-1000.slice.d": false, "/user": false, "/system.slice": false, "/init.scope": true,
	} {
		if got := shown(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
