package push

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/winperf/winperf/internal/protobuf"
)

// leastSplit is a number of samples that is never too large for a request. It avoids a
// request for each sample to a target that accepts none.
const leastSplit = 100

// bySize halves a request; parts are nil if it is too small.
func (r *request) bySize() (parts []*request, err error) {
	if r.samples < 2*leastSplit {
		return nil, nil
	}
	return r.divide(func(times []uint64) int { return len(times) / 2 })
}

// byTime divides a request between two sample times, near the middle; parts are nil if all
// times are equal. Of samples refused together, some may be too old or already stored.
func (r *request) byTime() (parts []*request, err error) {
	return r.divide(func(times []uint64) int {
		best, middle := 0, len(times)/2
		for i := 1; i < len(times); i++ {
			if times[i] != times[i-1] && (best == 0 || max(i-middle, middle-i) < max(best-middle, middle-best)) {
				best = i
			}
		}
		return best
	})
}

// divide splits a request in two. where returns the number of samples of the first part, by
// the times of all; 0 keeps the request whole.
func (r *request) divide(where func(times []uint64) int) ([]*request, error) {
	body, err := r.unpacked()
	if err != nil {
		return nil, err
	}
	times, err := r.times(nil, body, r.path())
	if err != nil {
		return nil, err
	}
	first := where(times)
	if first <= 0 || first >= len(times) {
		return nil, nil
	}

	left := first
	halves, _, err := divide(body, r.path(), &left)
	if err != nil {
		return nil, err
	}
	var parts []*request
	for i, samples := range []int{first, len(times) - first} {
		part := *r
		part.samples = samples
		if r.second {
			halves[i] = blankSymbols(halves[i])
		}
		part.body = r.packed(halves[i])
		parts = append(parts, &part)
	}
	return parts, nil
}

// path returns the field numbers that lead to a sample.
func (r *request) path() [][]uint32 {
	switch {
	case r.otlp: // resource, scope, metric, kind of metric, point
		return [][]uint32{{1}, {2}, {2}, {5, 7, 11}, {1}}
	case r.second: // series, which have one sample
		return [][]uint32{{5}}
	default:
		return [][]uint32{{1}}
	}
}

// times appends the times of the samples of a message.
func (r *request) times(times []uint64, b []byte, path [][]uint32) ([]uint64, error) {
	return times, fields(b, func(f protobuf.Field) (err error) {
		switch {
		case f.Bytes == nil || !slices.Contains(path[0], f.Number):
		case len(path) > 1:
			times, err = r.times(times, f.Bytes, path[1:])
		default:
			var at uint64
			at, err = r.time(f.Bytes)
			times = append(times, at)
		}
		return err
	})
}

// time returns the time of a point, or of the sample of a series.
func (r *request) time(b []byte) (at uint64, err error) {
	err = fields(b, func(f protobuf.Field) error {
		switch {
		case r.otlp && f.Number == 3: // time_unix_nano
			at = f.Uint
		case !r.otlp && f.Number == 2: // a sample
			return fields(f.Bytes, func(f protobuf.Field) error {
				if f.Number == 2 { // timestamp
					at = f.Uint
				}
				return nil
			})
		}
		return nil
	})
	return at, err
}

// divide splits a message in two; the first part gets left samples. Fields without samples
// are copied to both.
func divide(b []byte, path [][]uint32, left *int) (halves [2][]byte, samples [2]int, err error) {
	for len(b) > 0 {
		f, rest, err := protobuf.Next(b)
		if err != nil {
			return halves, samples, err
		}
		whole := b[:len(b)-len(rest)]
		b = rest

		switch {
		case f.Bytes == nil || !slices.Contains(path[0], f.Number):
			halves[0], halves[1] = append(halves[0], whole...), append(halves[1], whole...)
		case len(path) == 1:
			k := 0
			if *left--; *left < 0 {
				k = 1
			}
			halves[k], samples[k] = append(halves[k], whole...), samples[k]+1
		default:
			parts, n, err := divide(f.Bytes, path[1:], left)
			if err != nil {
				return halves, samples, err
			}
			for k := range halves {
				if n[k] > 0 {
					halves[k], samples[k] = protobuf.Bytes(halves[k], f.Number, parts[k]), samples[k]+n[k]
				}
			}
		}
	}
	return halves, samples, nil
}

// blankSymbols clears the symbols of a request of version 2.0 that no series refers to.
func blankSymbols(b []byte) []byte {
	used := map[uint64]bool{}
	_ = fields(b, func(f protobuf.Field) error { // it was read before
		if f.Number != 5 {
			return nil
		}
		return fields(f.Bytes, func(f protobuf.Field) error {
			switch f.Number {
			case 1: // labels_refs
				for refs := f.Bytes; len(refs) > 0; {
					ref, n := binary.Uvarint(refs)
					if n <= 0 {
						break
					}
					used[ref], refs = true, refs[n:]
				}
			case 5: // metadata, of which help_ref and unit_ref
				return fields(f.Bytes, func(f protobuf.Field) error {
					used[f.Uint] = used[f.Uint] || f.Number == 3 || f.Number == 4
					return nil
				})
			}
			return nil
		})
	})

	var out []byte
	for number := uint64(0); len(b) > 0; {
		f, rest, err := protobuf.Next(b)
		if err != nil {
			return b
		}
		whole := b[:len(b)-len(rest)]
		b = rest
		if f.Number == 4 {
			if !used[number] {
				whole = protobuf.String(nil, 4, "")
			}
			number++
		}
		out = append(out, whole...)
	}
	return out
}

// unpacked returns the body without compression.
func (r *request) unpacked() ([]byte, error) {
	if !r.otlp {
		return s2.Decode(nil, r.body)
	}
	z, err := gzip.NewReader(bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z) // it was compressed here
}

// packed compresses a body like the request's.
func (r *request) packed(body []byte) []byte {
	if !r.otlp {
		return s2.EncodeSnappy(nil, body)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // a buffer has no errors
	_ = z.Close()
	return b.Bytes()
}
