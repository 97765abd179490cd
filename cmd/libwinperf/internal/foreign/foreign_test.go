package foreign_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
	"github.com/winperf/winperf/counter"
)

// snapshot makes one, which must succeed.
func snapshot(t testing.TB, l *foreign.Library, source foreign.Handle, k foreign.Kind, requests ...foreign.Request) foreign.Handle {
	t.Helper()
	h, code := l.Create(source, k, requests, 0)
	must(t, l, source, code)
	return h
}

// cycle runs the three steps and returns the code of decode; the others must succeed.
func cycle(t testing.TB, l *foreign.Library, h foreign.Handle) foreign.Code {
	t.Helper()
	must(t, l, h, l.Prepare(h, foreign.Plain))
	must(t, l, h, l.Sample(h, foreign.Plain))
	return l.Decode(h, foreign.Plain)
}

// items reads the items as the interface wants it: first the size, then an array of that size.
func items(t testing.TB, l *foreign.Library, h foreign.Handle) []foreign.Item {
	t.Helper()
	n, code := l.ItemsCount(h, foreign.Plain)
	must(t, l, h, code)
	all := make([]foreign.Item, n)
	got, code := l.Items(h, foreign.Plain, all)
	must(t, l, h, code)
	if got != n {
		t.Fatalf("%d items were promised and %d came", n, got)
	}
	return all
}

// list splits a list of texts, which must end as it should.
func list(t testing.TB, b []byte) []string {
	t.Helper()
	text, ended := strings.CutSuffix(string(b), "\x00")
	switch {
	case !ended:
		t.Fatalf("the list %q has no end", b)
	case text == "":
		return nil
	}
	text, ended = strings.CutSuffix(text, "\x00")
	if !ended {
		t.Fatalf("the last text of %q has no end", b)
	}
	return strings.Split(text, "\x00")
}

func instances(t testing.TB, l *foreign.Library, h foreign.Handle, object uint32) ([]string, []foreign.Instance) {
	t.Helper()
	size, code := l.InstancesSize(h, foreign.Plain, object)
	must(t, l, h, code)
	n, code := l.InstancesCount(h, foreign.Plain, object)
	must(t, l, h, code)
	text, rest := make([]byte, size), make([]foreign.Instance, n)
	_, _, code = l.Instances(h, foreign.Plain, object, text, rest)
	must(t, l, h, code)
	return list(t, text), rest
}

// lines are items as text: object/counter#instance@request type value or status.
func lines(items []foreign.Item) []string {
	var all []string
	for _, it := range items {
		value := fmt.Sprint(it.Value)
		switch {
		case counter.Status(it.Status) != counter.OK:
			value = counter.Status(it.Status).String()
		case counter.ValueType(it.Type) == counter.Decimal:
			value = fmt.Sprint(math.Float64frombits(it.Value))
		}
		all = append(all, fmt.Sprintf("%d/%d#%d@%d %v %s", it.Object, it.Counter, it.Instance, it.Request,
			counter.ValueType(it.Type), value))
	}
	return all
}

// The first cycle has the values of counters that need two samples, of the requests and of
// nothing else.
func TestItems(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	h := snapshot(t, l, src, foreign.Custom,
		foreign.Request{Object: 2}, foreign.Request{Object: 230, Counter: 180}, foreign.Request{Object: 230, Counter: 6},
		foreign.Request{Object: 2, Counter: 146})
	if _, code := l.ItemsCount(h, foreign.Plain); code != foreign.WrongState {
		t.Errorf("items before a cycle: code %d", code)
	}
	must(t, l, h, cycle(t, l, h))

	want := []string{
		"230/180#0@1 64-bit 1099511627776", "230/180#1@1 64-bit 3",
		"230/6#0@2 decimal 100", "230/6#1@2 decimal 0",
		"2/146#0@3 decimal 50",
		"2/248#0@0 32-bit 2",
	}
	if diff := cmp.Diff(want, lines(items(t, l, h))); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	ns, code := l.Time(h, foreign.Safe)
	must(t, l, h, code)
	if want := winperf.FromFiletime(epoch + second).UnixNano(); ns != want {
		t.Errorf("time %d, want %d", ns, want)
	}
}

