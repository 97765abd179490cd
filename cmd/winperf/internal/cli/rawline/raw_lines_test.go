package rawline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source"
)

// TestMachinesTakeTurns writes a log in which a machine has no sample for some time: its next line
// has the raw values of its last sample, however many samples of another machine are between them.
func TestMachinesTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.wpcap")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := capture.NewWriter(file, capture.Options{})
	for i, machine := range []string{"A", "B", "B", "B", "A"} {
		const text = "block name=%q perftime=%d perffreq=10 time100ns=%d\n" +
			"object 2 form=single\n counter 44 PERF_COUNTER_COUNTER\n values : %d\n"
		block, err := perfdata.ParseText(fmt.Appendf(nil, text, machine, i+1, int64(133500000000000000)+int64(i)*10_000_000, 100+i))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := block.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(winperf.Raw{Format: winperf.FormatV1, Bytes: raw}.Sample()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	src, err := source.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	m := measure.New(src, winperf.Selection{Global: true}, measure.Options{})
	defer m.Close()
	types := RawTypes{}
	for _, machine := range []string{"A", "B"} {
		types[rawObject{machine, 2}] = []counter.Type{counter.CounterCounter}
	}
	var out bytes.Buffer
	lines, err := NewRawLines(&out, types)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		cycle, err := m.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := lines.Write(&logs.Moment{Time: cycle.Time, Cycles: []*measure.Cycle{cycle}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Close(); err != nil {
		t.Fatal(err)
	}

	written := strings.Split(strings.TrimSpace(out.String()), "\n")
	for n, want := range []string{`null`, `null`, `{"value":101`, `{"value":102`, `{"value":100`} {
		if n >= len(written) || !strings.Contains(written[n], `"prev":`+want) {
			t.Fatalf("line %d lacks the raw sample %s:\n%s", n, want, out.String())
		}
	}
}
