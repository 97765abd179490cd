package foreign_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

// restless gives steady's processes and one more, which is another one in every sample below until.
func restless(until int) func(n int) []proc {
	return func(n int) []proc {
		return append(steady(n), proc{"worker", uint64(100 + min(n, until)), 0, uint64(10 * n), 7})
	}
}

// anomalies reads what was unusual.
func anomalies(t *testing.T, l *foreign.Library, h foreign.Handle) []string {
	t.Helper()
	size, code := l.AnomaliesSize(h, foreign.Plain)
	must(t, l, h, code)
	text := make([]byte, size)
	_, code = l.Anomalies(h, foreign.Plain, text)
	must(t, l, h, code)
	all := list(t, text)
	if n, code := l.AnomaliesCount(h, foreign.Plain); code != foreign.OK || n != len(all) {
		t.Errorf("%d anomalies, code %d, and %q", n, code, all)
	}
	return all
}

// Decode samples again until two samples hold the same instances, at most as often as it is set to. The
// values are those of the instances of the last sample.
func TestHiddenPreparation(t *testing.T) {
	for _, tt := range []struct {
		name    string
		until   int // the sample from which on nothing changes
		retries int32
		samples int // of the cycle
		code    foreign.Code
		values  []string // of ID Process
	}{
		{"nothing changes", 0, 3, 1, foreign.OK, []string{"12", "13", "100"}},
		{"one more sample", 1, 3, 2, foreign.OK, []string{"12", "13", "101"}},
		{"as often as set", 3, 3, 4, foreign.OK, []string{"12", "13", "103"}},
		{"always", 99, 3, 4, foreign.Anomaly, []string{"12", "13", "104"}},
		{"never again", 1, 0, 1, foreign.Anomaly, []string{"12", "13", "101"}},
		{"more often", 99, 7, 8, foreign.Anomaly, []string{"12", "13", "108"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{script: restless(tt.until)}
			l, src := opened(t, f)
			must(t, l, src, l.Set(src, foreign.Retries, tt.retries))
			h := snapshot(t, l, src, foreign.Custom, foreign.Request{Object: 230, Counter: 784}, foreign.Request{Object: 2})
			before := f.taken
			if code := cycle(t, l, h); code != tt.code {
				t.Errorf("code %d: %s", code, errorText(l, h))
			}
			if f.taken-before != tt.samples {
				t.Errorf("%d samples, want %d", f.taken-before, tt.samples)
			}

			var values []string
			for _, line := range lines(items(t, l, h)) {
				if at, value, _ := strings.Cut(line, " 32-bit "); strings.HasPrefix(at, "230/784#") {
					values = append(values, value)
				}
			}
			if !slices.Equal(values, tt.values) {
				t.Errorf("values %q, want %q", values, tt.values)
			}
			told := anomalies(t, l, h)
			if (len(told) > 0) != (tt.until > 0) {
				t.Errorf("anomalies %q", told)
			}
			if tt.code == foreign.Anomaly && !strings.Contains(errorText(l, h), "instances_came: Process: worker") {
				t.Errorf("the error is %q", errorText(l, h))
			}
		})
	}
}

// noStart makes a process whose start is not known.
const noStart = epoch / second

// accelerating gives an editor that has used 5 n² hundredths of a second at sample n, a shell that has used
// 20 n, and a worker with 40 n, which is another process where workers says so.
func accelerating(workers []int) func(n int) []proc {
	return func(n int) []proc {
		return []proc{
			{"editor", 12, 5, uint64(5 * n * n), 1},
			{"worker", uint64(workers[n]), noStart, uint64(40 * n), 2},
			{"shell", 13, 4, uint64(20 * n), 3},
		}
	}
}

