package counterset

import (
	"fmt"

	"github.com/winperf/winperf/internal/wire"
)

// InstanceName is the identity of an instance: a PERF_INSTANCE_HEADER and its name. Neither
// name nor id alone need be unique.
type InstanceName struct {
	Name string
	ID   uint32
}

// ParseInstances decodes a sequence of PERF_INSTANCE_HEADER, the result of
// PerfEnumerateCounterSetInstances. It returns the instances before damage with the error,
// a [*winperf.DataError].
func ParseInstances(b []byte) ([]InstanceName, error) {
	var all []InstanceName
	size := uint32(len(b))
	for pos := uint32(0); pos < size; {
		end, name, err := readInstance(b, pos, size)
		if err != nil {
			return all, err
		}
		text := b[pos+instanceSize:][:name]
		all = append(all, InstanceName{wire.Text(text, wire.UTF16LE), u32(b, int(pos)+atInstanceID)})
		pos = end
	}
	return all, nil
}

// AppendInstance appends a PERF_INSTANCE_HEADER with its name. The error wraps
// ErrEncode: the name has a NUL.
func AppendInstance(dst []byte, in InstanceName) ([]byte, error) {
	start := len(dst)
	dst = le.AppendUint32(dst, 0)
	dst = le.AppendUint32(dst, in.ID)
	name, err := wire.EncodeText(in.Name, wire.UTF16LE)
	if err != nil {
		return dst[:start], fmt.Errorf("%w: instance name: %w", ErrEncode, err)
	}
	dst = pad(append(dst, name...), start)
	le.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst, nil
}
