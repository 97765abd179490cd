package winperf_test

import (
	"context"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

func TestNotBefore(t *testing.T) {
	ctx, now := context.Background(), time.Now()
	if got := winperf.NotBeforeOf(ctx); !got.IsZero() {
		t.Errorf("a context without a bound has %v", got)
	}
	if got := winperf.NotBeforeOf(winperf.NotBefore(ctx, now)); !got.Equal(now) {
		t.Errorf("the bound is %v, want %v", got, now)
	}
}
