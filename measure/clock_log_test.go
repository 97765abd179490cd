package measure_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// setInCapture returns a capture of four seconds. The system time is set before the third sample.
func setInCapture(t *testing.T, by time.Duration, quirks winperf.Quirks) []byte {
	t.Helper()
	var b bytes.Buffer
	w := capture.NewWriter(&b, capture.Options{})
	for n := range 4 {
		s := count(n)
		wall := winperf.FromFiletime(epoch).Add(time.Duration(n) * time.Second)
		if n >= 2 {
			wall = wall.Add(by)
		}
		s.clocks = &counter.Clocks{PerfTime: int64(n) * 1000, PerfFreq: 1000, Time100ns: winperf.ToFiletime(wall)}
		raw := winperf.Raw{Format: winperf.FormatV1, Quirks: quirks, Schema: englishSchema, Bytes: s.block()}
		if err := w.Write(raw.Sample()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// setInCSV returns a csv log of the values of setInCapture.
func setInCSV(by time.Duration) []byte {
	log := "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\HOST\\System\\Context Switches/sec\"\n"
	for n := range 4 {
		wall := winperf.FromFiletime(epoch).Add(time.Duration(n) * time.Second)
		if n >= 2 {
			wall = wall.Add(by)
		}
		log += fmt.Sprintf("%q,\"100\"\n", wall.Format("01/02/2006 15:04:05.000"))
	}
	return []byte(log)
}

// setInJSONL returns the readings of setInCapture, of which the third says that the time was set.
func setInJSONL(by time.Duration) []byte {
	log := ""
	for n := range 4 {
		wall, anomalies := winperf.FromFiletime(epoch).Add(time.Duration(n)*time.Second), ""
		if n >= 2 {
			wall = wall.Add(by)
		}
		if n == 2 && by != 0 {
			anomalies = `,"anomalies":["clock_set"]`
		}
		const form = `{"time":%q,"path":"\\\\HOST\\System\\Context Switches/sec","value":100,"unit":"per_second","status":"ok"%s}`
		log += fmt.Sprintf(form, wall.Format(time.RFC3339Nano), anomalies) + "\n"
	}
	return []byte(log)
}

// TestClockSetInLogs shows the readings of logs in which the system time was set before the third sample. Raw samples
// whose clocks were read together say that it was set, others only that it went back. Displayable values have no
// clocks: in csv a time that goes back is damage, and in jsonl a reading keeps the anomalies that it was written with.
func TestClockSetInLogs(t *testing.T) {
	const together = winperf.ClocksTogether
	linux := func(by time.Duration) winperf.Source { return openLog(t, "x.capture", setInCapture(t, by, together)) }
	windows := func(by time.Duration) winperf.Source { return openLog(t, "x.capture", setInCapture(t, by, 0)) }
	csv := func(by time.Duration) winperf.Source { return openLog(t, "x.csv", setInCSV(by)) }
	jsonl := func(by time.Duration) winperf.Source { return openLog(t, "x.jsonl", setInJSONL(by)) }
	const (
		wentBack = " clock_back; clock_back: the system time went back by 59m59s"
		damaged  = "; damage: the time goes back by 59m59s"
	)
	for _, tt := range []struct {
		name string
		open func(by time.Duration) winperf.Source
		by   time.Duration
		want string // what the third cycle says besides the value
	}{
		{"Linux", linux, 0, ""},
		{"Linux", linux, 10 * ms, ""}, // the clocks agree well enough
		{"Linux", linux, time.Hour, " clock_set; clock_set: the system time was set by 1h0m0s"},
		{"Linux", linux, -500 * ms, " clock_set; clock_set: the system time was set by -500ms"},
		{"Linux", linux, -time.Hour, wentBack},
		{"Windows", windows, 0, ""},
		{"Windows", windows, time.Hour, ""},
		{"Windows", windows, -time.Hour, wentBack},
		{"csv", csv, 0, ""},
		{"csv", csv, time.Hour, ""},
		{"csv", csv, -time.Hour, damaged},
		{"jsonl", jsonl, 0, ""},
		{"jsonl", jsonl, time.Hour, " clock_set"},
		{"jsonl", jsonl, -time.Hour, " clock_set"},
	} {
		t.Run(fmt.Sprint(tt.name, " ", tt.by), func(t *testing.T) {
			m := measure.New(tt.open(tt.by), selection(t, switches), measure.Options{})
			defer m.Close()
			var got []string
			for range 4 {
				got = append(got, clockLine(cycle(t, m)))
			}
			want := []string{
				fmt.Sprint(time.Second, " 100"),
				fmt.Sprint(2*time.Second+tt.by, " 100", tt.want),
				fmt.Sprint(3*time.Second+tt.by, " 100"),
			}
			if diff := cmp.Diff(want, got[1:]); diff != "" {
				t.Errorf("cycles (-want +got):\n%s", diff)
			}
		})
	}
}

// clockLine is the only reading of a cycle, its anomalies, and the cycle's anomalies and damage.
func clockLine(c *measure.Cycle) string {
	r := c.Readings()[0]
	line := fmt.Sprint(r.Time.Sub(winperf.FromFiletime(epoch)), " ", r.Value)
	if r.Anomalies != 0 {
		line += fmt.Sprint(" ", r.Anomalies)
	}
	for _, a := range c.Anomalies {
		line += fmt.Sprint("; ", a.Kind, ": ", a.Detail)
	}
	for _, err := range c.Damage {
		_, text, _ := strings.Cut(err.Error(), "): ")
		line += fmt.Sprint("; damage: ", text)
	}
	return line
}
