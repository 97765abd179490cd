package cli

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/internal/protobuf"
)

// writeTwo writes a text log of the machines WEB1 and WEB2, with and without an instance.
func writeTwo(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "two.csv")
	text := `"(PDH-CSV 4.0) (UTC)(0)","\\WEB1\Processor(0)\% Processor Time","\\WEB2\Processor(0)\% Processor Time",` +
		`"\\WEB2\Memory\Available Bytes","\\WEB1\Memory\Available Bytes"` + "\n" +
		`"01/02/2026 13:04:05.000","10","90","2","1"` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// owners are the values of a text of metrics by instance, machine and what tells series apart: WEB1 WEB1 0 0.1.
func owners(text string) (all []string) {
	series := regexp.MustCompile(`(?m)^\w+\{(.*)\} (\S+)`)
	label := func(labels, name string) string {
		m := regexp.MustCompile(`(?:^|,)` + name + `="([^"]*)"`).FindStringSubmatch(labels)
		if m == nil {
			return "-"
		}
		return m[1]
	}
	for _, m := range series.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Join([]string{
			label(m[1], "instance"), label(m[1], "machine"), label(m[1], "name"), m[2],
		}, " "))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestInstanceOfMachines tells whose a value is, in a record of several machines.
func TestInstanceOfMachines(t *testing.T) {
	text, capture := writeTwo(t), writeMachines(t)
	for _, tt := range []struct {
		log  string
		more []string
		want []string
	}{
		{text, nil, []string{"WEB1 WEB1 - 1", "WEB1 WEB1 0 0.1", "WEB2 WEB2 - 2", "WEB2 WEB2 0 0.9"}},
		{text, []string{"--path", `\\WEB2\*\*`, "--path", `\\WEB2\*(*)\*`}, []string{"WEB2 - - 2", "WEB2 - 0 0.9"}},
		{text, []string{"--path", `\\WEB1\Memory\*`}, []string{"WEB1 - - 1"}},
		{
			text, []string{"--push-label", "instance=all"},
			[]string{"all WEB1 - 1", "all WEB1 0 0.1", "all WEB2 - 2", "all WEB2 0 0.9"},
		},
		{
			text, []string{"--push-label", "instance="},
			[]string{"- WEB1 - 1", "- WEB1 0 0.1", "- WEB2 - 2", "- WEB2 0 0.9"},
		},
		{ // a label that some series have, and others do not
			text, []string{"--push-label", "name=x"},
			[]string{"WEB1 WEB1 0 0.1", "WEB1 WEB1 x 1", "WEB2 WEB2 0 0.9", "WEB2 WEB2 x 2"},
		},
		{
			capture, nil, []string{
				"A A of A 0", "A A of A 1", "A A of A 2", "B B of B 0", "B B of B 1", "B B of B 2",
			},
		},
		{capture, []string{"--path", `\\B\Pool(*)\*`, "--every", "2"}, []string{"B B of B 0", "B B of B 2"}},
		{
			capture, []string{"--push-label", "instance=all", "--path", `\Queue(*)\*`, "--every", "2"},
			[]string{"all A of A 0", "all A of A 2", "all B of B 0", "all B of B 2"},
		},
	} {
		args := append([]string{"convert", tt.log, "-o", "openmetrics", "--quiet"}, tt.more...)
		if got := owners(string(run(t, args...))); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.more, got, tt.want)
		}
	}
}

// TestInstanceOfLogs tells whose a value is of several logs, also where the user has one instance for all.
func TestInstanceOfLogs(t *testing.T) {
	both, dir := writeTwo(t), t.TempDir()
	var logs []string
	for _, name := range []string{"WEB1", "WEB2"} {
		log := filepath.Join(dir, name+".csv")
		run(t, "convert", both, "-o", log, "--path", `\\`+name+`\Processor(*)\*`)
		logs = append(logs, log)
	}
	for _, tt := range []struct{ label, first, second string }{
		{"site=a", "WEB1 - 0 0.1", "WEB2 - 0 0.9"},
		{"instance=all", "all WEB1 0 0.1", "all WEB2 0 0.9"},
	} {
		args := append([]string{"convert", "-o", "openmetrics", "--quiet", "--push-label", tt.label}, logs...)
		if got := owners(string(run(t, args...))); !slices.Equal(got, []string{tt.first, tt.second}) {
			t.Errorf("%s: %q", tt.label, got)
		}
	}
}

