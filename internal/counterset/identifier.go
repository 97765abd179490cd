package counterset

import (
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
)

// Any means all counters as Identifier.Counter and any id as Identifier.InstanceID:
// PERF_WILDCARD_COUNTER of perflib.h.
const Any = 0xFFFFFFFF

// AllInstances is the filter for every instance: PERF_WILDCARD_INSTANCE of perflib.h.
const AllInstances = "*"

// MaxInstanceName is the greatest length of an instance filter in UTF-16 units without NUL:
// PERF_MAX_INSTANCE_NAME of perflib.h.
const MaxInstanceName = 1024

// Identifier is a PERF_COUNTER_IDENTIFIER: one part of a query.
type Identifier struct {
	Set        winperf.GUID
	Status     Status // result of adding it to the query
	Counter    uint32 // id of one counter, or Any
	InstanceID uint32 // or Any
	Index      uint32 // position of the answer, from PerfQueryCounterInfo
	// Instance is the filter: a name in which * matches any characters and ? one. It must
	// be empty for a set without instances, and only then.
	Instance string
}

// AppendIdentifier appends the structure to dst. Without a filter it has no name, as
// Microsoft Learn requires for sets without instances. The error wraps ErrEncode: the
// filter is too long or has a NUL.
func AppendIdentifier(dst []byte, id Identifier) ([]byte, error) {
	start := len(dst)
	dst = append(dst, id.Set[:]...)
	for _, v := range [...]uint32{uint32(id.Status), 0, id.Counter, id.InstanceID, id.Index, 0} {
		dst = le.AppendUint32(dst, v)
	}

	if id.Instance != "" {
		name, err := wire.EncodeText(id.Instance, wire.UTF16LE)
		if err != nil {
			return dst[:start], fmt.Errorf("%w: instance filter: %w", ErrEncode, err)
		}
		if units := len(name)/2 - 1; units > MaxInstanceName {
			return dst[:start], fmt.Errorf("%w: instance filter of %d characters, expected at most %d", ErrEncode,
				units, MaxInstanceName)
		}
		dst = pad(append(dst, name...), start)
	}
	le.PutUint32(dst[start+atIdentSize:], uint32(len(dst)-start))
	return dst, nil
}

// ParseIdentifiers decodes a sequence of PERF_COUNTER_IDENTIFIER. It returns the
// identifiers before damage with the error, a [*winperf.DataError].
func ParseIdentifiers(b []byte) ([]Identifier, error) {
	var ids []Identifier
	for pos := uint32(0); pos < uint32(len(b)); {
		name, end, err := readIdentifier(b, pos)
		if err != nil {
			return ids, err
		}
		h := b[pos:]
		ids = append(ids, Identifier{
			Set: winperf.GUID(h[:16]), Status: Status(u32(h, atIdentStatus)), Counter: u32(h, atIdentCounter),
			InstanceID: u32(h, atIdentInstance), Index: u32(h, atIdentIndex),
			Instance: wire.Text(name, wire.UTF16LE),
		})
		pos = end
	}
	return ids, nil
}

// readIdentifier checks the structure at pos and returns the bytes of its name, including
// NUL, and its end.
func readIdentifier(b []byte, pos uint32) (name []byte, end uint32, err *winperf.DataError) {
	left := uint32(len(b)) - pos
	if left < identifierSize {
		return nil, 0, checkIdentifier.Fault(pos, int64(left), identifierSize)
	}

	size := u32(b, int(pos)+atIdentSize)
	if size < identifierSize || size > left {
		return nil, 0, checkIdentSize.Fault(pos+atIdentSize, int64(size), int64(left))
	}

	name = b[pos+identifierSize : pos+size]
	if len(name) == 0 {
		return name, pos + size, nil
	}

	n := terminated(name)
	if n < 0 {
		return nil, 0, checkIdentName.Fault(pos+identifierSize, int64(len(name)), 0)
	}
	return name[:n], pos + size, nil
}
