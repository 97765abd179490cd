package datablock_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/perfdata"
)

// TestAppend makes blocks piece by piece and compares them with encoded ones.
func TestAppend(t *testing.T) {
	const text = `block default=230 systemtime=2013,2,3,20,2,50,17,844 perftime=1 perffreq=2 time100ns=3 name="HÖST"
object 230 time=4 freq=5
  counter 6 PERF_COUNTER_RAWCOUNT
  counter 8 PERF_COUNTER_LARGE_RAWCOUNT
  instance "a" id=7 : 1 2
  instance "\U0001F600 long" parent=230 position=1 : 3 4
object 238 form=single missing=auto
  counter 6 PERF_COUNTER_RAWCOUNT
  values : 9
object 240 form=metadata-multiple
  counter 6 PERF_COUNTER_RAWCOUNT
`
	block := fixture(t, text)
	want := encode(t, block)
	b := appendBlock(t, []byte("before"), block, false)
	if diff := cmp.Diff(string(want), string(b[len("before"):])); diff != "" {
		t.Errorf("with names as text: %s", diff)
	}
	if b := appendBlock(t, nil, block, true); !bytes.Equal(b, want) {
		t.Error("with names as UTF-16 the block is another one")
	}

	warm := make([]byte, 0, len(want))
	if n := testing.AllocsPerRun(100, func() { warm = appendInstances(warm[:0], 3) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// appendBlock makes a block piece by piece.
func appendBlock(t *testing.T, dst []byte, block *perfdata.Block, utf16 bool) []byte {
	start := len(dst)
	dst = datablock.AppendHead(dst, &datablock.Head{
		Machine: block.Machine(), DefaultObject: block.DefaultObject,
		SystemTime: time.Date(2013, 2, 20, 2, 50, 17, 844_000_000, time.UTC),
		Clocks: counter.Clocks{PerfTime: block.PerfTime, PerfFreq: block.PerfFreq,
			Time100ns: block.Time100ns},
	})
	for i := range block.Objects {
		o := &block.Objects[i]
		bare, at := *o, len(dst)
		bare.Instances, bare.Form, bare.Time, bare.Freq = nil, perfdata.Multiple, 0, 0
		var err error
		if dst, err = bare.AppendTo(dst); err != nil {
			t.Fatal(err)
		}
		for k := range o.Instances {
			in := &o.Instances[k]
			head := datablock.InstanceHead{ParentObject: in.ParentObject, ParentInstance: in.ParentInstance,
				UniqueID: in.UniqueID}
			switch {
			case o.Form != perfdata.Multiple:
			case utf16:
				dst = datablock.AppendInstanceUTF16(dst, head, wire.AppendUTF16(nil, o.InstanceName(k)))
			default:
				dst = datablock.AppendInstance(dst, head, o.InstanceName(k))
			}
			dst = datablock.AppendCounterBlock(dst, datablock.FirstValue+len(in.Data))
			copy(dst[len(dst)-len(in.Data):], in.Data)
		}
		count := int32(o.Form)
		if o.Form == perfdata.Multiple {
			count = int32(len(o.Instances))
		}
		datablock.ObjectBytes(dst[at:]).SetClock(o.Time, o.Freq)
		datablock.ObjectBytes(dst[at:]).Finish(count)
	}
	datablock.FinishBlock(dst[start:], len(block.Objects))
	return dst
}

// appendInstances makes a block of n instances without counters.
func appendInstances(dst []byte, n int) []byte {
	dst = datablock.AppendHead(dst, &datablock.Head{Machine: "HOST"})
	for i := range n {
		dst = datablock.AppendInstance(dst, datablock.InstanceHead{UniqueID: int32(i)}, "instance")
		dst = datablock.AppendCounterBlock(dst, 8)
	}
	return dst
}

// TestInstanceSize tells how long definitions become.
func TestInstanceSize(t *testing.T) {
	for n := range 20 {
		name := make([]byte, 2*n)
		got := len(datablock.AppendInstanceUTF16([]byte("odd"), datablock.InstanceHead{}, name)) - len("odd")
		if want := datablock.InstanceSize(len(name)); got != want || got%8 != 0 {
			t.Errorf("a name of %d bytes: %d, InstanceSize says %d", len(name), got, want)
		}
	}
}

// TestMissingBit marks values as missing by their bits.
func TestMissingBit(t *testing.T) {
	text := "object 2 missing=auto\n"
	for range 17 {
		text += "counter 4 PERF_COUNTER_RAWCOUNT\n"
	}
	block := fixture(t, text+"instance \"a\"\n")
	o := &block.Objects[0]
	for _, k := range []int{0, 7, 8, 16} {
		off, bit := datablock.MissingBit(o.Missing, k)
		o.Instances[0].Data[off-datablock.FirstValue] |= bit
		if !o.IsMissing(0, k) {
			t.Errorf("counter %d is not marked by bit %#x at %d", k, bit, off)
		}
	}
}

// TestNumDefinitions counts the definitions that plain ones have space for.
func TestNumDefinitions(t *testing.T) {
	for n, want := range map[int]int{-1: 0, 0: 0, 63: 0, 64: 0, 103: 0, 104: 1, 143: 1, 144: 2} {
		if got := datablock.NumDefinitions(n); got != want {
			t.Errorf("%d bytes: %d, want %d", n, got, want)
		}
	}
	b, err := (&perfdata.Object{Counters: make([]perfdata.Counter, 3)}).AppendTo(nil)
	if err != nil || datablock.NumDefinitions(len(b)) != 3 {
		t.Errorf("%d bytes of three definitions, %v", len(b), err)
	}
}

// TestJoinBlocks joins blocks and decodes what comes out.
func TestJoinBlocks(t *testing.T) {
	first, second := "object 2\nobject 4\n", "block name=\"A LONGER NAME\"\nobject 6\n"
	for _, texts := range [][2]string{{first, second}, {second, first}, {"block", second}, {first, "block"}} {
		a, b := encode(t, fixture(t, texts[0])), encode(t, fixture(t, texts[1]))
		ix, err := decode(datablock.JoinBlocks(append(a, b...), len(a)), datablock.Options{})
		if err != nil || len(ix.Damage) > 0 {
			t.Fatal(err, ix.Damage)
		}
		want := append(titles(t, a), titles(t, b)...)
		if got := titles(t, ix.Data); !cmp.Equal(got, want) {
			t.Errorf("objects %d, want %d", got, want)
		}
	}
}

func titles(t *testing.T, b []byte) (all []uint32) {
	ix, err := decode(b, datablock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range ix.Objects {
		all = append(all, ix.Objects[i].Title)
	}
	return all
}

// TestSetSampleClocks gives an object the clocks of another sample.
func TestSetSampleClocks(t *testing.T) {
	extra := datablock.AppendClocks(nil, counter.Clocks{})
	o := perfdata.Object{Title: 2, Extra: extra, Counters: make([]perfdata.Counter, 1)}
	b, err := (&perfdata.Block{Objects: []perfdata.Object{o}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := counter.Clocks{PerfTime: 1, PerfFreq: 2, Time100ns: 3}
	objects, _, err := datablock.Objects(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	datablock.ObjectBytes(objects).SetSampleClocks(want)

	ix, err := decode(b, datablock.Options{})
	if err != nil || ix.ObjectClocks(&ix.Objects[0]) != want {
		t.Errorf("clocks %+v, %v; want %+v", ix.ObjectClocks(&ix.Objects[0]), err, want)
	}
}

// A block that is made piece by piece, as many times as there are samples.
func ExampleAppendHead() {
	object := perfdata.Object{Title: 230, Counters: []perfdata.Counter{perfdata.NewCounter(784,
		counter.CounterCounter)}}
	object.Layout(false)
	definitions, err := object.AppendTo(nil)
	if err != nil {
		fmt.Println(err)
	}

	b := datablock.AppendHead(nil, &datablock.Head{Machine: "HOST"})
	at := len(b)
	b = append(b, definitions...)
	b = datablock.AppendInstance(b, datablock.InstanceHead{UniqueID: -1}, "Idle")
	b = datablock.AppendCounterBlock(b, 8)
	datablock.ObjectBytes(b[at:]).Finish(1)
	datablock.FinishBlock(b, 1)

	var ix index.Index
	fmt.Println(datablock.Decode(b, &ix, datablock.Options{}), len(ix.Instances), ix.MachineName())
	// Output: <nil> 1 HOST
}
