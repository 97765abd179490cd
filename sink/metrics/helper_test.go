package metrics

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source"
)

// A sample of a machine and one of a second later.
const (
	at0 = "block name=\"HOST\" perftime=1000000 perffreq=3579545 time100ns=133500000000000000\n"
	at1 = "block name=\"HOST\" perftime=4579545 perffreq=3579545 time100ns=133500000010000000\n"
)

// names makes name tables of English names.
func names(t testing.TB, counters map[uint32]string) *nametable.Names {
	t.Helper()
	table, err := nametable.FromMap(nametable.Counter, counters)
	if err != nil {
		t.Fatal(err)
	}
	return namesOf(t, table)
}

func namesOf(t testing.TB, table *nametable.Table) *nametable.Names {
	t.Helper()
	n, damage := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}})
	if len(damage) > 0 {
		t.Fatal(damage)
	}
	return n
}

// quoted is a name as the text form of blocks has it.
func quoted(name string) string { return strconv.Quote(strings.ToValidUTF8(name, "\uFFFD")) }

// decodable is the frame of a block, nothing if it cannot be read.
func decodable(b []byte) []frame.Frame {
	f, err := new(frame.Pool).Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: b}.Sample(), frame.Frame{})
	if err != nil {
		return nil
	}
	return []frame.Frame{f}
}

// frames decodes blocks, given as text, as the samples of one query.
func frames(t testing.TB, texts ...string) []frame.Frame {
	t.Helper()
	var blocks [][]byte
	for _, text := range texts {
		b, err := perfdata.ParseText([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, raw)
	}
	return decoded(t, blocks...)
}

func decoded(t testing.TB, blocks ...[]byte) []frame.Frame {
	t.Helper()
	var pool frame.Pool
	var all []frame.Frame
	var before frame.Frame
	for _, b := range blocks {
		sample := winperf.Raw{Format: winperf.FormatV1, Bytes: b}.Sample()
		f, err := pool.Decode(sample, before)
		if err == nil {
			err = f.Keep()
		}
		if err != nil {
			t.Fatal(err)
		}
		all, before = append(all, f), f
	}
	return all
}

// sequence decodes samples one after the other in the memory of a few, as a measurement does: a
// frame is valid until two more were decoded.
type sequence struct {
	pool    frame.Pool
	samples [3]winperf.Sample
	taken   int
	before  frame.Frame
}

// next decodes a block, given as text.
func (s *sequence) next(t *testing.T, text string) frame.Frame {
	t.Helper()
	b, err := perfdata.ParseText([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sample := &s.samples[s.taken%len(s.samples)]
	s.taken++
	err = perftest.Fill(sample, func(raw *winperf.Raw) (err error) {
		raw.Format = winperf.FormatV1
		raw.Bytes, err = b.Encode()
		return err
	})
	if err == nil {
		s.before, err = s.pool.Decode(sample, s.before)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.before
}

// joined makes one sample of the blocks of several, as those of a log of several machines
// are.
func joined(t testing.TB, parts ...frame.Frame) frame.Frame {
	t.Helper()
	var sample winperf.Sample
	for _, p := range parts {
		sample.Parts = append(sample.Parts, winperf.Part{Block: blockOf(p)})
	}
	return decodedSample(t, &sample, frame.Frame{})
}

// blockOf is the block of a frame that has one.
func blockOf(f frame.Frame) *winperf.Block {
	for b := range f.Blocks() {
		return b
	}
	return nil
}

func decodedSample(t testing.TB, sample *winperf.Sample, before frame.Frame) frame.Frame {
	t.Helper()
	f, err := new(frame.Pool).Decode(sample, before)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mapped maps a frame.
func mapped(t testing.TB, m *Mapper, f frame.Frame, n *nametable.Names) *Set {
	t.Helper()
	set, err := m.Map(f, n)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// data is the folder with real data next to the project. A test is skipped where there is
// none.
func data(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("skipped: no real data: %v", err)
	}
	return dir
}

// eachCycle calls f with the cycles of a source, at most n. It wants at least one.
func eachCycle(t testing.TB, url string, n int, f func(*measure.Cycle)) {
	t.Helper()
	ctx := context.Background()
	src, err := source.Open(ctx, url)
	if errors.Is(err, winperf.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()

	m := measure.New(src, winperf.Selection{Global: true, Costly: true}, measure.Options{FramesOnly: true})
	seen := 0
	for ; seen < n; seen++ {
		if err := m.Rest(ctx); err != nil {
			t.Fatal(err)
		}
		c, err := m.Cycle(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		f(c)
	}
	if seen == 0 {
		t.Errorf("%s: no sample", url)
	}
}