// The values of a cycle are those since the last complete cycle, however many samples decode takes. An
// instance without a start time that was not there then has no value yet.
func TestValuesSinceLastDecode(t *testing.T) {
	f := &fake{script: accelerating([]int{100, 101, 102, 102, 102, 103, 0, 103, 103, 104, 105, 106, 107})}
	f.onSample = func(_ context.Context, n int) error {
		if n == 6 {
			return errors.New("the disk is gone")
		}
		return nil
	}
	l, src := opened(t, f)
	h := snapshot(t, l, src, foreign.Custom, foreign.Request{Object: 230, Counter: 6}, foreign.Request{Object: 230, Counter: 784})

	for _, tt := range []struct {
		samples string
		code    foreign.Code
		want    map[uint64]string // % Processor Time by process id
	}{
		{"1, 2 and 3, since 0", foreign.OK, map[uint64]string{12: "15", 102: "no_previous", 13: "20"}},
		{"4, since 3", foreign.OK, map[uint64]string{12: "35", 102: "40", 13: "20"}},
		{"5 and 6, which fails", foreign.Failed, nil},
		{"7, since 4", foreign.OK, map[uint64]string{12: "55", 103: "no_previous", 13: "20"}},
		{"8, since 7", foreign.OK, map[uint64]string{12: "75", 103: "40", 13: "20"}},
		{"9 to 12, since 8", foreign.Anomaly, map[uint64]string{12: "100", 107: "no_previous", 13: "20"}},
	} {
		if code := cycle(t, l, h); code != tt.code {
			t.Errorf("%s: code %d: %s", tt.samples, code, errorText(l, h))
		}
		if tt.want == nil {
			continue
		}
		if diff := cmp.Diff(tt.want, processorTimes(t, l, h)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.samples, diff)
		}
	}
}

// The values since the last complete cycle are those of the instances that a sensor names.
func TestSensorSinceLastDecode(t *testing.T) {
	l, src := opened(t, &fake{script: accelerating([]int{100, 101, 102, 102, 102})})
	h, code := l.CreateSensors(src, []string{`\Process(shell)\% Processor Time`, `\Process(worker)\% Processor Time`}, 0)
	must(t, l, src, code)
	for _, want := range [][]string{
		{"230/6#2@0 decimal 20", "230/6#1@1 decimal no_previous"}, // samples 1, 2 and 3, since 0
		{"230/6#2@0 decimal 20", "230/6#1@1 decimal 40"},
	} {
		must(t, l, h, cycle(t, l, h))
		if got := lines(items(t, l, h)); !slices.Equal(got, want) {
			t.Errorf("values %q, want %q", got, want)
		}
	}
}

