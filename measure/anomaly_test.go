package measure_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
)

// anomalies are what a cycle has, and the readings that carry a kind.
func anomalies(cy *measure.Cycle) (text []string) {
	for _, a := range cy.Anomalies {
		text = append(text, a.String())
		if a.Time != cy.Time {
			text = append(text, fmt.Sprintf("at %v instead of %v", a.Time, cy.Time))
		}
	}
	for _, r := range cy.Readings() {
		if r.Anomalies != 0 {
			text = append(text, fmt.Sprintf("%s [%v]", r.Path.String()[len(`\\HOST`):], r.Anomalies))
		}
	}
	return text
}

// last runs all samples and returns the last cycle.
func last(t *testing.T, paths string, samples ...sample) *measure.Cycle {
	t.Helper()
	c := measure.New(script(samples...), selection(t, paths), measure.Options{})
	var cy *measure.Cycle
	for range samples {
		cy = cycle(t, c)
	}
	return cy
}

func without(o object, counters ...int) object {
	o.keep = func(i int) bool { return !slices.Contains(counters, i) }
	return o
}

func TestAnomalies(t *testing.T) {
	sys := func(at int64, processes, switches uint64) sample {
		return sample{at: at, objects: []object{{Object: system, instances: []instance{{raw: []uint64{processes, switches}}}}}}
	}
	cpus := func(at int64, interrupts ...uint64) sample {
		o := object{Object: processor}
		for i, n := range interrupts {
			o.instances = append(o.instances, instance{name: fmt.Sprint(i), raw: []uint64{uint64(at) * second, n}})
		}
		return sample{at: at, objects: []object{o}}
	}
	both := func(at int64) sample {
		s := sys(at, 1, 1)
		s.objects = append(s.objects, cpus(at, 1).objects...)
		return s
	}
	disks := func(at int64, all ...instance) sample {
		return sample{at: at, objects: []object{{Object: disk, instances: all}}}
	}
	renamed := sys(1, 1, 1)
	renamed.schema = schema(english())
	fewer := cpus(1, 5)
	fewer.objects[0] = without(fewer.objects[0], 0)
	fewer.objects[0].instances[0].raw = nil
	tests := []struct {
		name    string
		path    string
		samples []sample
		want    []string
	}{
		{"nothing", `\System\*`, []sample{sys(0, 1, 1), sys(1, 1, 1)}, nil},
		{"the first sample", `\Process(*)\% Processor Time`, []sample{processes(0, proc("a", 4, 9, 0))}, nil},
		{
			"instances come", `\Process(*)\% Processor Time`,
			[]sample{processes(0, proc("a", 4, 9, 0)), processes(1, proc("a", 8, 1, 0), proc("a", 4, 9, 0), proc("b", 12, 1, 0))},
			[]string{
				"instances_came: Process: 2 instances: a, b (measured from here on)",
				"instances_renamed: Process: a is called a#1 now: a#1 (treated as the same instances)",
				`\Process(a)\% Processor Time [instances_came]`, `\Process(a#1)\% Processor Time [instances_renamed]`,
				`\Process(b)\% Processor Time [instances_came]`,
			},
		},
		{
			"instances leave", `\Process(*)\% Processor Time`,
			[]sample{processes(0, proc("a", 4, 9, 0), proc("a", 8, 9, 0), proc("b", 12, 9, 0)), processes(1, proc("a", 8, 9, 0))},
			[]string{
				"instances_left: Process: 2 instances: a, b",
				"instances_renamed: Process: a#1 is called a now: a (treated as the same instances)",
				`\Process(a)\% Processor Time [instances_renamed]`,
			},
		},
		{
			"a series goes on with another instance", `\Process(a#1)\% Processor Time`,
			[]sample{
				processes(0, proc("a", 4, 9, 0), proc("a", 8, 9, 0), proc("a", 12, 9, 0)),
				processes(1, proc("a", 8, 9, 0), proc("a", 12, 9, 0)),
			},
			[]string{
				"instances_renamed: Process: a#1 is called a now: 2 instances: a, a#1 (treated as the same instances)",
				`\Process(a#1)\% Processor Time [instances_renamed]`,
			},
		},
		{
			"another one of the same name", `\Process(*)\% Processor Time`,
			[]sample{processes(0, proc("a", 4, 9, 0)), processes(1, proc("a", 8, 0, 0))},
			[]string{
				"instances_came: Process: a (measured from here on)", "instances_left: Process: a",
				"instance_began: Process: a (counted from zero)",
				`\Process(a)\% Processor Time [instances_came,instance_began]`,
			},
		},
		{
			"another one, of a counter that does not count", `\Process(*)\ID Process`,
			[]sample{processes(0, proc("a", 4, 9, 0)), processes(1, proc("a", 8, 0, 0))},
			[]string{
				"instances_came: Process: a (measured from here on)", "instances_left: Process: a",
				`\Process(a)\ID Process [instances_came]`,
			},
		},
		{
			"instances that nobody asked for", `\Process(b*)\% Processor Time`,
			[]sample{processes(0, proc("a", 4, 9, 0), proc("b", 8, 9, 0)), processes(1, proc("b", 8, 9, 0), proc("c", 12, 0, 0))}, nil,
		},
		{
			"no object of interest", `\System\*`,
			[]sample{processes(0, proc("a", 4, 9, 0)), processes(1, proc("b", 8, 9, 0))}, nil,
		},
		{
			"an object comes", `\Processor(*)\Interrupts/sec`, []sample{sys(0, 1, 1), both(1)},
			[]string{"schema_changed: Processor: the object is new (measured from here on)", `\Processor(0)\Interrupts/sec [schema_changed]`},
		},
		{
			"an object goes", `\Processor(*)\Interrupts/sec`, []sample{both(0), sys(1, 1, 1)},
			[]string{"schema_changed: Processor: the object is gone", `\Processor(*)\Interrupts/sec [schema_changed]`},
		},
		{
			"counters change", `\Processor(*)\Interrupts/sec`, []sample{cpus(0, 1), fewer},
			[]string{
				"schema_changed: Processor: the object's counters changed (unchanged counters continue)",
				`\Processor(0)\Interrupts/sec [schema_changed]`,
			},
		},
		{
			"names change", `\System\Processes`, []sample{sys(0, 1, 1), renamed},
			[]string{
				"schema_changed: the names of objects and counters were read again (paths are looked up again)",
				`\System\Processes [schema_changed]`,
			},
		},
		{
			"time goes back", `\System\Processes`, []sample{sys(5, 1, 1), sys(2, 1, 1)},
			[]string{"clock_back: the system time went back by 3s", `\System\Processes [clock_back]`},
		},
		{
			"a counter is reset", `\System\*`, []sample{sys(0, 5, 3000), sys(1, 4, 10)},
			[]string{"counter_reset: System: Context Switches/sec (no value)", `\System\Context Switches/sec [counter_reset]`},
		},
		{
			"a counter wraps", `\System\*`, []sample{sys(0, 5, 1<<32-50), sys(1, 4, 50)},
			[]string{"counter_wrapped: System: Context Switches/sec (taken as growth modulo 2^32)", `\System\Context Switches/sec [counter_wrapped]`},
		},
		{
			"an average's base falls", `\LogicalDisk(*)\Avg. Disk sec/Read`,
			[]sample{
				disks(0, instance{name: "C:", raw: []uint64{100, 20}}, instance{name: "D:", raw: []uint64{100, 20}}, instance{name: "E:", raw: []uint64{100, 20}}),
				disks(1, instance{name: "C:", raw: []uint64{100, 10}}, instance{name: "D:", raw: []uint64{100, 30}}, instance{name: "E:", raw: []uint64{100, 19}}),
			},
			[]string{
				"counter_reset: LogicalDisk: Avg. Disk sec/Read: 2 instances: C:, E: (no value)",
				`\LogicalDisk(C:)\Avg. Disk sec/Read [counter_reset]`, `\LogicalDisk(E:)\Avg. Disk sec/Read [counter_reset]`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cy := last(t, tt.path, tt.samples...)
			if diff := cmp.Diff(tt.want, anomalies(cy)); diff != "" {
				t.Errorf("anomalies (-want +got):\n%s", diff)
			}
		})
	}
}

