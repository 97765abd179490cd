package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/experiment"
)

// spool is a Spool in memory.
type spool struct {
	mu       sync.Mutex
	records  []*experiment.Record
	err      error         // of Append
	delay    time.Duration // that Append takes
	appended int
}

func (s *spool) Append(records []*experiment.Record) error {
	time.Sleep(s.delay)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.appended += len(records)
	s.records = append(s.records, records...)
	return nil
}

func (s *spool) Read(above uint64, max int) (found []*experiment.Record, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Number > above && len(found) < max {
			found = append(found, r)
		}
	}
	return found, nil
}

func (s *spool) Forget(through uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.records) > 0 && s.records[0].Number <= through {
		s.records = s.records[1:]
	}
	return nil
}

func (s *spool) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// numbered is a binding with a policy, of the events whose names begin with a word.
func numbered(word string, policy experiment.Policy, capacity int) experiment.Binding {
	return experiment.Binding{
		Name: word, Events: []string{word + "*"}, Paths: paths(`\System\Ticks`), Policy: policy, Capacity: capacity,
	}
}

// emit emits events word0, word1, ... and waits until their records are made.
func (r *rig) emit(ctx context.Context, word string, from, to int) {
	for i := from; i < to; i++ {
		r.program.Event(ctx, fmt.Sprint(word, i))
	}
	synctest.Wait()
}

// take takes all records that are there, as "number name" with what was dropped before each.
func (r *rig) take(n int) (all []string) {
	r.t.Helper()
	for len(all) < n {
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
		records, err := r.Next(ctx, n-len(all))
		cancel()
		if err != nil {
			r.t.Fatalf("%v, after %v", err, all)
		}
		for _, rec := range records {
			all = append(all, short(rec))
		}
	}
	return all
}

func short(rec *experiment.Record) string {
	s := fmt.Sprint(rec.Number, " ", rec.Event.Name)
	if rec.Dropped > 0 {
		s += fmt.Sprint(" -", rec.Dropped)
	}
	return s
}

func TestPolicies(t *testing.T) {
	for _, tt := range []struct {
		policy  experiment.Policy
		want    []string
		dropped uint64
	}{
		// Number 1 tells that the experiment was attached. Dropped records had numbers.
		{experiment.DropOldest, []string{"1 attached", "5 a3 -3", "6 a4", "7 a5", "8 b0", "9 a6"}, 3},
		{experiment.DropNewest, []string{"1 attached", "2 a0", "3 a1", "4 a2", "5 b0 -3", "6 a6"}, 3},
	} {
		t.Run(tt.policy.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{
					numbered("a", tt.policy, 3), numbered("b", experiment.Wait, 10),
				}})
				r.emit(t.Context(), "a", 0, 6)
				r.emit(t.Context(), "b", 0, 1)
				got := r.take(5)
				r.emit(t.Context(), "a", 6, 7)
				got = append(got, r.take(1)...)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				if s := r.Status(); s.Dropped != tt.dropped || s.Bindings[0].Dropped != tt.dropped || s.Bindings[1].Dropped != 0 {
					t.Errorf("status %+v", s)
				}
			})
		})
	}
}

func TestPolicyWords(t *testing.T) {
	for p := experiment.DropOldest; p <= experiment.Spill; p++ {
		if got, err := experiment.ParsePolicy(p.String()); got != p || err != nil {
			t.Errorf("policy %v reads back as %v, error %v", p, got, err)
		}
	}
	_, err := experiment.ParsePolicy("drop_older")
	if !errors.Is(err, experiment.ErrUnknown) || !strings.Contains(err.Error(), `did you mean "drop_oldest"?`) {
		t.Errorf("error %v", err)
	}
}

