package counterset_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/index"
)

// TestLayout compares what is written with the offsets of perflib.h, byte by byte.
func TestLayout(t *testing.T) {
	id, err := counterset.AppendIdentifier(nil, counterset.Identifier{
		Set: processors, Status: 1, Counter: 2, InstanceID: 3, Index: 4, Instance: "*",
	})
	want := string(processors[:]) + "\x01\x00\x00\x00" + "\x30\x00\x00\x00" + "\x02\x00\x00\x00" +
		"\x03\x00\x00\x00" +
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
			Form: counterset.FullSet, Counters: []uint32{9},
			Instances: []counterset.Instance{inst("a", 5, v4(6))},
		}},
	})
	want = "\x78\x00\x00\x00\x01\x00\x00\x00" + "\x01\x00\x00\x00\x00\x00\x00\x00" +
		"\x02\x00\x00\x00\x00\x00\x00\x00" +
		"\x03\x00\x00\x00\x00\x00\x00\x00" +
		"\xe8\x07\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\x07\x00" +
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
	info.Attrib, info.Detail, info.Scale, info.Aggregate = 0x10, 200, -1, 2
	info.Base, info.PerfTime, info.PerfFreq, info.Multi = 3, 4, 5, 6
	want = "\x01\x00\x00\x00\x00\x00\x01\x00" + "\x10\x00\x00\x00\x00\x00\x00\x00" +
		"\xc8\x00\x00\x00\xff\xff\xff\xff" +
		"\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06\x00\x00\x00" +
		"\x02\x00\x00\x00\x00\x00\x00\x00"
	if diff := cmp.Diff(want, string(counterset.AppendCounterInfo(nil, info))); diff != "" {
		t.Error(diff)
	}
}

// TestAppend writes every structure behind other bytes, which changes neither these
// nor what is written: padding counts from where the structure begins.
func TestAppend(t *testing.T) {
	id := counterset.Identifier{Set: processors, Counter: 1, Instance: "_Total"}
	data := &counterset.Data{Clocks: clocks, Answers: []counterset.Answer{
		{Form: counterset.FullSet, Counters: []uint32{0},
			Instances: []counterset.Instance{inst("ab", 1, v8(1)), inst("c", 2, v4(2))}},
		{Status: counterset.AccessDenied},
	}}
	texts := []counterset.CounterString{{ID: 1, Text: "ab"}, {ID: 2, Empty: true}, {ID: 3, Text: ""}}
	name := counterset.InstanceName{Name: "ab", ID: 3}
	for what, write := range map[string]func(dst []byte) ([]byte, error){
		"data":       func(dst []byte) ([]byte, error) { return counterset.AppendData(dst, data) },
		"identifier": func(dst []byte) ([]byte, error) { return counterset.AppendIdentifier(dst, id) },
		"instance":   func(dst []byte) ([]byte, error) { return counterset.AppendInstance(dst, name) },
		"text":       func(dst []byte) ([]byte, error) { return counterset.AppendString(dst, "ab") },
		"texts":      func(dst []byte) ([]byte, error) { return counterset.AppendStrings(dst, texts) },
		"info": func(dst []byte) ([]byte,
			error) {
			return counterset.AppendInfo(dst, processorInfo()), nil
		},
		"counter": func(dst []byte) ([]byte, error) {
			return counterset.AppendCounterInfo(dst, ctr(1, counter.RawCount)), nil
		},
	} {
		alone, err := write(nil)
		if err != nil || len(alone) == 0 {
			t.Errorf("%s: %d bytes, %v", what, len(alone), err)
		}
		behind, err := write([]byte("abc"))
		if err != nil || string(behind) != "abc"+string(alone) {
			t.Errorf("%s: behind other bytes\n%x, alone\n%x (%v)", what, behind, alone, err)
		}
	}
}

// TestData takes apart what was put together, in every form.
func TestData(t *testing.T) {
	want := &counterset.Data{
		Clocks:     counter.Clocks{PerfTime: 1, Time100ns: 2, PerfFreq: 3},
		SystemTime: [8]uint16{2024, 1, 2, 3, 4, 5, 6, 7},
		Answers: []counterset.Answer{
			{Status: counterset.AccessDenied},
			{Form: counterset.SingleCounter, Instances: []counterset.Instance{inst("", 0, v8(1<<40))}},
			{Form: counterset.MultipleCounters, Counters: []uint32{1, 9, 3},
				Instances: []counterset.Instance{inst("", 0, v8(1), counterset.Value{}, v4(3))}},
			{Form: counterset.MultipleInstances,
				Instances: []counterset.Instance{inst("a", 7, v8(1)), inst("bcd", 8, v4(2))}},
			{Status: counterset.InvalidRegInfo, Form: counterset.FullSet, Counters: []uint32{5, 6},
				Instances: []counterset.Instance{inst("a", 7, v8(1), v4(2)), inst("b", 9, v4(3), v8(4))}},
			{Status: counterset.InvalidRegInfo, Form: counterset.FullSet},
		},
	}
	b, err := counterset.AppendData(nil, want)
	if err != nil {
		t.Fatal(err)
	}
	got, damage, err := counterset.ParseData(append(b, "what follows"...))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, %s", err, diff)
	}
	if len(damage) > 0 {
		t.Errorf("damage %v", damage)
	}
}

