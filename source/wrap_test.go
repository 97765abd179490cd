package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/source"
)

// wrapped is a source around another one, and its queries are around that one's.
type wrapped struct{ winperf.Source }

func (w wrapped) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	q, err := w.Source.Compile(ctx, sel)
	return wrappedQuery{q}, err
}

type wrappedQuery struct{ winperf.Query }

// logs writes a log of each kind, all of them damaged somewhere.
func logs(t *testing.T) []string {
	t.Helper()
	samples := perftest.Series(perftest.Small, 9, 10, 1)
	var captured, binary bytes.Buffer
	c := capture.NewWriter(&captured, capture.Options{GroupSamples: 2})
	b, err := pdhlog.NewWriter(&binary, pdhlog.Options{Layout: pdhlog.Objects, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	var pool frame.Pool
	names, _ := nametable.FromSchema(nil)
	for i := range samples {
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: samples[i].Bytes}
		s := raw.Sample()
		if i > 2 { // of two interfaces from here on
			other := perftest.Series(perftest.Small, 1, 0, 7)[0]
			s.Parts = append(s.Parts, winperf.Part{Name: "other", Block: winperf.Raw{Format: winperf.FormatV1, Bytes: other.Bytes}.Block(),
				Only: []winperf.ObjectID{{Index: perftest.Thread}}})
		}
		f, err := pool.Decode(raw.Sample(), frame.Frame{})
		if err := errors.Join(err, c.Write(s), b.Write(f, names)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(c.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	damaged := captured.Bytes()
	damaged[len(damaged)/2] ^= 0xff
	write(t, map[string]string{
		"a.csv": textLog + "\"01/02/2026 12:00:01.000\",\"1\n" + textLog,
		"b.tsv": "\"(PDH-TSV 4.0) (X)(0)\"\t\"\\\\H\\O(i)\\a\"\n\"01/02/2026 12:00:00.000\"\t\"x\"\n",
		"c.cap": string(damaged),
		"d.blg": string(binary.Bytes()[:binary.Len()-70_000]),
		"e.bin": string(samples[0].Bytes[:len(samples[0].Bytes)-50]), "f.bin": string(samples[1].Bytes),
	})
	return []string{"a.csv", "b.tsv", "c.cap", "d.blg", "perfdata:e.bin,f.bin"}
}

// told is all that is to be learned from a source.
func told(t *testing.T, src winperf.Source, sel winperf.Selection) (all []string) {
	t.Helper()
	d := src.Describe()
	all = append(all, fmt.Sprint(d.Machine, d.Recorded, d.Samples, d.Cooked, d.Costly != nil, d.Anomalies != nil), fmt.Sprintf("%+v", d.Log))
	schema, err := winperf.CostlySchema(t.Context(), src)
	all = append(all, fmt.Sprint(schema != nil, err))

	for cycle, err := range measure.Watch(t.Context(), src, sel, measure.Options{KeepFirst: true, Count: 20}) {
		if err != nil {
			return append(all, err.Error())
		}
		all = append(all, fmt.Sprint(cycle.Time, cycle.Damage, cycle.Anomalies, cycle.Cost.Bytes, cycle.Sample.At, cycle.Sample.Of, len(cycle.Sample.Parts)))
		for _, r := range cycle.Readings() {
			all = append(all, fmt.Sprint(r.Series.String(), r.Time, r.Value, r.Status, r.Anomalies))
		}
	}
	return all
}

// Whoever wraps a source, and its queries, loses nothing of what can be learned from
// it, for every kind of source and selection.
func TestWrapped(t *testing.T) {
	begin := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for _, name := range logs(t) {
		for kind, sel := range map[string]winperf.Selection{
			"all":         {Global: true, Costly: true},
			"definitions": {Global: true, Metadata: true},
			"a time":      {Global: true, Begin: begin, End: begin.Add(time.Minute)},
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				src, err := source.Open(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				defer src.Close()
				want := told(t, src, sel)
				if len(want) < 4 && kind != "a time" {
					t.Fatalf("nothing is told: %q", want)
				}
				if diff := cmp.Diff(want, told(t, wrapped{src}, sel)); diff != "" {
					t.Errorf("(-plain +wrapped):\n%s", diff)
				}
			})
		}
	}
}

// The same of this machine, whose values are others each time.
func TestWrappedLocal(t *testing.T) {
	src, err := source.Open(t.Context(), "local:")
	if errors.Is(err, winperf.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range []winperf.Source{src, wrapped{src}, wrapped{wrapped{src}}} {
		d, was := s.Describe(), src.Describe()
		if d.Machine == "" || d.Machine != was.Machine || d.Recorded || (d.Anomalies == nil) != (was.Anomalies == nil) || (d.Costly == nil) != (was.Costly == nil) {
			t.Errorf("wrapped %d times on %s: %+v", i, host, d)
		}
		if list, _ := d.Anomalies(nil, 0); len(list) > 0 {
			t.Errorf("anomalies %v", list)
		}
	}
}
