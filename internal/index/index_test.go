package index_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// sample is an index as a codec leaves it: one object with four counters and
// three instances whose counter blocks of 32, 32 and 24 bytes begin at 8.
func sample() *index.Index {
	data := make([]byte, 8)
	for i, n := range []uint32{32, 32, 24} {
		block := make([]byte, n)
		binary.LittleEndian.PutUint32(block, n)
		binary.LittleEndian.PutUint32(block[4:], uint32(10+i))
		binary.LittleEndian.PutUint64(block[8:], uint64(20+i)<<32)
		copy(block[16:], "a\x00b\x00")
		block[20] = byte(1 << i) // counter i has no value
		if n > 24 {
			binary.LittleEndian.PutUint32(block[24:], uint32(30+i))
		}
		data = append(data, block...)
	}
	return &index.Index{
		Data:    data,
		Objects: []index.Object{{Title: 230, CounterEnd: 4, InstanceEnd: 3, Link0: -1}},
		Counters: []index.Counter{
			{Type: counter.RawCount, Size: 4, Value: 4, Base: -1},
			{Type: counter.MultiTimer, Size: 8, Value: 8, Base: -1, Multi: 4},
			{Type: counter.CounterText, Size: 4, Value: 16, Base: -1, State: index.TextValue},
			{Type: counter.RawCount, Size: 4, Value: 24, Base: -1, State: index.OutOfRange},
		},
		Instances: []index.Instance{
			{Block: 8, Name: index.Span{Off: 24, Len: 4}}, {Block: 40}, {Block: 72},
		},
	}
}

func TestColumn(t *testing.T) {
	ix := sample()
	for _, c := range []struct {
		ctr, first int
		want       []uint64
		whole      bool
	}{
		{0, 0, []uint64{10, 11, 12}, true},
		{0, 1, []uint64{11, 12}, true},
		{0, 3, []uint64{}, true},
		{1, 0, []uint64{20 << 32, 21 << 32, 22 << 32}, true},
		{2, 0, []uint64{0, 0, 0}, false},
		{3, 0, []uint64{30, 31, 0}, false},
		{3, 0, []uint64{30, 31}, true},
	} {
		got := slices.Repeat([]uint64{99}, len(c.want))
		if whole := ix.Column(got, 0, c.ctr, c.first); whole != c.whole || !slices.Equal(got, c.want) {
			t.Errorf("counter %d from %d: %v, %v; want %v, %v", c.ctr, c.first, got, whole, c.want, c.whole)
		}
	}
}

func TestColumnWithMissing(t *testing.T) {
	ix := sample()
	ix.Objects[0].Missing = 20
	got := make([]uint64, 3)
	if ix.Column(got, 0, 0, 0) || !slices.Equal(got, []uint64{0, 11, 12}) {
		t.Errorf("counter 0: %v", got)
	}
	if ix.Column(got, 0, 1, 0) || !slices.Equal(got, []uint64{20 << 32, 0, 22 << 32}) {
		t.Errorf("counter 1: %v", got)
	}
	if _, ok := ix.Text(0, 2, 2); ok {
		t.Error("text of an instance that has none")
	}
}

func TestGather(t *testing.T) {
	ix := sample()
	for _, c := range []struct {
		ctr   int
		from  []int32
		want  []uint64
		whole bool
	}{
		{0, []int32{2, -1, 0}, []uint64{12, 99, 10}, true},
		{1, []int32{1}, []uint64{21 << 32}, true},
		{2, []int32{0}, []uint64{0}, false},
		{3, []int32{2, 1}, []uint64{0, 31}, false},
		{3, []int32{1}, []uint64{31}, true},
		{0, []int32{-1, 0, 1, 2, -1, -1, 0}, []uint64{99, 10, 11, 12, 99, 99, 10}, true},
		{0, nil, []uint64{}, true},
	} {
		got := slices.Repeat([]uint64{99}, len(c.want))
		if whole := ix.Gather(got, 0, c.ctr, c.from); whole != c.whole || !slices.Equal(got, c.want) {
			t.Errorf("counter %d from %d: %v, %v; want %v, %v", c.ctr, c.from, got, whole, c.want, c.whole)
		}
	}
}

