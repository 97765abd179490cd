package catalogue

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// NoSample is the message about a recording that ends before its first sample.
const NoSample = "there is no sample that can be read; winperf info tells what is wrong with a log"

// MachinesOf are the machines whose objects a sample has.
func MachinesOf(f frame.Frame) (names []string) {
	for o := range f.Objects() {
		if !slices.Contains(names, o.Machine()) {
			names = append(names, o.Machine())
		}
	}
	return names
}

// ShownCounters returns the positions of the counters that people may ask for.
func ShownCounters(o frame.Object) []int {
	var ks []int
	for k := range o.NumCounters() {
		if !o.Counter(k).Type.IsBase() {
			ks = append(ks, k)
		}
	}
	return ks
}

// InstanceName returns the name of an instance as paths write it.
func InstanceName(in frame.Instance) string {
	p := winperf.Path{HasInstance: true, Instance: in.Full(), Index: in.Occurrence()}
	return p.InstanceText()
}
