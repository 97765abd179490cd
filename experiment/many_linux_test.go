package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
)

// A thousand events a second of this machine, with everything on, for as long as WINPERF_SOAK says, and
// for a second without it: no record is lost without being counted, in bounded memory.
func TestManyEvents(t *testing.T)     { manyEvents(t, time.Second) }
func TestManyEventsSoak(t *testing.T) { manyEvents(t, soakTime(t)) }

// Each of the workers emits so many events a second; of 64 it emits 1 of all processors, 8 regions,
// 8 lines and 47 points.
const manyWorkers, manyPerSecond = 4, 250

func manyEvents(t *testing.T, duration time.Duration) {
	spill, err := delivery.NewSpill(delivery.Disk{Dir: t.TempDir(), Sync: -1})
	must(t, err)
	defer func() { _ = spill.Close() }()

	perWorker := int(duration.Seconds() * manyPerSecond)
	reader, lines := io.Pipe()
	answers := &answers{want: perWorker / 8 * manyWorkers, all: make(chan struct{})}
	r := live(t, manyOptions(spill, experiment.Lines{Name: "lines", Reader: reader, Ack: answers}))

	received := newReceived(t)
	var delivered, watched sync.WaitGroup
	delivered.Go(func() { received.deliver(r) })
	memory := &liveHeap{every: max(duration/20, 200*time.Millisecond)}
	memory.look()
	stop := make(chan struct{})
	watched.Go(func() { memory.watch(stop) })

	var workers sync.WaitGroup
	begun := time.Now()
	for w := range manyWorkers {
		workers.Go(func() { emitAll(t.Context(), r.program, lines, w, perWorker) })
	}
	workers.Wait()
	took := time.Since(begun)
	answers.wait(t)
	close(stop)
	watched.Wait()

	must(t, r.Detach(context.Background()))
	must(t, lines.Close())
	delivered.Wait()
	status := r.Status()
	received.check(status)
	memory.check(t)
	n := manyWorkers * perWorker
	t.Logf("%d events of code and lines in %v, %.0f a second; %s, spilled until record %d of %d",
		n, took, float64(n)/took.Seconds(), received, status.Spilled, status.Stored)
}

// manyOptions bind everything that gives events, with each policy. The processes, which take a look
// at every one of them, are measured five times a second only.
func manyOptions(spool experiment.Spool, lines experiment.Lines) experiment.Options {
	binding := func(name string, policy experiment.Policy, all ...winperf.Path) experiment.Binding {
		return experiment.Binding{
			Name: name, Events: []string{name + "*"}, Policy: policy, Capacity: 30, Raw: true,
			Paths: append(paths(`\System\Context Switches/sec`, `\Memory\Available Bytes`), all...), Aggregate: &experiment.Aggregate{},
		}
	}
	return experiment.Options{
		Spool: spool,
		Links: func(context.Context) (_, _, _ string) { return "trace", "span", "" },
		Bindings: []experiment.Binding{
			binding("point", experiment.DropOldest), binding("region", experiment.Wait), binding("line", experiment.Spill),
			binding("cpu", experiment.DropNewest, paths(`\Processor(*)\% Processor Time`)...),
			binding("process", experiment.DropOldest, self("% Processor Time")...),
		},
		Events: []experiment.EventSource{
			lines,
			experiment.Interval{Name: "cpu tick", Every: 100 * time.Millisecond},
			experiment.Interval{Name: "process tick", Every: 200 * time.Millisecond, Aligned: true},
			experiment.Processes{Name: "process", Match: "*"},
			experiment.Threshold{Name: "cpu busy", Path: paths(`\Processor(*)\% Processor Time`)[0], Bound: 50},
		},
	}
}

// emitAll emits events at a rate. Those that come late are made up for, so that all are emitted.
func emitAll(ctx context.Context, p *experiment.Program, lines io.Writer, worker, count int) {
	for i, begun := 0, time.Now(); i < count; i++ {
		due := time.Duration(i) * time.Second / manyPerSecond
		time.Sleep(due - time.Since(begun))

		attrs := []slog.Attr{slog.Int("worker", worker), slog.Int("i", i)}
		switch {
		case i%64 == 0:
			p.Event(ctx, "cpu", attrs...)
		case i%8 == 1:
			_, region := p.Region(ctx, "region", attrs...)
			region.End()
		case i%8 == 7:
			_, _ = fmt.Fprintf(lines, "line worker=%d i=%d\n", worker, i)
		default:
			p.Event(ctx, "point", attrs...)
		}
	}
}

// answers counts what the program at the other end of the lines is told.
type answers struct {
	want, refused int
	got           atomic.Int64
	all           chan struct{}
}

func (a *answers) Write(p []byte) (int, error) {
	if string(p) != "ok\n" {
		a.refused++
	}
	if a.got.Add(1) == int64(a.want) {
		close(a.all)
	}
	return len(p), nil
}

// wait waits until all lines are answered.
func (a *answers) wait(t *testing.T) {
	t.Helper()
	select {
	case <-a.all:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%d of %d lines were answered", a.got.Load(), a.want)
	}
	if a.refused != 0 {
		t.Errorf("%d lines were refused", a.refused)
	}
}

