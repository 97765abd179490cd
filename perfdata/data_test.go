package perfdata_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
)

// captures returns the real blocks by file name. They are kept beside the
// project, not in it.
func captures(t testing.TB) map[string][]byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		files, _ := filepath.Glob(filepath.Join(dir, "shared", "data", "perfdata", "*.bin"))
		blocks := map[string][]byte{}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			blocks[strings.TrimSuffix(filepath.Base(file), ".bin")] = b
		}
		if len(blocks) > 0 {
			return blocks
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("no folder shared/data/perfdata with captures beside the project")
		}
		dir = parent
	}
}

// undefined marks the bytes of a block that the format gives no meaning: the
// padding and the reserved fields of winperf.h, what no counter covers, and
// what follows the block. It walks the block by itself.
func undefined(b []byte) []bool {
	u := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	free := make([]bool, len(b))
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			free[i] = true
		}
	}
	block := func(at int, values [][2]int) {
		mark(at+4, at+u(at))
		for _, v := range values {
			for i := at + v[0]; i < at+v[0]+v[1]; i++ {
				free[i] = false
			}
		}
	}
	mark(52, 56)
	mark(88, u(24))
	for i := range u(80) {
		free[u(84)+i] = false
	}
	o := u(24)
	for range u(28) {
		mark(o+16, o+20)
		mark(o+24, o+28)
		var values [][2]int
		c := o + u(o+8)
		for range u(o + 32) {
			mark(c+8, c+12)
			mark(c+16, c+20)
			values = append(values, [2]int{u(c + 36), u(c + 32)})
			c += u(c)
		}
		at := o + u(o+4)
		if int32(u(o+40)) == -1 {
			block(at, values)
		}
		for range max(int32(u(o+40)), 0) {
			mark(at+24, at+u(at))
			for i := range u(at + 20) {
				free[at+u(at+16)+i] = false
			}
			at += u(at)
			block(at, values)
			at += u(at)
		}
		o += u(o)
	}
	mark(u(20), len(b))
	return free
}

// TestCapturesEncode encodes every real block again, directly and by way of
// its text form, and compares all bytes that mean anything.
func TestCapturesEncode(t *testing.T) {
	blocks, excepted, differ, compared := captures(t), 0, 0, 0
	for name, b := range blocks {
		free := undefined(b)
		parsed, err := perfdata.Parse(bytes.Clone(b), perfdata.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		encoded := encode(t, parsed)
		fromText, err := perfdata.ParseText(format(parsed, nil))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(encode(t, fromText), encoded) {
			t.Errorf("%s: the text form does not give the same bytes", name)
		}
		if want := int(binary.LittleEndian.Uint32(b[20:])); len(encoded) != want {
			t.Errorf("%s: encoded to %d bytes, want %d", name, len(encoded), want)
			continue
		}
		for i := range b {
			switch {
			case free[i]:
				excepted++
				if i < len(encoded) && encoded[i] != b[i] {
					differ++
				}
			case encoded[i] != b[i]:
				t.Fatalf("%s: byte %d is %#x, want %#x", name, i, encoded[i], b[i])
			default:
				compared++
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d blocks: %d bytes compared and equal; %d bytes excepted because the format leaves them "+
		"undefined, %d of these differ",
		len(blocks), compared, excepted, differ)
}

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
	for name, b := range captures(t) {
		var ix index.Index
		if err := perfdata.Decode(b, &ix, perfdata.Options{}); err != nil {
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
	blocks := captures(t)
	ix := func(name string) *index.Index {
		var ix index.Index
		if err := perfdata.Decode(blocks[name], &ix, perfdata.Options{}); err != nil {
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
		b := captures(t)[name]
		var ix index.Index
		for n := range len(b) {
			err := perfdata.Decode(b[:n:n], &ix, perfdata.Options{})
			if !isFailure(err) {
				t.Fatalf("%s cut to %d bytes: error %v", name, n, err)
			}
			if len(ix.Objects) != 0 {
				t.Fatalf("%s cut to %d bytes: an object that is not whole", name, n)
			}
		}
	}
}
