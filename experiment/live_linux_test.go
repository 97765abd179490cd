package experiment_test

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/source"
)

// TestMain serves tests that need another process: it is this program.
func TestMain(m *testing.M) {
	if text := os.Getenv("WINPERF_TEST_BURN"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		burn(d)
		return
	}
	if os.Getenv("WINPERF_TEST_TICKS") != "" {
		panic(writeTicks())
	}
	os.Exit(m.Run())
}

// processorTime is what the calling process has used, as /proc/self/stat would tell in finer units.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// burn uses the processor until the process has used so much more of it.
func burn(d time.Duration) {
	for end := processorTime() + d; processorTime() < end; {
		for i := range 100_000 {
			sunk += i
		}
	}
}

var sunk int

// live is an experiment on this machine.
func live(t *testing.T, opt experiment.Options) *rig {
	t.Helper()
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	opt.Sources = []sensor.Origin{{Source: src}}
	return begin(t, newFake(nil), opt)
}

// self is the process of the test, of a counter.
func self(counter string) []winperf.Path {
	name, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		panic(err)
	}
	return []winperf.Path{{Object: "Process", Instance: strings.TrimSpace(string(name)) + "*", Counter: counter, HasInstance: true}}
}

// ofSelf is the value of a record that is about the process of the test.
func ofSelf(t *testing.T, r *experiment.Record) *experiment.Value {
	t.Helper()
	for i := range r.Values {
		if pid, _, _ := strings.Cut(r.Values[i].Series.Key, "@"); pid == strconv.Itoa(os.Getpid()) {
			return &r.Values[i]
		}
	}
	t.Fatalf("record %s has no value of process %d", text(r), os.Getpid())
	return nil
}

// A region around a load agrees with the program's own clock.
func TestLiveRegion(t *testing.T) { checkRegion(t, 500*time.Millisecond) }

// TestLiveRegionSoak compares over ten seconds, for as long as WINPERF_SOAK says.
func TestLiveRegionSoak(t *testing.T) {
	for end := time.Now().Add(soakTime(t)); time.Now().Before(end); {
		checkRegion(t, 10*time.Second)
	}
}