// What touched a sample is forgotten with the next.
func TestAnomaliesPass(t *testing.T) {
	c := measure.New(script(
		processes(5, proc("a", 4, 9, 0)), processes(4, proc("b", 8, 9, 0)), processes(6, proc("b", 8, 9, 50)),
	), selection(t, `\Process(*)\% Processor Time`), measure.Options{})
	cycle(t, c)
	if cy := cycle(t, c); len(cy.Anomalies) != 3 || cy.Readings()[0].Anomalies == 0 {
		t.Errorf("anomalies %v, readings touched by %v", cy.Anomalies, cy.Readings()[0].Anomalies)
	}
	if cy := cycle(t, c); len(anomalies(cy)) != 0 {
		t.Errorf("anomalies %q", anomalies(cy))
	}
}

// A buffer that grows while a sample is taken is an anomaly; one that is a
// little larger than the last sample is there beforehand.
func TestBufferGrew(t *testing.T) {
	many := func(n int) sample {
		s := processes(int64(n))
		for i := range []int{100, 100, 102, 102, 400, 400}[n] {
			s.objects[0].instances = append(s.objects[0].instances, proc("p", uint64(4*i), 9, 0))
		}
		return s
	}
	for _, src := range []winperf.Source{
		&scripted{schema: englishSchema, script: many}, recording{&scripted{schema: englishSchema, script: many}, 6},
	} {
		testGrew(t, src, `\Process(p)\ID Process`, []bool{false, false, false, false, true, false})
	}

	// Displayable values are there before their block is made.
	wide := make([]counter.Value, 1000)
	for i := range wide {
		wide[i] = counter.Int(uint64(i))
	}
	log := &textLog{rows: [][]counter.Value{wide[:1], wide[:1], wide[:1], wide, wide}}
	for i := range wide {
		p := winperf.Path{Object: "O", Instance: fmt.Sprint(i), HasInstance: true, Counter: "C"}
		log.series = append(log.series, winperf.NewSeries(p))
	}
	testGrew(t, log, `\O(0)\C`, make([]bool, len(log.rows)))
}

