package index_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// TestNamesIf: names of an earlier sample are taken over if there are as many instances with the same links.
func TestNamesIf(t *testing.T) {
	links := []index.Link{{ParentObject: 9}, {ParentObject: 1, UniqueID: 7}, {ParentObject: 2}}
	object := func(n uint32, number int32, link0 int32) *index.Object {
		return &index.Object{InstanceEnd: n, NumInstances: number, Link0: link0}
	}
	of := []uint64{index.HashName([]byte("a")), index.HashName([]byte("b"))}
	if of[0] == of[1] || of[0] != index.HashName([]byte("a")) {
		t.Errorf("hashes %#x", of)
	}
	named, linked := &index.Names{Of: of}, &index.Names{Of: of, Links: slices.Clone(links[1:])}
	single, none := &index.Names{Of: of[:1], Single: true}, &index.Names{}
	for name, tt := range map[string]struct {
		names *index.Names
		o     *index.Object
		want  bool
	}{
		"as many":                {named, object(2, 2, -1), true},
		"one more":               {named, object(3, 3, -1), false},
		"links now":              {named, object(2, 2, 1), false},
		"the same links":         {linked, object(2, 2, 1), true},
		"other links":            {linked, object(2, 2, 0), false},
		"no links now":           {linked, object(2, 2, -1), false},
		"one thing":              {single, object(1, -1, -1), true},
		"one instance, no thing": {single, object(1, 1, -1), false},
		"none":                   {none, object(0, 0, -1), true},
		"no names":               {nil, object(0, 0, -1), false},
	} {
		want := tt.names
		if !tt.want {
			want = nil
		}
		if got := tt.names.If(links, tt.o); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if !slices.Equal(named.Hashes(2), of) || named.Hashes(1) != nil || single.Hashes(1) != nil || (*index.Names)(nil).Hashes(0) != nil {
		t.Error("hashes of other instances")
	}
}

// TestLack: a value that is marked as missing says whether it may not be read.
func TestLack(t *testing.T) {
	ix := sample()
	ix.Objects[0].Missing = 20 // instance i has no value of counter i
	for inst, want := range []counter.Status{counter.InvalidData, counter.NotPermitted, counter.InvalidData} {
		if inst == 1 {
			ix.Data[ix.Instances[1].Block+ix.Counters[1].Value] = index.AccessDenied
		}
		if got := ix.Lack(0, inst, inst); got != want {
			t.Errorf("instance %d: %v, want %v", inst, got, want)
		}
	}
	if got := ix.Lack(0, 0, 3); got != counter.InvalidData {
		t.Errorf("a value beyond its instance: %v", got)
	}
}

// TestObjectClocks: an object has the times of the sample's head, unless it was taken at another time.
func TestObjectClocks(t *testing.T) {
	ix := sample()
	ix.Clocks = counter.Clocks{PerfTime: 1, PerfFreq: 2, Time100ns: 3}
	o := &index.Object{Time: 4, Freq: 5}
	want := counter.Clocks{PerfTime: 1, PerfFreq: 2, Time100ns: 3, ObjectTime: 4, ObjectFreq: 5}
	if got := ix.ObjectClocks(o); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	o.Clocks = uint32(len(ix.Data))
	for i := range 3 {
		ix.Data = append(ix.Data, byte(11+i), 0, 0, 0, 0, 0, 0, 0)
	}
	want = counter.Clocks{PerfTime: 11, PerfFreq: 12, Time100ns: 13, ObjectTime: 4, ObjectFreq: 5}
	if got := ix.ObjectClocks(o); got != want {
		t.Errorf("of its own %+v, want %+v", got, want)
	}
}

// TestCheck: the error of a check says what was read, and wraps its kind and winperf.ErrBadData.
func TestCheck(t *testing.T) {
	kind := index.NewKind("a wrong length")
	for warning, check := range map[bool]*index.Check{
		false: index.NewCheck(kind, "%d bytes, expected %d"), true: index.NewWarning(kind, "%d bytes, expected %d"),
	} {
		err := check.Fault(8, 3, 4)
		if !errors.Is(err, kind) || !errors.Is(err, check) || !errors.Is(err, winperf.ErrBadData) || err.Warning != warning || err.Offset != 8 {
			t.Errorf("error %#v", err)
		}
		if got := check.Describe(err.Got, err.Want); got != "3 bytes, expected 4" || check.Error() != kind.Error() {
			t.Errorf("%v: %s", check, got)
		}
	}
}

// TestPoison: nothing that was read can be read again, and the offsets that remain are in no data.
func TestPoison(t *testing.T) {
	ix := sample()
	ix.Links = []index.Link{{ParentObject: 1, Parent: 2}}
	ix.Poison()
	if len(ix.Data) != 0 || ix.Links[0].Parent != -1 || ix.Links[0].ParentObject == 1 {
		t.Errorf("%d bytes, link %+v", len(ix.Data), ix.Links[0])
	}
	for i, in := range ix.Instances {
		if in.Block < 1<<31 || in.Name.Off < 1<<31 {
			t.Errorf("instance %d: %+v", i, in)
		}
	}
}