func TestReadRows(t *testing.T) {
	fixed := sample()
	fixed.Counters = fixed.Counters[:2]
	fixed.Objects[0].CounterEnd = 2
	none := &index.Index{Objects: []index.Object{{InstanceEnd: 1}}, Instances: make([]index.Instance, 1)}
	for _, c := range []struct {
		name       string
		ix         *index.Index
		first, len int
		want       []uint64
		n          int
		whole      bool
	}{
		{"all", fixed, 0, 6, []uint64{10, 20 << 32, 11, 21 << 32, 12, 22 << 32}, 3, true},
		{"two, and one that has no room", fixed, 1, 5, []uint64{11, 21 << 32, 12, 22 << 32, 99}, 2, true},
		{"one", fixed, 2, 3, []uint64{12, 22 << 32, 99}, 1, true},
		{"behind the last", fixed, 3, 2, []uint64{99, 99}, 0, true},
		{"no room", fixed, 0, 1, []uint64{99}, 0, true},
		{"text and a short block", sample(), 1, 8, []uint64{11, 21 << 32, 0, 31, 12, 22 << 32, 0, 0}, 2, false},
		{"no counters", none, 0, 1, []uint64{99}, 0, true},
	} {
		got := slices.Repeat([]uint64{99}, c.len)
		if n, whole := c.ix.ReadRows(got, 0, c.first); n != c.n || whole != c.whole || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %d instances, %v; want %v, %d, %v", c.name, got, n, whole, c.want, c.n, c.whole)
		}
	}
}

func TestReadThree(t *testing.T) {
	missing := sample()
	missing.Objects[0].Missing = 20
	for name, ix := range map[string]*index.Index{"whole": sample(), "some missing": missing} {
		for _, ctrs := range [][3]int{{0, 1, 0}, {1, -1, 0}, {-1, -1, -1}, {0, 3, 1}, {2, 0, -1}} {
			for _, room := range []int{3, 2, 0, 5} {
				got := slices.Repeat([][3]uint64{{99, 99, 99}}, room)
				ix.ReadThree(got, 0, ctrs)
				for i, row := range got {
					want := [3]uint64{99, 99, 99}
					for n, ctr := range ctrs {
						if i < 3 {
							want[n] = 0
						}
						if i < 3 && ctr >= 0 {
							want[n], _ = ix.Value(0, i, ctr)
						}
					}
					if row != want {
						t.Errorf("%s: counters %d of instance %d are %d, want %d", name, ctrs, i, row, want)
					}
				}
			}
		}
	}
}

func TestReadRuns(t *testing.T) {
	ix := sample()
	fields := []index.Field{{Value: 8, Size: 8}, {Value: 4, Size: 4}}
	for _, at := range [][]int32{{}, {1}, {0, 1, 2}, {2, 0}, {-1, 2, -1, -1, 1}, {0, -1}} {
		runs := make([]index.Run, len(fields))
		ix.ReadRuns(runs, fields, 0, at)
		for i, j := range at {
			if j < 0 {
				continue
			}
			for k, ctr := range []int{1, 0} {
				if want, _ := ix.Value(0, int(j), ctr); runs[k][i] != want {
					t.Errorf("instances %d: field %d of the one at %d is %d, want %d", at, k, i, runs[k][i], want)
				}
			}
		}
	}
}

func TestMultiColumn(t *testing.T) {
	ix, got := sample(), []uint64{9, 9, 9}
	if !ix.MultiColumn(got, 0, 1, 0) || !slices.Equal(got, []uint64{10, 11, 12}) {
		t.Errorf("counts %v", got)
	}
	if ix.MultiColumn(got, 0, 0, 0) || !slices.Equal(got, []uint64{0, 0, 0}) {
		t.Errorf("counts of a counter that has none: %v", got)
	}
}

func TestText(t *testing.T) {
	ix := sample()
	if b, ok := ix.Text(0, 1, 2); !ok || string(b) != "a\x00b\x00" {
		t.Errorf("text %q, %v", b, ok)
	}
	if b, ok := ix.Text(0, 1, 0); ok {
		t.Errorf("text of a number: %q", b)
	}
}

