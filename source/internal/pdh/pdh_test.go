package pdh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// TestClient calls every function that lists, and fails each.
func TestClient(t *testing.T) {
	type result struct {
		function string
		get      func(c *client) (any, error)
		want     any
	}
	for _, r := range []result{
		{"enumObjects", func(c *client) (any, error) { return c.Objects("", false, true) },
			[]string{"Prozess", "Speicher"}},
		{"enumObjects", func(c *client) (any, error) { return c.Objects("", true, true) },
			[]string{"Prozess", "Speicher", "Thread"}},
		{"enumItems", func(c *client) (any, error) {
			counters, instances, multiple, err := c.items("", "prozess")
			return fmt.Sprint(counters, instances, multiple), err
		}, "[E/A pro s Handles] [idle svchost] true"},
		{"enumItems", func(c *client) (any, error) {
			counters, instances, multiple, err := c.items("", "Speicher")
			return fmt.Sprint(counters, instances, multiple), err
		}, "[Bytes Mittel] [] false"},
		{"enumItems", func(c *client) (any, error) {
			counters, instances, multiple, err := c.items("", "Thread")
			return fmt.Sprint(counters, instances, multiple), err
		}, "[Nummer] [] true"},
	} {
		f := newFake()
		c := &client{f.table()}
		f.grow = 3
		got, err := r.get(c)
		if diff := cmp.Diff(r.want, got); diff != "" || err != nil {
			t.Errorf("%s: %s, %v", r.function, diff, err)
		}
		f.fail = func(call string, _ int) error {
			if call == r.function {
				return winapi.PDH_ACCESS_DENIED
			}
			return nil
		}
		var named *callError
		if _, err := r.get(c); !errors.Is(err, fs.ErrPermission) || !errors.As(err, &named) ||
			!strings.HasPrefix(named.function, "Pdh") {
			t.Errorf("%s: %v", r.function, err)
		}
		f.fail = nil
		for name, lie := range map[string]func(string, uint32) uint32{
			"far too much": func(string, uint32) uint32 { return 1 << 31 },
			"too little":   func(string, uint32) uint32 { return 2 },
		} {
			f.lie = lie
			if _, err := r.get(c); !errors.Is(err, winperf.ErrBadData) {
				t.Errorf("%s that says %s: %v", r.function, name, err)
			}
		}
		f.lie, f.grow = nil, 1000
		if _, err := r.get(c); !errors.Is(err, winperf.ErrBadData) ||
			!strings.Contains(err.Error(), "16 times in a row") {
			t.Errorf("%s that grows for ever: %v", r.function, err)
		}
	}
	if _, _, _, err := (&client{newFake().table()}).items("", "x"); !errors.Is(err, winperf.ErrNoObject) {
		t.Error(err)
	}
}

func TestLists(t *testing.T) {
	if _, err := list([]uint16{'a', 0, 'b'}); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
	if all, err := list([]uint16{'a', 0}); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
	if _, err := text(func([]uint16) (uint32, error) { return 7, nil }); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
}

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