// TestCannotEncode refuses values that do not fit the structures.
func TestCannotEncode(t *testing.T) {
	one := []counterset.Instance{inst("", 0, v4(1))}
	for name, a := range map[string]counterset.Answer{
		"unknown form":         {Form: 3},
		"ids of a single":      {Form: counterset.SingleCounter, Counters: []uint32{1}, Instances: one},
		"two of a single":      {Form: counterset.SingleCounter, Instances: append(one, one...)},
		"error with instances": {Instances: one},
		"none of a single":     {Form: counterset.SingleCounter},
		"none of several":      {Form: counterset.MultipleCounters, Counters: []uint32{1}},
		"two of several": {Form: counterset.MultipleCounters, Counters: []uint32{1},
			Instances: append(one, one...)},
		"ids of an error": {Counters: []uint32{1}},
		"no counters":     {Form: counterset.FullSet},
		"no error":        {Form: 0},
		"form 5":          {Form: 5},
		"form 7":          {Form: 7},
		"too few values":  {Form: counterset.FullSet, Counters: []uint32{1, 2}, Instances: one},
		"too many values": {Form: counterset.FullSet, Instances: one},
		"id of a single": {Form: counterset.SingleCounter,
			Instances: []counterset.Instance{inst("", 1, v4(1))}},
		"name of a single": {Form: counterset.SingleCounter,
			Instances: []counterset.Instance{inst("a", 0, v4(1))}},
		"name with a NUL": {Form: counterset.MultipleInstances,
			Instances: []counterset.Instance{inst("a\x00", 0, v4(1))}},
	} {
		if b, err := counterset.AppendData([]byte("x"),
			&counterset.Data{Answers: []counterset.Answer{a}}); !errors.Is(
			err, counterset.ErrEncode) || string(b) != "x" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	for _, filter := range []string{"a\x00", strings.Repeat("a", 1025)} {
		if _, err := counterset.AppendIdentifier(nil,
			ask(memory, filter, 0)); !errors.Is(err, counterset.ErrEncode) {
			t.Errorf("filter of %d: %v", len(filter), err)
		}
	}
	longest := strings.Repeat("a", 1024)
	if b, err := counterset.AppendIdentifier(nil, ask(memory, longest, 0)); err != nil ||
		len(b) != 40+2*1024+8 {
		t.Errorf("the longest filter: %d bytes, %v", len(b), err)
	}
	if _, err := counterset.AppendStrings(nil,
		[]counterset.CounterString{{Text: "\x00"}}); !errors.Is(err, counterset.ErrEncode) {
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
			[]counterset.CounterString{{ID: 1, Text: "ab"}},
			"bad length at byte 20: dwOffset is 99, want less than 34"},
		{"one just outside", table(34, 2, entry(1, 24)+entry(2, 34)+text),
			[]counterset.CounterString{{ID: 1, Text: "ab"}},
			"bad length at byte 20: dwOffset is 34, want less than 34"},
		{"one outside, from the end of the structures", table(34, 2, entry(1, 0)+entry(2, 10)+text),
			[]counterset.CounterString{{ID: 1, Text: "ab"}},
			"bad length at byte 20: dwOffset is 10, want less than 10"},
		{"bytes behind the table", table(18, 1, entry(1, 16)+"\x00\x00"+text),
			[]counterset.CounterString{{ID: 1}}, ""},
		{"one without end", table(32, 2, entry(1, 24)+entry(2, 30)+text[:8]),
			[]counterset.CounterString{{ID: 1, Text: "ab"}},
			"bad text at byte 30: no NUL within 2 bytes of text"},
		{"too short", "\x08\x00\x00\x00", nil,
			"truncated at byte 0: 4 bytes, want a PERF_STRING_BUFFER_HEADER of 8"},
		{"size too small", table(7, 0, ""), nil,
			"bad length at byte 0: PERF_STRING_BUFFER_HEADER.dwSize is 7, want 8 to 8"},
		{"size too large", table(9, 0, ""), nil,
			"bad length at byte 0: PERF_STRING_BUFFER_HEADER.dwSize is 9, want 8 to 8"},
		{"too many", table(8, 1, ""), nil, "implausible count at byte 4: dwCounters is 1, room is for 0"},
		{"as many as fit", table(16, 1, absent), []counterset.CounterString{{ID: 3, Empty: true}}, ""},
		{"one more than fit", table(23, 2, absent+"1234567"), nil,
			"implausible count at byte 4: dwCounters is 2, room is for 1"},
	} {
		got, errs := counterset.ParseStrings([]byte(c.b))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if c.err == "" && len(errs) > 0 || c.err != "" &&
			(len(errs) != 1 || errs[0].Error() != c.err || !errors.Is(errs[0], winperf.ErrBadData)) {
			t.Errorf("%s: errors %v, want %q", c.name, errs, c.err)
		}
	}
}

