package pdhlog

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/zone"
)

// sameSamples compares samples but for where they are in the file.
var sameSamples = cmp.Options{
	cmpopts.IgnoreFields(Sample{}, "Offset"), cmpopts.IgnoreUnexported(Sample{}), cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) || errors.Is(b, a) }),
}

func TestRoundTrip(t *testing.T) {
	list := testList()
	want := testSamples(list, 200)
	got := readWhole(t, makeBLG(t, testHead(), list, want))
	if diff := cmp.Diff(list, got.list); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, got.samples, sameSamples); diff != "" {
		t.Error(diff)
	}
	for _, err := range got.damage {
		t.Error(err)
	}
	head := testHead()
	head.Machine, head.Buffers, head.End = "HOST", got.head.Buffers, want[len(want)-1].Time
	if diff := cmp.Diff(head, got.head, cmp.AllowUnexported(Header{})); diff != "" {
		t.Error(diff)
	}
	if got.head.Buffers < 3 {
		t.Errorf("the log has %d buffers, too few to test what is at their ends", got.head.Buffers)
	}
}

// TestReaders reads a log in pieces of any size.
func TestReaders(t *testing.T) {
	list := testList()
	want := testSamples(list, 50)
	log := makeBLG(t, testHead(), list, want)
	for name, reader := range map[string]io.Reader{
		"one byte":    iotest.OneByteReader(bytes.NewReader(log)),
		"half":        iotest.HalfReader(bytes.NewReader(log)),
		"early end":   iotest.DataErrReader(bytes.NewReader(log)),
		"not seeking": io.MultiReader(bytes.NewReader(log)),
	} {
		r, err := NewReader(reader)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := 0
		var s Sample
		for ; r.Next(&s) == nil; n++ {
			if diff := cmp.Diff(want[n], s, sameSamples); diff != "" {
				t.Errorf("%s: sample %d: %s", name, n, diff)
			}
		}
		if n != len(want) {
			t.Errorf("%s: %d samples, want %d", name, n, len(want))
		}
		if err := r.Next(&s); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the end: %v", name, err)
		}
	}
	failing := iotest.TimeoutReader(bytes.NewReader(log)) // fails at its second read
	if _, err := NewReader(failing); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// TestLongRecord splits a sample into parts and puts it together again.
func TestLongRecord(t *testing.T) {
	list := testList()
	samples := testSamples(list, 3)
	for n := range 2000 {
		samples[1].Values[3].Items = append(samples[1].Values[3].Items, Item{Name: utf16Name(strings.Repeat("x", n%50)), First: int64(n)})
	}
	log := makeBLG(t, testHead(), list, samples)
	got := readWhole(t, log)
	for i := range samples {
		samples[i].Offset = got.samples[i].Offset
		if message := partOf(&got.samples[i], &samples[i]); message != "" {
			t.Errorf("sample %d: %s", i, message)
		}
	}
	if len(got.damage) > 0 {
		t.Error(got.damage)
	}
}

// TestSmallPointers reads the head of a 32-bit writer.
func TestSmallPointers(t *testing.T) {
	list := testList()
	log := makeBLG(t, testHead(), list, testSamples(list, 2))
	// What is behind the pointers moves up by 8 bytes, and 4 fill the place before the clocks.
	at := bufferHead + systemHead
	names := at + atNames
	old := bytes.Clone(log[:int(log[atUsed])|int(log[atUsed+1])<<8])
	small := append(bytes.Clone(old[:names]), make([]byte, 8)...)
	small = append(small, old[names+16:names+16+zone.Size]...)
	small = append(small, 0, 0, 0, 0)
	small = append(small, old[align8(atNames+16+zone.Size)+at:]...)
	if len(small) != len(old)-8 {
		t.Fatalf("the head has %d bytes, want %d", len(small), len(old)-8)
	}
	copy(log, small)
	log[at+atPointer], log[bufferHead+2] = 4, system32
	got := readWhole(t, log)
	want := testHead()
	want.Machine, want.PointerSize, want.Buffers, want.End = "HOST", 4, got.head.Buffers, got.head.End
	if diff := cmp.Diff(want, got.head, cmp.AllowUnexported(Header{})); diff != "" {
		t.Error(diff)
	}
	if len(got.samples) != 2 || len(got.damage) > 0 {
		t.Errorf("%d samples, damage %v", len(got.samples), got.damage)
	}
}

