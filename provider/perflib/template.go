package perflib

import (
	"encoding/binary"
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/provider"
)

// Sizes of PERF_COUNTERSET_INFO and PERF_COUNTER_INFO, and values of their fields (perflib.h).
const (
	setInfoSize     = 40
	counterInfoSize = 32

	singleInstance = 0 // PERF_COUNTERSET_SINGLE_INSTANCE
	multiInstances = 2 // PERF_COUNTERSET_MULTI_INSTANCES

	byReference = 1 // PERF_ATTRIB_BY_REFERENCE
)

// attributes are the PERF_ATTRIB_* bits by their names in manifests.
var attributes = map[string]uint64{
	"reference": byReference, "noDisplay": 2, "noDigitGrouping": 4, "displayAsReal": 8, "displayAsHex": 16,
}

// template returns the argument of PerfSetCounterSetInfo: a PERF_COUNTERSET_INFO and a PERF_COUNTER_INFO
// for each counter. All counters are given by reference, so Size and Offset describe pointers, as in
// .NET's PerformanceData. (Microsoft Learn describes Size as the size of the structure.)
func template(providerID winperf.GUID, set *regfile.ManifestSet, multi bool) []byte {
	le := binary.LittleEndian
	p := make([]byte, setInfoSize, setInfoSize+counterInfoSize*len(set.Counters))
	copy(p, set.GUID[:])
	copy(p[16:], providerID[:])
	le.PutUint32(p[32:], uint32(len(set.Counters)))
	le.PutUint32(p[36:], singleInstance)
	if multi {
		le.PutUint32(p[36:], multiInstances)
	}

	const slot = uint32(unsafe.Sizeof(uintptr(0)))
	for i := range set.Counters {
		c := &set.Counters[i]
		attrib := uint64(byReference)
		for _, name := range c.Attributes {
			attrib |= attributes[name]
		}

		detail := provider.Novice
		if c.Detail == "advanced" {
			detail = provider.Advanced
		}

		p = le.AppendUint32(p, c.ID)
		p = le.AppendUint32(p, uint32(c.Type))
		p = le.AppendUint64(p, attrib)
		p = le.AppendUint32(p, slot)
		p = le.AppendUint32(p, uint32(detail))
		p = le.AppendUint32(p, uint32(c.Scale))
		p = le.AppendUint32(p, slot*uint32(i))
	}
	return p
}