// testGrew expects samples of a source to be told as those that needed more space, or not.
func testGrew(t *testing.T, src winperf.Source, path string, wants []bool) {
	t.Helper()
	c := measure.New(src, selection(t, path), measure.Options{})
	for n, want := range wants {
		if err := errors.Join(c.Prepare(t.Context()), c.Sample(t.Context())); err != nil {
			t.Fatal(err)
		}
		if c.Grew() != want {
			t.Errorf("sample %d: told before it was decoded: %v", n, c.Grew())
		}
		cy, err := c.Decode()
		if err != nil {
			t.Fatal(err)
		}
		got := cy.Readings()[0].Anomalies.Has(winperf.BufferGrew)
		listed := slices.ContainsFunc(cy.Anomalies, func(a winperf.Anomaly) bool { return a.Kind == winperf.BufferGrew })
		if got != want || listed != want {
			t.Errorf("sample %d: %v", n, anomalies(cy))
		}
	}
}

// TestClockBackOfBlocks: a clock that goes back is told of raw values, also of a source without a performance
// counter. Of displayable values it is damage, which their reader tells of.
func TestClockBackOfBlocks(t *testing.T) {
	times := []time.Duration{2 * time.Second, time.Second}
	raw := script(count(0), count(1))
	for n := range times {
		clocks := counter.Clocks{Time100ns: winperf.ToFiletime(winperf.FromFiletime(epoch).Add(times[n]))}
		was := raw.script
		raw.script = func(i int) sample {
			s := was(i)
			if i == n {
				s.clocks = &clocks
			}
			return s
		}
	}
	log := newTextLog(t, `\\HOST\System\Processes`, values(1), values(2))
	log.times = times

	for _, test := range []struct {
		src  winperf.Source
		want bool
	}{{raw, true}, {log, false}} {
		c := measure.New(test.src, selection(t, `\System\Processes`), measure.Options{})
		cycle(t, c)
		got := slices.ContainsFunc(cycle(t, c).Anomalies, func(a winperf.Anomaly) bool { return a.Kind == winperf.ClockBack })
		if got != test.want {
			t.Errorf("%T: told %v, want %v", test.src, got, test.want)
		}
	}
}