// soakTime is what WINPERF_SOAK says.
func soakTime(t *testing.T) time.Duration {
	text := os.Getenv("WINPERF_SOAK")
	if text == "" {
		t.Skip("WINPERF_SOAK is not set")
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// stretch is a stretch of the program, measured by its own clocks.
type stretch struct{ used, took time.Duration }

// measured measures what the program does.
func measured(do func()) stretch {
	used, begin := processorTime(), time.Now()
	do()
	return stretch{processorTime() - used, time.Since(begin)}
}

// checkRegion compares what a region says about a load with what the program says of the load and of all
// around the region: that holds however busy the machine is. The kernel counts processor time in units of 10
// ms, and the load may begin before the sample is complete.
func checkRegion(t *testing.T, load time.Duration) {
	t.Helper()
	r := live(t, experiment.Options{Bindings: []experiment.Binding{
		{Events: []string{"load"}, Paths: self("% Processor Time"), Raw: true},
	}})
	var inner stretch
	outer := measured(func() {
		_, region := r.program.Region(t.Context(), "load")
		inner = measured(func() { burn(load) })
		region.End()
	})

	records := r.end()
	v := ofSelf(t, records[0])
	sampling := records[0].Cost.Sample
	slack := 20*time.Millisecond + sampling
	used, unit := v.Grown()
	if least, most := inner.used-slack, outer.used+slack; unit != counter.Seconds ||
		used < least.Seconds() || used > most.Seconds() {
		t.Errorf("the difference is %v %v, the program has used %v to %v", used, unit, inner.used, outer.used)
	}

	shown, ok := v.Value.Float64()
	least := 100 * (inner.used - slack).Seconds() / outer.took.Seconds()
	most := 100 * (outer.used + slack).Seconds() / (inner.took - sampling).Seconds()
	if !ok || shown < least || shown > most {
		t.Errorf("the region shows %.2f %% of a processor (%v), the program %.2f to %.2f %%", shown, v.Status, least, most)
	}
	if d := records[0].Event.Duration; d < inner.took || d > outer.took {
		t.Errorf("the region lasted %v, by the program %v to %v", d, inner.took, outer.took)
	}
	t.Logf("region %.2f %% over %v, program %.2f to %.2f %%", shown, records[0].Event.Duration, least, most)
}

// A process that is started under measurement: what it has used in all, sampled when it has ended.
func TestLiveChild(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WINPERF_TEST_BURN=200ms")
	ended := make(chan error, 1)
	r := live(t, experiment.Options{
		Bindings: []experiment.Binding{{Events: []string{"child"}, Paths: self("% Processor Time")}},
		Events:   []experiment.EventSource{experiment.Child{Name: "child", Cmd: cmd, Ended: func(err error) { ended <- err }}},
	})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	records := r.end()
	if len(records) != 1 || records[0].Kind != experiment.Span {
		t.Fatalf("records:\n%s", texts(records))
	}

	attrs := records[0].Event.Attrs
	if want := (experiment.Attr{Key: "status", Value: int64(0)}); !slices.Contains(attrs, want) {
		t.Errorf("the attributes are %v, expected %v", attrs, want)
	}
	pid := fmt.Sprint(cmd.Process.Pid)
	for _, v := range records[0].Values {
		if id, _, _ := strings.Cut(v.Series.Key, "@"); id != pid {
			continue
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		d, unit := v.Grown()
		if !v.HasDifference || unit != counter.Seconds || math.Abs(d-used.Seconds()) > 0.05 {
			t.Errorf("the process has used %v, the record says %v %v (%v)", used, d, unit, v.HasDifference)
		}
		return
	}
	t.Errorf("the record has no process %s: %s", pid, text(records[0]))
}

// A living process that changes its name keeps its sensor, and an anomaly says so.
func TestLiveRenamed(t *testing.T) {
	// A thread of its own would have another name: the name of the process is that of its main thread.
	comm := fmt.Sprintf("/proc/%d/comm", os.Getpid())
	before, err := os.ReadFile(comm)
	must(t, err)
	rename := func(name string) { must(t, os.WriteFile(comm, []byte(name), 0)) }
	defer rename(string(before))
	rename("wpbefore")

	r := live(t, experiment.Options{Bindings: []experiment.Binding{{
		Events: []string{"*"}, Paths: []winperf.Path{{Object: "Process", Instance: "wpbefore", Counter: "ID Process", HasInstance: true}},
	}}})
	r.program.Event(t.Context(), "before")
	rename("wpafter")
	r.program.Event(t.Context(), "after")
	_, region := r.program.Region(t.Context(), "region")
	region.End()

	told := 0
	for _, rec := range r.end() {
		if v := ofSelf(t, rec); v.Series.Path.Instance != "wpbefore" || v.Value.String() != strconv.Itoa(os.Getpid()) {
			t.Errorf("record %s", text(rec))
		}
		for _, a := range rec.Anomalies {
			if a.Kind == winperf.InstancesRenamed {
				told++
			}
		}
	}
	if told != 1 {
		t.Errorf("%d anomalies tell it", told)
	}
}

// Signals are events.
func TestLiveSignals(t *testing.T) {
	keep := make(chan os.Signal, 1) // so that a late one does not end the test
	signal.Notify(keep, syscall.SIGUSR1)
	defer signal.Stop(keep)
	r := begin(t, newFake(nil), experiment.Options{
		Bindings: []experiment.Binding{bound("sig")},
		Events:   []experiment.EventSource{experiment.Signals{Name: "sig", Signals: []os.Signal{syscall.SIGUSR1}}},
	})
	for r.Status().Bindings[0].Emitted == 0 {
		must(t, syscall.Kill(os.Getpid(), syscall.SIGUSR1)) // the source may not listen yet
		<-keep
		runtime.Gosched()
	}
	got := names(r.end()[:1], "signal")
	if len(got) != 1 || got[0] != "signal sig signal=user defined signal 1" {
		t.Errorf("events %v", got)
	}
}

// The execution trace has the ids of events, in their tasks.
func TestTraceJoins(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "trace"))
	must(t, err)
	defer file.Close()
	if err := trace.Start(file); err != nil {
		t.Skip(err)
	}
	r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
	ctx, task := trace.NewTask(t.Context(), "request")
	ctx, region := r.program.Region(ctx, "traced region", slog.Int("n", 1))
	r.program.Event(ctx, "traced point")
	region.End()
	task.End()
	r.program.Event(t.Context(), "of no task")
	trace.Stop()

	// The process may have had tasks before.
	records, logs := r.end(), traceLogs(t, file.Name())
	request := 0
	if _, err := fmt.Sscanf(strings.Join(logs, "\n"), "task %d:", &request); err != nil || request == 0 {
		t.Fatalf("the trace begins without a task: %q", logs)
	}

	for _, rec := range records {
		want := []string{fmt.Sprintf("task %d: event %d %s", request, rec.Event.ID, rec.Event.Name)}
		switch {
		case rec.Kind == experiment.Span:
			want = []string{strings.Replace(want[0], "event", "begin", 1), strings.Replace(want[0], "event", "end", 1)}
		case rec.Event.Name == "of no task":
			want[0] = fmt.Sprintf("task 0: event %d of no task", rec.Event.ID)
		}
		for _, text := range want {
			if !slices.Contains(logs, text) {
				t.Errorf("the trace does not hold %q: %q", text, logs)
			}
		}
	}
	if len(records) != 3 || len(logs) != 4 {
		t.Errorf("%d records, and the trace has %q", len(records), logs)
	}
}

// traceLogs are the messages of a trace that are winperf's, with their tasks.
func traceLogs(t *testing.T, file string) (all []string) {
	t.Helper()
	text, err := exec.Command("go", "tool", "trace", "-d=parsed", file).Output()
	if err != nil {
		t.Skipf("what a trace holds is read with go tool trace: %v", err)
	}
	line := regexp.MustCompile(`(?m) Log .*Task=(\d+) Category="winperf" Message="(.*)"$`)
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		all = append(all, "task "+m[1]+": "+m[2])
	}
	return all
}
