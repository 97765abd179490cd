package capture

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
)

const sampleHeadSize = 64

type sampleHead struct {
	length    int    // of the sample's bytes
	schema    uint64 // identities, 0 for none
	reference uint64
}

func appendSampleHead(b []byte, raw *winperf.Raw, schema, reference uint64) []byte {
	b = append(b, byte(raw.Format), byte(raw.Quirks), 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(raw.Bytes)))
	b = binary.LittleEndian.AppendUint64(b, schema)
	b = binary.LittleEndian.AppendUint64(b, reference)
	return appendClocks(b, raw)
}

func appendClocks(b []byte, raw *winperf.Raw) []byte {
	c := &raw.Clocks
	for _, clock := range [...]int64{c.PerfTime, c.PerfFreq, c.Time100ns, c.ObjectTime, c.ObjectFreq} {
		b = binary.LittleEndian.AppendUint64(b, uint64(clock))
	}
	return b
}

const errSample = fault("its payload is not a sample")

// parseSampleHead reads the head of a sample's payload into raw and returns the rest: the
// bytes or a difference.
func parseSampleHead(b []byte, raw *winperf.Raw) (sampleHead, []byte, error) {
	p := fieldReader{rest: b}
	raw.Format, raw.Quirks = winperf.Format(p.u8()), winperf.Quirks(p.u8())
	p.u16()
	length := p.u32()
	h := sampleHead{length: int(length), schema: p.u64(), reference: p.u64()}
	p.clocks(raw)
	switch {
	case p.bad:
		return h, nil, errSample
	case length > maxBytes:
		return h, nil, fmt.Errorf("%w: %d bytes, expected at most %d", errSample, length, maxBytes)
	}
	return h, p.rest, nil
}

// v2Time is the offset of PERF_DATA_HEADER.PerfTime100NSec of perflib.h.
const v2Time = 16

// filetime returns the time of a block, 0 if unknown.
func filetime(raw *winperf.Raw) int64 {
	b := raw.Bytes
	switch raw.Format {
	case winperf.FormatV1:
		if head, ok := datablock.HeadOf(b); ok {
			return head.Clocks().Time100ns
		}
	case winperf.FormatV2:
		if len(b) >= v2Time+8 {
			return int64(binary.LittleEndian.Uint64(b[v2Time:]))
		}
	}
	return raw.Clocks.Time100ns
}

// sampleTime returns the first known time of a part, 0 if unknown.
func sampleTime(s *winperf.Sample) int64 {
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil {
			if t := filetime(&b.Raw); t != 0 {
				return t
			}
		}
	}
	return 0
}

// Time returns the time of a sample in UTC from its undecoded blocks. It is the zero time
// if unknown.
func Time(s *winperf.Sample) time.Time {
	return timeOf(sampleTime(s))
}

func timeOf(ft int64) time.Time {
	if ft == 0 {
		return time.Time{}
	}
	return winperf.FromFiletime(ft)
}
