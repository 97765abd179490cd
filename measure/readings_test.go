package measure_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
)

// two are two samples of every object, ten seconds apart.
func two() []sample {
	at := func(n uint64) sample {
		return sample{at: int64(n) * 10, objects: []object{
			{Object: system, instances: []instance{{raw: []uint64{100 + n, 5000 * n}}}},
			{Object: processor, instances: []instance{
				{name: "0", raw: []uint64{5 * second * n, 1000 * n}},
				{name: "1", raw: []uint64{second * n, 2000 * n}},
				{name: "_Total", raw: []uint64{3 * second * n, 3000 * n}},
			}},
			{Object: process, instances: []instance{
				{name: "Idle", raw: []uint64{9 * second * n, 0, epoch - 1000*second}},
				proc("svchost", 40, 90, 100*n), proc("svchost", 44, 80, 200*n), proc("svchost", 48, 70, 300*n),
				proc("build#5", 52, 60, 0),
			}},
			{Object: thread, instances: []instance{
				{name: "0", parent: 1, raw: []uint64{10 * n}}, {name: "0", parent: 2, raw: []uint64{20 * n}},
				{name: "1", parent: 2, raw: []uint64{30 * n}}, {name: "0", parent: 3, raw: []uint64{40 * n}},
			}},
			{Object: disk, instances: []instance{
				{name: "C:", raw: []uint64{8000 * n, 4 * n, 700}},
				{name: "D:", raw: []uint64{5, 6}},
			}},
		}}
	}
	return []sample{at(0), at(1)}
}

