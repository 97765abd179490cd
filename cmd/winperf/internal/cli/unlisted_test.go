package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/perftest"
)

var unlistedRow = regexp.MustCompile(`(?m)^\(not in a listed process\) +(.*)$`)

// shownUnlisted runs a command and returns the values of the rows of processor time in no process.
func shownUnlisted(t *testing.T, args ...string) (values []string) {
	t.Helper()
	return shownUnlistedOf(t, "burn", args...)
}

// shownUnlistedOf is shownUnlisted for output that names a process.
func shownUnlistedOf(t *testing.T, process string, args ...string) (values []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	Run(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
	for _, found := range unlistedRow.FindAllStringSubmatch(stdout.String(), -1) {
		values = append(values, strings.Join(strings.Fields(found[1]), " "))
	}
	if !strings.Contains(stdout.String(), process) {
		t.Fatalf("%v: no process in\n%s%s", args, &stdout, &stderr)
	}
	return values
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeTimes writes a block with the processor times of processors and processes.
func writeTimes(t *testing.T, name string, time int64, processors, processes string) {
	t.Helper()
	text := fmt.Sprintf("block name=\"HOST\" default=238 perftime=%d perffreq=10000000 time100ns=%[1]d\n", time)
	object := func(index int, counters, list string) {
		if list == "" {
			return
		}
		text += fmt.Sprintf("object %d time=%d freq=10000000\n", index, time)
		for c := range strings.SplitSeq(counters, ", ") {
			text += " counter " + c + "\n"
		}
		for i := range strings.SplitSeq(list, ", ") {
			instance, values, _ := strings.Cut(i, ": ")
			text += fmt.Sprintf(" instance %q : %s\n", instance, values)
		}
	}

	object(238, "6 PERF_100NSEC_TIMER_INV", processors)
	object(230, "784 PERF_COUNTER_RAWCOUNT, 6 PERF_100NSEC_TIMER, 684 PERF_ELAPSED_TIME", processes)
	writeFile(t, name+".txt", text)
	b, err := encodeText(name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, string(b))
}

// Between the samples is one second. The two processors were busy for 60 % and 0 % of it. Of these 60 % of
// one processor the processes used 15 % and, from its start on, 25 %.
func TestUnlisted(t *testing.T) {
	const (
		second     = 10_000_000
		before     = 134118398450000000
		every      = `\Process(*)\% Processor Time`
		processors = `0: 4000000, 1: 10000000, _Total: 7000000`
		processes  = `Idle: 0 14000000 1, burn: 9 1500100 1, late: 12 2500000 134118398455000000, _Total: 0 18000000 1`
	)
	t.Chdir(t.TempDir())
	writeFile(t, "names.tsv", "6\t% Processor Time\n230\tProcess\n238\tProcessor\n684\tElapsed Time\n784\tID Process\n")
	writeFile(t, "german.tsv", "6\tProzessorzeit (%)\n230\tProzess\n238\tProzessor\n")
	writeTimes(t, "older.bin", before, "0: 0, 1: 0, _Total: 0", "Idle: 0 0 1, burn: 9 100 1, _Total: 0 100 1")

	for _, tt := range []struct {
		name, processors, processes string
		args                        []string
		want                        []string
	}{
		{"exact", processors, processes, []string{every}, []string{"20.00"}},
		{"everything of processes", processors, processes, []string{`\Process(*)\*`}, []string{"- 20.00 -"}},
		{"an object with a pattern", processors, processes, []string{`\Pro*ss(*)\% Pro*`}, []string{"20.00"}},
		{"any instance", processors, processes, []string{`\Process(*#*)\% Processor Time`}, []string{"20.00"}},
		{"processors too", processors, processes, []string{`\Processor(_Total)\% Processor Time`, every}, []string{"20.00"}},
		{"one process first", processors, processes, []string{`\Process(burn)\% Processor Time`, every}, []string{"20.00"}},
		{"names by id", processors, processes, []string{every, "--name", "name:pid"}, []string{"20.00"}},
		{"without the standard rule", processors, processes, []string{every, "--pdh-exact"}, []string{"45.00"}},
		{"another counter", processors, processes, []string{`\Process(*)\ID Process`}, nil},
		{"a pattern", processors, processes, []string{`\Process(bu*)\% Processor Time`}, nil},
		{"an instance", processors, processes, []string{`\Process(burn)\% Processor Time`}, nil},
		{"excluded", processors, processes, []string{every, "--exclude", `\Process(late)\*`}, nil},
		{"excluded sum", processors, processes, []string{every, "--exclude", `\Process(_Total)\*`}, []string{"20.00"}},
		{"excluded processors", processors, processes, []string{every, "--exclude", `\Processor(*)\*`}, nil},
		{"cut percentages", processors, processes, []string{every, "--cap100"}, nil},
		{"no processors", "", processes, []string{every}, nil},
		{"only the total", "_Total: 7000000", processes, []string{every}, nil},
		{"no total", "0: 4000000, 1: 10000000", processes, []string{every}, nil},
		{"not below 0", processors, "burn: 9 6500100 1", []string{every}, []string{"0.00"}},
		{"a process called Idle", processors, "Idle: 0 0 1, burn: 9 1500100 1, idle: 12 2500000 134118398455000000", []string{every}, []string{"20.00"}},
		{"a start that is unknown", processors, "burn: 9 1500100 1, late: 12 2500000 0", []string{every}, []string{"45.00"}},
		{"no process has a value", processors, "burn: 13 1500000 0", []string{every}, []string{"no_previous"}},
		{"a value that fell", processors, "burn: 9 50 1, late: 12 2500000 134118398455000000", []string{every}, []string{"negative_value"}},
		{"names in German", processors, processes, []string{`\Prozess(*)\Prozessorzeit (%)`}, []string{"20.00"}},
		{"the standard table", processors, processes, nil, []string{"20.00 -"}},
		{"instances of another object", processors, processes, []string{`\Processor(*)\% Processor Time`, `\Process(burn)\% Processor Time`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeTimes(t, "newer.bin", before+second, tt.processors, tt.processes)
			args := append([]string{"watch", "--source", "perfdata:older.bin,newer.bin?names=names.tsv&names=german.tsv"}, tt.args...)
			if diff := cmp.Diff(tt.want, shownUnlisted(t, args...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The path that the row adds causes no anomaly, but the same path does if the user gave it.
func TestUnlistedAnomalies(t *testing.T) {
	const every, processors = `\Process(*)\% Processor Time`, `\Processor(*)\% Processor Time`
	t.Chdir(t.TempDir())
	writeFile(t, "names.tsv", "6\t% Processor Time\n230\tProcess\n238\tProcessor\n684\tElapsed Time\n784\tID Process\n")
	writeTimes(t, "older.bin", 134118398450000000, "", "burn: 9 100 1")
	writeTimes(t, "newer.bin", 134118398460000000, "", "burn: 9 200 1")

	for want, paths := range [][]string{{every}, {every, processors}} {
		args := []string{"watch", "--anomalies", "--source", "perfdata:older.bin,newer.bin?names=names.tsv"}
		var stdout, stderr bytes.Buffer
		Run(context.Background(), append(args, paths...), strings.NewReader(""), &stdout, &stderr)
		if !strings.Contains(stdout.String(), "burn") {
			t.Fatalf("%q: no process in\n%s%s", paths, &stdout, &stderr)
		}
		if n := strings.Count(stderr.String(), "path_unmatched: "+processors); n != want {
			t.Errorf("%q: %d anomalies of the processors, want %d, in\n%s", paths, n, want, &stderr)
		}
	}
}

// TestUnlistedReal compares the row with the values of a log of Windows, and the summary with the rows.
func TestUnlistedReal(t *testing.T) {
	file := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	const every, processors = `\Process(*)\% Processor Time`, `\Processor(*)\% Processor Time`

	var want []string
	var total, used float64
	number, at := 0, time.Time{}
	end := func() {
		if number > 0 && total > 0 {
			want = append(want, strconv.FormatFloat(max(0, total*float64(number)-used), 'f', 2, 64))
		}
		number, total, used = 0, 0, 0
	}
	lines := run(t, "convert", file, every, processors, "-o", "jsonl", "--from-start")
	for _, line := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
		var r struct {
			Time             time.Time
			Object, Instance string
			Value            *float64
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Time != at {
			end()
			at = r.Time
		}
		switch sum := r.Instance == "_Total" || r.Instance == "Idle"; {
		case r.Value == nil:
		case r.Object == "Processor" && sum:
			total = *r.Value
		case r.Object == "Processor":
			number++
		case !sum:
			used += *r.Value
		}
	}
	end()

	// A text log has names only, and the values that convert computed.
	text := filepath.Join(t.TempDir(), "log.csv")
	run(t, "convert", file, every, processors, "-o", text, "--from-start")
	for _, source := range []string{file, text} {
		got := shownUnlistedOf(t, "PowerStarter", "watch", "--source", source, every)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 10 {
			t.Error(source, diff)
		}
	}

	// Formats for programs, and get, never have the row.
	for _, format := range []string{"csv", "tsv", "jsonl", "paths", "table"} {
		for _, command := range []string{"watch", "get", "summary"} {
			if format == "table" && command != "get" || command == "summary" && (format == "tsv" || format == "paths") {
				continue
			}
			args := []string{command, "--source", file, every, "-o", format}
			var out, told bytes.Buffer
			status := Run(context.Background(), args, strings.NewReader(""), &out, &told)
			if status != console.ExitDone || !strings.Contains(out.String(), "mmc") {
				t.Errorf("%v: status %d, %s", args, status, &told)
			}
			if strings.Contains(out.String(), "listed") || strings.Contains(out.String(), "Processor(") {
				t.Errorf("%v has the row, or processors", args)
			}
		}
	}

	// The summary is of the same values, and of all counters of a log, too.
	sum := 0.0
	for _, v := range want {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += f
	}
	for _, paths := range [][]string{{every}, {every, "--top", "1"}, nil} {
		out := string(run(t, append([]string{"summary", file}, paths...)...))
		found := regexp.MustCompile(`(?m)^\\Process\(not in a listed process\)\\% Processor Time +10 +0 +\S+ +(\S+)`).FindAllStringSubmatch(out, -1)
		if len(found) != 1 {
			t.Fatalf("%q: %d rows in\n%s", paths, len(found), out)
		}
		if average, _ := strconv.ParseFloat(found[0][1], 64); math.Abs(average-sum/10) > 0.02 {
			t.Errorf("%q: average %v, want about %v", paths, average, sum/10)
		}
		if shown := strings.Contains(out, `\Processor(`); shown != (paths == nil) {
			t.Errorf("%q: processors are shown: %v", paths, shown)
		}
	}
}

// A log of several machines has a row for each machine whose processes are all selected.
func TestUnlistedMachines(t *testing.T) {
	t.Chdir(t.TempDir())
	head, row := `"(PDH-CSV 4.0) (UTC)(0)"`, `"01/02/2026 15:04:05.000"`
	for _, m := range []struct{ machine, total, burn string }{{"A", "50", "20"}, {"B", "80", "20"}} {
		for name, value := range map[string]string{"Processor(0)": m.total, "Processor(_Total)": m.total, "Process(burn)": m.burn} {
			head += fmt.Sprintf(`,"\\%s\%s\%% Processor Time"`, m.machine, name)
			row += fmt.Sprintf(`,"%s"`, value)
		}
	}
	writeFile(t, "two.csv", head+"\r\n"+row+"\r\n")

	for _, tt := range []struct {
		paths, want []string
	}{
		{[]string{`\Process(*)\% Processor Time`}, []string{"30.00", "60.00"}},
		{[]string{`\\B\Process(*)\% Processor Time`}, []string{"60.00"}},
		{[]string{`\\A\Process(burn)\% Processor Time`, `\\B\Process(*)\% Processor Time`}, []string{"60.00"}},
	} {
		args := append([]string{"watch", "--source", "two.csv"}, tt.paths...)
		if diff := cmp.Diff(tt.want, shownUnlisted(t, args...)); diff != "" {
			t.Errorf("%q: %s", tt.paths, diff)
		}
	}

	out := string(run(t, "summary", "two.csv", `\Process(*)\% Processor Time`))
	for machine, value := range map[string]string{"A": "30", "B": "60"} {
		row := regexp.MustCompile(`\\\\` + machine + `\\Process\(not in a listed process\)\\% Processor Time +1 +0 +` + value)
		if !row.MatchString(out) {
			t.Errorf("no row of %s in\n%s", machine, out)
		}
	}
}

// Time between two logs does not count as time above a bound.
func TestUnlistedLogs(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, hour := range []string{"15", "16"} {
		writeFile(t, hour+".csv", `"(PDH-CSV 4.0) (UTC)(0)","\\A\Processor(0)\% Processor Time","\\A\Processor(_Total)\% Processor Time","\\A\Process(burn)\% Processor Time"`+
			"\r\n"+`"01/02/2026 `+hour+`:04:05.000","50","50","20"`+"\r\n"+`"01/02/2026 `+hour+`:04:07.000","50","50","20"`+"\r\n")
	}
	out := string(run(t, "summary", "15.csv", "16.csv", `\Process(*)\% Processor Time`, "--above", "10"))
	if !regexp.MustCompile(`\(not in a listed process\)\\% Processor Time +4 .* 4 +2s\n`).MatchString(out) {
		t.Error(out)
	}
}