// cooked takes two samples of a query and returns what is computed, a line for
// each object: its name, and of each instance the values.
func cooked(t *testing.T, q winperf.Query) string {
	t.Helper()
	var pool frame.Pool
	var ck frame.Cooker
	take := func(before frame.Frame) frame.Frame {
		var sample winperf.Sample
		if err := q.Next(t.Context(), &sample); err != nil {
			t.Fatal(err)
		}
		f, err := pool.Decode(&sample, before)
		if err != nil || len(f.Damage()) > 0 || f.Machine() != "HOST" {
			t.Fatal(err, f.Damage(), f.Machine())
		}
		return f
	}
	was := take(frame.Frame{})
	now := take(was)
	if err := ck.Set(was, now, counter.Options{}); err != nil {
		t.Fatal(err)
	}
	names, _ := nametable.FromSchema(now.Schema())
	var lines []string
	for o := range now.Objects() {
		if !o.ID().GUID.IsZero() {
			t.Errorf("object %v has a GUID", o.ID())
		}
		line := names.Title(o.ID().Index)
		pair := ck.Object(o)
		for in := range o.Instances() {
			line += " " + in.Full()
			if n := in.Occurrence(); n > 0 {
				line += fmt.Sprintf("#%d", n)
			}
			for k := range o.NumCounters() {
				if o.Counter(k).Type.IsBase() {
					continue
				}
				col := pair.Column(k)
				v := col.Value(in.Position()).String()
				if col.Status[in.Position()] != counter.OK {
					v = col.Status[in.Position()].String()
				}
				line += "=" + v
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestSelections(t *testing.T) {
	const processes = "Prozess idle=10=2 svchost=20=102 svchost#1=30=202 a#b=40=302"
	const memory = "Speicher =1099511627778=0.25"
	for _, c := range []struct {
		name string
		sel  winperf.Selection
		want string
	}{
		{"everything that is not costly", winperf.Selection{Global: true}, processes + "\n" + memory},
		{"the costly", winperf.Selection{Costly: true}, "Thread"},
		{"all", winperf.Selection{Global: true, Costly: true}, processes + "\n" + memory + "\nThread"},
		{"definitions", winperf.Selection{Global: true, Metadata: true}, "Prozess\nSpeicher"},
		{"by title", winperf.Selection{Objects: []winperf.ObjectID{{Index: firstTitle + maxTitles}}}, memory},
		{"a pattern, which asks for no costly object", paths(t, `\Th*(*)\Nummer`, `\*\Bytes`),
			"Speicher =1099511627778"},
		{"a costly object by its name", paths(t, `\thread(*)\N*`), "Thread"},
		{"by name", paths(t, `\speicher\bytes`), "Speicher =1099511627778"},
		{"in English", paths(t, `\Memory\Average`), "Speicher =0.25"},
		{"all counters", paths(t, `\Speicher\*`), memory},
		{"(*) of an object without instances", paths(t, `\Speicher(*)\Mittel`, `\Speicher(*)\B*`),
			"Speicher =0.25=1099511627778"},
		{"all objects", paths(t, `\Sp*\Bytes`), "Speicher =1099511627778"},
		{"an instance", paths(t, `\Prozess(svchost)\Handles`), "Prozess svchost=102"},
		{"an instance with a # in its name", paths(t, `\Process(a#b)\Handle Count`), "Prozess a#b=302"},
		{"a later one of equal ones", paths(t, `\Prozess(svchost#1)\Handles`),
			"Prozess svchost=102 svchost#1=202"},
		{"all of equal ones", paths(t, `\Prozess(svchost#*)\Handles`), "Prozess svchost=102 svchost#1=202"},
		{"some instances", paths(t, `\Prozess(?v*)\Handles`), "Prozess svchost=102 svchost#1=202"},
		{"some instances and one", paths(t, `\Prozess(idle)\Handles`, `\Prozess(s*)\E/A pro s`),
			"Prozess idle=2=invalid_data svchost=invalid_data=20 svchost#1=invalid_data=30"},
		{"one twice", paths(t, `\Speicher\Bytes`, `\Memory\Bytes`), "Speicher =1099511627778"},
		{"an instance that is not there", paths(t, `\Prozess(x)\Handles`), "Prozess"},
		{"nothing that there is", paths(t, `\Prozess(*)\x`, `\x\y`, `\x\*`, `\Prozess\Handles`), ""},
		{"on this machine", paths(t, `\\host\Speicher\Bytes`), "Speicher =1099511627778"},
	} {
		f := newFake()
		f.plain = c.name == "all of equal ones"
		src, err := open(f.table(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := src.Schema(t.Context()); err != nil { // gives titles
			t.Fatal(err)
		}
		q, err := src.Compile(t.Context(), c.sel)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := cooked(t, q); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if err := errors.Join(q.Close(), src.Close()); err != nil || len(f.queries) != 0 {
			t.Error(err, f.queries)
		}
	}
}

// TestOwnClocks reads values whose clocks and frequencies are not those of the other
// ones of their object, as those of counter sets may be.
func TestOwnClocks(t *testing.T) {
	f := newFake()
	rate := &f.objects[0].counters[0]
	rate.raw = func(i int, ticks int64) winapi.PDH_RAW_COUNTER {
		return winapi.PDH_RAW_COUNTER{FirstValue: 10 * ticks, SecondValue: int64(i+1) * ticks * fakeFrequency}
	}
	src, err := open(f.table(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Prozess(*)\E/A pro s`))
	if err != nil {
		t.Fatal(err)
	}
	if got := cooked(t, q); got != "Prozess idle=10 svchost=5 svchost#1=3.3333333333333335 a#b=2.5" {
		t.Error(got)
	}
}

// TestDenied reads values of which PDH says that it may not read them.
func TestDenied(t *testing.T) {
	for _, formatted := range []bool{false, true} {
		f := newFake()
		table := f.table()
		table.rawValue = func(_ uintptr, v *winapi.PDH_RAW_COUNTER) error {
			v.CStatus = winapi.PDH_ACCESS_DENIED
			return winapi.PDH_INVALID_DATA
		}
		table.formatted = func(uintptr, uint32,
			*winapi.PDH_FMT_COUNTERVALUE) error {
			return winapi.PDH_ACCESS_DENIED
		}
		src, err := open(table, Options{Formatted: formatted})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		c := measure.New(src, paths(t, `\Speicher\Bytes`), measure.Options{})
		defer c.Close()
		cycle, err := c.Cycle(t.Context())
		if err != nil || cycle.Len() != 1 || cycle.Readings()[0].Status != counter.NotPermitted {
			t.Errorf("formatted %v: %v, %v", formatted, err, cycle.Readings())
		}
	}
}

// TestAbsent reads an object without instances that is not there.
func TestAbsent(t *testing.T) {
	f := newFake()
	table := f.table()
	table.rawValue = func(uintptr, *winapi.PDH_RAW_COUNTER) error { return winapi.PDH_CSTATUS_NO_OBJECT }
	src, err := open(table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Speicher\Bytes`))
	if err != nil {
		t.Fatal(err)
	}
	if got := cooked(t, q); got != "Speicher" {
		t.Error(got)
	}
}

// TestDamage tells what a sample leaves out.
func TestDamage(t *testing.T) {
	f := newFake()
	table := f.table()
	table.counterInfo = func(c uintptr, buf winapi.Memory) (uint32, error) {
		size, err := f.counterInfo(c, buf)
		if err == nil {
			(*winapi.PDH_COUNTER_INFO)(unsafe.Pointer(&buf[0])).InstanceIndex = 1 << 30
		}
		return size, err
	}
	src, err := open(table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Prozess(svchost)\Handles`, `\Speicher\Bytes`))
	if err != nil {
		t.Fatal(err)
	}
	var sample winperf.Sample
	for i, want := range []int{1, 0} { // it is told once
		err := q.Next(t.Context(), &sample)
		found := sample.Damage
		if err != nil || len(found) != want || want > 0 && !errors.Is(found[0], winperf.ErrBadData) {
			t.Errorf("sample %d: %v, damage %v", i, err, found)
		}
	}
}

// TestSampleAllocates nothing once the instances are known.
func TestSampleAllocates(t *testing.T) {
	f := newFake()
	src, err := open(f.table(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Speicher\*`))
	if err != nil {
		t.Fatal(err)
	}
	var sample winperf.Sample
	n := testing.AllocsPerRun(100, func() {
		if err := q.Next(t.Context(), &sample); err != nil {
			t.Fatal(err)
		}
	})
	if n > 0 {
		t.Errorf("%v allocations a sample", n)
	}
}

// TestMachine reads another machine, and refuses to where it was not asked for.
func TestMachine(t *testing.T) {
	src, _ := open(newFake().table(), Options{Machine: "OTHER"})
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\\other\Speicher\Bytes`))
	if err != nil || src.Describe().Machine != "OTHER" || len(q.(*query).columns) != 1 {
		t.Error(err, src.Describe().Machine)
	}
	if _, err := src.Compile(t.Context(), paths(t, `\\host\Speicher\Bytes`)); !errors.Is(
		err, winperf.ErrNoMachine) {
		t.Error(err)
	}
	away, _ := open(newFake().table(), Options{Machine: "AWAY"})
	defer away.Close()
	if _, err := away.Compile(t.Context(), paths(t, `\Speicher\Bytes`)); !errors.Is(
		err, winperf.ErrNoMachine) {
		t.Error(err)
	}
}

// TestNames knows what was asked for in both languages.
func TestNames(t *testing.T) {
	src, _ := open(newFake().table(), Options{})
	defer src.Close()
	before, err := src.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := src.Schema(t.Context()); again != before {
		t.Error("another schema although nothing changed")
	}
	if _, err := src.Compile(t.Context(), paths(t, `\Memory\Bytes`, `\Process(*)\Handle Count`)); err != nil {
		t.Fatal(err)
	}
	schema, _ := src.Schema(t.Context())
	names, damage := nametable.FromSchema(schema)
	if len(damage) > 0 || schema == before {
		t.Error(damage)
	}
	for _, name := range []string{"Memory", "Speicher", "Handle Count", "Handles", "Process", "Thread"} {
		if len(names.Lookup(name)) != 1 {
			t.Errorf("%s has the titles %v", name, names.Lookup(name))
		}
	}
	if got := names.In("009").Title(firstTitle + 2); got != "Handle Count" ||
		names.Title(firstTitle+2) != "Handles" || names.Help(firstTitle+3) != "Hilfe" {
		t.Errorf("%q %q %q", got, names.Title(firstTitle+2), names.Help(firstTitle+3))
	}
}

// TestFailures fails each call that compiling and sampling make.
func TestFailures(t *testing.T) {
	type stage int
	const (
		compile stage = iota
		sample
		never
	)
	for function, when := range map[string]stage{
		"openQuery": compile, "enumObjects": compile, "enumItems": compile, "addCounter": compile,
		"counterInfo": compile, "timeBase": never,
		"collect": sample, "rawValue": sample, "rawArray": sample,
	} {
		f := newFake()
		src, _ := open(f.table(), Options{})
		f.fail = failOnce(function, winapi.PDH_ACCESS_DENIED)
		q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
		if (when == compile) != errors.Is(err, fs.ErrPermission) || (err != nil) != (len(f.queries) == 0) {
			t.Errorf("%s: %v, %d queries are open", function, err, len(f.queries))
		}
		if err != nil {
			continue
		}
		var raw winperf.Raw
		if err := perftest.Take(t.Context(), q, &raw); (when == sample) != errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", function, err)
		}
		if err := perftest.Take(t.Context(), q, &raw); err != nil {
			t.Errorf("%s, a second time: %v", function, err)
		}
		for _, size := range []uint32{1 << 31, 1 << 20} {
			f.lie = func(string, uint32) uint32 { return size }
			for i := range q.(*query).columns {
				q.(*query).columns[i].buf = nil
			}
			if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, winperf.ErrBadData) &&
				size > maxBytes {
				t.Errorf("size %d: %v", size, err)
			}
		}
		f.lie, f.grow = nil, 1000
		if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("grows for ever: %v", err)
		}
		f.grow = 0
		if err := src.Close(); err != nil || len(f.queries) != 0 {
			t.Errorf("%v, %d queries are open", err, len(f.queries))
		}
		if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, winperf.ErrState) {
			t.Errorf("closed: %v", err)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	f := newFake()
	f.fail = failOnce("computerName", winapi.PDH_ACCESS_DENIED)
	if _, err := open(f.table(), Options{}); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	f = newFake()
	src, _ := open(f.table(), Options{})
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Speicher\Bytes`))
	if err != nil {
		t.Fatal(err)
	}
	f.fail = failOnce("collect", winapi.PDH_NO_DATA) // no error: there is no instance
	if got := cooked(t, q); got != "Speicher =1099511627777" {
		t.Error(got)
	}
}

// TestHang leaves a collection that does not end, and reads on when it does.
func TestHang(t *testing.T) {
	f := newFake()
	src, _ := open(f.table(), Options{})
	q, err := src.Compile(t.Context(), paths(t, `\Speicher\Bytes`))
	if err != nil {
		t.Fatal(err)
	}
	f.hang, f.hanging = make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-f.hanging
		cancel()
	}()
	var raw winperf.Raw
	if err := perftest.Take(ctx, q, &raw); !errors.Is(err, context.Canceled) ||
		errors.Is(err, provider.ErrBusy) {
		t.Error(err)
	}
	if _, err := src.Schema(ctx); !errors.Is(err, provider.ErrBusy) {
		t.Error(err)
	}
	f.mu.Lock()
	hang := f.hang
	f.hang = nil
	f.mu.Unlock()
	close(hang)
	if got := cooked(t, q); got != "Speicher =1099511627779" {
		t.Error(got)
	}
	if err := src.Close(); err != nil || len(f.queries) != 0 {
		t.Error(err)
	}
}

// TestCompileHangs closes a query that nobody waits for any more when it is open.
func TestCompileHangs(t *testing.T) {
	f := newFake()
	table := f.table()
	hanging, hang := make(chan struct{}), make(chan struct{})
	add := table.addCounter
	table.addCounter = func(q uintptr, path string) (uintptr, error) {
		close(hanging)
		<-hang
		return add(q, path)
	}
	src, err := open(table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-hanging
		cancel()
	}()
	if _, err := src.Compile(ctx, paths(t, `\Speicher\Bytes`)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(hang)
	if _, err := src.Schema(t.Context()); err != nil { // behind it
		t.Error(err)
	}
	if len(f.queries) != 0 {
		t.Errorf("%d queries are open", len(f.queries))
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

// TestFormattedNames asks a system that is not English for PDH's own values, by the names
// of both languages and while other queries learn further names.
func TestFormattedNames(t *testing.T) {
	src, _ := open(newFake().table(), Options{Formatted: true})
	defer src.Close()
	sel := paths(t, `\Process(svchost)\Handle Count`, `\Speicher\Bytes`, `\Memory\Average`,
		`\Prozess(idle)\Handles`, `\Memory\Nothing`)
	m := measure.New(src, sel, measure.Options{})
	defer m.Close()
	const handles, memory = `\\HOST\Prozess(svchost)\Handles ok, \\HOST\Speicher\Bytes ok, `,
		`\\HOST\Speicher\Mittel `
	const rest = `, \\HOST\Prozess(idle)\Handles ok, \\HOST\Memory\Nothing no_counter`
	for i, want := range []string{handles + memory + "no_previous" + rest, handles + memory + "ok" + rest,
		handles + memory + "ok" + rest} {
		cycle, err := m.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range cycle.Readings() {
			got = append(got, r.Path.String()+" "+r.Status.String())
		}
		if diff := cmp.Diff(strings.Split(want, ", "), got); diff != "" {
			t.Errorf("sample %d (-want +got):\n%s", i, diff)
		}

		other, err := src.Compile(t.Context(), paths(t, `\Process(idle)\IO/sec`))
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormatted gives PDH's own values.
func TestFormatted(t *testing.T) {
	f := newFake()
	src, _ := open(f.table(), Options{Formatted: true})
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Speicher\*`, `\Prozess(svc*)\*`, `\Prozess(x)\Handles`))
	if err != nil {
		t.Fatal(err)
	}
	var first []*winperf.Series
	for i, want := range []string{
		`\\HOST\Speicher\Bytes=1099511627777 \\HOST\Speicher\Mittel=no_previous \\HOST\Prozess(svchost)\E/A pro s=no_previous ` +
			`\\HOST\Prozess(svchost#1)\E/A pro s=no_previous \\HOST\Prozess(svchost)\Handles=101 \\HOST\Prozess(svchost#1)\Handles=201 \\HOST\Prozess(x)\Handles=no_instance`,
		`\\HOST\Speicher\Bytes=1099511627778 \\HOST\Speicher\Mittel=12.5 \\HOST\Prozess(svchost)\E/A pro s=12.5 ` +
			`\\HOST\Prozess(svchost#1)\E/A pro s=12.5 \\HOST\Prozess(svchost)\Handles=102 \\HOST\Prozess(svchost#1)\Handles=202 \\HOST\Prozess(x)\Handles=no_instance`,
	} {
		all, err := perftest.Readings(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for k, r := range all {
			v := r.Value.String()
			if r.Status != counter.OK {
				v = r.Status.String()
			}
			got = append(got, r.Series.String()+"="+v)
			if schema, _ := src.Schema(t.Context()); !titled(schema, r.Series) {
				t.Errorf("%s has the titles %v and %v", r, r.ObjectID, r.CounterID)
			}
			if i == 0 {
				first = append(first, r.Series)
			} else if r.Series != first[k] {
				t.Errorf("%v has another Series", r.Series)
			}
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Error(diff)
		}
	}
	var raw winperf.Raw
	if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, winperf.ErrNotSupported) {
		t.Error(err)
	}
	for _, function := range []string{"collect", "formatted", "formattedArray"} {
		f.count, f.fail = map[string]int{}, failOnce(function,
			fmt.Errorf("%s: %w", function, winperf.ErrNotSupported))
		if _, err := perftest.Readings(t.Context(), q); !errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("%s: %v", function, err)
		}
	}
	for s, want := range map[winapi.PdhStatus]counter.Status{
		winapi.PDH_CALC_NEGATIVE_DENOMINATOR: counter.NegativeDenominator,
		winapi.PDH_CALC_NEGATIVE_TIMEBASE:    counter.NegativeTimebase,
		winapi.PDH_CALC_NEGATIVE_VALUE:       counter.NegativeValue,
		winapi.PDH_CSTATUS_NO_COUNTER:        counter.NoCounter,
		winapi.PDH_CSTATUS_NO_OBJECT:         counter.NoObject,
		winapi.PDH_INVALID_ARGUMENT:          counter.Unsupported, winapi.PDH_RETRY: counter.InvalidData,
	} {
		f.fail = failOnce("formatted", s)
		f.count = map[string]int{}
		all, err := perftest.Readings(t.Context(), q)
		if err != nil || all[0].Status != want || all[0].Value != (counter.Value{}) {
			t.Errorf("%v: %v (%v), want %v", s, all[0].Status, err, want)
		}
	}
	if v, s := displayable(0x7FF8000000000000, winapi.PDH_FMT_DOUBLE); s != counter.InvalidData ||
		v != (counter.Value{}) {
		t.Error("a NaN is a value")
	}
}

// titled reports whether the title indices of a series are those of its names.
func titled(schema *winperf.Schema, s *winperf.Series) bool {
	names, _ := nametable.FromSchema(schema)
	return names.Title(s.ObjectID.Index) == s.Path.Object && names.Title(s.CounterID.Index) == s.Path.Counter
}

// TestMany opens and closes queries: none stays open.
func TestMany(t *testing.T) {
	f := newFake()
	src, _ := open(f.table(), Options{})
	for range 500 {
		q, err := src.Compile(t.Context(), paths(t, `\Prozess(*)\*`))
		if err != nil {
			t.Fatal(err)
		}
		var raw winperf.Raw
		if err := errors.Join(perftest.Take(t.Context(), q, &raw), q.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := src.Close(); err != nil || len(f.queries) != 0 {
		t.Error(err, f.queries)
	}
}
