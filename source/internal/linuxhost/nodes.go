package linuxhost

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// cpuNode is a NUMA node.
type cpuNode struct {
	number     uint64
	name       string        // of its total
	processors []*nodeMember // all present, ascending
	totals     totals
	total      values
	online     int // in the current sample
}

type nodeMember struct {
	*processor
	name            string // node,position
	inNode, inTotal values
	returned        uint64 // value of since for these
	frequency       frequency
}

// topology assigns all present processors to nodes, also offline ones, so that positions are
// constant. Without NUMA, all are in node 0.
func (r *infoSource) topology(s *session) {
	defer func() { r.topologyUnread = s.short != nil }() // try again next time
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
		if !ok { // not in the list: offline
			node = offlineHome(s, cpu, numbers)
		}
		r.place(s, cpu, node)
	}
}

// offlineHome returns the node whose directory has the processor, or the first.
func offlineHome(s *session, cpu uint64, nodes []uint64) uint64 {
	for _, node := range nodes {
		file := fmt.Sprintf("sys/devices/system/node/node%d/cpu%d/online", node, cpu)
		if there, _ := s.exists(file); there {
			return node
		}
	}
	return nodes[0]
}

func (r *infoSource) place(s *session, cpu, number uint64) {
	node := r.node(number)
	name := fmt.Sprintf("%d,%d", number, len(node.processors))

	// A processor with another name is a new instance.
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
	// The kernel sums these only for the machine.
	node.totals.running |= cpuInterrupts | cpuDPCs
	r.nodes = slices.Insert(r.nodes, i, node)
	return node
}

func readList(s *session, name string) []uint64 {
	text, err := s.readOnce(name)
	if err != nil {
		return nil
	}
	line, _, _ := cutLine(text)
	return parseList(line)
}

// parseList parses the kernel's list format, such as "0-3,8", while numbers ascend and are below
// maxProcessors.
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
