package pdhlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/zone"
)

// testHead is the head of the logs that tests make.
func testHead() Header {
	return Header{
		LogName: `C:\PerfLogs\test.blg`, GUID: winperf.GUID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		Major: 6, Minor: 2, Build: 9200, PointerSize: 8, PerfFreq: 2_000_000, Processors: 1, BufferSize: 16 << 10,
		Start: testStart,
		zone: zone.Info{
			Bias:         480,
			StandardName: "Pacific Standard Time", StandardDate: zone.Date{Month: 11, Day: 1, Hour: 2},
			DaylightName: "Pacific Daylight Time", DaylightDate: zone.Date{Month: 3, Day: 2, Hour: 2}, DaylightBias: -60,
		},
	}
}

var testStart = time.Date(2013, 2, 20, 2, 50, 17, 844_722_500, time.UTC)

func utf16Name(s string) Name {
	b := appendUTF16Z(nil, s)
	return b[:len(b)-2]
}

// testList has a counter of each kind, as they are in logs.
func testList() []Counter {
	path := func(s string) winperf.Path {
		p, err := winperf.ParsePath(s)
		if err != nil {
			panic(err)
		}
		return p
	}
	return []Counter{
		{Kind: Single, Path: path(`\\HOST\PhysicalDisk(0 C:)\Avg. Disk Bytes/Read`), Type: counter.AverageBulk, TimeBase: 2_000_000, Scale: -2},
		{Kind: Single, Path: path(`\\HOST\Thread(editor/7#2)\Context Switches/sec`), Parent: "editor", Type: counter.CounterCounter, TimeBase: 2_000_000},
		{Kind: Single, Path: path(`\\HOST\System\System Up Time`), Type: counter.ElapsedTime, TimeBase: 10_000_000, Scale: -5},
		{Kind: Array, Path: path(`\\HOST\Processor(*)\% Processor Time`), Type: counter.TimerInv100NSec, TimeBase: 10_000_000},
	}
}

// testSamples are samples of testList, a second apart.
func testSamples(list []Counter, n int) []Sample {
	var all []Sample
	for i := range n {
		utc := winperf.ToFiletime(testStart) + int64(i)*10_000_000
		s := Sample{Local: utc - 8*60*ticksPerMinute, Time: winperf.FromFiletime(utc), Ahead: -8 * time.Hour}
		for k := range list {
			v := Value{Counter: &list[k], Kind: list[k].Kind}
			switch v.Kind {
			case Single:
				v.First, v.Second, v.Multi = int64(1000*k+7*i), utc+int64(k), 1
			case Array:
				for p := range 3 {
					v.Items = append(v.Items, Item{Name: utf16Name(fmt.Sprint(p)), First: int64(100_000*p + 31*i), Second: utc})
				}
				v.Items = append(v.Items, Item{Name: utf16Name("_Total"), First: int64(99 * i), Second: utc})
			}
			s.Values = append(s.Values, v)
		}
		all = append(all, s)
	}
	return all
}

// makeBLG writes a log.
func makeBLG(t testing.TB, head Header, list []Counter, samples []Sample) []byte {
	t.Helper()
	var file seekBuffer
	o := output{w: &file}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(o.begin(head))
	check(o.record(typeList, winperf.ToFiletime(head.Start), winperf.ToFiletime(head.Start), appendList(nil, list)))
	for i := range samples {
		check(o.record(typeSample, samples[i].Local, winperf.ToFiletime(samples[i].Time), appendSample(nil, &samples[i])))
	}
	check(o.end())
	return file.b
}

// seekBuffer is a file in memory.
type seekBuffer struct {
	b  []byte
	at int64
}

func (s *seekBuffer) Write(p []byte) (int, error) {
	if grow := s.at + int64(len(p)) - int64(len(s.b)); grow > 0 {
		s.b = append(s.b, make([]byte, grow)...)
	}
	n := copy(s.b[s.at:], p)
	s.at += int64(n)
	return n, nil
}

func (s *seekBuffer) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += int64(len(s.b))
	}
	s.at = offset
	return s.at, nil
}

// readBLG is what a log holds. Samples are copies.
type readBLG struct {
	head    Header
	list    []Counter
	samples []Sample
	told    int
	damage  []error
}

// readWhole reads a log to its end.
func readWhole(t testing.TB, b []byte) readBLG {
	t.Helper()
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	all := readBLG{}
	var s Sample
	for {
		err := r.Next(&s)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all.samples = append(all.samples, copySample(&s))
	}
	all.head, all.list, all.told, all.damage = r.Header(), r.Counters(), r.Samples(), r.Damage()
	return all
}

func copySample(s *Sample) Sample {
	c := *s
	c.items = nil
	c.Values = append([]Value(nil), s.Values...)
	for i := range c.Values {
		v := &c.Values[i]
		v.Items = append([]Item(nil), v.Items...)
		for k := range v.Items {
			v.Items[k].Name = bytes.Clone(v.Items[k].Name)
		}
		v.Block = bytes.Clone(v.Block)
	}
	return c
}

// partOf tells what a sample has that is not the same in the whole one; "" is
// nothing.
func partOf(part, whole *Sample) string {
	if part.Offset != whole.Offset || part.Local != whole.Local {
		return fmt.Sprintf("at %d of %d, expected at %d of %d", part.Local, part.Offset, whole.Local, whole.Offset)
	}
	if len(part.Values) > len(whole.Values) {
		return fmt.Sprintf("%d values of %d", len(part.Values), len(whole.Values))
	}
	for i := range part.Values {
		p, w := &part.Values[i], &whole.Values[i]
		if p.Err == nil && !sameValue(p, w) {
			return fmt.Sprintf("value %d is %+v, expected %+v", i, p, w)
		}
	}
	return ""
}

// sameValue compares what a log has for an entry.
func sameValue(a, b *Value) bool {
	if a.Kind != b.Kind || a.Status != b.Status || a.First != b.First || a.Second != b.Second || a.Multi != b.Multi ||
		len(a.Items) != len(b.Items) || !bytes.Equal(a.Block, b.Block) {
		return false
	}
	for i := range a.Items {
		x, y := &a.Items[i], &b.Items[i]
		if !bytes.Equal(x.Name, y.Name) || x.First != y.First || x.Second != y.Second || x.Multi != y.Multi {
			return false
		}
	}
	return true
}

// brokenWriter fails after a number of writes.
type brokenWriter struct {
	good int
	err  error
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.good--; w.good >= 0 {
		return len(p), nil
	}
	return 0, w.err
}
