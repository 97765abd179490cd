package linuxhost

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/provider"
)

var nodeInstances = []string{"_Total", "0,0", "0,2", "0,_Total", "2,0", "2,2", "2,_Total"}

// askFrequency names the counters that are read only on request.
func (r *rig) askFrequency() *sampleObject {
	r.t.Helper()
	q := &provider.Query{
		Objects:  []uint32{titleProcessorInformation},
		Counters: map[uint32][]uint32{titleProcessorInformation: {titleFrequency, titleFrequencyShare}},
	}
	return r.askFor(q)[titleProcessorInformation]
}

func TestProcessorInformation(t *testing.T) {
	r := newRig(t, fixture(t, "nodes.txtar"), nil)
	o := r.object(titleProcessorInformation)
	if diff := cmp.Diff(nodeInstances, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "0,2", raws{
		titleProcessorNumber: 2, 6: 2060 * tick, 1746: 2060 * tick, 142: 220 * tick, 148: 202, 1334: 20,
		titlePriorityTime: 2080 * tick, titleClockInterrupts: 200, titleFrequency: missing,
		titleFrequencyShare: missing,
	})
	o.check(t, "2,2", raws{titleProcessorNumber: 5, 6: 5080 * tick, 148: 505})
	o.check(t, "0,_Total", raws{titleProcessorNumber: missing, 6: (1050 + 2060) / 2 * tick, 148: 303,
		1334: 30, titleClockInterrupts: 300})
	o.check(t, "2,_Total", raws{6: (3070 + 5080) / 2 * tick, 148: 808,
		titlePriorityTime: (3100 + 5130) / 2 * tick})
	o.check(t, "_Total", raws{6: (1050 + 2060 + 3070 + 5080) / 4 * tick, 148: 777, 1334: 888,
		titleClockInterrupts: 1100})
}

// TestSameAsProcessor: what both objects have is the same, also in one query.
func TestSameAsProcessor(t *testing.T) {
	root := fixture(t, "nodes.txtar")
	for _, cpu := range []int{0, 2, 3, 5} {
		addState(root, cpu, 0, "POLL", 1, 1)
		addState(root, cpu, 1, "C1", 100+cpu, 10)
		addState(root, cpu, 2, "C6", 300, 30)
	}
	r := newRig(t, root, nil)
	for range 2 {
		b := r.ask(fmt.Sprint("238 ", titleProcessorInformation))
		for processor, in := range map[string]string{"0": "0,0", "2": "0,2", "3": "2,0", "5": "2,2",
			"_Total": "_Total"} {
			for _, index := range b[238].counters {
				want, ok := b[238].value(processor, index)
				if got, there := b[titleProcessorInformation].value(in, index); got != want || ok != there {
					t.Errorf("counter %d of %s is %d (there: %v), of processor %s %d (there: %v)", index, in,
						got, there, processor, want, ok)
				}
			}
		}
		b[238].check(t, "3", raws{1748: 1030, 1754: 10, 1758: 30})
		b[titleProcessorInformation].check(t, "2,0", raws{titleIdleBreaks: 41, 1754: 10})
		b[titleProcessorInformation].check(t, "0,_Total", raws{titleIdleBreaks: 82, 1748: 1010})
		b[titleProcessorInformation].check(t, "_Total", raws{titleIdleBreaks: 164, 1758: 120})
	}
}

func TestFrequency(t *testing.T) {
	root := newTouched(fixture(t, "nodes.txtar"))
	r := newRig(t, root.MapRoot, func(s *System) { s.Root = onlyRoot(root) })
	const file = "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
	o := r.askFrequency()
	o.check(t, "0,0", raws{titleFrequency: 1200, titleFrequencyShare: 33, 6: missing})
	o.check(t, "2,0", raws{titleFrequency: 2400, titleFrequencyShare: missing}) // its highest is not known
	o.check(t, "2,2", raws{titleFrequency: missing, titleFrequencyShare: missing})
	o.check(t, "0,_Total", raws{titleFrequency: 2400, titleFrequencyShare: 66})
	o.check(t, "_Total", raws{titleFrequency: 2400, titleFrequencyShare: 66})
	root.Set(file, "2700000\n")
	clear(root.files)
	r.pass(9 * second)
	r.askFrequency().check(t, "0,0", raws{titleFrequency: 1200})
	if root.files[file] != 0 {
		t.Error("the frequency is read again after 9 s")
	}
	r.pass(second)
	r.askFrequency().check(t, "0,0", raws{titleFrequency: 2700, titleFrequencyShare: 75})
	root.Fail(file, fs.ErrInvalid)
	r.pass(10 * second)
	o = r.askFrequency()
	o.check(t, "0,0", raws{titleFrequency: missing, titleFrequencyShare: missing})
	o.check(t, "0,_Total", raws{titleFrequency: 3600})
	clear(root.files)
	r.object(titleProcessorInformation).check(t, "0,2", raws{titleFrequency: missing})
	for name := range root.files {
		if strings.Contains(name, "cpufreq") {
			t.Errorf("%s is read though no counter was named", name)
		}
	}
}

