//go:build !windows

package registry

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

func TestNotSupported(t *testing.T) {
	src, err := Open(t.Context(), Options{})
	if !errors.Is(err, winperf.ErrNotSupported) || !strings.Contains(err.Error(), runtime.GOOS) ||
		src != nil {
		t.Errorf("source %v, error %v", src, err)
	}
}
