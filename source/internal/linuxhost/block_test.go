package linuxhost

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
)

// sampleBlock is what tests look at in a performance data block.
type sampleBlock map[uint32]*sampleObject

type sampleObject struct {
	time      int64
	counters  []uint32 // title indices; 0 for a base
	instances []sampleInstance
}

type sampleInstance struct {
	name   string
	unique int32
	values []sampleValue // in the order of counters
}

type sampleValue struct {
	raw     uint64
	missing bool
}

// readBlock takes a block apart. Decoding must find nothing wrong with it, but
// that definitions alone have no clock.
func readBlock(t testing.TB, p []byte) sampleBlock {
	t.Helper()
	var ix index.Index
	if err := datablock.Decode(p, &ix, datablock.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, damage := range ix.Damage {
		if !strings.HasPrefix(damage.Error(), "bad time base") || len(ix.Instances) != 0 {
			t.Errorf("damaged block: %v", damage)
		}
	}
	parsed, err := perfdata.Parse(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := sampleBlock{}
	for i := range parsed.Objects {
		o := &parsed.Objects[i]
		b[o.Title] = newSampleObject(o)
	}
	return b
}

func newSampleObject(from *perfdata.Object) *sampleObject {
	o := &sampleObject{time: from.Time}
	for _, c := range from.Counters {
		o.counters = append(o.counters, c.Title)
	}
	for i := range from.Instances {
		in := sampleInstance{name: from.InstanceName(i), unique: from.Instances[i].UniqueID}
		for k := range from.Counters {
			raw, ok := from.Value(i, k)
			in.values = append(in.values, sampleValue{raw, !ok || from.IsMissing(i, k)})
		}
		o.instances = append(o.instances, in)
	}
	return o
}

// names returns the instances' names in their order.
func (o *sampleObject) names() (names []string) {
	for _, in := range o.instances {
		names = append(names, in.name)
	}
	return names
}

// at returns the position of a counter's definition, -1 if it is not declared.
func (o *sampleObject) at(counter uint32) int {
	return slices.Index(o.counters, counter)
}

// value returns a raw value; ok is false if the counter is not declared, or if
// the first instance of the name has no value.
func (o *sampleObject) value(instance string, counter uint32) (raw uint64, ok bool) {
	k := o.at(counter)
	for _, in := range o.instances {
		if in.name == instance && k >= 0 {
			return in.values[k].raw, !in.values[k].missing
		}
	}
	return 0, false
}

// base returns the raw value of a counter's base; ok is false as for value.
func (o *sampleObject) base(instance string, counter uint32) (raw uint64, ok bool) {
	k := o.at(counter) + 1
	for _, in := range o.instances {
		if in.name == instance && k > 0 {
			return in.values[k].raw, !in.values[k].missing
		}
	}
	return 0, false
}

// unique returns the unique ids of the instances in their order.
func (o *sampleObject) unique() (ids []int32) {
	for _, in := range o.instances {
		ids = append(ids, in.unique)
	}
	return ids
}

// unexported has samples compared.
var unexported = cmp.AllowUnexported(sampleObject{}, sampleInstance{}, sampleValue{})
