package foreign_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/foreign"
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

// Decode samples again until two samples hold the same instances, at most as often as it is
// set to. Then the values are those of the instances that both have.
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
		{"always", 99, 3, 4, foreign.Anomaly, []string{"12", "13"}},
		{"never again", 1, 0, 1, foreign.Anomaly, []string{"12", "13"}},
		{"more often", 99, 7, 8, foreign.Anomaly, []string{"12", "13"}},
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

// A new instance is measured from its second sample on, also where there is always a newer one.
func TestNewInstances(t *testing.T) {
	f := &fake{script: func(n int) []proc {
		procs := steady(n)
		for i := range n {
			procs = append(procs, proc{"worker", uint64(100 + i), 0, uint64(10 * n), uint64(i)})
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
		if got := lines(items(t, l, h)); !slices.Equal(got, want[:2+n]) {
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

// Sample tells that memory had to grow; the values are there all the same, of the instances
// that both samples have.
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
	if got := len(items(t, l, h)); got != 8 {
		t.Errorf("%d items of two processes", got)
	}
}