func TestKinds(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	for _, tt := range []struct {
		kind foreign.Kind
		want int // items of Thread
	}{{foreign.Global, 0}, {foreign.Costly, 2}} {
		// The list of requests is not looked at: here it could not be meant.
		h := snapshot(t, l, src, tt.kind, foreign.Request{}, foreign.Request{})
		must(t, l, h, cycle(t, l, h))
		got, others := 0, 0
		for _, it := range items(t, l, h) {
			if it.Object == thread.Index {
				got++
			} else {
				others++
			}
			if it.Request != -1 {
				t.Errorf("kind %d: request %d", tt.kind, it.Request)
			}
		}
		if got != tt.want || (others == 0) != (tt.kind == foreign.Costly) {
			t.Errorf("kind %d: %d items of Thread and %d others", tt.kind, got, others)
		}
	}
}

func TestSensors(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	h, code := l.CreateSensors(src, []string{
		"windows.winperf/process/ID Process#shell",
		"windows.winperf/Process/ID Process#editor",
		"windows.winperf/Process/Working Set#gone",
		"windows.winperf/Process/% Processor Time",
		"windows.winperf/System/Processes",
		`\Process(shell)\Working Set`,
		`\\HOST\process(e*)\working set`,
		"windows.winperf/System/Context%20Switches%2Fsec",
	}, 0)
	must(t, l, src, code)
	must(t, l, h, cycle(t, l, h))
	want := []string{
		"230/784#1@0 32-bit 13", "230/784#0@1 32-bit 12",
		"230/180#-1@2 none no_instance",
		"230/6#0@3 decimal 100", "230/6#1@3 decimal 0",
		"2/248#0@4 32-bit 2",
		"230/180#1@5 64-bit 3", "230/180#0@6 64-bit 1099511627776",
		"2/146#0@7 decimal 50",
	}
	if diff := cmp.Diff(want, lines(items(t, l, h))); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}

	for name, want := range map[string]foreign.Code{
		"Process":                                     foreign.BadArgument,
		"linux.winperf/System/Processes":              foreign.NotFound,
		"windows.winperf/Prozess/ID Process":          foreign.NotFound,
		"windows.winperf/Process/Processes":           foreign.NotFound,
		"windows.winperf/System/Processes#1":          foreign.NotFound,
		"windows.winperf/Process/ID Process#editor#1": foreign.OK, // it may come
		`\Process(editor`:                             foreign.BadArgument,
		`\\OTHER\System\Processes`:                    foreign.NotFound,
		`\Prozess(*)\ID Process`:                      foreign.NotFound,
		`\System\*`:                                   foreign.NotFound,
		`\Process(later)\ID Process`:                  foreign.OK,
	} {
		if _, code := l.CreateSensors(src, []string{name}, 0); code != want {
			t.Errorf("%s: code %d (%s), want %d", name, code, errorText(l, src), want)
		}
	}
	for _, twice := range [][]string{
		{"windows.winperf/System/Processes", "windows.winperf/system/processes"},
		{"windows.winperf/Process/ID Process#shell", "windows.winperf/Process/ID Process#Shell"},
		{"windows.winperf/System/Processes", `\System\Processes`},
	} {
		if _, code := l.CreateSensors(src, twice, 0); code != foreign.BadArgument {
			t.Errorf("the same sensor twice, %q: code %d", twice, code)
		}
	}
}

// A sensor without an instance stands for all instances, as with the #* that commands write and take.
func TestSensorsOfAllInstances(t *testing.T) {
	for _, end := range []string{"", "#*"} {
		l, src := opened(t, &fake{script: steady})
		h, code := l.CreateSensors(src, []string{"windows.winperf/Process/ID Process" + end}, 0)
		must(t, l, src, code)
		must(t, l, h, cycle(t, l, h))
		want := []string{"230/784#0@0 32-bit 12", "230/784#1@0 32-bit 13"}
		if diff := cmp.Diff(want, lines(items(t, l, h))); diff != "" {
			t.Errorf("%q: items (-want +got):\n%s", end, diff)
		}
	}
}

func TestNamesByPID(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	for flags, want := range map[foreign.Flags][]string{
		0: {"editor", "shell"}, foreign.ByPID: {"12", "13"}, foreign.ByNameAndPID: {"editor:12", "shell:13"},
	} {
		h, code := l.Create(src, foreign.Custom, []foreign.Request{{Object: 230}}, flags)
		must(t, l, src, code)
		if got, _ := instances(t, l, h, 230); !slices.Equal(got, want) {
			t.Errorf("flags %d: %q, want %q", flags, got, want)
		}
	}

	h, code := l.CreateSensors(src, []string{"windows.winperf/Process/Working Set#12"}, foreign.ByPID)
	must(t, l, src, code)
	must(t, l, h, cycle(t, l, h))
	if got := lines(items(t, l, h)); !slices.Equal(got, []string{"230/180#0@0 64-bit 1099511627776"}) {
		t.Errorf("the sensor of process 12: %q", got)
	}
	if _, code := l.Create(src, foreign.Global, nil, 3); code != foreign.BadArgument {
		t.Errorf("both flags: code %d", code)
	}
}