// A log that names no machine is of none, wherever it stands among others.
func TestInstanceOfNone(t *testing.T) {
	both, dir := writeTwo(t), t.TempDir()
	named, none := filepath.Join(dir, "named.csv"), filepath.Join(dir, "none.csv")
	run(t, "convert", both, "-o", named, "--path", `\\WEB1\Processor(*)\*`)
	const text = `"(PDH-CSV 4.0) (UTC)(0)","\Processor(0)\% Processor Time"` + "\n" + `"01/02/2026 13:04:06.000","40"` + "\n"
	if err := os.WriteFile(none, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	want := []string{"- - 0 0.4", "WEB1 - 0 0.1"}
	for _, logs := range [][]string{{named, none}, {none, named}} {
		args := append([]string{"convert", "-o", "openmetrics", "--quiet"}, logs...)
		if got := owners(string(run(t, args...))); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", logs, got, want)
		}
		target := newTakenValues(t)
		if status, said := backfilled(t, logs[0], "remote-write+"+target.URL, logs[1]); status != console.ExitDone {
			t.Errorf("status %d: %s", status, said)
		}
		if got := target.instances; len(got) != 2 || got[0.1] != "WEB1" || got[0.4] != "" {
			t.Errorf("%s: %v", logs, got)
		}
	}
}

// TestBackfillMachines sends a record of two machines to a database, which then tells them apart as
// dashboards do.
func TestBackfillMachines(t *testing.T) {
	db := dbtest.VictoriaMetrics(t)
	if status, said := backfilled(t, writeTwo(t), "remote-write+"+db.URL); status != console.ExitDone {
		t.Fatalf("status %d: %s", status, said)
	}
	var got []string
	for _, v := range []string{"WEB1", "WEB2"} {
		for key, value := range db.ExportedOf(`{instance="` + v + `"}`) {
			if strings.Contains(key, "ratio") {
				got = append(got, v+" "+key[:strings.IndexByte(key, '}')+1])
				if want := map[string]float64{"WEB1": 0.1, "WEB2": 0.9}[v]; value != want {
					t.Errorf("%s %s: %v, want %v", v, key, value, want)
				}
			}
		}
	}
	if len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// TestBackfillMachinesByOTLP sends records and logs of two machines as OpenTelemetry has them: a resource for each.
func TestBackfillMachinesByOTLP(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(z)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, resources(body)...)
		if err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()

	both, dir := writeTwo(t), t.TempDir()
	one, two := filepath.Join(dir, "one.csv"), filepath.Join(dir, "two.csv")
	run(t, "convert", both, "-o", one, "--path", `\\WEB1\Processor(*)\*`)
	run(t, "convert", both, "-o", two, "--path", `\\WEB2\Processor(*)\*`)
	for _, tt := range []struct {
		args []string
		want []string // host.name, service.instance.id, machine of points, value
	}{
		{[]string{both, "--path", `\Processor(*)\*`}, []string{"WEB1 WEB1 WEB1 0.1", "WEB2 WEB2 WEB2 0.9"}},
		{[]string{one, two}, []string{"WEB1 WEB1 - 0.1", "WEB2 WEB2 - 0.9"}},
		{[]string{one}, []string{"WEB1 WEB1 - 0.1"}},
		{[]string{one, two, "--push-label", "host.name=all"}, []string{"all WEB1 - 0.1", "all WEB2 - 0.9"}},
		// One instance for all is no host that all are of.
		{[]string{one, two, "--push-label", "service.instance.id=x"}, []string{" x WEB1 0.1", " x WEB2 0.9"}},
		{[]string{one, two, "--push-label", "instance=x"}, []string{"  WEB1 0.1", "  WEB2 0.9"}},
		{[]string{one, "--push-label", "instance=x"}, []string{"WEB1 WEB1 - 0.1"}},
	} {
		mu.Lock()
		got = nil
		mu.Unlock()
		status, said := backfilled(t, tt.args[0], "otlp+"+server.URL, tt.args[1:]...)
		slices.Sort(got)
		if status != console.ExitDone || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q; status %d: %s", tt.args[1:], got, tt.want, status, said)
		}
	}
}

// resources are the points of gauges of a message of OpenTelemetry, each with its resource.
func resources(message []byte) (all []string) {
	texts := func(attributes []protobuf.Field) map[string]string {
		found := map[string]string{}
		for _, f := range attributes {
			value := first(f.Bytes, 2)
			found[string(first(f.Bytes, 1))] = string(first(value, 1))
		}
		return found
	}
	for _, of := range repeated(message, 1) {
		resource := texts(repeated(first(of.Bytes, 1), 1))
		for _, metric := range repeated(first(of.Bytes, 2), 2) {
			for _, point := range repeated(first(metric.Bytes, 5), 1) {
				value := 0.0
				for _, f := range repeated(point.Bytes, 4) {
					value = math.Float64frombits(f.Uint)
				}
				all = append(all, fmt.Sprint(resource["host.name"], " ", resource["service.instance.id"], " ",
					cmp.Or(texts(repeated(point.Bytes, 7))["machine"], "-"), " ", value))
			}
		}
	}
	return all
}

// repeated are the fields of a number.
func repeated(b []byte, number uint32) (all []protobuf.Field) {
	for len(b) > 0 {
		f, rest, err := protobuf.Next(b)
		if err != nil {
			return append(all, protobuf.Field{Bytes: []byte(err.Error())})
		}
		if f.Number == number {
			all = append(all, f)
		}
		b = rest
	}
	return all
}

// first is the first of them, as bytes.
func first(b []byte, number uint32) []byte {
	return append(repeated(b, number), protobuf.Field{})[0].Bytes
}
