package counterset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/index"
)

const instances = 3 // of TestMissing

// TestMissing leaves out one value, or gives it the other size, of any counter of
// any instance, between values of 4 and of 8 bytes in any order: a value that is
// not there is not there, and all others are what they are.
func TestMissing(t *testing.T) {
	for n := range 6 {
		for wide := range 1 << n {
			for hole := range instances * n {
				for _, size := range []uint32{0, 4, 8} {
					missing(t, n, wide, hole/n, hole%n, size)
				}
			}
		}
	}
}

// missing decodes instances of n counters, of which those in wide have 8
// bytes. The value of the counter odd of instance which has another size.
func missing(t *testing.T, n, wide, which, odd int, size uint32) {
	t.Helper()
	info := &counterset.Info{GUID: processors, InstanceType: counterset.FlagMultiple}
	a := counterset.Answer{Form: counterset.FullSet}
	for k := range n {
		typ := counter.RawCount
		if wide>>k&1 != 0 {
			typ = counter.LargeRawCount
		}
		info.Counters = append(info.Counters, ctr(uint32(k), typ))
		a.Counters = append(a.Counters, uint32(k))
	}
	want := fmt.Sprintf("object 1000 of %d:", instances)
	for k := range n {
		want += fmt.Sprint(" ", k)
	}
	for i := range instances {
		in := inst(string(rune('a'+i)), uint32(i))
		want += fmt.Sprintf("\n  %q %d:", in.Name, i)
		for k := range n {
			v := counterset.Value{Size: uint32(info.Counters[k].Type.Width()), Bits: uint64(10*i + k + 1)}
			if i == which && k == odd {
				v.Size = size
			}
			if in.Values = append(in.Values, v); v.Size == 0 {
				want += " -"
			} else {
				want += fmt.Sprint(" ", v.Bits)
			}
		}
		a.Instances = append(a.Instances, in)
	}

	b := sample(t, &counterset.Data{Clocks: clocks, Answers: []counterset.Answer{a}}, ask(processors, "*", 0))
	var ix index.Index
	if err := counterset.Decode(b, sets(info), &ix, counterset.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(dump(&ix), "\n"); got != want {
		t.Errorf("%d counters, wide %b, value %d of instance %d has %d bytes:\n%s\nwant\n%s",
			n, wide, odd, which, size, got, want)
	}
}
