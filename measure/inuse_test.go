package measure_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
)

// threadOf returns the only thread of a frame, its context switches and their rate since another frame.
func threadOf(t *testing.T, older, newer frame.Frame) string {
	t.Helper()
	var cooker frame.Cooker
	if err := cooker.Set(older, newer, counter.Options{}); err != nil {
		return err.Error()
	}
	o, ok := newer.Find(winperf.ObjectID{Index: thread.Index})
	if !ok {
		return "no object Thread"
	}
	raw, _ := o.Raw(0, 0)
	rate := cooker.Object(o).Column(0)
	return fmt.Sprintf("%s %d, %v/s %v", o.Instance(0).Full(), raw, rate.Value(0), rate.Status[0])
}

// Costly objects of the last cycle and of the one before are valid while their next sample is taken.
func TestCostlyApartStaysValid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := measure.New(apartSource(), selection(t, switches, threadSwitches), measure.Options{Interval: 2 * time.Second})
		var before frame.Frame
		for n := range 6 {
			last := cycle(t, m).Frame
			time.Sleep(2 * time.Second) // the next sample of them is done
			synctest.Wait()

			if n > 0 {
				was := fmt.Sprintf("a/0 %d, /s no_previous", 100*(n-1))
				is := fmt.Sprintf("a/0 %d, 100/s ok", 100*n)
				if got := threadOf(t, frame.Frame{}, before); got != was {
					t.Errorf("cycle %d: the one before has %s, want %s", n, got, was)
				}
				if got := threadOf(t, before, last); got != is {
					t.Errorf("cycle %d: %s, want %s", n, got, is)
				}
			}
			before = last
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The newest sample of costly objects is not filled again, also if it has no block: their interface failed.
func TestCostlyApartWithoutBlock(t *testing.T) {
	src := apartSource()
	inner := src.costly.script
	src.costly.script = func(n int) sample {
		s := inner(n)
		s.partErr = errTest
		return s
	}
	n := 0
	rounds(t, src, selection(t, switches, threadSwitches), measure.Options{}, 6, 400*ms, func(_ time.Duration, c *measure.Cycle) {
		parts := c.Sample.Parts
		if len(parts) != 2 || !errors.Is(parts[1].Err, errTest) || !errors.Is(errors.Join(c.Damage...), errTest) {
			t.Errorf("cycle %d: parts %+v, damage %v", n, parts, c.Damage)
		}
		n++
	})
}

// pacedRecording returns samples and a capture of them: the first block changes with each sample, the second one,
// of the object Thread, with each fourth.
func pacedRecording(t *testing.T, n int) (all []*winperf.Sample, file []byte) {
	t.Helper()
	var b bytes.Buffer
	w := capture.NewWriter(&b, capture.Options{})
	blockOf := func(s sample) *winperf.Block {
		return winperf.Raw{Format: winperf.FormatV1, Schema: englishSchema, Bytes: s.block()}.Block()
	}
	var threads *winperf.Block
	for i := range n {
		if i%4 == 0 {
			k := uint64(i / 4)
			threads = blockOf(sample{at: int64(i), objects: []object{
				{Object: process, instances: []instance{proc("a", 4, 9, 0)}},
				{Object: thread, instances: []instance{{name: "0", parent: 1, raw: []uint64{400 * k * k}}}},
			}})
		}
		others := blockOf(sample{at: int64(i), objects: []object{
			{Object: system, instances: []instance{{raw: []uint64{7, 100 * uint64(i)}}}},
		}})
		only := []winperf.ObjectID{{Index: thread.Index}}
		s := &winperf.Sample{
			Schema: englishSchema,
			Parts:  []winperf.Part{{Block: others}, {Block: threads, Independent: true, Only: only}},
		}
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return all, b.Bytes()
}

// The samples of the last two cycles of a recording are valid until the next one is decoded, though nothing of them
// was decoded.
func TestRawOnlyStaysValid(t *testing.T) {
	all, file := pacedRecording(t, 20)
	sel := winperf.Selection{Global: true, Costly: true}
	m := measure.New(openLog(t, "x.capture", file), sel, measure.Options{RawOnly: true})
	defer m.Close()

	var valid []*winperf.Sample
	for n := range all {
		if err := errors.Join(prepare(t, m), take(t, m)); err != nil {
			t.Fatal(err)
		}
		for i, s := range valid {
			want := all[n-len(valid)+i]
			for k := range want.Parts {
				if diff := cmp.Diff(want.Parts[k].Block.Bytes, s.Parts[k].Block.Bytes); diff != "" {
					t.Errorf("sample %d: part %d of sample %d (-want +got):\n%s", n, k, n-len(valid)+i, diff)
				}
			}
		}

		c, err := m.Decode()
		if err != nil {
			t.Fatal(err)
		}
		valid = append(valid[max(0, len(valid)-1):], c.Sample)
	}
}

// A recorded block that a part is cooked against is valid as long as the part, whose block may be in many samples.
func TestRecordedStaysValid(t *testing.T) {
	all, file := pacedRecording(t, 20)
	m := measure.New(openLog(t, "x.capture", file), selection(t, switches, threadSwitches), measure.Options{})
	defer m.Close()

	rate := func(n int) string { return fmt.Sprint(100 * (2*(n/4) - 1)) }
	var before, last frame.Frame
	for n := range all {
		if err := errors.Join(prepare(t, m), take(t, m)); err != nil {
			t.Fatal(err)
		}
		if n > 4 {
			k := (n - 1) / 4
			want := fmt.Sprintf("a/0 %d, %s/s ok", 400*k*k, rate(n-1))
			if got := threadOf(t, before, last); got != want {
				t.Errorf("sample %d: the last frame has %s, want %s", n, got, want)
			}
		}

		c, err := m.Decode()
		if err != nil {
			t.Fatal(err)
		}
		before, last = last, c.Frame
		want := []string{`\\HOST\System\Context Switches/sec 100`, `\\HOST\Thread(a/0)\Context Switches/sec ` + rate(n)}
		if diff := cmp.Diff(want, lines(c.Readings())); n >= 4 && diff != "" {
			t.Errorf("sample %d (-want +got):\n%s", n, diff)
		}
	}
}
