package counterset_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/counterset"
)

// TestLayout compares what is written with the offsets of perflib.h, byte by byte.
func TestLayout(t *testing.T) {
	id, err := counterset.AppendIdentifier(nil, counterset.Identifier{
		Set: processors, Status: 1, Counter: 2, InstanceID: 3, Index: 4, Instance: "*",
	})
	want := string(processors[:]) + "\x01\x00\x00\x00" + "\x30\x00\x00\x00" + "\x02\x00\x00\x00" + "\x03\x00\x00\x00" +
		"\x04\x00\x00\x00" + "\x00\x00\x00\x00" + "*\x00\x00\x00\x00\x00\x00\x00"
	if string(id) != want || err != nil {
		t.Errorf("identifier %x, want %x (%v)", id, want, err)
	}
	id, err = counterset.AppendIdentifier(nil, counterset.Identifier{Set: memory})
	if len(id) != 40 || id[20] != 40 || err != nil {
		t.Errorf("identifier without a filter: %x (%v), want 40 bytes", id, err)
	}
	b, err := counterset.AppendData(nil, &counterset.Data{
		Clocks:     counter.Clocks{PerfTime: 1, Time100ns: 2, PerfFreq: 3},
		SystemTime: [8]uint16{2024, 1, 2, 3, 4, 5, 6, 7},
		Answers: []counterset.Answer{{
			Form: counterset.FullSet, Counters: []uint32{9}, Instances: []counterset.Instance{inst("a", 5, v4(6))},
		}},
	})
	want = "\x78\x00\x00\x00\x01\x00\x00\x00" + "\x01\x00\x00\x00\x00\x00\x00\x00" + "\x02\x00\x00\x00\x00\x00\x00\x00" +
		"\x03\x00\x00\x00\x00\x00\x00\x00" + "\xe8\x07\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\x07\x00" +
		"\x00\x00\x00\x00\x06\x00\x00\x00\x48\x00\x00\x00\x00\x00\x00\x00" + // PERF_COUNTER_HEADER
		"\x10\x00\x00\x00\x01\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00" + // PERF_MULTI_COUNTERS
		"\x28\x00\x00\x00\x01\x00\x00\x00" + // PERF_MULTI_INSTANCES
		"\x10\x00\x00\x00\x05\x00\x00\x00a\x00\x00\x00\x00\x00\x00\x00" + // PERF_INSTANCE_HEADER
		"\x04\x00\x00\x00\x10\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00" // PERF_COUNTER_DATA
	if err != nil || len(b) != 120 {
		t.Fatalf("%d bytes, want 120 (%v)", len(b), err)
	}
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Error(diff)
	}
	info := ctr(1, counter.RawCount)
	info.Attrib, info.Detail, info.Scale, info.Aggregate = counterset.DisplayAsHex, 200, -1, 2
	info.Base, info.PerfTime, info.PerfFreq, info.Multi = 3, 4, 5, 6
	want = "\x01\x00\x00\x00\x00\x00\x01\x00" + "\x10\x00\x00\x00\x00\x00\x00\x00" + "\xc8\x00\x00\x00\xff\xff\xff\xff" +
		"\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06\x00\x00\x00" + "\x02\x00\x00\x00\x00\x00\x00\x00"
	if diff := cmp.Diff(want, string(counterset.AppendCounterInfo(nil, info))); diff != "" {
		t.Error(diff)
	}
	if got, err := counterset.ParseCounterInfo([]byte(want)); got != info || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestCannotEncode refuses what the structures have no room for.
func TestCannotEncode(t *testing.T) {
	one := []counterset.Instance{inst("", 0, v4(1))}
	for name, a := range map[string]counterset.Answer{
		"unknown form":         {Form: 3},
		"ids of a single":      {Form: counterset.SingleCounter, Counters: []uint32{1}, Instances: one},
		"two of a single":      {Form: counterset.SingleCounter, Instances: append(one, one...)},
		"error with instances": {Instances: one},
		"too few values":       {Form: counterset.FullSet, Counters: []uint32{1, 2}, Instances: one},
		"name of a single":     {Form: counterset.SingleCounter, Instances: []counterset.Instance{inst("a", 0, v4(1))}},
		"name with a NUL":      {Form: counterset.MultipleInstances, Instances: []counterset.Instance{inst("a\x00", 0, v4(1))}},
	} {
		if b, err := counterset.AppendData([]byte("x"), &counterset.Data{Answers: []counterset.Answer{a}}); !errors.Is(err, counterset.ErrEncode) || string(b) != "x" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	for _, filter := range []string{"a\x00", strings.Repeat("a", 1025)} {
		if _, err := counterset.AppendIdentifier(nil, ask(memory, filter, 0)); !errors.Is(err, counterset.ErrEncode) {
			t.Errorf("filter of %d: %v", len(filter), err)
		}
	}
	if _, err := counterset.AppendStrings(nil, []counterset.CounterString{{Text: "\x00"}}); !errors.Is(err, counterset.ErrEncode) {
		t.Error(err)
	}
}

// u16 is text in UTF-16LE.
func u16(s string) (b string) {
	for _, c := range s {
		b += string([]byte{byte(c), byte(c >> 8)})
	}
	return b
}

func TestStrings(t *testing.T) {
	text := u16("ab\x00c\x00")
	table := func(size, n byte, rest string) string {
		return string([]byte{size, 0, 0, 0, n, 0, 0, 0}) + rest
	}
	entry := func(id, off byte) string { return string([]byte{id, 0, 0, 0, off, 0, 0, 0}) }
	const absent = "\x03\x00\x00\x00\xff\xff\xff\xff"
	for _, c := range []struct {
		name, b string
		want    []counterset.CounterString
		err     string
	}{
		{"from the start", table(42, 3, entry(1, 32)+entry(2, 38)+absent+text),
			[]counterset.CounterString{{ID: 1, Text: "ab"}, {ID: 2, Text: "c"}, {ID: 3, Empty: true}}, ""},
		{"from the end of the structures", table(34, 2, entry(1, 0)+entry(2, 6)+text),
			[]counterset.CounterString{{ID: 1, Text: "ab"}, {ID: 2, Text: "c"}}, ""},
		{"nothing", table(8, 0, ""), []counterset.CounterString{}, ""},
		{"one that is outside", table(34, 2, entry(1, 24)+entry(2, 99)+text),
			[]counterset.CounterString{{ID: 1, Text: "ab"}}, "at byte 20: dwOffset is 99, want less than 34"},
		{"one without end", table(32, 2, entry(1, 24)+entry(2, 30)+text[:8]),
			[]counterset.CounterString{{ID: 1, Text: "ab"}}, "bad text at byte 30: no NUL within 2 bytes"},
		{"too short", "\x08\x00\x00\x00", nil, "truncated at byte 0: 4 bytes"},
		{"size too small", table(7, 0, ""), nil, "dwSize is 7"},
		{"size too large", table(9, 0, ""), nil, "dwSize is 9, want 8 to 8"},
		{"too many", table(8, 1, ""), nil, "dwCounters is 1, room is for 0"},
	} {
		got, errs := counterset.ParseStrings([]byte(c.b))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if c.err == "" && len(errs) > 0 || c.err != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.err) || !errors.Is(errs[0], winperf.ErrBadData)) {
			t.Errorf("%s: errors %v, want %q", c.name, errs, c.err)
		}
	}
}

