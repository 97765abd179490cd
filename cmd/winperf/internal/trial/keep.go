package trial

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/measure"
)

// keepSamples writes raw samples of all measured counters to the results folder until stop is called.
func (s *Session) keepSamples(ctx context.Context) (stop func() Kept) {
	sel := Selection()
	for i := range s.file.Bindings {
		for _, v := range s.file.Bindings[i].Sensors {
			paths, names, _ := s.file.sensors(v) // they were checked
			sel.Paths = append(sel.Paths, paths...)
			for _, n := range names {
				sel.Paths = append(sel.Paths, n.Path())
			}
		}
	}
	src := s.live()
	if src == nil {
		return func() Kept { return Kept{} }
	}

	// A stopped command needs samples until its end.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan Kept, 1)
	go func() {
		k := keep(ctx, src, sel, s.folder.File(FileSamples), s.file.every())
		if k.Err != nil {
			s.broken.markBroken(k.Err)
		}
		done <- k
	}()
	return func() Kept {
		cancel()
		return <-done
	}
}

func keep(
	ctx context.Context, src winperf.Source, sel winperf.Selection, name string, every time.Duration,
) (k Kept) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return Kept{Err: err}
	}
	w := capture.NewWriter(file, capture.Options{Location: time.Local})
	defer func() {
		k.Samples = w.Samples()
		closed := w.Close()
		if closed != nil { // truncates an incomplete sample after an error
			closed = cmp.Or(closed, file.Truncate(w.Size()))
		}
		if err := cmp.Or(k.Err, closed, file.Close()); err != nil { // the first error is the reason
			k.Err = fmt.Errorf("raw samples after number %d are missing: %w", k.Samples, err)
		}
	}()

	opt := measure.Options{Interval: every, RawOnly: true, KeepFirst: true, CostlyTogether: true}
	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err != nil {
			k.Err = err
			return k
		}
		k.Missed += cycle.Missed
		if k.Err = w.Write(cycle.Sample); k.Err != nil {
			return k
		}
	}
	return k
}