// The name of an instance with its occurrence names it, and no other one, whoever gave the name.
func TestInstancesFindThemselves(t *testing.T) {
	l, src := opened(t, &fake{script: func(n int) []proc {
		return []proc{{"shell", 13, 5, 0, 1}, {"shell", 14, 4, 0, 2}, {"Shell", 15, 3, 0, 3}, {"_Total", 0, 0, 0, 6}}
	}})
	for _, flags := range []foreign.Flags{0, foreign.ByPID, foreign.ByNameAndPID} {
		h, code := l.Create(src, foreign.Custom, []foreign.Request{{Object: 230}}, flags)
		must(t, l, src, code)
		names, rest := instances(t, l, h, 230)
		sensors := make([]string, len(names))
		for i, name := range names {
			sensors[i] = fmt.Sprintf("windows.winperf/Process/ID Process#%s#%d", name, rest[i].Occurrence)
		}

		h, code = l.CreateSensors(src, sensors, flags)
		must(t, l, src, code)
		must(t, l, h, cycle(t, l, h))
		want := []string{
			"230/784#0@0 32-bit 13", "230/784#1@1 32-bit 14", "230/784#2@2 32-bit 15", "230/784#3@3 32-bit 0",
		}
		if diff := cmp.Diff(want, lines(items(t, l, h))); diff != "" {
			t.Errorf("flags %d, %q (-want +got):\n%s", flags, sensors, diff)
		}
	}
}

func TestStructure(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	h := snapshot(t, l, src, foreign.Global)
	n, code := l.ObjectsCount(h, foreign.Plain)
	must(t, l, h, code)
	got := make([]uint32, n)
	_, code = l.Objects(h, foreign.Safe, got)
	must(t, l, h, code)
	if want := []uint32{2, 230, 232, 236, 234}; !slices.Equal(got, want) {
		t.Errorf("objects %d, want %d", got, want)
	}

	n, code = l.CountersCount(h, foreign.Plain, 236)
	must(t, l, h, code)
	counters := make([]foreign.Counter, n)
	_, code = l.Counters(h, foreign.Plain, 236, counters)
	must(t, l, h, code)
	want := []foreign.Counter{
		{Name: 1746, Type: uint32(counter.Precision100NSTimer), Value: int32(counter.Decimal)},
		{Name: 1482, Type: uint32(counter.RawFraction), Value: int32(counter.Decimal)},
	}
	for i := range counters {
		counters[i].Help = 0
	}
	if diff := cmp.Diff(want, counters); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}

	names, rest := instances(t, l, h, thread.Index)
	if !slices.Equal(names, []string{"editor/0", "shell/0"}) {
		t.Errorf("threads %q", names)
	}
	if want := []foreign.Instance{{ParentObject: 230, ParentPosition: 0}, {ParentObject: 230, ParentPosition: 1}}; !slices.Equal(rest, want) {
		t.Errorf("parents %v, want %v", rest, want)
	}
	if names, _ := instances(t, l, h, 2); len(names) != 0 {
		t.Errorf("instances of System: %q", names)
	}
	if _, code := l.CountersCount(h, foreign.Plain, 4); code != foreign.NotFound {
		t.Errorf("counters of an object that is not there: code %d", code)
	}
}

func TestNames(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	size, code := l.NamesSize(src)
	must(t, l, src, code)
	n, code := l.NamesCount(src)
	must(t, l, src, code)
	text, indices := make([]byte, size), make([]uint32, n)
	_, _, code = l.Names(src, text, indices)
	must(t, l, src, code)
	names := map[uint32]string{}
	for i, name := range list(t, text) {
		names[indices[i]] = name
	}
	if len(names) != n || names[230] != "Process" || names[1748] != "% Idle Time" || names[1] != "" {
		t.Errorf("%d names: %v", n, names)
	}

	out := make([]byte, 8)
	if n, code := l.Name(src, 230, out); code != foreign.OK || n != 8 || string(out) != "Process\x00" {
		t.Errorf("name %q, %d bytes, code %d", out, n, code)
	}
	if _, code := l.Name(src, 5000, out); code != foreign.NotFound {
		t.Errorf("the name of no index: code %d", code)
	}
}