// TestNodeHotplug takes processors offline and back: nothing is renumbered, and
// no total moves by what a processor had before.
func TestNodeHotplug(t *testing.T) {
	root := fixture(t, "nodes.txtar")
	r := newRig(t, root, nil)
	node := func(n int, list string) {
		root.Set(fmt.Sprintf("sys/devices/system/node/node%d/cpulist", n), list+"\n")
	}
	steps := []struct {
		processors  [][3]int // number, user and idle time in ticks
		node0       string
		names       []string
		user, total int64 // of 0,_Total in 100 ns, and of _Total in ticks
	}{
		{[][3]int{{0, 100, 1}, {2, 200, 1}, {3, 300, 1}, {5, 400, 1}}, "0,2", nodeInstances, 150 * tick, 250},
		{[][3]int{{0, 110, 1}, {3, 310, 1}, {5, 410, 1}}, "0",
			[]string{"_Total", "0,0", "0,_Total", "2,0", "2,2", "2,_Total"}, 160 * tick, 260},
		{[][3]int{{0, 120, 1}, {1, 9000, 1}, {2, 7000, 1}, {3, 320, 1}, {5, 420, 1}}, "0-2",
			[]string{"_Total", "0,0", "0,1", "0,2", "0,_Total", "2,0", "2,2", "2,_Total"}, 170 * tick, 270},
		{[][3]int{{0, 120, 1}, {1, 9030, 1}, {2, 7030, 1}, {3, 320, 1}, {5, 420, 1}}, "0-2",
			[]string{"_Total", "0,0", "0,1", "0,2", "0,_Total", "2,0", "2,2", "2,_Total"}, 190 * tick, 282},
		{[][3]int{{3, 330, 1}}, "", []string{"_Total", "2,0", "2,_Total"}, missing, 292},
	}
	r.object(2) // opens the provider with the fixture's processors
	for i, step := range steps {
		node(0, step.node0)
		root.Set("proc/stat", statText(step.processors...))
		o := r.object(titleProcessorInformation)
		if diff := cmp.Diff(step.names, o.names()); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
		o.check(t, "0,_Total", raws{142: step.user})
		o.check(t, "_Total", raws{142: step.total * tick})
		r.pass(second)
	}
}

// TestProcessorAdded puts a processor in that was not there at the start, and
// with it a node.
func TestProcessorAdded(t *testing.T) {
	root := fixture(t, "nodes.txtar")
	r := newRig(t, root, nil)
	r.object(titleProcessorInformation)
	root.Set("proc/stat", statText([3]int{0, 1, 1}, [3]int{2, 1, 1}, [3]int{3, 1, 1}, [3]int{5, 1, 1},
		[3]int{6, 1, 1}))
	root.Set("sys/devices/system/cpu/present", "0-6\n")
	root.Set("sys/devices/system/node/online", "0-2\n")
	root.Set("sys/devices/system/node/node1/cpulist", "6\n")
	want := slices.Insert(slices.Clone(nodeInstances), 4, "1,0", "1,_Total")
	o := r.object(titleProcessorInformation)
	if diff := cmp.Diff(want, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "1,0", raws{titleProcessorNumber: 6, 142: tick})
}

// TestWithoutNodes samples machines that tell little of their processors.
func TestWithoutNodes(t *testing.T) {
	tests := []struct {
		name, files string
		want        []string
	}{
		{"no nodes", "sys/devices/system/node/.*",
			[]string{"_Total", "0,0", "0,2", "0,3", "0,5", "0,_Total"}},
		{"no list of processors", "sys/devices/system/(node/.*|cpu/present)",
			[]string{"_Total", "0,0", "0,1", "0,2", "0,3", "0,_Total"}},
		{"no place of offline processors", "sys/devices/system/node/node[02]/cpu[14]/online",
			[]string{"_Total", "0,0", "0,2", "0,_Total", "2,0", "2,1", "2,_Total"}},
		{"no list of nodes", "sys/devices/system/node/online",
			[]string{"_Total", "0,0", "0,2", "0,3", "0,5", "0,_Total"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := fixture(t, "nodes.txtar")
			cut(root, tt.files, "")
			if diff := cmp.Diff(tt.want, newRig(t, root,
				nil).object(titleProcessorInformation).names()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseList(t *testing.T) {
	for text, want := range map[string][]uint64{
		"": nil, "0": {0}, "0-3,8": {0, 1, 2, 3, 8}, "0,2-3": {0, 2, 3}, "5-4": nil, "1,1": {1},
		"3,2": {3}, "x": nil,
		"1,x,3": {1}, "1-": nil, "-1": nil, "65535": {65535}, "65536": nil,
		"0-18446744073709551615": nil, "7,": {7},
	} {
		if got := parseList([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q gives %d, want %d", text, got, want)
		}
	}
}

func TestClockRows(t *testing.T) {
	for text, want := range map[string]string{
		" CPU0 CPU3\nLOC: 5 6 Local timer interrupts\n":                       "[5 6]",
		" CPU0 CPU1\n 11: 7 8 GICv3 27 Level arch_timer\n 12: 1 1 GICv3 x\n":  "[7 8]",
		" CPU0 CPU1\n 11: 7 8 GICv3 27 Level arch_timer2\nLOCK: 1 1 LOC: \n":  "[]",
		" CPU0 CPU1\n 10: 1 2 GICv3 arch_timer \n 11: 10 20 GIC arch_timer\n": "[11 22]",
		"CPU0\nLOC: x\n": "[]",
	} {
		var c columns
		c.parse([]byte(text))
		got := c.clocks
		if !c.clocked {
			got = nil
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: clock interrupts %d, want %s", text, got, want)
		}
	}
}