// An instance that began after the last complete cycle counts from zero, also if its process id was used before,
// however many samples decode takes. One that began earlier has no previous sample.
func TestNewProcessesCountFromZero(t *testing.T) {
	began := func(second int) uint64 { return uint64(-second) }
	f := &fake{script: func(n int) []proc {
		procs := []proc{{"editor", 12, 5, uint64(50 * n), 1}}
		if n == 0 {
			return append(procs, proc{"shell", 13, 4, 9000, 2})
		}
		return append(procs, proc{"shell", 13, began(1), uint64(30 * (n - 1)), 2}, // another one
			proc{"burn", 14, began(1), uint64(80 * (n - 1)), 3}, proc{"hidden", 15, 4, uint64(1000 + 10*n), 4})
	}}
	l, src := opened(t, f)
	h := snapshot(t, l, src, foreign.Custom, foreign.Request{Object: 230, Counter: 6}, foreign.Request{Object: 230, Counter: 784})

	for _, want := range []map[uint64]string{
		{12: "50", 13: "15", 14: "40", 15: "no_previous"}, // samples 1 and 2, since 0
		{12: "50", 13: "30", 14: "80", 15: "10"},
	} {
		must(t, l, h, cycle(t, l, h))
		if diff := cmp.Diff(want, processorTimes(t, l, h)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if told := anomalies(t, l, h); len(told) != 0 {
		t.Errorf("anomalies %q", told)
	}
}

// With the flag PDHExact a process that began after the last complete cycle has no rate in that cycle.
func TestNewProcessesAsPDH(t *testing.T) {
	f := &fake{script: func(n int) []proc {
		procs := []proc{{"editor", 12, 5, uint64(50 * n), 1}}
		if n > 0 {
			procs = append(procs, proc{"burn", 14, ^uint64(0), uint64(80 * (n - 1)), 2}) // began after 1 s
		}
		return procs
	}}
	l, src := opened(t, f)
	requests := []foreign.Request{{Object: 230, Counter: 6}, {Object: 230, Counter: 784}}
	h, code := l.Create(src, foreign.Custom, requests, foreign.ByPID|foreign.PDHExact)
	if code != foreign.OK {
		t.Fatalf("code %d: %s", code, errorText(l, src))
	}

	for _, want := range []map[uint64]string{{12: "50", 14: "no_previous"}, {12: "50", 14: "80"}} {
		must(t, l, h, cycle(t, l, h))
		if diff := cmp.Diff(want, processorTimes(t, l, h)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if told := strings.Join(anomalies(t, l, h), "\n"); strings.Contains(told, "instance_began") {
			t.Errorf("anomalies %q", told)
		}
	}
}

// processorTimes are the values of % Processor Time by process id, which the snapshot has, too.
func processorTimes(t *testing.T, l *foreign.Library, h foreign.Handle) map[uint64]string {
	t.Helper()
	all := items(t, l, h)
	ids, times := map[int32]uint64{}, map[uint64]string{}
	for _, it := range all {
		if it.Counter == 784 {
			ids[it.Instance] = it.Value
		}
	}

	for i, line := range lines(all) {
		if all[i].Counter == 6 {
			times[ids[all[i].Instance]] = line[strings.LastIndex(line, " ")+1:]
		}
	}
	return times
}

// A new instance without a start time has a rate from its second sample on, also where there is always a
// newer one.
func TestNewInstances(t *testing.T) {
	f := &fake{script: func(n int) []proc {
		procs := steady(n)
		for i := range n {
			procs = append(procs, proc{"worker", uint64(100 + i), noStart, uint64(10 * n), uint64(i)})
		}
		return procs
	}}
	l, src := opened(t, f)
	must(t, l, src, l.Set(src, foreign.Retries, 0))
	h := snapshot(t, l, src, foreign.Custom, foreign.Request{Object: 230, Counter: 6})
	for n := range 5 {
		if code := cycle(t, l, h); code != foreign.Anomaly {
			t.Errorf("code %d", code)
		}
		want := []string{"230/6#0@0 decimal 100", "230/6#1@0 decimal 0", "230/6#2@0 decimal 10", "230/6#3@0 decimal 10", "230/6#4@0 decimal 10", "230/6#5@0 decimal 10"}
		want = append(want[:2+n], fmt.Sprintf("230/6#%d@0 decimal no_previous", 2+n))
		if got := lines(items(t, l, h)); !slices.Equal(got, want) {
			t.Errorf("cycle %d: %q", n, got)
		}
	}
}

// A record has each sample once: decode passes over none of them.
func TestRecorded(t *testing.T) {
	l, src := opened(t, &fake{script: restless(99), recorded: 4})
	h := snapshot(t, l, src, foreign.Global)
	for n := 1; n < 4; n++ {
		if code := cycle(t, l, h); code != foreign.Anomaly {
			t.Errorf("sample %d: code %d", n, code)
		}
	}
	must(t, l, h, l.Prepare(h, foreign.Plain))
	if code := l.Sample(h, foreign.Plain); code != foreign.End {
		t.Errorf("after the last sample: code %d", code)
	}
}

// Sample reports that memory had to grow. The values are complete all the same.
func TestGrowth(t *testing.T) {
	f := &fake{script: func(n int) []proc {
		procs := steady(n)
		if n == 1 {
			for i := range 5000 {
				procs = append(procs, proc{"worker", uint64(100 + i), 0, 0, 0})
			}
		}
		return procs
	}}
	l, src := opened(t, f)
	must(t, l, src, l.Set(src, foreign.Retries, 0))
	h := snapshot(t, l, src, foreign.Custom, foreign.Request{Object: 230})
	must(t, l, h, l.Prepare(h, foreign.Plain))
	if code := l.Sample(h, foreign.Plain); code != foreign.Anomaly || !strings.Contains(errorText(l, h), "buffer_grew") {
		t.Errorf("code %d: %s", code, errorText(l, h))
	}
	if state := stateOf(l, h); state != "sampled" {
		t.Errorf("the state is %s", state)
	}
	if code := l.Decode(h, foreign.Plain); code != foreign.Anomaly {
		t.Errorf("decode: code %d", code)
	}
	if got := len(items(t, l, h)); got != 4*5002 {
		t.Errorf("%d items of 5,002 processes", got)
	}
}
