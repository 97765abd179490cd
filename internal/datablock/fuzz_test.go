package datablock_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

// checkIndex checks what holds for an index over any bytes: everything is
// inside the block, values are the bytes that the definitions name, and the
// readers agree.
func checkIndex(t *testing.T, ix *index.Index) {
	t.Helper()
	size := uint64(len(ix.Data))
	within := func(what string, off, n, from, to uint64) {
		t.Helper()
		if off < from || off+n > to {
			t.Fatalf("%s at %d, %d bytes, is not inside %d to %d", what, off, n, from, to)
		}
	}
	within("machine", uint64(ix.Machine.Off), uint64(ix.Machine.Len), 0, size)
	var counters, instances uint32
	end, links := uint64(0), 0
	for i := range ix.Objects {
		o := &ix.Objects[i]
		within("object", uint64(o.Off), uint64(o.Len), end, size)
		end = uint64(o.Off) + uint64(o.Len)
		if o.Counter0 != counters || o.CounterEnd < counters || o.Instance0 != instances ||
			o.InstanceEnd < instances {
			t.Fatalf("object %d: counters or instances are not behind those before", i)
		}
		counters, instances = o.CounterEnd, o.InstanceEnd
		if o.Link0 >= 0 && int(o.Link0) != links {
			t.Fatalf("object %d: links at %d, want %d", i, o.Link0, links)
		}
		if o.Link0 >= 0 {
			links += int(o.InstanceEnd - o.Instance0)
		}
		if o.DefaultCounter < -1 || o.DefaultCounter >= int32(o.CounterEnd-o.Counter0) {
			t.Fatalf("object %d: default counter %d", i, o.DefaultCounter)
		}
		for k := range ix.Instances[o.Instance0:o.InstanceEnd] {
			in := &ix.Instances[int(o.Instance0)+k]
			within("counter block", uint64(in.Block), uint64(ix.BlockLen(in)), uint64(o.Off), end)
			within("name", uint64(in.Name.Off), uint64(in.Name.Len), 0, end)
			if p := ix.Link(o, k).Parent; p < -1 || p >= int32(len(ix.Instances)) {
				t.Fatalf("parent %d of %d instances", p, len(ix.Instances))
			}
		}
		checkValues(t, ix, i)
	}
	if int(counters) != len(ix.Counters) || int(instances) != len(ix.Instances) || links != len(ix.Links) {
		t.Fatal("counters, instances or links that belong to no object")
	}
}

// checkValues reads all values of an object in every way. Of large objects it
// reads some.
func checkValues(t *testing.T, ix *index.Index, obj int) {
	o := &ix.Objects[obj]
	n := min(int(o.InstanceEnd-o.Instance0), 40)
	column, multi := make([]uint64, n), make([]uint64, n)
	for k := range min(int(o.CounterEnd-o.Counter0), 100) {
		c, whole := &ix.Counters[int(o.Counter0)+k], true
		if c.Base >= 0 && !ix.Counters[int(o.Counter0)+int(c.Base)].Type.IsBase() {
			t.Fatalf("the base of counter %d is no base", k)
		}
		full := ix.Column(column, obj, k, 0)
		ix.MultiColumn(multi, obj, k, 0)
		for i := range n {
			in := &ix.Instances[int(o.Instance0)+i]
			block := ix.Data[in.Block:][:ix.BlockLen(in)]
			v, ok := ix.Value(obj, i, k)
			if v != column[i] {
				t.Fatalf("instance %d, counter %d: Value %d, Column %d", i, k, v, column[i])
			}
			if ok && v != load(block[c.Value:][:c.Size]) {
				t.Fatalf("instance %d, counter %d: %d is not what is in the block", i, k, v)
			}
			if c.Multi != 0 && multi[i] != load(block[c.Multi:][:4]) {
				t.Fatalf("instance %d, counter %d: count %d is not what is in the block", i, k, multi[i])
			}
			if text, ok := ix.Text(obj, i, k); ok && !bytes.Equal(text, block[c.Value:][:c.Size]) {
				t.Fatalf("instance %d, counter %d: text is not what is in the block", i, k)
			}
			whole = whole && ok
		}
		if full != whole {
			t.Fatalf("counter %d: Column says %v, the values %v", k, full, whole)
		}
	}
}