func TestNoBLG(t *testing.T) {
	list := testList()
	log := makeBLG(t, testHead(), list, testSamples(list, 1))
	big := bytes.Clone(log)
	copy(big, []byte{0, 0, 0, 0x7F})
	copy(big[bufferHead+systemHead:], []byte{0, 0, 0, 0x7F})
	for name, b := range map[string][]byte{
		"empty":          nil,
		"short":          log[:minBuffer-1],
		"text":           []byte(strings.Repeat("\"(PDH-CSV 4.0)\",\"\\\\H\\O\\C\"\r\n", 100)),
		"zeros":          make([]byte, 1<<16),
		"size of buffer": big,
	} {
		_, err := NewReader(bytes.NewReader(b))
		if !errors.Is(err, ErrNoLog) || !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%s: %v", name, err)
		}
		if head := name == "size of buffer" || name == "short"; IsLog(b) != head {
			t.Errorf("%s: IsLog", name)
		}
	}
	if !IsLog(log) {
		t.Error("IsLog is false for a log")
	}
}

// TestTime tells the instants of samples by what they hold.
func TestTime(t *testing.T) {
	list := []Counter{
		{Kind: Single, Path: winperf.Path{Machine: "H", Object: "System", Counter: "Up"}, Type: counter.RawCount},
		{Kind: Single, Path: winperf.Path{Machine: "H", Object: "System", Counter: "Idle"}, Type: counter.Timer100NSec},
	}
	pacific := testHead().zone
	berlin := zone.Info{
		Bias: -60, StandardName: "W. Europe Standard Time", StandardDate: zone.Date{Month: 10, Day: 5, Hour: 3},
		DaylightName: "W. Europe Daylight Time", DaylightDate: zone.Date{Month: 3, Day: 5, Hour: 2}, DaylightBias: -60,
	}
	india := zone.Info{Bias: -330, StandardName: "India Standard Time"}
	at := func(s string) int64 {
		v, err := time.Parse("2006-01-02 15:04:05.0000000", s)
		if err != nil {
			t.Fatal(err)
		}
		return winperf.ToFiletime(v)
	}
	tests := []struct {
		name  string
		zone  zone.Info
		local string
		utc   string // of the 100 ns clock, "" = there is none
		want  string
		ahead time.Duration
	}{
		{"winter by the rules", pacific, "2013-02-19 18:50:17.8440000", "", "2013-02-20 02:50:17.8440000", -8 * time.Hour},
		{"summer by the rules", pacific, "2013-07-19 18:50:17.8440000", "", "2013-07-20 01:50:17.8440000", -7 * time.Hour},
		{"winter by the clock", pacific, "2013-02-19 18:50:17.8440000", "2013-02-20 02:50:17.8447225", "2013-02-20 02:50:17.8447225", -8 * time.Hour},
		{"daylight time by the clock, against the rules", pacific, "2013-02-19 18:50:17.8440000", "2013-02-20 01:50:17.8447225", "2013-02-20 01:50:17.8447225", -7 * time.Hour},
		{"a slow sample", pacific, "2013-02-19 18:50:17.8440000", "2013-02-20 02:53:17.8447225", "2013-02-20 02:53:17.8447225", -8 * time.Hour},
		{"another zone than in the head", pacific, "2013-02-20 08:20:17.0000000", "2013-02-20 02:50:17.0000000", "2013-02-20 02:50:17.0000000", 5*time.Hour + 30*time.Minute},
		{"a clock that cannot be", pacific, "2013-02-19 18:50:17.8440000", "2013-02-22 02:50:17.8447225", "2013-02-20 02:50:17.8440000", -8 * time.Hour},
		{"the hour that comes twice, first", berlin, "2024-10-27 02:30:00.0000000", "2024-10-27 00:30:00.0000001", "2024-10-27 00:30:00.0000001", 2 * time.Hour},
		{"the hour that comes twice, then", berlin, "2024-10-27 02:30:00.0000000", "2024-10-27 01:30:00.0000001", "2024-10-27 01:30:00.0000001", time.Hour},
		{"east of Greenwich, no daylight time", india, "2013-02-20 08:20:17.0000000", "", "2013-02-20 02:50:17.0000000", 5*time.Hour + 30*time.Minute},
		{"no zone", zone.Info{Bias: 1 << 30}, "2013-02-20 08:20:17.0000000", "", "2013-02-20 08:20:17.0000000", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			head := testHead()
			head.zone = test.zone
			s := Sample{Local: at(test.local), Values: []Value{{Kind: Single, First: 1}, {Kind: Single, First: 1, Status: cstatusInvalidData}}}
			if test.utc != "" {
				s.Values[1].Second, s.Values[1].Status = at(test.utc), cstatusValid
			}
			got := readWhole(t, makeBLG(t, head, list, []Sample{s}))
			if len(got.samples) != 1 {
				t.Fatal(got.damage)
			}
			if want := winperf.FromFiletime(at(test.want)); !got.samples[0].Time.Equal(want) || got.samples[0].Ahead != test.ahead {
				t.Errorf("%v, local time %v ahead; want %v, %v", got.samples[0].Time, got.samples[0].Ahead, want, test.ahead)
			}
			if bad := test.zone.Bias == 1<<30; bad != (len(got.damage) == 1) {
				t.Errorf("damage %v", got.damage)
			}
		})
	}
}