// Records with many values take the space of several.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wide := experiment.Binding{
			Events: []string{"*"}, Paths: paths(`\System\Ticks`, `\System\Work`), Policy: experiment.DropOldest, MaxValues: 7,
		}
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{wide}})
		r.emit(t.Context(), "a", 0, 5)
		if diff := cmp.Diff([]string{"1 attached", "4 a2 -2", "5 a3", "6 a4"}, r.take(4)); diff != "" {
			t.Error(diff)
		}
	})
}

// Where memory is full a binding that waits holds up its events, until somebody takes a record.
func TestPolicyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{numbered("a", experiment.Wait, 2)}})
		r.emit(t.Context(), "a", 0, 2)
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.program.Event(t.Context(), "a2") // its record waits
			r.program.Event(t.Context(), "a3") // it waits for its sample
		}()
		synctest.Wait()
		select {
		case <-done:
			t.Error("events are measured, though there is no room for their records")
		default:
		}
		got := r.take(2)
		<-done
		got = append(got, r.take(3)...)
		if diff := cmp.Diff([]string{"1 attached", "2 a0", "3 a1", "4 a2", "5 a3"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// At its end an experiment waits for space as long as it was told, and counts what it drops then.
func TestDetachDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{numbered("a", experiment.Wait, 2)}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.emit(ctx, "a", 0, 5)
		hurry, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if err := r.Detach(hurry); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if d := time.Since(start); d != time.Minute {
			t.Errorf("it took %v", d)
		}
		var got []string
		for _, rec := range r.rest() {
			got = append(got, short(rec))
		}
		if diff := cmp.Diff([]string{"1 attached", "2 a0", "3 a1", "4 detached -3"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// What memory has no space for goes to the spool, and comes back in its order.
func TestSpill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spool{delay: time.Millisecond}
		r := begin(t, newFake(nil), experiment.Options{Spool: s, Bindings: []experiment.Binding{
			numbered("a", experiment.Spill, 10), numbered("b", experiment.Wait, 1000),
		}})
		for i := range 100 {
			r.program.Event(t.Context(), fmt.Sprint("a", i))
			r.program.Event(t.Context(), fmt.Sprint("b", i))
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		if st := r.Status(); s.appended < 150 || st.Spilled == 0 || st.Waiting > 20 || st.Dropped != 0 {
			t.Errorf("%d records were spilled, status %+v", s.appended, st)
		}

		records := r.end()
		seen := map[string]bool{}
		for _, rec := range records {
			seen[rec.Event.Name] = true
		}
		if len(records) != 200 || len(seen) != 200 {
			t.Errorf("%d records of %d events", len(records), len(seen))
		}
		must(t, r.Done(records[len(records)-1].Number))
		if len(s.records) != 0 {
			t.Errorf("the spool has %d records that were delivered", len(s.records))
		}
	})
}

// As long as all records of a binding are on their way to the spool, the newest one behind them is kept.
func TestDropOldestSpilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{
			Spool:    &spool{delay: time.Second},
			Bindings: []experiment.Binding{numbered("a", experiment.DropOldest, 2), numbered("b", experiment.Spill, 2)},
		})
		r.emit(t.Context(), "a", 0, 2)
		r.emit(t.Context(), "b", 0, 1) // has all of them spilled
		r.emit(t.Context(), "a", 2, 5)
		time.Sleep(time.Minute)
		r.emit(t.Context(), "a", 5, 6)
		got := []string{}
		for _, rec := range r.end() {
			got = append(got, short(rec))
		}
		if diff := cmp.Diff([]string{"2 a0", "3 a1", "4 b0", "7 a4 -2", "8 a5"}, got); diff != "" {
			t.Error(diff)
		}
		if s := r.Status(); s.Dropped != 2 || s.Bindings[0].Dropped != 2 {
			t.Errorf("status %+v", s)
		}
	})
}

