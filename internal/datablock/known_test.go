package datablock_test

import (
	"slices"
	"testing"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
)

// TestKnown shows when the instances of an object count as those of an earlier
// sample: the same number, order, names and links, whatever their values.
func TestKnown(t *testing.T) {
	const head = "block name=\"HOST\"\nobject 230\n counter 6 PERF_COUNTER_RAWCOUNT\n"
	const a, b = " instance \"a\" : 1\n", " instance \"bb\" parent=4 position=1 : 2\n"
	const single = "block name=\"HOST\"\nobject 230 form=single\n counter 6 PERF_COUNTER_RAWCOUNT\n " +
		"values : 1\n"
	for _, tt := range []struct {
		name, older, newer string
		same               bool
	}{
		{"nothing changed", head + a + b, head + a + b, true},
		{"another value", head + a + b, head + " instance \"a\" : 7\n" + b, true},
		{"another name", head + a + b, head + " instance \"c\" : 1\n" + b, false},
		{"another parent", head + a + b, head + a + " instance \"bb\" parent=4 position=0 : 2\n", false},
		{"another order", head + a + b, head + b + a, false},
		{"one went", head + a + b, head + a, false},
		{"one came", head + a, head + a + b, false},
		{"all went", head + a, head, false},
		{"a single one", single, single, true},
		{"without a name", head + " instance - : 1\n" + b, head + " instance - : 3\n" + b, true},
		{"without a name, another id", head + " instance - id=1 : 1\n" + b,
			head + " instance - id=2 : 1\n" + b,
			false},
		{"a name came", head + " instance - : 1\n", head + a, false},
		{"other padding", head + " instance - nameoffset=24 namelength=4 rest=6100000000000000 : 1\n",
			head + " instance - nameoffset=24 namelength=4 rest=6100000001020304 : 1\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			older, err := decode(encode(t, fixture(t, tt.older)), datablock.Options{})
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			var newer index.Index
			err = datablock.Decode(encode(t, fixture(t, tt.newer)), &newer, datablock.Options{
				Known: func(position int, title, codePage uint32) *index.Names {
					if position != 0 || title != 230 || codePage != 0 {
						t.Errorf("asked for object %d at %d, code page %d", title, position, codePage)
					}
					return namesOf(older, position)
				},
				Object: func(position int, same bool) {
					calls++
					if position != 0 || same != tt.same {
						t.Errorf("object at %d: same is %v, want %v", position, same, tt.same)
					}
				},
			})
			if err != nil || calls != 1 {
				t.Errorf("%d calls, %v", calls, err)
			}
		})
	}
}

// TestKnownOfEach shows that each object of a block is compared with the instances that
// it had itself.
func TestKnownOfEach(t *testing.T) {
	const text = `block name="HOST"
object 230
 counter 6 PERF_COUNTER_RAWCOUNT
 instance "a" : 1
 instance "b" : 1
object 232
 counter 6 PERF_COUNTER_RAWCOUNT
 instance "c" : 1
`
	older, err := decode(encode(t, fixture(t, text)), datablock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var newer index.Index
	var same []bool
	err = datablock.Decode(encode(t, fixture(t, text)), &newer, datablock.Options{
		Known:  func(position int, _, _ uint32) *index.Names { return namesOf(older, position) },
		Object: func(_ int, is bool) { same = append(same, is) },
	})
	if want := []bool{true, true}; err != nil || !slices.Equal(same, want) {
		t.Errorf("the same are %v, want %v: %v", same, want, err)
	}
}

// namesOf are the names of an object's instances.
func namesOf(ix *index.Index, position int) *index.Names {
	o := &ix.Objects[position]
	names := &index.Names{Single: o.NumInstances < 0}
	for i := o.Instance0; i < o.InstanceEnd; i++ {
		names.Of = append(names.Of, index.HashName(ix.NameBytes(&ix.Instances[i])))
	}
	if o.Link0 >= 0 {
		names.Links = slices.Clone(ix.Links[o.Link0:][:len(names.Of)])
		for i := range names.Links {
			names.Links[i].Parent = -1
		}
	}
	return names
}
