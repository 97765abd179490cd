package linuxhost

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPressure(t *testing.T) {
	root := fixtures(t, "small.txtar", "details.txtar")
	r := newRig(t, root, nil)
	o := r.object(titlePressure)
	if diff := cmp.Diff([]string{"cpu", "memory", "irq"}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "cpu", raws{
		titleSomeStalled: 23062514790, titleSome10: 4915, titleSome60: 6133, titleSome300: 10000,
		// no meaning for the whole machine
		titleFullStalled: missing, titleFull10: missing, titleFull300: missing,
	})
	o.check(t, "memory", raws{titleSomeStalled: 408808480, titleFullStalled: 166847020, titleSome300: 82,
		titleFull10: 3, titleFull60: 4, titleFull300: 1})
	o.check(t, "irq", raws{titleSomeStalled: missing, titleSome60: missing, titleFullStalled: 90,
		titleFull60: 20})
	for i, name := range o.names() {
		for _, index := range []uint32{titleSome10, titleFull300} {
			value, base := o.instances[i].values[o.at(index)], o.instances[i].values[o.at(index)+1]
			if base.missing != value.missing || !base.missing && base.raw != 10_000 {
				t.Errorf("%s, counter %d: base %+v of %+v", name, index, base, value)
			}
		}
	}
	root.Remove("proc/pressure/cpu")
	root.Set("proc/pressure/memory", "some avg10=x avg60=1.5 total=-1\nfull "+
		"total=18446744073709551615\nfull\n\nsome avg300=0.07 unknown=1\n")
	o = r.object(titlePressure)
	if diff := cmp.Diff([]string{"memory", "irq"}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "memory", raws{titleSomeStalled: missing, titleSome10: missing, titleSome60: missing,
		titleSome300: 7, titleFullStalled: missing})
}

// TestPressureOff samples kernels that do not count it, by their build and by
// the parameter psi=0.
func TestPressureOff(t *testing.T) {
	off := errors.New("operation not supported") // EOPNOTSUPP
	for _, name := range []string{"no files", "not supported", "only irq is not supported"} {
		root := fixtures(t, "small.txtar", "details.txtar")
		want := false
		switch name {
		case "no files":
			root.RemoveAll("proc/pressure")
		case "not supported":
			for _, resource := range []string{"cpu", "memory", "io", "irq"} {
				root.Fail("proc/pressure/"+resource, off)
			}
		default:
			root.Fail("proc/pressure/irq", off)
			want = true
		}
		b := newRig(t, root, nil).ask("Global")
		if got := b[titlePressure] != nil; got != want {
			t.Errorf("%s: the object is there: %v", name, got)
		} else if want {
			if diff := cmp.Diff([]string{"cpu", "memory"}, b[titlePressure].names()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	if _, err := fixture(t, "small.txtar").Open(0, "proc/pressure/cpu"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the small machine has pressure: %v", err)
	}
}