func TestResolveParents(t *testing.T) {
	ix := &index.Index{
		Objects: []index.Object{
			{Title: 2, InstanceEnd: 1, Link0: -1}, {Title: 232, Instance0: 1, InstanceEnd: 4},
			{Title: 230, Instance0: 4, InstanceEnd: 6, Link0: 3}, {Title: 230, Instance0: 6, InstanceEnd: 7, Link0: -1},
		},
		Instances: make([]index.Instance, 7),
		Links: []index.Link{
			{ParentObject: 230, ParentInstance: 1, Parent: -1}, {ParentObject: 230, ParentInstance: 2, Parent: -1},
			{ParentObject: 4, Parent: -1}, {Parent: -1}, {ParentObject: 230, ParentInstance: 1, Parent: -1},
		},
	}
	ix.ResolveParents()
	var got []int32
	for k := range ix.Objects {
		o := &ix.Objects[k]
		for i := range int(o.InstanceEnd - o.Instance0) {
			got = append(got, ix.Link(o, i).Parent)
		}
	}
	if want := []int32{-1, 5, -1, -1, -1, 5, -1}; !slices.Equal(got, want) {
		t.Errorf("parents %d, want %d", got, want)
	}
}

func TestReset(t *testing.T) {
	ix := sample()
	ix.Damage, ix.MoreDamage = append(ix.Damage, fmt.Errorf("damage")), 1
	ix.Reset()
	if ix.Data != nil || len(ix.Objects)+len(ix.Counters)+len(ix.Instances)+len(ix.Damage)+ix.MoreDamage != 0 {
		t.Errorf("not empty: %+v", ix)
	}
	if cap(ix.Instances) == 0 || ix.Damage[:1][0] != nil {
		t.Error("memory was not kept, or an error was")
	}
}

func ExampleIndex_Column() {
	ix := sample()
	column := make([]uint64, len(ix.Instances))
	whole := ix.Column(column, 0, 0, 0)
	fmt.Println(column, whole)
	fmt.Println(string(ix.AppendName(nil, &ix.Instances[0], ix.Objects[0].CodePage)))
	// Output:
	// [10 11 12] true
	// ab
}

// TestReadRunsOfLarge reads runs of a sample that is larger than a processor's caches:
// of instances in order, in no order and far apart.
func TestReadRunsOfLarge(t *testing.T) {
	const instances, length = 3000, 1024
	ix := &index.Index{
		Data:     make([]byte, instances*length),
		Objects:  []index.Object{{CounterEnd: 2, InstanceEnd: instances, Link0: -1}},
		Counters: []index.Counter{{Size: 8, Value: 8, Base: -1}, {Size: 4, Value: 1020, Base: -1}},
	}
	for i := range uint32(instances) {
		at := (i * 7 % instances) * length // a codec need not write them in order
		binary.LittleEndian.PutUint32(ix.Data[at:], length)
		binary.LittleEndian.PutUint64(ix.Data[at+8:], uint64(i)<<33)
		binary.LittleEndian.PutUint32(ix.Data[at+1020:], i)
		ix.Instances = append(ix.Instances, index.Instance{Block: at})
	}
	orders := map[string]func(i int) int32{
		"in order":  func(i int) int32 { return int32(i) },
		"backwards": func(i int) int32 { return int32(instances - 1 - i) },
		"far apart": func(i int) int32 { return int32(i * (instances / index.RunLen)) },
		"some":      func(i int) int32 { return int32(i%3*i) - int32(i%2) },
	}
	for name, order := range orders {
		for _, n := range []int{1, 2, 3, 4, 5, index.RunLen - 1, index.RunLen} {
			at := make([]int32, n)
			for i := range at {
				at[i] = order(i)
			}
			runs := make([]index.Run, 2)
			ix.ReadRuns(runs, []index.Field{{Value: 8, Size: 8}, {Value: 1020, Size: 4}}, 0, at)
			for i, j := range at {
				if j >= 0 && (runs[0][i] != uint64(j)<<33 || runs[1][i] != uint64(j)) {
					t.Fatalf("%s, %d of %d: %d and %d of the one at %d", name, i, n, runs[0][i], runs[1][i], j)
				}
			}
		}
	}
}