func TestReadings(t *testing.T) {
	const h = `\\HOST`
	tests := []struct {
		name    string
		paths   []string
		exclude []string
		want    []string
		ends    []int // of each path's readings
	}{
		{"single-instance object", []string{`\System\Processes`}, nil, []string{h + `\System\Processes 101`}, []int{1}},
		{"any case, own machine", []string{`\\host\SYSTEM\processes`}, nil, []string{h + `\System\Processes 101`}, []int{1}},
		{"the (*) that logs hold", []string{`\System(*)\Processes`}, nil, []string{h + `\System\Processes 101`}, []int{1}},
		{"rate", []string{`\Processor(0)\% Processor Time`}, nil, []string{h + `\Processor(0)\% Processor Time 50`}, []int{1}},
		{
			"paths in their order, then counters, then instances", []string{`\Processor(*)\*`, `\System\*`}, nil,
			[]string{
				h + `\Processor(0)\% Processor Time 50`, h + `\Processor(1)\% Processor Time 10`, h + `\Processor(_Total)\% Processor Time 30`,
				h + `\Processor(0)\Interrupts/sec 100`, h + `\Processor(1)\Interrupts/sec 200`, h + `\Processor(_Total)\Interrupts/sec 300`,
				h + `\System\Processes 101`, h + `\System\Context Switches/sec 500`,
			},
			[]int{6, 8},
		},
		{
			"wildcard in the object", []string{`\Proc*(0)\% Proc*`, `\Sys??m\Processes`}, nil,
			[]string{h + `\Processor(0)\% Processor Time 50`, h + `\System\Processes 101`}, []int{1, 2},
		},
		{
			"the first of a repeated name", []string{`\Process(svchost)\ID Process`}, nil,
			[]string{h + `\Process(svchost)\ID Process 40`}, []int{1},
		},
		{
			"one of a repeated name by index", []string{`\Process(svchost#2)\% Processor Time`, `\Process(svchost#0)\ID Process`}, nil,
			[]string{h + `\Process(svchost#2)\% Processor Time 30`, h + `\Process(svchost)\ID Process 40`}, []int{1, 2},
		},
		{
			"all of a repeated name", []string{`\Process(svchost*)\ID Process`, `\Process(SVCHOST#*)\Elapsed Time`}, nil,
			[]string{
				h + `\Process(svchost)\ID Process 40`, h + `\Process(svchost#1)\ID Process 44`, h + `\Process(svchost#2)\ID Process 48`,
				h + `\Process(svchost)\Elapsed Time 100`, h + `\Process(svchost#1)\Elapsed Time 90`, h + `\Process(svchost#2)\Elapsed Time 80`,
			},
			[]int{3, 6},
		},
		{
			"a name that ends like an index", []string{`\Process(build#5#0)\ID Process`}, nil,
			[]string{h + `\Process(build#5#0)\ID Process 52`}, []int{1},
		},
		{
			"parents", []string{`\Thread(svchost/0)\Context Switches/sec`, `\Thread(svchost/0#1)\*`, `\Thread(Idle/*)\*`}, nil,
			[]string{
				h + `\Thread(svchost/0)\Context Switches/sec 2`, h + `\Thread(svchost/0#1)\Context Switches/sec 4`,
				h + `\Thread(Idle/0)\Context Switches/sec 1`,
			},
			[]int{1, 2, 3},
		},
		{
			"a counter that two paths name comes once", []string{`\Processor(1)\% Processor Time`, `\Processor(*)\% Processor Time`, `\Processor(0)\*`, `\Processor(0)\*`}, nil,
			[]string{
				h + `\Processor(1)\% Processor Time 10`,
				h + `\Processor(0)\% Processor Time 50`, h + `\Processor(_Total)\% Processor Time 30`,
				h + `\Processor(0)\Interrupts/sec 100`,
			},
			[]int{1, 3, 4, 4},
		},
		{
			"exclude", []string{`\Processor(*)\*`, `\System\Processes`}, []string{`\Processor(_Total)\*`, `\P*(*)\Int*`, `\System\Processes`},
			[]string{h + `\Processor(0)\% Processor Time 50`, h + `\Processor(1)\% Processor Time 10`}, []int{2, 2},
		},
		{
			"exclude of another machine", []string{`\System\Processes`}, []string{`\\other\System\Processes`},
			[]string{h + `\System\Processes 101`}, []int{1},
		},
		{
			"what is missing says so, in its place",
			[]string{`\Nothing\At all`, `\System\Nothing`, `\Processor(7)\% Processor Time`, `\System\Processes`, `\\other\System\Processes`}, nil,
			[]string{
				`\\HOST\Nothing\At all no_object`, `\\HOST\System\Nothing no_counter`, `\\HOST\Processor(7)\% Processor Time no_instance`,
				h + `\System\Processes 101`, `\\other\System\Processes no_object`,
			},
			[]int{1, 2, 3, 4, 5},
		},
		{
			"parentheses where there are instances only", []string{`\System(x)\Processes`, `\Processor\% Processor Time`}, nil,
			[]string{`\\HOST\System(x)\Processes no_instance`, `\\HOST\Processor\% Processor Time no_instance`}, []int{1, 2},
		},
		{
			"of several objects the one that has most counts", []string{`\Process*(9)\Interrupts/sec`, `\S*\Interrupts/sec`}, nil,
			[]string{`\\HOST\Process*(9)\Interrupts/sec no_instance`, `\\HOST\S*\Interrupts/sec no_counter`}, []int{1, 2},
		},
		{
			"average, its base not among the readings, a value that is missing", []string{`\LogicalDisk(*)\*`}, nil,
			[]string{
				h + `\LogicalDisk(C:)\Avg. Disk sec/Read 2`, h + `\LogicalDisk(D:)\Avg. Disk sec/Read 0`,
				h + `\LogicalDisk(C:)\#410 700`, h + `\LogicalDisk(D:)\#410 invalid_data`,
			},
			[]int{4},
		},
		{
			"names without text", []string{`\#236(C:)\#410`}, nil,
			[]string{h + `\LogicalDisk(C:)\#410 700`}, []int{1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := measure.New(script(two()...), selection(t, tt.paths...), measure.Options{Exclude: paths(t, tt.exclude...)})
			cycle(t, c)
			cy := cycle(t, c)
			if diff := cmp.Diff(tt.want, lines(cy.Readings())); diff != "" {
				t.Errorf("readings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.ends, cy.Parts); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			for _, r := range cy.Readings() {
				if !r.Time.Equal(cy.Time) || cy.Time != winperf.FromFiletime(epoch+10*second) {
					t.Errorf("%s: time %v in a cycle of %v", r, r.Time, cy.Time)
				}
			}
		})
	}
}

func TestFirstSample(t *testing.T) {
	c := measure.New(script(two()...), selection(t, `\System\*`, `\Processor(0)\% Processor Time`), measure.Options{})
	want := []string{
		`\\HOST\System\Processes 100`, `\\HOST\System\Context Switches/sec no_previous`,
		`\\HOST\Processor(0)\% Processor Time no_previous`,
	}
	if diff := cmp.Diff(want, lines(cycle(t, c).Readings())); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
}

func TestSelection(t *testing.T) {
	systems := []string{`\\HOST\System\Processes 101`, `\\HOST\System\Context Switches/sec 500`}
	threads := []string{
		`\\HOST\Thread(Idle/0)\Context Switches/sec 1`, `\\HOST\Thread(svchost/0)\Context Switches/sec 2`,
		`\\HOST\Thread(svchost/1)\Context Switches/sec 3`, `\\HOST\Thread(svchost/0#1)\Context Switches/sec 4`,
	}
	disks := []string{
		`\\HOST\LogicalDisk(C:)\Avg. Disk sec/Read 2`, `\\HOST\LogicalDisk(D:)\Avg. Disk sec/Read 0`,
		`\\HOST\LogicalDisk(C:)\#410 700`, `\\HOST\LogicalDisk(D:)\#410 invalid_data`,
	}
	ids := func(indices ...uint32) (ids []winperf.ObjectID) {
		for _, n := range indices {
			ids = append(ids, winperf.ObjectID{Index: n})
		}
		return ids
	}
	exclude := paths(t, `\Process*(*)\*`)
	tests := []struct {
		name string
		sel  winperf.Selection
		want []string
		ends []int
	}{
		{"nothing", winperf.Selection{}, nil, nil},
		{"objects", winperf.Selection{Objects: ids(236, 9999, 2)}, append(disks, systems...), []int{4, 4, 6}},
		{"global", winperf.Selection{Global: true}, append(systems, disks...), []int{6}},
		{"costly", winperf.Selection{Costly: true}, threads, []int{4}},
		{
			"all kinds", winperf.Selection{Paths: paths(t, `\System\Processes`), Objects: ids(232), Global: true, Costly: true},
			append(append(append([]string{systems[0]}, threads...), systems[1]), disks...), []int{1, 5, 10, 10},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := measure.New(script(two()...), tt.sel, measure.Options{Exclude: exclude, CostlyTogether: true}) // a script serves one query
			cycle(t, c)
			cy := cycle(t, c)
			if diff := cmp.Diff(tt.want, lines(cy.Readings())); diff != "" {
				t.Errorf("readings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.ends, cy.Parts); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFramesOnly(t *testing.T) {
	c := measure.New(script(two()...), winperf.Selection{Global: true}, measure.Options{FramesOnly: true})
	cy := cycle(t, c)
	if len(cy.Readings()) != 0 || len(cy.Parts) != 0 {
		t.Errorf("%d readings and %d parts, want none", len(cy.Readings()), len(cy.Parts))
	}
	if n := cy.Frame.NumObjects(); n != 5 {
		t.Errorf("a frame of %d objects, want 5", n)
	}
	if title := cy.Names.Title(230); title != "Process" {
		t.Errorf("object 230 is called %q", title)
	}
}

func TestText(t *testing.T) {
	const text = 0x00000031_00620041 // "Ab1" and its end, in place of a number of 8 bytes
	wide := *disk
	wide.Counters = []provider.Counter{{Index: 410, Name: "Free Megabytes", Type: counter.LargeRawCount}}
	s := sample{
		objects: []object{{Object: &wide, instances: []instance{{name: "C:", raw: []uint64{text}}}}},
		change:  patch(t, 410, atCounterType, 0x00000B00), // PERF_COUNTER_TEXT
	}
	c := measure.New(script(s), selection(t, `\LogicalDisk(*)\*`), measure.Options{})
	r := cycle(t, c).Readings()
	if got := lines(r); !cmp.Equal(got, []string{`\\HOST\LogicalDisk(C:)\#410 Ab1`}) {
		t.Errorf("readings %q", got)
	}
	if r[0].Unit != counter.TextUnit {
		t.Errorf("unit %v", r[0].Unit)
	}
}

// Headings and types that are not known have no value; only what is not known
// is shown to who did not ask for it by name.
func TestNoValue(t *testing.T) {
	tests := []struct {
		name string
		typ  uint32
		path string
		want []string
	}{
		{"heading, wildcard", uint32(counter.NoData), `\System\*`, []string{`\\HOST\System\Context Switches/sec no_previous`}},
		{"heading, by name", uint32(counter.NoData), `\System\Processes`, []string{`\\HOST\System\Processes unsupported`}},
		{"unknown type", 0x00000E00, `\System\Proc*`, []string{`\\HOST\System\Processes unsupported`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := two()[0]
			s.change = patch(t, 248, atCounterType, tt.typ)
			c := measure.New(script(s), selection(t, tt.path), measure.Options{})
			if diff := cmp.Diff(tt.want, lines(cycle(t, c).Readings())); diff != "" {
				t.Errorf("readings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLanguages(t *testing.T) {
	german, french := english(), map[uint32]string{238: "Processeur", 6: "% temps processeur"}
	maps.Copy(german, map[uint32]string{238: "Prozessor", 6: "Prozessorzeit (%)"})
	s := schema(english())
	s.Names = append([]winperf.NameTable{names("007", german)}, append(s.Names, names("00C", french))...)
	const (
		inGerman  = `\\HOST\Prozessor(1)\Prozessorzeit (%) 10`
		inEnglish = `\\HOST\Processor(1)\% Processor Time 10`
		inFrench  = `\\HOST\Processeur(1)\% temps processeur 10`
	)
	tests := []struct{ name, language, path, want string }{
		{"asked in the language of output", "", `\Prozessor(1)\Prozessorzeit (%)`, inGerman},
		{"asked in English", "", `\Processor(1)\% Processor Time`, inGerman},
		{"asked in both", "", `\Prozessor(1)\% Processor Time`, inGerman},
		{"asked in a third language", "", `\PROCESSEUR(1)\% temps processeur`, inGerman},
		{"wildcard in the language of output", "", `\Prozess?r(1)\Prozessorzeit*`, inGerman},
		{"wildcard in English", "", `\Processo*(1)\% Proc*`, inGerman},
		{"wildcard in another language", "", `\Processeu*(1)\*`, `\\HOST\Processeu*(1)\* no_object`},
		{"output in English", "009", `\Prozessor(1)\Prozessorzeit (%)`, inEnglish},
		{"output in French", "0x40C", `\Processor(1)\% Processor Time`, inFrench},
		{"wildcard in the chosen language", "0x40C", `\Processeu*(1)\% temps*`, inFrench},
		{"output in a language there is not", "011", `\Prozessor(1)\Prozessorzeit (%)`, inEnglish},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := script(two()...)
			src.schema = s
			c := measure.New(src, selection(t, tt.path), measure.Options{Language: tt.language})
			cycle(t, c)
			if diff := cmp.Diff([]string{tt.want}, lines(cycle(t, c).Readings())); diff != "" {
				t.Errorf("readings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutSchema(t *testing.T) {
	src := script(two()...)
	src.schema = nil
	c := measure.New(src, selection(t, `\#2\#248`, `\System\Processes`), measure.Options{})
	want := []string{`\\HOST\#2\#248 100`, `\\HOST\System\Processes no_object`}
	if diff := cmp.Diff(want, lines(cycle(t, c).Readings())); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
}

func TestCookOptions(t *testing.T) {
	samples := two()
	samples[1].objects[1].instances[0].raw[0] = 12 * second
	c := measure.New(script(samples...), selection(t, `\Processor(0)\% Processor Time`), measure.Options{Cook: counter.Options{Cap100: true}})
	cycle(t, c)
	if got, want := lines(cycle(t, c).Readings()), []string{`\\HOST\Processor(0)\% Processor Time 100`}; !cmp.Equal(got, want) {
		t.Errorf("readings %q, want %q", got, want)
	}
}
