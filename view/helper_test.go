package view_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// start is the time of the first sample of logs in tests.
var start = time.Date(2024, 1, 17, 22, 20, 0, 0, time.UTC)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func names(language string, texts ...string) winperf.NameTable {
	var titles strings.Builder
	for i := 0; i < len(texts); i += 2 {
		titles.WriteString(texts[i] + "\x00" + texts[i+1] + "\x00")
	}
	return winperf.NameTable{Language: language, Counter: encode(titles.String() + "\x00"), Help: encode("239\x00Processors work\x00\x00")}
}

// encode returns text in UTF-16LE.
func encode(text string) []byte {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r), byte(r>>8))
	}
	return b
}

func schema() *winperf.Schema {
	return &winperf.Schema{Interface: "registry", Names: []winperf.NameTable{names("009",
		"2", "System", "6", "% Processor Time", "146", "Context Switches/sec", "180", "Working Set", "230", "Process",
		"238", "Processor", "684", "Elapsed Time", "784", "ID Process")}}
}

// block is one sample of the small log: 100 ns of idle time per processor, the processes, and the context
// switches of the system. Processor 0 is idle half of the time, processor 1 is busy from second 10 to 13.
// editor exists from second 5 to 14; the context switches restart from 0 at second 12.
func block(second int) string {
	ticks := winperf.ToFiletime(at(second))
	idle1 := int64(second) * 10_000_000
	if second > 10 {
		idle1 -= int64(min(second, 13)-10) * 10_000_000
	}
	switches := 5000 + 100*second
	if second >= 12 {
		switches = 100 * (second - 12)
	}
	text := fmt.Sprintf(`block name="HOST" perftime=%d perffreq=10000000 time100ns=%d
object 238
  counter 6 PERF_100NSEC_TIMER_INV
  instance "0" : %d
  instance "1" : %d
object 2 form=single
  counter 146 PERF_COUNTER_COUNTER
  values : %d
object 230 time=%d freq=10000000
  counter 784 PERF_COUNTER_RAWCOUNT
  counter 180 PERF_COUNTER_LARGE_RAWCOUNT
  counter 684 PERF_ELAPSED_TIME
  instance "shell" : 100 %d %d
`, int64(second)*10_000_000, ticks, int64(second)*5_000_000, idle1, switches, ticks, 1000+second,
		winperf.ToFiletime(at(-100)))
	if second >= 5 && second < 15 {
		text += fmt.Sprintf("  instance \"editor\" : 200 %d %d\n", 2000+10*second, winperf.ToFiletime(at(5)))
	}
	return text
}

// writeLog writes a capture of blocks and returns its name.
func writeLog(t testing.TB, dir string, from, to int, of func(second int) string) string {
	t.Helper()
	var b bytes.Buffer
	w := capture.NewWriter(&b, capture.Options{GroupSamples: 16, System: "Windows 6.2, build 9200"})
	names := schema()
	for second := from; second < to; second++ {
		parsed, err := perfdata.ParseText([]byte(of(second)))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := parsed.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(winperf.Raw{Format: winperf.FormatV1, Bytes: raw, Schema: names}.Sample()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, fmt.Sprintf("log_%06d.capture", from))
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// open returns a View of logs that were read.
func open(t testing.TB, files ...string) *view.View {
	t.Helper()
	var sources []view.Source
	for _, file := range files {
		src, err := source.OpenLog(t.Context(), file, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, view.Source{Name: filepath.Base(file), Source: src})
	}
	v := newView(t, view.Options{}, sources...)
	read(t, v)
	return v
}

// read waits until the logs of a View were read. Before, answers are about some of their samples.
func read(t testing.TB, v *view.View) {
	t.Helper()
	wait(t, "the logs were read", func() bool {
		all, err := v.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(all.Sources, func(s view.SourceInfo) bool { return s.Done < s.Of })
	})
}

func newView(t testing.TB, opt view.Options, sources ...view.Source) *view.View {
	t.Helper()
	v, err := view.New(t.Context(), sources, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// small returns a View of the small log.
func small(t testing.TB) *view.View { return open(t, writeLog(t, t.TempDir(), 0, 20, block)) }