// A spool may drop what is too old or too much: delivery goes on with what there is.
func TestSpoolDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spool{}
		r := begin(t, newFake(nil), experiment.Options{Spool: s, Bindings: []experiment.Binding{numbered("a", experiment.Spill, 4)}})
		r.emit(t.Context(), "a", 0, 20)
		if s.appended == 0 {
			t.Fatal("nothing was spilled")
		}
		lost := s.appended
		must(t, s.Forget(1000))
		r.emit(t.Context(), "a", 20, 21)
		records := r.end()
		if len(records)+lost-1 != 21 || records[len(records)-1].Event.Name != "a20" { // one that is lost told of the begin
			t.Errorf("%d records were lost, %d came", lost, len(records))
		}
	})
}

// A spool that fails is left alone for a while; what there is no space for is dropped and counted.
func TestSpoolFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spool{}
		s.fail(errors.New("disk full"))
		r := begin(t, newFake(nil), experiment.Options{Spool: s, Bindings: []experiment.Binding{numbered("a", experiment.Spill, 4)}})
		r.emit(t.Context(), "a", 0, 10)
		if st := r.Status(); st.SpoolError == nil || st.Dropped != 6 {
			t.Errorf("status %+v", st)
		}
		s.fail(nil)
		time.Sleep(time.Minute)
		r.emit(t.Context(), "a", 10, 12) // the first one finds no space, and has the spool tried again
		time.Sleep(time.Minute)
		r.emit(t.Context(), "a", 12, 20)
		time.Sleep(time.Minute)

		var got []string
		dropped := uint64(0)
		records := r.end()
		for _, rec := range records {
			got = append(got, rec.Event.Name)
			dropped += rec.Dropped
		}
		if uint64(len(got))+dropped != 20 || strings.Join(got[:4], " ") != "a0 a1 a2 a3" || got[len(got)-1] != "a19" || len(got) < 12 {
			t.Errorf("records %v, %d dropped", got, dropped)
		}
		if st := r.Status(); st.SpoolError != nil || st.Dropped != dropped {
			t.Errorf("status %+v, %d dropped", st, dropped)
		}
	})
}

// Delivery is told once that there are many records, and again when there were few meanwhile.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []int
		r := begin(t, newFake(nil), experiment.Options{
			Limit: 4, OnLimit: func(n int) { told = append(told, n) },
			Bindings: []experiment.Binding{numbered("a", experiment.Wait, 100)},
		})
		r.emit(t.Context(), "a", 0, 8)
		r.take(9)
		r.emit(t.Context(), "a", 8, 20)
		if diff := cmp.Diff([]int{4, 4}, told); diff != "" {
			t.Error(diff)
		}
	})
}

// Next waits for a record, for the end of its context, and for that of the experiment.
func TestNextWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{numbered("a", experiment.Wait, 100)}})
		r.take(1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Next(ctx, 10); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}

		ends := make(chan error, 3)
		for range 3 {
			go func() {
				for {
					if _, err := r.Next(context.Background(), 1); err != nil {
						ends <- err
						return
					}
				}
			}()
		}
		r.emit(t.Context(), "a", 0, 10)
		must(t, r.Detach(context.Background()))
		for range 3 {
			if err := <-ends; !errors.Is(err, io.EOF) {
				t.Errorf("error %v", err)
			}
		}
	})
}

// An event that nobody takes before its context ends is counted.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(context.Context, int) error { time.Sleep(time.Second); return nil })
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{numbered("a", experiment.Wait, 1000)}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		var all sync.WaitGroup
		for i := range 300 {
			all.Go(func() { r.program.Event(ctx, fmt.Sprint("a", i)) })
		}
		all.Wait()
		records := r.end()
		dropped := uint64(0)
		for _, rec := range records {
			dropped += rec.Dropped
		}
		// One is being measured, and 256 wait.
		if len(records) != 257 || dropped != 43 {
			t.Errorf("%d records, %d dropped", len(records), dropped)
		}
	})
}

