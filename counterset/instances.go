package counterset

import (
	"fmt"

	"github.com/winperf/winperf/internal/wire"
)

// InstanceName is the identity of an instance: a PERF_INSTANCE_HEADER and the
// name behind it. Neither name nor id alone need be unique.
type InstanceName struct {
	Name string
	ID   uint32
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

// ParseInstances takes apart what PerfEnumerateCounterSetInstances gives: a
// sequence of PERF_INSTANCE_HEADER blocks. What stands before damage is returned
// with the error, a [*winperf.DataError].
func ParseInstances(b []byte) ([]InstanceName, error) {
	var all []InstanceName
	for pos, end := uint32(0), uint32(len(b)); pos < end; {
		next, n, err := readInstance(b, pos, end)
		if err != nil {
			err.Part, err.Number = "instance", len(all)
			return all, err
		}
		all = append(all, InstanceName{
			Name: wire.Text(b[pos+instanceSize:][:n], wire.UTF16LE), ID: u32(b, int(pos)+atInstanceID),
		})
		pos = next
	}
	return all, nil
}
