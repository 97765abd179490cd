package protobuf_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/protobuf"
)

// The example of the description of the encoding: message Test3 { Test1 c = 3 } with a = 150.
func TestNested(t *testing.T) {
	b, at := protobuf.Begin(nil, 3)
	b = protobuf.Uint(b, 1, 150)
	b = protobuf.End(b, at)
	if want := []byte{0x1a, 0x03, 0x08, 0x96, 0x01}; !bytes.Equal(b, want) {
		t.Errorf("% x, want % x", b, want)
	}

	long := bytes.Repeat([]byte{7}, 300)
	b, at = protobuf.Begin([]byte("before"), 1)
	b = protobuf.End(append(b, long...), at)
	if want := protobuf.Bytes([]byte("before"), 1, long); !bytes.Equal(b, want) {
		t.Errorf("% x, want % x", b, want)
	}
}

func TestFields(t *testing.T) {
	b := protobuf.String(nil, 2, "testing")
	if want := []byte{0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g'}; !bytes.Equal(b, want) {
		t.Errorf("% x, want % x", b, want)
	}

	b = protobuf.Double(protobuf.Uint(b, 100, math.MaxUint64), 4, 1.5)
	want := []protobuf.Field{
		{Number: 2, Bytes: []byte("testing")}, {Number: 100, Uint: math.MaxUint64},
		{Number: 4, Uint: math.Float64bits(1.5)},
	}
	for _, w := range want {
		f, rest, err := protobuf.Next(b)
		if err != nil || f.Number != w.Number || f.Uint != w.Uint || !bytes.Equal(f.Bytes, w.Bytes) {
			t.Errorf("%+v, %v, want %+v", f, err, w)
		}
		b = rest
	}
	if len(b) > 0 {
		t.Errorf("% x is left", b)
	}
}

func TestLen(t *testing.T) {
	for _, v := range []uint64{0, 127, 128, 1<<14 - 1, 1 << 14, math.MaxUint64} {
		if got, want := protobuf.Len(v), len(protobuf.Uint(nil, 1, v))-1; got != want {
			t.Errorf("%d takes %d bytes, want %d", v, got, want)
		}
	}
}

// Any bytes are read to their end or to an error with a place in them.
func FuzzNext(f *testing.F) {
	f.Add([]byte{0x12, 0x07, 't', 'e'})
	f.Add(protobuf.Double(protobuf.Uint(nil, 100, math.MaxUint64), 4, 1.5))
	f.Add([]byte{0x0d, 1, 2, 3, 4, 0x0b})
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			_, rest, err := protobuf.Next(b)
			var where *winperf.DataError
			if err != nil {
				if !errors.As(err, &where) || where.Offset > int64(len(b)) || !errors.Is(err, winperf.ErrBadData) {
					t.Errorf("%v", err)
				}
				return
			}
			if len(rest) >= len(b) {
				t.Fatal("nothing was read")
			}
			b = rest
		}
	})
}