// TestSharedText bounds tables whose entries all point to one long text.
func TestSharedText(t *testing.T) {
	const n, length = 1000, 10_000
	b := make([]byte, 8+8*n+2*length+2)
	copy(b, string(counterset.AppendCounterInfo(nil,
		counterset.CounterInfo{ID: uint32(len(b)), Type: n}))[:8])
	for i := range n {
		b[8+8*i+4], b[8+8*i+5] = byte((8+8*n)&0xFF), byte((8+8*n)>>8)
	}
	for i := range length {
		b[8+8*n+2*i] = 'a'
	}
	got, errs := counterset.ParseStrings(b)
	if len(errs) != 1 || len(got) != 5 { // of 20,002 bytes in a table of 28,010
		t.Fatalf("%d texts of %d bytes each, errors %v", len(got), 2*length+2, errs)
	}
	const want = "implausible count at byte 52: texts of 120012 bytes together, want at most 112040"
	if errs[0].Error() != want {
		t.Errorf("error %q, want %q", errs[0], want)
	}

	// Six times a text of 112 bytes, in a table of 168, are just as much as there may be.
	b = binary.LittleEndian.AppendUint32(nil, 168)
	b = binary.LittleEndian.AppendUint32(b, 6)
	for id := range uint32(6) {
		b = binary.LittleEndian.AppendUint32(b, id)
		b = binary.LittleEndian.AppendUint32(b, 56)
	}
	b = append(b, u16(strings.Repeat("a", 55)+"\x00")...)
	if got, errs := counterset.ParseStrings(b); len(got) != 6 || len(errs) > 0 {
		t.Errorf("%d texts, errors %v", len(got), errs)
	}
}