// Watch tells of samples that were slow, late and missed.
func TestTimingAnomalies(t *testing.T) {
	delays := []time.Duration{900 * ms, 0, 700 * ms, 0, 0, 0, 0}
	src := &scripted{schema: englishSchema, script: func(n int) sample {
		s := count(n)
		s.delay = delays[n]
		return s
	}}
	pauses := []time.Duration{0, 0, 0, 700 * ms, 2500 * ms, 0}
	var got [][]string
	synctest.Test(t, func(t *testing.T) {
		for cy, err := range measure.Watch(t.Context(), src, selection(t, `\System\Processes`), measure.Options{Count: 6}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, anomalies(cy))
			time.Sleep(pauses[len(got)-1])
		}
	})
	missed := []string{
		"sample_missed: 1 samples were due and not taken (the readings cover the longer time)",
		`\System\Processes [sample_missed]`,
	}
	want := [][]string{
		nil, // the first sample opens what has to be opened
		missed,
		{"source_slow: taking the sample lasted 700ms, more than 500ms", `\System\Processes [source_slow]`},
		missed,
		nil,
		missed,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("anomalies (-want +got):\n%s", diff)
	}
}

func TestSampleLate(t *testing.T) {
	var got [][]string
	synctest.Test(t, func(t *testing.T) {
		for cy, err := range measure.Watch(t.Context(), counting(), selection(t, `\System\Processes`), measure.Options{Count: 3}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, anomalies(cy))
			time.Sleep([]time.Duration{1200 * ms, 1100 * ms, 0}[len(got)-1])
		}
	})
	want := [][]string{nil, nil, {"sample_late: taken 300ms after it was due (taken at once)", `\System\Processes [sample_late]`}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("anomalies (-want +got):\n%s", diff)
	}
}

// troubled is a source with failures to tell.
type troubled struct {
	winperf.Source
	list []winperf.Anomaly
}

func (s *troubled) Describe() winperf.Description {
	d := s.Source.Describe()
	d.Anomalies = s.anomalies
	return d
}

func (s *troubled) anomalies(buf []winperf.Anomaly, n uint64) ([]winperf.Anomaly, uint64) {
	total := uint64(len(s.list))
	return append(buf, s.list[min(n, total):]...), total
}

func TestProviderFailed(t *testing.T) {
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	failure := winperf.Anomaly{Kind: winperf.ProviderFailed, Time: at, Detail: "provider disk", Err: errTest}
	src := &troubled{counting(), []winperf.Anomaly{{Kind: winperf.ProviderFailed, Detail: "before"}}}
	c := measure.New(src, selection(t, `\System\Processes`, `\Disk\Reads`), measure.Options{Source: "host"})
	if cy := cycle(t, c); len(cy.Anomalies) != 1 || cy.Anomalies[0].Kind != winperf.PathUnmatched {
		t.Errorf("what was before the measurement is told: %v", cy.Anomalies)
	}
	src.list = append(src.list, failure)
	cy := cycle(t, c)
	if len(cy.Anomalies) != 1 || cy.Anomalies[0].Time != at || cy.Anomalies[0].Source != "host" || !errors.Is(cy.Anomalies[0].Err, errTest) {
		t.Errorf("anomalies %+v", cy.Anomalies)
	}
	if got, want := anomalies(cy)[2:], []string{`\Disk\Reads [provider_failed]`}; !cmp.Equal(got, want) { // perhaps for that
		t.Errorf("touched readings %q, want %q", got, want)
	}
	if cy := cycle(t, c); len(anomalies(cy)) != 0 {
		t.Errorf("told twice: %v", anomalies(cy))
	}
}