// TestSharedText bounds tables whose entries all point to one long text.
func TestSharedText(t *testing.T) {
	const n, length = 1000, 10_000
	b := make([]byte, 8+8*n+2*length+2)
	copy(b, string(counterset.AppendCounterInfo(nil, counterset.CounterInfo{ID: uint32(len(b)), Type: n}))[:8])
	for i := range n {
		b[8+8*i+4], b[8+8*i+5] = byte((8+8*n)&0xFF), byte((8+8*n)>>8)
	}
	for i := range length {
		b[8+8*n+2*i] = 'a'
	}
	got, errs := counterset.ParseStrings(b)
	if len(errs) != 1 || len(got) == 0 || len(got) > 10 {
		t.Errorf("%d texts of %d bytes each, errors %v", len(got), length, errs)
	}
}

func TestInfo(t *testing.T) {
	want := processorInfo()
	b := counterset.AppendInfo(nil, want)
	if len(b) != 32+48*5 {
		t.Errorf("%d bytes", len(b))
	}
	got, err := counterset.ParseInfo(b)
	if diff := cmp.Diff(want, got); diff != "" || err != nil || len(got.Check()) > 0 || got.Single() {
		t.Errorf("%s, %v, %v", diff, err, got.Check())
	}
	if got, err := counterset.ParseInfo(b[:len(b)-1]); err == nil || len(got.Counters) != 4 || !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("cut: %v", err)
	}
	if _, err := counterset.ParseInfo(b[:31]); err == nil {
		t.Error("no error for a cut header")
	}
	if _, err := counterset.ParseCounterInfo(b[:47]); err == nil {
		t.Error("no error for a cut counter")
	}
	bad := ctr(5, counter.MultiTimer)
	bad.Multi = 6
	errs := (&counterset.Info{Counters: []counterset.CounterInfo{bad, bad}}).Check()
	if len(errs) != 3 || !strings.Contains(errs[0].Error(), "counter 5 is there twice") ||
		!strings.Contains(errs[1].Error(), "counter 5 needs counter 6, which is not there") {
		t.Errorf("found %v", errs)
	}
}

func TestSmallAnswers(t *testing.T) {
	if g, err := counterset.ParseGUID(processors[:]); g != processors || err != nil {
		t.Error(g, err)
	}
	if _, err := counterset.ParseGUID(processors[:15]); !errors.Is(err, counterset.ErrLength) {
		t.Error(err)
	}
	if s, err := counterset.ParseString([]byte(u16("name\x00"))); s != "name" || err != nil {
		t.Error(s, err)
	}
	if _, err := counterset.ParseString([]byte(u16("name"))); !errors.Is(err, counterset.ErrName) {
		t.Error(err)
	}
	in, _ := counterset.AppendInstance(nil, counterset.InstanceName{Name: "a", ID: 1})
	all, err := counterset.ParseInstances(append(in, in[:15]...))
	if len(all) != 1 || !errors.Is(err, counterset.ErrLength) || !strings.Contains(err.Error(), "at byte 16: instance 1:") {
		t.Error(all, err)
	}
}

func TestStatus(t *testing.T) {
	for s, is := range map[counterset.Status]error{
		counterset.GUIDNotFound: winperf.ErrNoObject, counterset.ItemNotFound: winperf.ErrNoCounter,
		counterset.InstanceNotFound: winperf.ErrNoInstance, counterset.PathNotFound: winperf.ErrNoInstance,
		counterset.AccessDenied: fs.ErrPermission, counterset.InvalidData: winperf.ErrBadData,
	} {
		if !errors.Is(&counterset.AnswerError{Status: s}, is) {
			t.Errorf("%v is not %v", s, is)
		}
	}
	if got := counterset.Status(1234).Error(); got != "Win32 error 1234" {
		t.Error(got)
	}
}
