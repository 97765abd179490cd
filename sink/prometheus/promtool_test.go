package prometheus_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
	"github.com/winperf/winperf/source"
)

// TestPromtoolCheck lets promtool check our own names, of the Linux host and of real logs, for
// everything that it knows to be wrong: it finds nothing.
func TestPromtoolCheck(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		if runtime.GOOS == "linux" && os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no promtool: Debian has it in prometheus")
	}

	logs, err := filepath.Abs("../../../shared/data/blg")
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"local:", filepath.Join(logs, "PAL_SampleLog.blg"), filepath.Join(logs, "Tx_BasicPerfCounters.blg")} {
		t.Run(filepath.Base(url), func(t *testing.T) {
			if _, err := os.Stat(url); url == "local:" && runtime.GOOS != "linux" || url != "local:" && err != nil {
				t.Skipf("%s is not there", url)
			}
			text := lastOf(t, url)
			check := exec.Command("promtool", "check", "metrics")
			check.Stdin = bytes.NewReader(text)
			if found, err := check.CombinedOutput(); err != nil || len(found) > 0 {
				t.Errorf("%v\n%s", err, found)
			}
			if n := bytes.Count(text, []byte("\n# TYPE ")); n < 5 {
				t.Errorf("%d metrics", n)
			}
			namesDiffer(t, text)
		})
	}
}

// lastOf is the second sample of a source as text.
func lastOf(t *testing.T, url string) []byte {
	t.Helper()
	src, err := source.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()

	var b bytes.Buffer
	mapper, encoder := metrics.NewMapper(metrics.Options{}), prometheus.NewEncoder(prometheus.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	all := winperf.Selection{Global: true, Costly: true}
	opt := measure.Options{FramesOnly: true, Count: 2, Interval: 50 * time.Millisecond}
	for c, err := range measure.Watch(ctx, src, all, opt) {
		if err != nil {
			t.Fatal(err)
		}
		set, err := mapper.Map(c.Frame, c.Names)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := encoder.Encode(&b, set); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// namesDiffer reports metrics that have one name in OpenMetrics, which leaves out _total and
// _info, or a name that is that of another one's samples.
func namesDiffer(t *testing.T, text []byte) {
	t.Helper()
	seen := map[string]string{}
	claim := func(name, by string) {
		if other, twice := seen[name]; twice && other != by {
			t.Errorf("%s and %s both have %s", other, by, name)
		}
		seen[name] = by
	}
	for l := range strings.Lines(string(text)) {
		head, ok := strings.CutPrefix(strings.TrimSpace(l), "# TYPE ")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(head, " ")
		base := strings.TrimSuffix(name, "_info")
		suffixes := []string{""}
		switch kind {
		case "counter":
			base, suffixes = strings.TrimSuffix(name, "_total"), []string{"", "_total", "_created"}
		case "summary":
			suffixes = []string{"", "_sum", "_count", "_created"}
		}
		for _, suffix := range suffixes {
			claim(base+suffix, name)
		}
	}
}