// Statistics by event name: of the values of points, and of the values and differences of regions.
func TestAggregate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := experiment.Binding{
			Events: []string{"*"}, Paths: paths(`\System\Ticks`, `\System\Work`),
			Aggregate: &experiment.Aggregate{Only: true, Percentiles: []float64{50}},
		}
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{b}})
		for range 5 {
			r.program.Event(t.Context(), "point") // samples 2 to 6
		}
		for n := range 3 { // 7 to 8, 9 to 11, 12 to 15
			_, region := r.program.Region(t.Context(), "region")
			for range n {
				r.program.Event(t.Context(), "between")
			}
			region.End()
		}

		asked := r.Summaries()
		got := map[string]string{}
		stored := r.end()
		if diff := cmp.Diff(texts(stored), texts(asked)); diff != "" {
			t.Errorf("on request and at the end: %s", diff)
		}
		for _, rec := range stored {
			if rec.Kind != experiment.Summary {
				t.Errorf("record %s", text(rec))
			}
			for _, v := range rec.Values {
				s := v.Statistics
				name := fmt.Sprint(rec.Event.Name, " ", v.Path[strings.LastIndexByte(v.Path, '\\')+1:], " ", s.Difference)
				got[name] = fmt.Sprintf("%d of %g to %g, mean %g within %.3f to %.3f, median %g, unit %v",
					s.Count, s.Min, s.Max, s.Mean, s.Low, s.High, s.Percentiles[0], v.Unit)
			}
		}
		want := map[string]string{
			"between Ticks false": "3 of 10 to 14, mean 12.333333333333334 within 7.162 to 17.504, median 13, unit count",
			"between Work false":  "3 of 10 to 10, mean 10 within 10.000 to 10.000, median 10, unit per_second",
			"point Ticks false":   "5 of 2 to 6, mean 4 within 2.037 to 5.963, median 4, unit count",
			"point Work false":    "5 of 10 to 10, mean 10 within 10.000 to 10.000, median 10, unit per_second",
			"region Ticks false":  "3 of 8 to 15, mean 11.333333333333334 within 2.609 to 20.057, median 11, unit count",
			"region Work false":   "3 of 10 to 10, mean 10 within 10.000 to 10.000, median 10, unit per_second",
			"region Work true":    "3 of 10 to 30, mean 20 within -4.841 to 44.841, median 20, unit count",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Statistics are made at the end, whatever waits then, and take no record's place.
func TestAggregateFull(t *testing.T) {
	for _, policy := range []experiment.Policy{
		experiment.DropOldest, experiment.DropNewest, experiment.Wait, experiment.Spill,
	} {
		synctest.Test(t, func(t *testing.T) {
			b := numbered("a", policy, 2)
			b.Aggregate = &experiment.Aggregate{}
			s := &spool{err: errors.New("disk full")}
			r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{b}, Spool: s})
			r.emit(t.Context(), "a", 0, 2)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			must(t, r.Detach(ctx))

			var got []string
			for _, rec := range r.rest() {
				got = append(got, fmt.Sprint(rec.Kind, " ", short(rec)))
			}
			want := []string{"2 1 attached", "0 2 a0", "0 3 a1", "3 4 a0", "3 5 a1", "2 6 detached"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v: %s", policy, diff)
			}
		})
	}
}

// An event can be joined with what other systems know of it.
func TestLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		links := func(ctx context.Context) (_, _, _ string) {
			id, _ := ctx.Value(key{}).(string)
			return "t" + id, "s" + id, "k" + id
		}
		r := begin(t, newFake(nil), experiment.Options{Links: links, Bindings: []experiment.Binding{bound("*")}})
		r.program.Event(context.WithValue(t.Context(), key{}, "1"), "point")
		ctx, region := r.program.Region(context.WithValue(t.Context(), key{}, "2"), "region")
		r.program.Event(ctx, "inside")
		region.End()
		for i, rec := range r.end() {
			e, id := rec.Event, []string{"1", "2", "2"}[i]
			if e.Trace != "t"+id || e.SpanID != "s"+id || e.Task != "k"+id {
				t.Errorf("event %+v", e)
			}
		}
	})
}