func load(b []byte) uint64 {
	if len(b) == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// checkBytes decodes any bytes and checks all that must hold then. warm is an
// index that has been used for other bytes.
func checkBytes(t *testing.T, b []byte, warm *index.Index, opt datablock.Options) {
	t.Helper()
	ix, err := decode(b, opt)
	if err != nil && !isFailure(err) {
		t.Fatalf("error %v", err)
	}
	checkIndex(t, ix)
	checkViews(t, b, ix, opt, err == nil)
	warmErr := datablock.Decode(b, warm, opt)
	if !reflect.DeepEqual(err, warmErr) || !same(ix, warm) {
		t.Fatalf("an index that was used before gives something else:\n%v %+v\n%v %+v", err, ix,
			warmErr, warm)
	}
	block, parseErr := perfdata.Parse(b, opt.Quirks)
	if (err == nil) != (parseErr == nil) {
		t.Fatalf("Decode: %v, Parse: %v", err, parseErr)
	}
	if err != nil {
		return
	}
	if got := encode(t, block); !bytes.Equal(got, ix.Data) {
		t.Fatalf("encoded again it differs:\n%x\n%x", got, ix.Data)
	}
	text := format(block, nil)
	if got := encode(t, fixture(t, string(text))); !bytes.Equal(got, ix.Data) {
		t.Fatalf("by way of the text form it differs:\n%s\n%x\n%x", text, got, ix.Data)
	}
}

// same compares what two indexes say.
func same(a, b *index.Index) bool {
	equal := func(x, y any) bool {
		return reflect.ValueOf(x).Len() == 0 && reflect.ValueOf(y).Len() == 0 || reflect.DeepEqual(x, y)
	}
	return bytes.Equal(a.Data, b.Data) && a.Clocks == b.Clocks && a.Machine == b.Machine &&
		a.Default == b.Default &&
		equal(a.Objects, b.Objects) && equal(a.Counters, b.Counters) && equal(a.Instances, b.Instances) &&
		equal(a.Links, b.Links) &&
		equal(a.Damage, b.Damage) && a.MoreDamage == b.MoreDamage
}

// texts are the blocks of the tests in text form.
func texts() (all []string) {
	for _, c := range checkCases {
		all = append(all, c.text)
	}
	for _, c := range formCases {
		all = append(all, c.text)
	}
	return all
}

// seeds are the fixtures of the tests as bytes.
func seeds(t testing.TB) (blocks [][]byte) {
	for _, text := range texts() {
		blocks = append(blocks, encode(t, fixture(t, text)))
	}
	return append(blocks, perftest.Block(perftest.Small))
}

func FuzzDecode(f *testing.F) {
	blocks := seeds(f)
	for i, b := range blocks {
		f.Add(blocks[(i+1)%len(blocks)], b, byte(0))
	}
	f.Fuzz(func(t *testing.T, before, b []byte, options byte) {
		opt := fuzzOptions(options)
		var warm index.Index
		_ = datablock.Decode(before, &warm, opt)
		_ = datablock.Decode(b, &warm, opt)
		_ = datablock.Decode(before, &warm, fuzzOptions(options>>3))
		checkBytes(t, b, &warm, opt)
	})
}

// FuzzBlock changes 4 bytes of a good block, which gets deeper than what
// FuzzDecode finds.
func FuzzBlock(f *testing.F) {
	blocks := seeds(f)
	f.Add(uint(0), uint(20), uint32(0), uint(28), uint32(0xFFFFFFFF), byte(0))
	f.Add(uint(30), uint(88), uint32(64), uint(100), uint32(8), byte(1))
	f.Fuzz(func(t *testing.T, which, at uint, value uint32, at2 uint, value2 uint32, options byte) {
		good := blocks[which%uint(len(blocks))]
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b[at%uint(len(b)-3):], value)
		binary.LittleEndian.PutUint32(b[at2%uint(len(b)-3):], value2)
		var warm index.Index
		_ = datablock.Decode(good, &warm, fuzzOptions(options))
		checkBytes(t, b, &warm, fuzzOptions(options))
	})
}

func fuzzOptions(bits byte) datablock.Options {
	return datablock.Options{Quirks: quirks(bits & 3)}
}

// TestCasesAsText writes every block of the tests as text, damaged ones too, and
// reads it again: the bytes are the same.
func TestCasesAsText(t *testing.T) {
	for _, text := range texts() {
		block := fixture(t, text)
		want := encode(t, block)
		if got := encode(t, fixture(t, string(format(block, nil)))); !bytes.Equal(got, want) {
			t.Errorf("%s: by way of the text form it differs:\n%x\n%x", text, got, want)
		}
	}
}