// TestAppendStrings writes a table whose offsets count from its start.
func TestAppendStrings(t *testing.T) {
	want := []counterset.CounterString{{ID: 7, Text: "ab"}, {ID: 8, Empty: true}, {ID: 9, Text: "c"}, {ID: 5}}
	b, err := counterset.AppendStrings(nil, want)
	table := string(raw(56, 4, 7, 40, 8, -1, 9, 46, 5, 50, "ab\x00c\x00\x00\x00\x00"))
	if diff := cmp.Diff(table, string(b)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if got, errs := counterset.ParseStrings(b); !slices.Equal(got, want) || len(errs) > 0 {
		t.Errorf("read again %+v, %v", got, errs)
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
	got, err = counterset.ParseInfo(b[:len(b)-1])
	if diff := cmp.Diff(want.Counters[:4], got.Counters); diff != "" || !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("cut: %v, %s", err, diff)
	}
	if want := "implausible count at byte 24" + asked +
		"NumCounters is 5, room is for 4"; err.Error() != want {
		t.Errorf("cut: error %q, want %q", err, want)
	}

	// A registration without counters is one all the same.
	none := counterset.AppendInfo(nil, &counterset.Info{GUID: memory})
	if got, err := counterset.ParseInfo(none); err != nil || len(none) != 32 || got.GUID != memory ||
		!got.Single() {
		t.Errorf("no counters: %d bytes, %+v, %v", len(none), got, err)
	}
	_, err = counterset.ParseInfo(b[:31])
	if want := "truncated at byte 0: 31 bytes of registration information, want 32"; err == nil ||
		err.Error() != want {
		t.Errorf("cut header: error %v, want %q", err, want)
	}
}

// TestInfoCheck finds ids that appear twice and references to nothing, each at the
// byte where the counter's structure begins.
func TestInfoCheck(t *testing.T) {
	bad := ctr(5, counter.MultiTimer)
	bad.Multi = 6
	sound := ctr(7, counter.AverageBulk)
	sound.Base, sound.PerfTime, sound.PerfFreq, sound.Multi = 5, 7, 5, 7
	errs := (&counterset.Info{GUID: memory, Counters: []counterset.CounterInfo{sound, bad, bad}}).Check()
	const set = "counter set {00030201-0000-0000-0000-000000000000}: "
	want := []string{
		"duplicate counter at byte 128: " + set + "counter 5 is there twice",
		"missing counter at byte 80: " + set + "counter 5 needs counter 6, which is not there",
		"missing counter at byte 128: " + set + "counter 5 needs counter 6, which is not there",
	}
	var got []string
	for i, err := range errs {
		got = append(got, err.Error())
		var e *winperf.DataError
		if !errors.As(err, &e) || e.Warning != (i == 0) {
			t.Errorf("%v: only that an id stands twice costs nothing", err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestIdentifiers reads a sequence of identifiers up to the damage, which a sample
// with them behind its data tells at its place in the sample.
func TestIdentifiers(t *testing.T) {
	whole := counterset.Identifier{Set: memory, Status: 1, Counter: 2, InstanceID: 3, Index: 4,
		Instance: "ab"}
	b, err := counterset.AppendIdentifier(nil, whole)
	if err != nil || len(b) != 48 {
		t.Fatal(len(b), err)
	}
	second := slices.Concat(b, b)
	header := sample(t, &counterset.Data{})
	for _, c := range []struct {
		name string
		b    []byte
		n    int
		err  string // its second part, with the offset before it
		at   int
	}{
		{"one", b, 1, "", 0},
		{"two", second, 2, "", 0},
		{"without a name", second[:88:88], 1, "PERF_COUNTER_IDENTIFIER.Size is 48, want 40 to 40", 68},
		{"cut in the structure", second[:87], 1,
			"39 bytes are left, want a PERF_COUNTER_IDENTIFIER of 40", 48},
		{"too short", patch(second, 68, 39), 1, "PERF_COUNTER_IDENTIFIER.Size is 39, want 40 to 48", 68},
		{"too long", patch(second, 68, 49), 1, "PERF_COUNTER_IDENTIFIER.Size is 49, want 40 to 48", 68},
		{"just the structure", patch(second[:88], 68, 40), 2, "", 0},
		{"a name without end", patch(second[:93], 68, 45), 1,
			"no NUL within the instance filter's 5 bytes", 88},
	} {
		got, err := counterset.ParseIdentifiers(c.b)
		if len(got) != c.n || got[0] != whole {
			t.Errorf("%s: %+v", c.name, got)
		}
		checkPlace(t, c.name, err, c.err, c.at)

		var ix index.Index
		if err := counterset.Decode(append(header[:48:48], c.b...), nil, &ix,
			counterset.Options{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.err != "" {
			checkPlace(t, c.name+", behind data", ix.Damage[0], c.err, c.at+48)
		}
	}
}

// checkPlace compares an error with what it is to say, and where.
func checkPlace(t *testing.T, what string, err error, text string, at int) {
	t.Helper()
	if want := fmt.Sprintf(" at byte %d: %s", at, text); text != "" &&
		(err == nil || !strings.HasSuffix(err.Error(), want)) {
		t.Errorf("%s: error %v, want one with %q", what, err, want)
	}
	if text == "" && err != nil {
		t.Errorf("%s: error %v", what, err)
	}
}

// TestEmptyFilter reads a filter that is there but empty as none.
func TestEmptyFilter(t *testing.T) {
	one := counterset.Answer{Form: counterset.SingleCounter,
		Instances: []counterset.Instance{inst("", 0, v8(5))}}
	b := sample(t, &counterset.Data{Answers: []counterset.Answer{one}},
		counterset.Identifier{Set: memory, Counter: 1})
	b = append(b, make([]byte, 8)...)
	b = patch(b, len(b)-48+20, 48)
	ix := decode(t, b, sets(memoryInfo()))
	if diff := cmp.Diff("object 1000 of -1: 1\n  \"\" -1: 5", strings.Join(dump(ix), "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestSmallAnswers(t *testing.T) {
	if s, err := counterset.ParseString([]byte(u16("name\x00"))); s != "name" || err != nil {
		t.Error(s, err)
	}
	if _, err := counterset.ParseString([]byte(u16("name"))); !errors.Is(err, counterset.ErrName) {
		t.Error(err)
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
	if got := counterset.AccessDenied.Error(); got != "access denied (ERROR_ACCESS_DENIED, 5)" {
		t.Error(got)
	}
	if errors.Is(counterset.OutOfMemory, winperf.ErrNoObject) ||
		errors.Is(counterset.AccessDenied, winperf.ErrBadData) {
		t.Error("a status is what it does not mean")
	}
}