// A text alone does not tell a counter: its object does.
func TestFind(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	for _, tt := range []struct {
		object uint32
		name   string
		want   uint32
		code   foreign.Code
	}{
		{236, "% Idle Time", 1746, foreign.OK},
		{234, "% idle time", 1748, foreign.OK},
		{230, "% Idle Time", 0, foreign.NotFound},
		{4, "% Idle Time", 0, foreign.NotFound},
		{0, "", 0, foreign.NotFound},
	} {
		if got, code := l.FindCounter(src, tt.object, tt.name); got != tt.want || code != tt.code {
			t.Errorf("%q of %d: %d, code %d (%s)", tt.name, tt.object, got, code, errorText(l, src))
		}
	}
	if got, code := l.FindObject(src, "process"); got != 230 || code != foreign.OK {
		t.Errorf("process: %d, code %d", got, code)
	}
	if _, code := l.FindObject(src, "Proces"); code != foreign.NotFound || !strings.Contains(errorText(l, src), `did you mean "Process"?`) {
		t.Errorf("Proces: code %d, %s", code, errorText(l, src))
	}
	for name, want := range map[string]string{
		"windows.winperf/Proces/ID Process":   `did you mean "Process"?`,
		"windows.winperf/Process/Working Sat": `did you mean "Working Set"?`,
	} {
		if _, code := l.FindSensor(src, name); code != foreign.NotFound || !strings.Contains(errorText(l, src), want) {
			t.Errorf("%s: code %d, %s", name, code, errorText(l, src))
		}
	}
	if _, code := l.FindCounter(src, 230, "Working Sat"); code != foreign.NotFound || !strings.Contains(errorText(l, src), `did you mean "Working Set"?`) {
		t.Errorf("Working Sat: code %d, %s", code, errorText(l, src))
	}
	if _, code := l.FindObject(src, "ID Process"); code != foreign.NotFound { // the name of a counter
		t.Errorf("ID Process: code %d", code)
	}
}

// A source whose values come cooked has no objects by title index.
func TestCookedSource(t *testing.T) {
	f := &fake{script: steady, cooked: true}
	if _, code := f.library().OpenSource("log.csv", 0); code != foreign.NotSupported || f.closed != 1 {
		t.Errorf("code %d, closed %d times", code, f.closed)
	}
}

func TestTimeout(t *testing.T) {
	f := &fake{script: steady, onSample: func(ctx context.Context, n int) error {
		if n == 0 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	l, src := opened(t, f)
	h := snapshot(t, l, src, foreign.Global)
	must(t, l, h, l.Set(h, foreign.TimeoutMS, 1))
	must(t, l, h, l.Prepare(h, foreign.Plain))
	if code := l.Sample(h, foreign.Plain); code != foreign.Timeout {
		t.Errorf("code %d: %s", code, errorText(l, h))
	}
	if state, _ := l.State(h); state != foreign.Initialized {
		t.Errorf("the state is %v", state)
	}
}

// A source stays open as long as it has snapshots, and all is closed in the end.
func TestClose(t *testing.T) {
	for _, freshness := range []int32{-1, 0} {
		f := &fake{script: steady}
		l := f.library()
		src, code := l.OpenSource("fake:", freshness)
		must(t, l, 0, code)
		a, b := snapshot(t, l, src, foreign.Global), snapshot(t, l, src, foreign.Costly)
		must(t, l, src, l.CloseSource(src))
		for _, code := range []foreign.Code{l.CloseSource(src), l.Refresh(src), l.Set(src, foreign.Retries, 1)} {
			if code != foreign.UnknownHandle {
				t.Errorf("a closed source: code %d", code)
			}
		}
		must(t, l, a, l.Destroy(a, foreign.Plain))
		if code := l.Destroy(a, foreign.Safe); code != foreign.UnknownHandle {
			t.Errorf("destroy again: code %d", code)
		}
		must(t, l, b, l.Prepare(b, foreign.Plain))
		if f.closed != 0 {
			t.Error("the source was closed, and has a snapshot")
		}
		must(t, l, b, l.Destroy(b, foreign.Safe))
		if f.closed != 1 || f.open != 0 {
			t.Errorf("the source was closed %d times, with %d queries open", f.closed, f.open)
		}
	}
}

// The snapshots of a source share what one of them sampled.
func TestShared(t *testing.T) {
	f := &fake{script: steady}
	l := f.library()
	src, code := l.OpenSource("fake:", 60_000)
	must(t, l, 0, code)
	a, b := snapshot(t, l, src, foreign.Global), snapshot(t, l, src, foreign.Global)
	before := f.taken
	must(t, l, a, cycle(t, l, a))
	must(t, l, b, cycle(t, l, b))
	if f.taken != before+1 {
		t.Errorf("%d samples for two snapshots", f.taken-before)
	}
}