// received are the records that somebody took.
type received struct {
	t       *testing.T
	records map[string]uint64 // of events, by binding
	dropped uint64            // as the records tell
	changes []string          // names of Change records
	last    map[string]int64  // number of the last event by binding and worker
}

func newReceived(t *testing.T) *received {
	return &received{t: t, records: map[string]uint64{}, last: map[string]int64{}}
}

// deliver takes records until there are none any more, and is busy with something else once a second,
// for longer than there is space for.
func (v *received) deliver(r *rig) {
	var number uint64
	for busy := time.Now(); ; {
		records, err := r.Next(context.Background(), 100)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				v.t.Errorf("after record %d: %v", number, err)
			}
			return
		}
		for _, rec := range records {
			if rec.Number <= number {
				v.t.Errorf("record %d comes after record %d", rec.Number, number)
			}
			number = rec.Number
			v.take(rec)
		}

		if err := r.Done(number); err != nil {
			v.t.Error(err)
		}
		if time.Since(busy) > 700*time.Millisecond {
			time.Sleep(300 * time.Millisecond)
			busy = time.Now()
		}
	}
}

// take notes one record. What one worker emitted for a binding comes in its order.
func (v *received) take(rec *experiment.Record) {
	v.dropped += rec.Dropped
	if rec.Kind != experiment.Point && rec.Kind != experiment.Span {
		if rec.Kind == experiment.Change {
			v.changes = append(v.changes, rec.Event.Name)
		}
		return
	}
	v.records[rec.Binding]++
	if rec.Err != "" || len(rec.Values) < 2 || !strings.HasPrefix(rec.Event.Name, rec.Binding) {
		v.t.Errorf("binding %s has the record %s", rec.Binding, text(rec))
	}

	worker, i := int64(-1), int64(-1)
	for _, a := range rec.Event.Attrs {
		switch a.Key {
		case "worker":
			worker, _ = a.Value.(int64)
		case "i":
			i, _ = a.Value.(int64)
		}
	}
	if worker < 0 {
		return // it is of another source
	}
	of := fmt.Sprint(rec.Binding, " ", worker)
	if last, seen := v.last[of]; seen && i <= last {
		v.t.Errorf("binding and worker %s: event %d comes after event %d", of, i, last)
	}
	v.last[of] = i
}

// check compares what was received with what was emitted, by binding: each event gave a record or is
// counted as dropped.
func (v *received) check(s experiment.Status) {
	for _, b := range s.Bindings {
		events := b.Emitted
		if b.Name == "region" {
			events /= 2 // begin and end give one record
		}
		if v.records[b.Name] == 0 || v.records[b.Name]+b.Dropped != events {
			v.t.Errorf("binding %s: %d events, %d records, %d dropped", b.Name, events, v.records[b.Name], b.Dropped)
		}
		if b.Failed != 0 {
			v.t.Errorf("%d samples of binding %s failed", b.Failed, b.Name)
		}
		if lossless := b.Policy == experiment.Wait || b.Policy == experiment.Spill; lossless && b.Dropped != 0 {
			v.t.Errorf("binding %s, which drops nothing, has dropped %d", b.Name, b.Dropped)
		}
	}
	if v.dropped != s.Dropped {
		v.t.Errorf("the records tell of %d dropped ones, the status of %d", v.dropped, s.Dropped)
	}
	if s.OpenRegions != 0 || s.SpoolError != nil {
		v.t.Errorf("%d regions are open, spool: %v", s.OpenRegions, s.SpoolError)
	}
	if diff := cmp.Diff([]string{"attached", "detached"}, v.changes); diff != "" {
		v.t.Error(diff)
	}
}

// String is what was received, for people.
func (v *received) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(v.records)) {
		fmt.Fprintf(&b, "%s %d, ", name, v.records[name])
	}
	return fmt.Sprintf("records: %sdropped and counted %d", b.String(), v.dropped)
}

// liveHeap watches what is in use after garbage was collected, while events are emitted.
type liveHeap struct {
	every time.Duration
	sizes []uint64
}

func (h *liveHeap) look() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	h.sizes = append(h.sizes, m.HeapAlloc)
}

func (h *liveHeap) watch(stop <-chan struct{}) {
	tick := time.NewTicker(h.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			h.look()
		case <-stop:
			h.look()
			return
		}
	}
}

// check allows what the records that may wait and the statistics of all processes take.
func (h *liveHeap) check(t *testing.T) {
	first, half := h.sizes[0], h.sizes[len(h.sizes)/2:]
	if grown := int64(slices.Max(h.sizes)) - int64(first); grown > 32<<20 {
		t.Errorf("the heap has grown by %d bytes: %d", grown, h.sizes)
	}
	t.Logf("heap in use: %d kB at the begin, then up to %d, in the second half %d to %d",
		first>>10, slices.Max(h.sizes)>>10, slices.Min(half)>>10, slices.Max(half)>>10)
}