// Many that came are not all named in the text, but all in the data.
func TestManyInstances(t *testing.T) {
	s := processes(1)
	for i := range 100 {
		s.objects[0].instances = append(s.objects[0].instances, proc(fmt.Sprint("p", i), uint64(4*i), 9, 0))
	}
	cy := last(t, `\Process(*)\ID Process`, processes(0, proc("p0", 0, 9, 0)), s)
	if len(cy.Anomalies) != 2 || len(cy.Anomalies[1].Instances) != 99 { // the buffer grew first
		t.Fatalf("anomalies %v", cy.Anomalies)
	}
	if got, want := cy.Anomalies[1].String(), "instances_came: Process: 99 instances: p1, p2, p3, p4, p5, p6, p7, p8, ... (measured from here on)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A path that matches nothing is told with the first cycle that is yielded, once, also when
// it matched meanwhile; one that matched from the first cycle on is never told.
func TestPathUnmatched(t *testing.T) {
	const asked = `\Nono(x)\Y
\System\Nono
\winperf\Nono
\System\Processes
\Process(a)\ID Process
\Process(b)\ID Process
\Process(b*)\% Processor Time`
	a, b := proc("a", 1, 9, 0), proc("b", 2, 9, 0)
	sys := object{Object: system, instances: []instance{{raw: []uint64{1, 1}}}}
	at := func(at int64, instances ...instance) sample {
		return sample{at: at, objects: []object{sys, {Object: process, instances: instances}}}
	}
	samples := []sample{at(0, a), at(1, a), at(2, a, b), at(3), at(4, a)}
	const nothing, action = "path_unmatched: here: ", " (looked for in every sample)"
	want := []string{
		nothing + `\Nono(x)\Y: there is no such object` + action,
		nothing + `\System\Nono: there is no such counter` + action,
		nothing + `\winperf\Nono: there is no such counter` + action,
		nothing + `\Process(b)\ID Process: there is no such instance` + action,
		nothing + `\Process(b*)\% Processor Time: there is no such instance` + action,
	}

	sel := winperf.Selection{Paths: pathList(t, asked)}
	for name, open := range map[string]func() winperf.Source{
		"live":     func() winperf.Source { return script(samples...) },
		"recorded": func() winperf.Source { return recording{script(samples...), len(samples)} },
	} {
		for _, first := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				opt := measure.Options{Source: "here", KeepFirst: first, Count: 3}
				for cy, err := range measure.Watch(t.Context(), open(), sel, opt) {
					if err != nil {
						t.Fatal(err)
					}
					if got := unmatched(cy.Anomalies); !cmp.Equal(got, want) && n == 0 || len(got) > 0 && n > 0 {
						t.Errorf("%s, %v, cycle %d: %q", name, first, n, got)
					}
					n++
				}
				if n != 3 {
					t.Errorf("%s: %d cycles", name, n)
				}
			})
		}
	}
}

// Of what a source cooked itself, and of several sources.
func TestPathUnmatchedElsewhere(t *testing.T) {
	one := counter.Float(1)
	log := newTextLog(t, `\\HOST\System\Processes`, []counter.Value{one}, []counter.Value{one})
	const nothing, action = ": there is no such object", " (looked for in every sample)"
	c := measure.New(log, selection(t, `\System\Processes`, `\Nono(x)\Y`), measure.Options{})
	want := []string{`path_unmatched: \Nono(x)\Y` + nothing + action}
	for n := range 2 {
		if got := unmatched(cycle(t, c).Anomalies); !cmp.Equal(got, want) {
			t.Errorf("log, cycle %d: %q, want %q", n, got, want)
		}
		want = nil
	}

	origins := []sensor.Origin{{Name: "a", Source: on("A", counting())}, {Name: "b", Source: on("B", counting())}}
	j := join(t, measure.Options{}, selection(t, `\\B\Nono(x)\Y`, `\System\Processes`), origins...)
	want = []string{`path_unmatched: b: \\B\Nono(x)\Y` + nothing + action}
	for n := range 2 {
		var got []string
		for _, m := range round(t, j) {
			got = append(got, unmatched(m.Cycle.Anomalies)...)
		}
		if !cmp.Equal(got, want) {
			t.Errorf("joint, round %d: %q, want %q", n, got, want)
		}
		want = nil
	}
}

// A path about costly objects is told when there is a sample of them.
func TestPathUnmatchedCostly(t *testing.T) {
	told := 0
	src := apartSource()
	sel := selection(t, `\System\Processes`, `\Thread(nobody)\Context Switches/sec`)
	rounds(t, src, sel, measure.Options{}, 4, 2*time.Second, func(_ time.Duration, cy *measure.Cycle) {
		told += len(unmatched(cy.Anomalies))
	})
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// unmatched are the texts of the anomalies about paths that match nothing.
func unmatched(list []winperf.Anomaly) (text []string) {
	for _, a := range list {
		if a.Kind == winperf.PathUnmatched {
			text = append(text, a.String())
		}
	}
	return text
}
