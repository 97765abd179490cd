package v1

import (
	"context"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
)

// BenchmarkSample takes samples of the reference blocks from a key that costs
// no more than a copy, and that copy: the difference is what the line, the
// guard, the clearing and the walk over the objects cost.
func BenchmarkSample(b *testing.B) {
	for _, size := range perftest.Sizes {
		block := perftest.Block(size)
		keys := Keys{
			Open:  func(context.Context) error { return nil },
			Close: func() error { return nil },
			Query: func(_ context.Context, _ Key, _ []uint16, buf []byte, v *Value) error {
				if len(buf) < len(block) {
					return winapi.ERROR_MORE_DATA
				}
				*v = Value{winapi.REG_BINARY, uint32(copy(buf, block))}
				return nil
			},
		}
		b.Run("v1/"+size.String(), func(b *testing.B) {
			s, err := Open(b.Context(), keys, Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			s.known.Store(&known{schema: new(winperf.Schema)})
			q, raw, ctx := newQuery(s, 0), new(winperf.Sample), b.Context()
			q.setRequest("Global", nil)
			b.ReportAllocs()
			for b.Loop() {
				if err := q.Next(ctx, raw); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(block)))
		})
		b.Run("copy/"+size.String(), func(b *testing.B) {
			buf := make([]byte, len(block))
			b.ReportAllocs()
			for b.Loop() {
				copy(buf, block)
			}
			b.SetBytes(int64(len(block)))
		})
	}
}
