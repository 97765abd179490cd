package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/dbtest"
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

// TestBackfillMachines sends a record of two machines to a database, which then tells them apart as
// dashboards do.
func TestBackfillMachines(t *testing.T) {
	db := dbtest.VictoriaMetrics(t)
	if status, said := backfilled(t, writeTwo(t), "remote-write+"+db.URL); status != exitDone {
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
