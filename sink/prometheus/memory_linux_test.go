package prometheus

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/winperf/winperf/sink/metrics"
)

// desktopSet returns a Set of 500,000 series like that of a desktop with very many processes:
// 120 objects, most of few instances, and some of thousands.
func desktopSet() *metrics.Set {
	set := &metrics.Set{Time: moment}
	for object := range 120 {
		instances, counters := 10, 12
		if object < 10 {
			instances, counters = 4000, 12
		}
		var labels [][]metrics.Label
		for i := range instances {
			labels = append(labels, []metrics.Label{
				{Name: "name", Value: fmt.Sprintf("instance %d of object %d", i, object)},
				{Name: "pid", Value: strconv.Itoa(4 * i)},
			})
		}
		rows := metrics.NewRows(labels, nil)
		for k := range counters {
			c := metrics.Column{Rows: rows, Form: metrics.Form(k % 3)}
			for i := range instances {
				c.Bits = append(c.Bits, benchValue(c.Form, i*k))
			}
			name := fmt.Sprintf("winperf_object_%d_counter_%d_total", object, k)
			set.Families = append(set.Families, metrics.Family{
				Name: name, Type: metrics.Counter, Help: "Counter " + name, Columns: []metrics.Column{c},
			})
		}
	}
	return set
}

// TestMemory scrapes 500,000 series again and again, in both formats, in a program that has
// nothing else, and looks at the most memory that it had.
func TestMemory(t *testing.T) {
	const most = 100_000 // KiB
	if os.Getenv("WINPERF_TEST_SCRAPE") != "" {
		set := desktopSet()
		text, openMetrics := NewEncoder(Options{}), NewEncoder(Options{Format: OpenMetrics})
		for range 2 {
			_, _ = text.Encode(io.Discard, set), openMetrics.Encode(io.Discard, set)
		}
		status, err := os.ReadFile("/proc/self/status")
		fmt.Printf("%d series\n%s%v", seriesOf(set), status, err)
		return
	}

	cmd := exec.Command(os.Args[0], "-test.run", "^TestMemory$")
	cmd.Env = append(os.Environ(), "WINPERF_TEST_SCRAPE=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)^(\d+) series\n.*VmHWM:\s*(\d+) kB`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("%s", out)
	}
	series, _ := strconv.Atoi(string(found[1]))
	kib, _ := strconv.Atoi(string(found[2]))
	t.Logf("%d series, %d KiB", series, kib)
	if series < 490_000 || kib > most {
		t.Errorf("%d KiB for %d series, want at most %d for 500,000", kib, series, most)
	}
}

func seriesOf(set *metrics.Set) (n int) {
	for _, f := range set.Families {
		for _, c := range f.Columns {
			n += len(c.Bits)
		}
	}
	return n
}
