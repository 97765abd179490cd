package linuxhost

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// cpuNode is a NUMA node: a group of processors and the memory near to them.
type cpuNode struct {
	number     uint64
	name       string        // of the instance that is its total
	processors []*nodeMember // all that are present, by rising number
	totals     totals
	total      values
	online     int // processors of the current sample
}

// nodeMember is a processor in its node.
type nodeMember struct {
	*processor
	name            string // node,position
	inNode, inTotal values // what the totals have seen of it
	returned        uint64 // the processor's since that they belong to
	frequency       frequency
}

// topology finds the nodes of all processors that are present, also of those
// that are offline, so that positions stay when one goes offline. Where the
// kernel knows no nodes (no NUMA), all processors are in node 0.
func (r *infoSource) topology(s *session) {
	defer func() { r.unsure = s.short != nil }() // the next query tries again
	numbers := readList(s, "sys/devices/system/node/online")
	if len(numbers) == 0 {
		numbers = []uint64{0}
	}

	present := readList(s, "sys/devices/system/cpu/present")
	for _, p := range s.kernel.online {
		present = append(present, p.number)
	}

	slices.Sort(present)
	present = slices.Compact(present)

	home := map[uint64]uint64{} // processor to node
	for _, node := range numbers {
		for _, cpu := range readList(s, fmt.Sprintf("sys/devices/system/node/node%d/cpulist", node)) {
			home[cpu] = node
		}
	}

	for i := range r.nodes {
		r.nodes[i].processors = r.nodes[i].processors[:0]
	}
	for _, cpu := range present {
		node, ok := home[cpu]
		if !ok { // the list has only those online
			node = offlineHome(s, cpu, numbers)
		}
		r.place(s, cpu, node)
	}
}

// offlineHome returns the node of a processor that is offline: the one whose
// directory still has it, otherwise the first.
func offlineHome(s *session, cpu uint64, nodes []uint64) uint64 {
	for _, node := range nodes {
		file := fmt.Sprintf("sys/devices/system/node/node%d/cpu%d/online", node, cpu)
		if there, _ := s.exists(file); there {
			return node
		}
	}
	return nodes[0]
}

// place gives a processor the next position in the node of a number.
func (r *infoSource) place(s *session, cpu, number uint64) {
	node := r.node(number)
	name := fmt.Sprintf("%d,%d", number, len(node.processors))

	// With another name a processor is another instance, and its figures begin anew.
	m := r.members[cpu]
	if m == nil || m.name != name {
		if m != nil {
			s.reader.close(&m.frequency.file.h)
		}
		m = &nodeMember{processor: s.kernel.processor(cpu), name: name, frequency: newFrequency(cpu)}
		r.members[cpu] = m
	}
	node.processors = append(node.processors, m)
}

// node returns the node of a number, which is a new one the first time.
func (r *infoSource) node(number uint64) *cpuNode {
	i, ok := slices.BinarySearchFunc(r.nodes, number, func(n *cpuNode, number uint64) int {
		return cmp.Compare(n.number, number)
	})
	if ok {
		return r.nodes[i]
	}

	node := &cpuNode{
		number: number, name: fmt.Sprintf("%d,_Total", number), totals: totals{sums: r.totals.sums},
	}
	// The kernel has totals of these for all processors, but not for a node.
	node.totals.running |= cpuInterrupts | cpuDPCs
	r.nodes = slices.Insert(r.nodes, i, node)
	return node
}

// readList reads a file that holds a list of numbers.
func readList(s *session, name string) []uint64 {
	text, err := s.readOnce(name)
	if err != nil {
		return nil
	}
	line, _, _ := cutLine(text)
	return parseList(line)
}

// parseList reads numbers below maxProcessors in the kernel's list format,
// such as "0-3,8", as far as they rise.
func parseList(line []byte) (list []uint64) {
	for len(line) > 0 {
		var part []byte
		part, line, _ = bytes.Cut(line, []byte{','})
		low, high, isRange := bytes.Cut(part, []byte{'-'})
		first, ok := decimal(low)

		last := first
		if isRange {
			var okLast bool
			last, okLast = decimal(high)
			ok = ok && okLast
		}

		if !ok || last >= maxProcessors || first > last || len(list) > 0 && first <= list[len(list)-1] {
			return list
		}
		for n := first; n <= last; n++ {
			list = append(list, n)
		}
	}
	return list
}
