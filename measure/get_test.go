package measure_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

func TestGet(t *testing.T) {
	broken := two()[1]
	broken.change = func(b []byte) []byte { return b[:40] }
	const processes, switches = `\System\Processes`, `\System\Context Switches/sec`
	tests := []struct {
		name  string
		src   winperf.Source
		paths []string
		want  []string
		err   error
	}{
		{"live", script(two()...), []string{processes, `\Nothing\Here`}, []string{
			`\\HOST\System\Processes 100`, `\\HOST\Nothing\Here no_object`,
		}, nil},
		{"a live rate", script(two()...), []string{switches}, []string{`\\HOST\System\Context Switches/sec 500`}, nil},
		{"the last of a record", recording{script(two()...), -1}, []string{processes, switches}, []string{
			`\\HOST\System\Processes 101`, `\\HOST\System\Context Switches/sec 500`,
		}, nil},
		{"nothing is wanted", script(two()...), nil, nil, nil},
		{"a record without samples", recording{script(), -1}, []string{processes}, nil, io.EOF},
		{"a record with a damaged end", recording{script(two()[0], broken), -1}, []string{processes}, []string{
			`\\HOST\System\Processes 100`,
		}, winperf.ErrBadData},
		{"no path", script(), []string{processes, "System"}, nil, winperf.ErrPath},
		{"the source fails", script(sample{err: errTest}), []string{processes}, nil, errTest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			readings, err := measure.Get(t.Context(), tt.src, tt.paths...)
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, lines(readings)); diff != "" {
				t.Errorf("readings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGetContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	readings, err := measure.Get(ctx, script(two()...), `\System\Processes`)
	if readings != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", readings, err)
	}
}
