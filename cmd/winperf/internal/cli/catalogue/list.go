package catalogue

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// NoSample is the message about a log without a readable sample.
const NoSample = "no sample can be read; winperf info shows the damage of a log"

// MachinesOf returns the machines in a sample.
func MachinesOf(f frame.Frame) (names []string) {
	for o := range f.Objects() {
		if !slices.Contains(names, o.Machine()) {
			names = append(names, o.Machine())
		}
	}
	return names
}

// ShownCounters returns the positions of counters that are not internal.
func ShownCounters(o frame.Object) []int {
	var ks []int
	for k := range o.NumCounters() {
		if !o.Counter(k).Type.IsBase() {
			ks = append(ks, k)
		}
	}
	return ks
}

// InstanceName returns an instance's name as written in paths.
func InstanceName(in frame.Instance) string {
	p := winperf.Path{HasInstance: true, Instance: in.Full(), Index: in.Occurrence()}
	return p.InstanceText()
}
