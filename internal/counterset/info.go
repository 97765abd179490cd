package counterset

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// None means no counter as CounterInfo.Base, PerfTime, PerfFreq and Multi.
const None = 0xFFFFFFFF

// FlagMultiple is the bit of Info.InstanceType for sets with instances (perflib.h,
// PERF_COUNTERSET_FLAG_MULTIPLE).
const FlagMultiple = 0x02

// Request codes of PerfQueryCounterSetRegistrationInfo (perflib.h, PERF_REG_*).
const (
	RegCounterSet     = 1  // PERF_COUNTERSET_REG_INFO and all counters: ParseInfo
	RegCounter        = 2  // one counter: PERF_COUNTER_REG_INFO
	RegName           = 3  // name of the set: ParseString
	RegHelp           = 4  // help text of the set: ParseString
	RegCounterNames   = 5  // ParseStrings
	RegCounterHelps   = 6  // ParseStrings
	RegProviderName   = 7  // ParseString
	RegProviderGUID   = 8  // a GUID
	RegEnglishName    = 9  // ParseString
	RegEnglishCounter = 10 // ParseStrings
)

// Info is the registration of a counter set: PERF_COUNTERSET_REG_INFO.
type Info struct {
	GUID         winperf.GUID
	Type         uint32 // reserved
	Detail       uint32 // 100 novice, 200 advanced
	InstanceType uint32 // sum of flags
	Counters     []CounterInfo
}

// CounterInfo is the registration of a counter: PERF_COUNTER_REG_INFO.
type CounterInfo struct {
	ID        uint32
	Type      counter.Type
	Attrib    uint64 // display of values (perflib.h, PERF_ATTRIB_*)
	Detail    uint32
	Scale     int32  // power of ten, for graphs
	Base      uint32 // id of the base, or None
	PerfTime  uint32 // id of the counter that is its clock, or None
	PerfFreq  uint32 // id of the counter that is the clock's frequency, or None
	Multi     uint32 // id of the multiplier, or None
	Aggregate uint32 // 0 undefined, 1 total, 2 average, 3 minimum, 4 maximum
	Reserved  uint32
}

// Single reports whether the set has no instances.
func (i *Info) Single() bool { return i.InstanceType&FlagMultiple == 0 }

// AppendInfo appends the structure and its counters.
func AppendInfo(dst []byte, i *Info) []byte {
	dst = append(dst, i.GUID[:]...)
	for _, v := range [...]uint32{i.Type, i.Detail, uint32(len(i.Counters)), i.InstanceType} {
		dst = le.AppendUint32(dst, v)
	}
	for _, c := range i.Counters {
		dst = AppendCounterInfo(dst, c)
	}
	return dst
}

// AppendCounterInfo appends the structure of one counter.
func AppendCounterInfo(dst []byte, c CounterInfo) []byte {
	dst = le.AppendUint32(dst, c.ID)
	dst = le.AppendUint32(dst, uint32(c.Type))
	dst = le.AppendUint64(dst, c.Attrib)
	for _, v := range [...]uint32{
		c.Detail, uint32(c.Scale), c.Base, c.PerfTime, c.PerfFreq, c.Multi, c.Aggregate, c.Reserved,
	} {
		dst = le.AppendUint32(dst, v)
	}
	return dst
}

// ParseInfo decodes registration information. The error, a [*winperf.DataError], means that
// the bytes end too early; the complete counters are still returned.
func ParseInfo(b []byte) (*Info, error) {
	if len(b) < infoSize {
		return nil, checkInfo.Fault(0, int64(len(b)), infoSize)
	}
	n, space := u32(b, 24), (len(b)-infoSize)/counterInfoSize
	i := &Info{
		GUID: winperf.GUID(b[:16]), Type: u32(b, 16), Detail: u32(b, 20), InstanceType: u32(b, 28),
		Counters: make([]CounterInfo, min(int64(n), int64(space))),
	}
	for k := range i.Counters {
		i.Counters[k] = counterInfo(b[infoSize+k*counterInfoSize:])
	}

	if int64(n) > int64(space) {
		err := checkInfoCount.Fault(24, int64(n), int64(space))
		err.Object.GUID = i.GUID
		return i, err
	}
	return i, nil
}

func counterInfo(b []byte) CounterInfo {
	return CounterInfo{
		ID: u32(b, 0), Type: counter.Type(u32(b, 4)), Attrib: le.Uint64(b[8:]), Detail: u32(b, 16),
		Scale: int32(u32(b, 20)), Base: u32(b, 24), PerfTime: u32(b, 28), PerfFreq: u32(b, 32),
		Multi:     u32(b, 36),
		Aggregate: u32(b, 40), Reserved: u32(b, 44),
	}
}

// Check returns contradictions in the registration: duplicate ids, of which the last one is
// used, and references to missing counters.
func (i *Info) Check() (errs []error) {
	at := make(map[uint32]int, len(i.Counters))
	for k, c := range i.Counters {
		if _, twice := at[c.ID]; twice {
			errs = append(errs, i.fault(checkDuplicate, k, c.ID, 0))
		}
		at[c.ID] = k
	}

	for k, c := range i.Counters {
		for _, need := range [...]uint32{c.Base, c.PerfTime, c.PerfFreq, c.Multi} {
			if _, there := at[need]; need != None && !there {
				errs = append(errs, i.fault(checkReference, k, c.ID, need))
			}
		}
	}
	return errs
}

func (i *Info) fault(c *index.Check, k int, got, want uint32) *winperf.DataError {
	err := c.Fault(uint32(infoSize+k*counterInfoSize), int64(got), int64(want))
	err.Object.GUID = i.GUID
	return err
}
