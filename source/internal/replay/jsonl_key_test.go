package replay_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
	"github.com/winperf/winperf/source/internal/replay"
)

// TestJSONLKey checks that readings of several instances of one name keep their instances.
func TestJSONLKey(t *testing.T) {
	keys := []string{"7@0", "7@134085399981234567", "7/8@134085399981234567", ""}
	var list []winperf.Reading
	for i, key := range keys {
		s := winperf.NewSeries(winperf.Path{Object: "Process", Instance: "a", HasInstance: true, Counter: "C"})
		s.Key = key
		list = append(list, winperf.Reading{Series: s, Value: counter.Int(uint64(i))})
	}

	var b bytes.Buffer
	out, err := sink.New("jsonl", &b, sink.Options{})
	if err == nil {
		err = out.Write(winperf.FromFiletime(134085400000000000), winperf.ColumnsOf(list))
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, map[string][]byte{"a.jsonl": b.Bytes()})
	src, err := replay.OpenJSONL(replay.At("a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var sample winperf.Sample
	if err := q.Next(t.Context(), &sample); err != nil {
		t.Fatal(err)
	}

	readings, err := perftest.Displayed(&sample)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, r := range readings {
		got = append(got, r.Key)
		if n, _ := r.Value.Uint64(); n != uint64(i) {
			t.Errorf("the value of %s is %d, want %d", r.Key, n, i)
		}
	}
	if diff := cmp.Diff(keys, got); diff != "" {
		t.Error(diff)
	}
}

// TestJSONLTime checks that readings keep the nanoseconds of their times, with and without an age.
func TestJSONLTime(t *testing.T) {
	const line = `{"time":"2026-03-04T05:06:07.123456789Z","path":"\\O\\C","value":1,"unit":"count","status":"ok"`
	write(t, map[string][]byte{"a.jsonl": []byte(line + "}\n" + strings.Replace(line, `C"`, `D","age":0.25`, 1) + "}\n")})
	src, err := replay.OpenJSONL(replay.At("a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	c := measure.New(src, winperf.Selection{Global: true}, measure.Options{})
	defer c.Close()
	cycle, err := c.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	want := time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)
	if !cycle.Time.Equal(want) {
		t.Errorf("the sample is of %v, want %v", cycle.Time, want)
	}
	for i, r := range cycle.Readings() {
		if at := want.Add(-time.Duration(i) * 250 * time.Millisecond); !r.Time.Equal(at) {
			t.Errorf("%s is of %v, want %v", r.Series, r.Time, at)
		}
	}
	if n := cycle.Len(); n != 2 {
		t.Errorf("%d readings, want 2", n)
	}
}
