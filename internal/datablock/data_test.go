package datablock_test

import (
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

func encode(t testing.TB, b *perfdata.Block) []byte {
	t.Helper()
	encoded, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// TestCapturesDecode decodes every real block with all warnings: Windows makes
// no mistakes that the checks would find.
func TestCapturesDecode(t *testing.T) {
	for name, b := range perftest.Captures(t) {
		var ix index.Index
		if err := datablock.Decode(b, &ix, datablock.Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, damage := range ix.Damage {
			t.Errorf("%s: %v", name, damage)
		}
		if len(ix.Objects) != 1 {
			t.Errorf("%s: %d objects, want 1", name, len(ix.Objects))
		}
		if strings.HasPrefix(name, "vista") && ix.MachineName() != "ZACH-PC" {
			t.Errorf("%s: machine %q", name, ix.MachineName())
		}
	}
}

// TestCapturesFacts looks for the oddities of real blocks.
func TestCapturesFacts(t *testing.T) {
	blocks := perftest.Captures(t)
	ix := func(name string) *index.Index {
		var ix index.Index
		if err := datablock.Decode(blocks[name], &ix, datablock.Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return &ix
	}
	check := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}

	process := ix("vista_sample00_Process_230")
	names := map[string]int{}
	for i := range process.Instances {
		names[string(process.AppendName(nil, &process.Instances[i], 0))]++
	}
	check("svchost", names["svchost"], 13)
	check("csrss", names["csrss"], 2)
	check("taskeng", names["taskeng"], 2)
	check("Idle", names["Idle"], 1)
	check("_Total", names["_Total"], 1)
	check("position of the counter at offset 4",
		position(process, func(c index.Counter) bool { return c.Value == 4 }), 5)
	total := len(process.Instances) - 1
	elapsed := position(process, func(c index.Counter) bool { return c.Title == 684 })
	v, _ := process.Value(0, total, elapsed)
	check("Elapsed Time of _Total", int64(v), process.Objects[0].Time)

	for disk, stamp := range map[string]uint32{"LogicalDisk_236": 184, "PhysicalDisk_234": 168} {
		ix, averages, stamps := ix("vista_sample00_"+disk), 0, 0
		for i, c := range ix.Counters {
			switch c.Type {
			case counter.AverageTimer:
				averages++
				check("CounterSize of PERF_AVERAGE_TIMER", c.Size, uint32(8))
			case counter.PrecisionTimestamp:
				stamps++
				check("offset of the time stamp", c.Value, stamp)
				check("title of a base", c.Title, ix.Counters[i-1].Title)
			}
		}
		check("PERF_AVERAGE_TIMER in "+disk, averages, 3)
		check("time stamps in "+disk, stamps, 4)
		def := ix.Objects[0].DefaultCounter
		check("default counter of "+disk, ix.Counters[def].Title, uint32(200))
	}
	check("default counter of Memory", ix("vista_sample00_Memory_4").Counters[8].Title, uint32(40))

	win10 := ix("win10_Process_230")
	check("DefaultObject", win10.Default, int32(238))
	check("bytes without slack", len(win10.Data), 44400)
	check("buffer", len(blocks["win10_Process_230"]), 260000)
	check("instances", len(win10.Instances), 165)
}

func position(ix *index.Index, is func(index.Counter) bool) int {
	for i, c := range ix.Counters {
		if is(c) {
			return i
		}
	}
	return -1
}

// TestCapturesCut cuts real blocks at every length: never a panic, always an
// error, and never anything that was not in the whole block.
func TestCapturesCut(t *testing.T) {
	for _, name := range []string{"vista_sample00_Processor_238", "vista_sample00_System_2"} {
		b := perftest.Captures(t)[name]
		var ix index.Index
		for n := range len(b) {
			err := datablock.Decode(b[:n:n], &ix, datablock.Options{})
			if !isFailure(err) {
				t.Fatalf("%s cut to %d bytes: error %v", name, n, err)
			}
			if len(ix.Objects) != 0 {
				t.Fatalf("%s cut to %d bytes: an object that is not whole", name, n)
			}
		}
	}
}
