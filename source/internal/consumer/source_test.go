package consumer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// paths parses paths of a selection.
func paths(t *testing.T, texts ...string) (sel winperf.Selection) {
	t.Helper()
	for _, s := range texts {
		p, err := winperf.ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		sel.Paths = append(sel.Paths, p)
	}
	return sel
}

// sampled compiles a selection and returns what a sample holds, a line for each
// object: its name, its instances with the value of the first counter, and the
// damage.
func sampled(t *testing.T, src *source, sel winperf.Selection) string {
	t.Helper()
	q, err := src.Compile(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	return next(t, q)
}

func next(t *testing.T, q winperf.Query) string {
	t.Helper()
	var pool frame.Pool
	var sample winperf.Sample
	if err := q.Next(t.Context(), &sample); err != nil {
		return "error: " + errorText(err)
	}
	var lines []string
	f, err := pool.Decode(&sample, frame.Frame{})
	if err != nil {
		return "error: " + err.Error()
	}
	if f.Machine() != "HOST" && len(f.Damage()) == 0 {
		lines = append(lines, "machine "+f.Machine())
	}
	names, _ := nametable.FromSchema(f.Schema())
	for o := range f.Objects() {
		line := names.In("009").Title(o.ID().Index)
		for in := range o.Instances() {
			v, _ := o.Raw(in.Position(), 0)
			line += fmt.Sprintf(" %s=%d", in.Name(), v)
		}
		lines = append(lines, line)
	}
	for _, err := range f.Damage() {
		lines = append(lines, "damage: "+err.Error())
	}
	return strings.Join(lines, "\n")
}

func TestSelections(t *testing.T) {
	f := newFake()
	f.german = true
	src, err := f.source(Options{})
	if err != nil {
		t.Fatal(err)
	}
	const all = "Disk C:=1 D:=1001 _Total=2001"
	for _, c := range []struct {
		name string
		sel  winperf.Selection
		want string
	}{
		{"everything", winperf.Selection{Global: true}, "Clock =7\n" + all + "\nDead"},
		{"costly, of which there are none", winperf.Selection{Costly: true}, ""},
		{"definitions", winperf.Selection{Global: true, Metadata: true}, "Disk\nClock\nDead"},
		{"by GUID", winperf.Selection{Objects: []winperf.ObjectID{{GUID: disks}}}, all},
		{"by title", winperf.Selection{Objects: []winperf.ObjectID{{Index: firstTitle}}}, all},
		{"by name", paths(t, `\disk(*)\Counter 1`), all},
		{"by its name in German", paths(t, `\Deutsch Disk(*)\*`), all},
		{"by pattern", paths(t, `\*sk(*)\*`), all},
		{"one instance", paths(t, `\Disk(c:)\*`), "Disk C:=1"},
		{"some instances", paths(t, `\Disk(?:)\*`), "Disk C:=1 D:=1001"},
		{"a later one of equal ones", paths(t, `\Disk(D#1)\*`), "Disk D:=1001"},
		{"different instances", paths(t, `\Disk(C:)\*`, `\Disk(D:)\*`), all},
		{"without instances", paths(t, `\Clock\*`), "Clock =7"},
		{"on this machine", paths(t, `\\host\Clock\*`), "Clock =7"},
		{"nothing that there is", paths(t, `\Disks(*)\*`), ""},
	} {
		if got := sampled(t, src, c.sel); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	if _, err := src.Compile(t.Context(), paths(t, `\\other\Clock\*`)); !errors.Is(
		err, winperf.ErrNoMachine) {
		t.Error(err)
	}
	if err := src.Close(); err != nil || len(f.queries) != 0 {
		t.Error(err, f.queries)
	}
	if _, err := src.Compile(t.Context(), winperf.Selection{}); !errors.Is(err, winperf.ErrState) {
		t.Error(err)
	}
}

// TestNamesOnly lists the instances of each set without a query and without values. The list
// grows beyond the first buffer, and each set that cannot be listed says why.
func TestNamesOnly(t *testing.T) {
	f := newFake()
	src, err := f.source(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	names := winperf.Selection{Global: true, NamesOnly: true}
	q, err := src.Compile(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()

	const noValues = "Disk C:=0 D:=0 _Total=0\nClock\nDead"
	if got := next(t, q); got != noValues {
		t.Errorf("%s\nwant\n%s", got, noValues)
	}
	if n := f.calls["openQuery"] + f.calls["queryData"]; n != 0 || f.calls["enumerateInstances"] != 2 {
		t.Errorf("%d calls for values: %v", n, f.calls)
	}

	want := "Disk C:=0 D:=0 _Total=0"
	for i := range 300 { // of 16 bytes and more: 4096 bytes are too few
		in := counterset.InstanceName{Name: fmt.Sprintf("Disk %03d", i), ID: uint32(10 + i)}
		f.sets[0].instances = append(f.sets[0].instances, in)
		want += " " + in.Name + "=0"
	}
	if got := next(t, q); got != want+"\nClock\nDead" {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if n := f.calls["enumerateInstances"]; n != 5 {
		t.Errorf("%d calls, want one more than before for the set that grew", n)
	}

	f.sets[0].refuse = counterset.AccessDenied
	f.sets[2].running, f.sets[2].instances = true, []counterset.InstanceName{{Name: "back"}}
	if got := next(t, q); !strings.HasPrefix(got, "Disk\nClock\nDead back=0\ndamage: ") ||
		!strings.Contains(got, "access denied") {
		t.Error(got)
	}

	f.sets[0].refuse = counterset.Success
	f.mend = func(b []byte) []byte { return b[:len(b)-8] }
	if got := next(t, q); !strings.Contains(got, "ERROR_INVALID_DATA") {
		t.Errorf("cut off: %s", got)
	}
	f.fail = func(call string, _ int) error { return fmt.Errorf("%s: %w", call, winperf.ErrNotSupported) }
	if got := next(t, q); !strings.HasPrefix(got, "error: PerfEnumerateCounterSetInstances of counter set") {
		t.Errorf("the system lacks the function: %s", got)
	}
}

// TestSchema reads names and help texts in two languages.
func TestSchema(t *testing.T) {
	f := newFake()
	f.german = true
	src, err := f.source(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	schema, err := src.Schema(t.Context())
	if err != nil || len(schema.Damage) > 0 || schema.Interface != "perflib" {
		t.Fatal(err, schema)
	}
	names, damage := nametable.FromSchema(schema)
	if len(damage) > 0 {
		t.Error(damage)
	}
	got := []string{}
	for _, n := range []*nametable.Names{names, names.In("009")} {
		for _, title := range []uint32{firstTitle, firstTitle + 2, firstTitle + 4, firstTitle + 6} {
			got = append(got, n.Title(title)+": "+n.Help(title+1))
		}
	}
	want := []string{
		"Deutsch Disk: Deutsch Help on Disk", "Deutsch Counter 1: Deutsch Help on counter 1",
		"Deutsch Counter 2: Deutsch Help on counter 2", "Deutsch Clock: Deutsch Help on Clock",
		"Disk: Help on Disk", "Counter 1: Help on counter 1", "Counter 2: Help on counter 2",
		"Clock: Help on Clock",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again, _ := src.Schema(t.Context()); again != schema {
		t.Error("another schema although nothing changed")
	}
	f.sets = append(f.sets, &fakeSet{name: "Late", info: counterset.Info{GUID: winperf.GUID{4}}})
	again, err := src.Schema(t.Context())
	if err != nil || len(again.Sets) != 4 || len(schema.Sets) != 3 ||
		again.Sets[3].Title != again.Sets[2].Title+4 {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestLanguages asks for texts in the form that Windows wants.
func TestLanguages(t *testing.T) {
	for _, c := range []struct {
		text, id string
		lang     uint32
	}{{"407", "007", 0x407}, {"7", "007", 0x407}, {"0x0409", "009", 0x409}, {"804", "804", 0x804}} {
		l, err := parseLanguage(c.text)
		if err != nil || l.id != c.id || l.lang != c.lang || l.english() != (c.id == "009") {
			t.Errorf("%s: %+v, %v", c.text, l, err)
		}
	}
	if _, err := newFake().source(Options{Language: "x"}); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
	for _, function := range []string{"computerName", "uiLanguage"} {
		f := newFake()
		f.fail = failOnce(function, counterset.AccessDenied)
		if _, err := f.source(Options{}); !errors.Is(err, counterset.AccessDenied) {
			t.Errorf("%s: %v", function, err)
		}
	}
}

// TestNames takes what names there are: bad texts cost themselves.
func TestNames(t *testing.T) {
	f := newFake()
	f.texts = map[uint32][]byte{counterset.RegEnglishName: {1}, counterset.RegEnglishCounter: {1},
		counterset.RegCounterHelps: {1}}
	src, _ := f.source(Options{Language: "409"})
	defer src.Close()
	schema, err := src.Schema(t.Context())
	if err != nil || len(schema.Names) != 1 {
		t.Fatal(err)
	}
	names, _ := nametable.FromSchema(schema)
	if names.Title(firstTitle) != "Disk" || names.Title(firstTitle+2) != "Counter 1" ||
		names.Help(firstTitle+3) != "" {
		t.Errorf("%q %q %q", names.Title(firstTitle), names.Title(firstTitle+2), names.Help(firstTitle+3))
	}
	// the counters' names of each set came from elsewhere, and the help texts from
	// nowhere
	if len(schema.Damage) != 6 {
		t.Error(errorText(errors.Join(schema.Damage...)))
	}
	f = newFake()
	f.texts = map[uint32][]byte{counterset.RegEnglishName: {}, counterset.RegName: {}}
	src, _ = f.source(Options{})
	defer src.Close()
	if got := sampled(t, src, paths(t, `\`+clock.String()+`\*`)); got != clock.String()+" =7" {
		t.Error(got)
	}
}

// TestOneBadSet serves the other sets.
func TestOneBadSet(t *testing.T) {
	f := newFake()
	f.fail = failOnce("registrationInfo", counterset.AccessDenied)
	src, _ := f.source(Options{})
	defer src.Close()
	schema, err := src.Schema(t.Context())
	if err != nil || len(schema.Sets) != 2 || len(schema.Damage) != 1 ||
		!errors.Is(schema.Damage[0], counterset.AccessDenied) {
		t.Error(err, schema.Damage)
	}
	f = newFake()
	f.sets[0].info.Counters[1].Base = 99
	src, _ = f.source(Options{})
	defer src.Close()
	schema, _ = src.Schema(t.Context())
	if len(schema.Damage) != 1 || !strings.Contains(schema.Damage[0].Error(), "counter 2 needs counter 99") {
		t.Error(schema.Damage)
	}
}

// TestRefused tells why a set has no values, and tries again when its provider
// may have come.
func TestRefused(t *testing.T) {
	f := newFake()
	f.sets[1].refuse = counterset.AccessDenied
	src, _ := f.source(Options{Retry: time.Minute})
	defer src.Close()
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	const denied = "Disk C:=1 D:=1001 _Total=2001\nClock\nDead\ndamage: counter set " +
		"{00000002-0000-0000-0000-000000000000}: access denied (ERROR_ACCESS_DENIED, 5)"
	if got := next(t, q); got != denied {
		t.Errorf("got\n%s\nwant\n%s", got, denied)
	}
	f.sets[1].refuse, f.sets[2].running = 0, true
	f.sets[2].value, f.sets[2].instances = f.sets[0].value, f.sets[0].instances[:1]
	if got := next(t, q); got != denied {
		t.Errorf("before its time:\n%s", got)
	}
	f.tick(time.Minute)
	if got, want := next(t, q), "Dead C:=601\nClock =607\nDisk C:=601 D:=1601 _Total=2601"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f.sets[0].running = false // its provider ends
	if got, want := next(t, q), "Dead C:=601\nClock =607\nDisk"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := q.Close(); err != nil || len(f.queries) != 0 {
		t.Error(err, f.queries)
	}
}

// TestFailures fails each call that compiling and sampling make.
func TestFailures(t *testing.T) {
	for function, wantCompile := range map[string]bool{
		"enumerateSets": true, "openQuery": true, "queryInfo": true, "queryData": false, "addCounters": false,
	} {
		f := newFake()
		src, err := f.source(Options{})
		if err != nil {
			t.Fatal(err)
		}
		f.fail = failOnce(function, counterset.AccessDenied)
		q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
		if (err != nil) != wantCompile || err != nil && !errors.Is(err, counterset.AccessDenied) {
			t.Errorf("%s: %v", function, err)
		}
		if len(f.queries) > 0 != (err == nil) {
			t.Errorf("%s: %d queries are open", function, len(f.queries))
		}
		if err != nil {
			continue
		}
		got := next(t, q)
		if function == "queryData" {
			if !strings.Contains(got, "PerfQueryCounterData: access denied") {
				t.Errorf("%s: %s", function, got)
			}
			got = next(t, q)
		}
		if !strings.HasSuffix(got, "_Total=2001\nClock =7\nDead") &&
			!strings.HasPrefix(got, "Clock =7\nDisk") {
			t.Errorf("%s: %s", function, got)
		}
		_ = q.Close()
	}
	f := newFake()
	f.fail = func(call string, _ int) error {
		if call == "addCounters" {
			return fmt.Errorf("missing: %w", winperf.ErrNotSupported)
		}
		return nil
	}
	src, _ := f.source(Options{})
	for _, sel := range []winperf.Selection{{Global: true}, paths(t, `\Clock\*`)} {
		if _, err := src.Compile(t.Context(), sel); !errors.Is(err, winperf.ErrNotSupported) ||
			len(f.queries) != 0 {
			t.Error(err, f.queries)
		}
	}
	f.fail = func(call string, _ int) error { // all identifiers at once, and each alone
		if call == "addCounters" {
			return counterset.OutOfMemory
		}
		return nil
	}
	if got := sampled(t, src, paths(t, `\Clock\*`)); !strings.Contains(got, "Clock\ndamage: counter set") ||
		!strings.Contains(got, "out of memory") {
		t.Error(got)
	}
}

// TestBadData breaks samples.
func TestBadData(t *testing.T) {
	f := newFake()
	src, _ := f.source(Options{})
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Clock\*`, `\Disk(*)\*`))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for _, c := range []struct {
		mend func([]byte) []byte
		want string
	}{
		{func(b []byte) []byte { return b[:10] },
			"error: truncated at byte 0: 10 bytes, want a header of 48"},
		{func(b []byte) []byte { return nil }, "error: truncated at byte 0: 0 bytes, want a header of 48"},
		{func(b []byte) []byte { binary.LittleEndian.PutUint32(b, 1<<30); return b },
			"error: bad length at byte 0: dwTotalSize is 1073741824"},
		{func(b []byte) []byte { return append(b, "what is left of a larger sample"...) },
			"Clock =7\nDisk C:=1 D:=1001 _Total=2001"},
		{func(b []byte) []byte { b[48+4] = 9; return b },
			"Disk C:=1 D:=1001 _Total=2001\ndamage: unknown form"},
	} {
		f.mend = c.mend
		if got := next(t, q); !strings.HasPrefix(got, c.want) {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestHang leaves a provider that does not answer, and reads on when it does.
func TestHang(t *testing.T) {
	f := newFake()
	src, _ := f.source(Options{})
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Clock\*`))
	if err != nil {
		t.Fatal(err)
	}
	hang := make(chan struct{})
	f.hang, f.hanging = hang, make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-f.hanging
		cancel()
	}()
	var raw winperf.Raw
	if err := perftest.Take(ctx, q, &raw); !errors.Is(err, context.Canceled) ||
		errors.Is(err, provider.ErrBusy) {
		t.Errorf("hangs: %v", err)
	}
	if err := perftest.Take(ctx, q, &raw); !errors.Is(err, provider.ErrBusy) {
		t.Errorf("still hangs: %v", err)
	}
	if got := sampled(t, src, winperf.Selection{Global: true, Metadata: true}); got != "Disk\nClock\nDead" {
		t.Errorf("another query meanwhile: %s", got)
	}
	f.mu.Lock()
	f.hang = nil
	f.mu.Unlock()
	close(hang)
	if got := next(t, q); got != "Clock =7" {
		t.Error(got)
	}
	if err := q.Close(); err != nil || len(f.queries) != 0 {
		t.Error(err, f.queries)
	}
}

// TestAllocates nothing, once warm.
func TestAllocates(t *testing.T) {
	f := newFake()
	src, _ := f.source(Options{})
	defer src.Close()
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	// The fake itself allocates, so its last answer is given again.
	b := f.sample(f.queries[1])
	src.consumer.calls.queryData = func(_ uintptr, buf []byte, n *uint32) error {
		size, err := give(buf, b)
		*n = uint32(size)
		return err
	}
	var s winperf.Sample
	sample := func() {
		if err := q.Next(t.Context(), &s); err != nil || s.Parts[0].Block.Format != winperf.FormatV2 ||
			s.Schema == nil {
			t.Fatal(err)
		}
	}
	sample()
	if n := testing.AllocsPerRun(100, sample); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// TestMany queries again and again: no query of the system stays open.
func TestMany(t *testing.T) {
	f := newFake()
	src, _ := f.source(Options{})
	for range 500 {
		sampled(t, src, winperf.Selection{Global: true})
	}
	if err := src.Close(); err != nil || len(f.queries) != 0 {
		t.Error(err, f.queries)
	}
}
