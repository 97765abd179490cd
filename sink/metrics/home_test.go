package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestHome tells series of other machines than the home: these have an instance of their own.
func TestHome(t *testing.T) {
	const text = "object 2 form=single\n counter 44 PERF_COUNTER_RAWCOUNT\n values : %d\n"
	a := frames(t, at0+fmt.Sprintf(text, 1))[0]
	b := frames(t, strings.Replace(at0, "HOST", "OTHER", 1)+fmt.Sprintf(text, 2))[0]
	n := names(t, map[uint32]string{2: "System", 44: "Threads"})
	for home, want := range map[string][2]string{
		"HOST":    {`{machine="HOST"}`, `{instance="OTHER",machine="OTHER"}`},
		`\\host`:  {`{machine="HOST"}`, `{instance="OTHER",machine="OTHER"}`},
		"ANOTHER": {`{instance="HOST",machine="HOST"}`, `{instance="OTHER",machine="OTHER"}`},
		"":        {`{machine="HOST"}`, `{machine="OTHER"}`},
	} {
		set := mapped(t, NewMapper(Options{Home: home}), joined(t, a, b), n)
		wantLines(t, set, "winperf_system_threads"+want[0]+" 1", "winperf_system_threads"+want[1]+" 2")
	}

	// One that is alone and not at home says so, and one at home has nothing to say.
	wantLines(t, mapped(t, NewMapper(Options{Home: "HOST"}), b, n), `winperf_system_threads{instance="OTHER"} 2`)
	wantLines(t, mapped(t, NewMapper(Options{Home: "HOST"}), a, n), `winperf_system_threads{} 1`)

	series := seriesOf(t, `\\A\P(1)\% X`, `\P(2)\% X`, `\\b\P(1)\% X`)
	set := mapDisplayed(t, NewMapper(Options{Home: "a"}), time.Time{}, read(t, time.Time{}, series, 50., 50., 50.))
	wantLines(t, set, `winperf_p_x_ratio{machine="A",name="1"} 0.5`, `winperf_p_x_ratio{name="2"} 0.5`,
		`winperf_p_x_ratio{instance="b",machine="b",name="1"} 0.5`)
}

// TestHomeOfFacts does so for metrics of no counter.
func TestHomeOfFacts(t *testing.T) {
	object := made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"1000"}, ""}
	a, n := block(t, at0, object)
	b, _ := block(t, strings.Replace(at0, "HOST", "OTHER", 1), object)
	opt := Options{Names: []Scheme{WindowsExporter}, NoLegacy: true, Home: "HOST"}
	of := []string{"windows_os_hostname", "windows_time_current_timestamp_seconds", "windows_memory_available_bytes"}

	set := mapped(t, NewMapper(opt), joined(t, a, b), n)
	unique(t, set)
	want := []string{
		`windows_memory_available_bytes{machine="HOST"} 1000`,
		`windows_memory_available_bytes{instance="OTHER",machine="OTHER"} 1000`,
		`windows_os_hostname{fqdn="HOST",hostname="HOST",machine="HOST"} 1`,
		`windows_os_hostname{fqdn="OTHER",hostname="OTHER",instance="OTHER",machine="OTHER"} 1`,
		`windows_time_current_timestamp_seconds{} 1705526400`,
	}
	if diff := cmp.Diff(want, lines(set, of...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	want = []string{
		`windows_memory_available_bytes{instance="OTHER"} 1000`,
		`windows_os_hostname{fqdn="OTHER",hostname="OTHER",instance="OTHER"} 1`,
		`windows_time_current_timestamp_seconds{instance="OTHER"} 1705526400`,
	}
	if diff := cmp.Diff(want, lines(mapped(t, NewMapper(opt), b, n), of...)); diff != "" {
		t.Errorf("alone (-want +got):\n%s", diff)
	}
}
