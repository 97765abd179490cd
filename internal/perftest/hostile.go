package perftest

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// Cases are the rounds of a test with random input. The random numbers of a round follow from the
// seed and the round's number, so that it can be repeated alone.
type Cases struct {
	Seed uint64
	// Done is the number of rounds that have begun.
	Done  int
	most  int       // 0: no limit
	until time.Time // start time of the last round
}

// SuiteCases returns n rounds, the same on every run.
func SuiteCases(n int) *Cases { return &Cases{Seed: 1, most: n} }

// SoakCases returns rounds for the duration in WINPERF_SOAK; without it the test is skipped. The
// seed is random, or the one in WINPERF_SEED.
func SoakCases(t testing.TB) *Cases {
	t.Helper()
	duration, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK does not say how long to run")
	}
	seed, err := strconv.ParseUint(os.Getenv("WINPERF_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("WINPERF_SEED=%d", seed)
	return &Cases{Seed: seed, until: time.Now().Add(duration)}
}

// All ranges over the rounds' numbers and random numbers.
func (c *Cases) All() iter.Seq2[int, *rand.Rand] {
	return func(yield func(int, *rand.Rand) bool) {
		for c.most > 0 && c.Done < c.most || c.most == 0 && time.Now().Before(c.until) {
			n := c.Done
			c.Done++
			if !yield(n, rand.New(rand.NewPCG(c.Seed, uint64(n)))) {
				return
			}
		}
	}
}

// Edge returns a number at which errors in lengths, counts or offsets are likely.
func Edge(r *rand.Rand) uint64 { return edges[r.IntN(len(edges))] }

var edges = []uint64{
	0, 1, 2, 7, 8, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 16, 1 << 20, 64 << 20,
	1<<31 - 1, 1 << 31, 1<<32 - 8, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1,
}

// Mutate returns a copy of b with one to four faults: bits and bytes changed, pieces removed,
// inserted, doubled, exchanged or taken from one of the others, numbers of 4 and 8 bytes at the
// edges of their range.
func Mutate(r *rand.Rand, b []byte, others ...[]byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(4) {
		b = mutateOnce(r, b, others)
	}
	return b
}

func mutateOnce(r *rand.Rand, b []byte, others [][]byte) []byte {
	if len(b) == 0 {
		return noise(r, 1+r.IntN(64))
	}
	from, to := span(r, b)
	switch r.IntN(10) {
	case 0:
		b[from] ^= 1 << r.IntN(8)
	case 1:
		b[from] = byte(r.Uint32())
	case 2:
		putEdge(r, b, 4)
	case 3:
		putEdge(r, b, 8)
	case 4:
		return b[:from]
	case 5:
		return slices.Delete(b, from, to)
	case 6:
		return slices.Insert(b, from, noise(r, to-from)...)
	case 7: // doubled, next to itself or elsewhere
		return slices.Insert(b, r.IntN(len(b)+1), bytes.Clone(b[from:to])...)
	case 8: // exchanged
		other := bytes.Clone(b[from:to])
		at := r.IntN(len(b) - len(other) + 1)
		copy(b[from:to], b[at:])
		copy(b[at:], other)

	case 9: // another file's bytes at the same place
		if len(others) > 0 {
			o := others[r.IntN(len(others))]
			copy(b[from:to], o[min(from, len(o)):])
		}
	}
	return b
}

// span returns a random piece of b that is not empty: mostly a short one at a place with data.
func span(r *rand.Rand, b []byte) (from, to int) {
	const tries = 8
	for range tries {
		if from = r.IntN(len(b)); b[from] != 0 {
			break
		}
	}

	most := len(b) - from
	if r.IntN(4) > 0 {
		most = min(most, 64)
	}
	return from, from + 1 + r.IntN(most)
}

// putEdge writes an Edge number at an aligned position.
func putEdge(r *rand.Rand, b []byte, size int) {
	if len(b) < size {
		return
	}
	from, _ := span(r, b)
	at := min(from, len(b)-size) &^ 3
	n := Edge(r)
	if size == 4 {
		binary.LittleEndian.PutUint32(b[at:], uint32(n))
	} else {
		binary.LittleEndian.PutUint64(b[at:], n)
	}
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
