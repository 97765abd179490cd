package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
)

// Missed events, gaps, anomalies, failures and counters without a value are counted, each of its own event.
func TestTally(t *testing.T) {
	value := func(path string, status counter.Status) experiment.Value {
		return experiment.Value{Path: `\\H\` + path, Status: status}
	}
	event := func(name string, missed int, attrs ...experiment.Attr) experiment.EventInfo {
		return experiment.EventInfo{Name: name, Missed: missed, Attrs: attrs}
	}
	came := winperf.Anomaly{Kind: winperf.InstancesAdded}
	left := winperf.Anomaly{Kind: winperf.InstancesRemoved}
	used := value(`Process(load)\% Processor Time`, counter.NoPrevious)
	used.HasDifference = true
	ofLog := value(`System\Threads`, counter.NoCounter)
	ofLog.Source = "log"

	touched := func(v experiment.Value, kind winperf.AnomalyKind) experiment.Value {
		v.Touched = v.Touched.With(kind)
		return v
	}

	var tally Tally
	for _, r := range []experiment.Record{
		{Kind: experiment.Change, Event: event("attached", 99)},
		{Binding: "a", Event: event("tick", 2), Anomalies: []winperf.Anomaly{came, left, came}, Values: []experiment.Value{
			value(`Process(a)\% Processor Time`, counter.NoPrevious), value(`Process(b)\% Processor Time`, counter.NoPrevious),
			value(`Process(a)\Handle Count`, counter.InvalidData), value(`Process(b)\Handle Count`, counter.InvalidData),
			value(`System\Threads`, counter.OK), value(`System\Oops`, counter.NoCounter), value(`Disk(x*)\Reads`, counter.NoInstance),
			ofLog,
		}},
		{Binding: "b", Event: event("tick", 2)}, // the same two
		{Binding: "a", Event: event("tick", 3), Values: []experiment.Value{
			value(`Process(a)\% Processor Time`, counter.OK), value(`Process(never)\% Processor Time`, counter.NoInstance),
			touched(value(`Process(new)\Page Faults/sec`, counter.OK), winperf.InstancesAdded), // no series before
			touched(value(`Process(b)\Handle Count`, counter.InvalidData), winperf.InstancesRenamed),
			touched(value(`Process(a)\Handle Count`, counter.InvalidData), winperf.InstancesAdded),
			value(`Disk(xy)\Reads`, counter.OK), value(`System\Threads`, counter.NoPrevious),
		}},
		{Binding: "a", Event: event("tock", 1), Err: "no sample within 1s"},
		{Binding: "a", Event: event("tock", 0), Err: "another"},
		{Kind: experiment.Span, Event: event("run.x", 0, experiment.Attr{Key: "suspended", Value: 3 * time.Second}),
			Values: []experiment.Value{used, value(`System\Threads`, counter.NoPrevious)}},
	} {
		tally.Add(&r)
	}

	if diff := cmp.Diff(map[string]int{"tick": 5, "tock": 1}, tally.Missed()); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
	if tally.Failed != 2 || tally.Reason != "no sample within 1s" || tally.Gaps != 1 || tally.Suspended != 3*time.Second {
		t.Errorf("%+v", tally)
	}
	if of := (Silence{Event: "tick", Path: `\\H\Process(b)\Handle Count`}); tally.Switched != 2 || tally.SwitchOf != of {
		t.Errorf("%d values of another process, the first is %+v", tally.Switched, tally.SwitchOf)
	}
	if got := tally.AnomaliesText(); got != "instances_came 2, instances_left 1" {
		t.Errorf("anomalies %q", got)
	}
	want := []Silence{
		{"run.x", `\\H\System\Threads`, "", counter.NoPrevious},
		{"tick", `\\H\Process(*)\Handle Count`, "", counter.InvalidData},
		{"tick", `\\H\Process(never)\% Processor Time`, "", counter.NoInstance},
		{"tick", `\\H\System\Oops`, "", counter.NoCounter},
		{"tick", `\\H\System\Threads`, "log", counter.NoCounter},
	}
	if diff := cmp.Diff(want, tally.Silent()); diff != "" {
		t.Errorf("without a value (-want +got):\n%s", diff)
	}
}

// Runs without a record are counted where a binding is for them, and so is the time of pauses.
func TestTallyRuns(t *testing.T) {
	at := func(seconds int) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }
	var tally Tally
	for _, r := range []experiment.Record{
		{Kind: experiment.Change, Event: experiment.EventInfo{Name: "attached", Time: at(0)}},
		{Kind: experiment.Change, Event: experiment.EventInfo{Name: "paused", Time: at(10)}},
		{Kind: experiment.Change, Event: experiment.EventInfo{Name: "resumed", Time: at(13)}},
		{Kind: experiment.Change, Event: experiment.EventInfo{Name: "paused", Time: at(20)}},
		{Kind: experiment.Change, Event: experiment.EventInfo{Name: "detached", Time: at(21)}},
	} {
		tally.Add(&r)
	}
	for name, source := range map[string]string{"run.a": "code", "run.b": "lines"} {
		tally.Add(&experiment.Record{Kind: experiment.Span, Event: experiment.EventInfo{
			Name: name, Source: source, Attrs: []experiment.Attr{{Key: attrRepetition, Value: int64(2)}},
		}})
	}
	if tally.Pauses != 2 || tally.Paused != 4*time.Second {
		t.Errorf("%d pauses, of %v", tally.Pauses, tally.Paused)
	}

	var runs []*Result
	for n := 1; n <= 3; n++ {
		for _, name := range []string{"a", "b"} {
			runs = append(runs, &Result{Variant: name, Step: Step{Repetition: n}})
		}
	}
	runs = append(runs, &Result{Variant: "a", Step: Step{Repetition: 1, Warmup: true}})
	all := experiment.Binding{Events: []string{"RUN.*"}}
	for want, bindings := range map[int][]experiment.Binding{
		0: {{Events: []string{"tick"}}, {Events: all.Events, Aggregate: &experiment.Aggregate{Only: true}}},
		2: {{Events: []string{"run.a"}}},
		5: {all, {Events: []string{"run.a"}}},
		6: {{Events: []string{"*"}}},
	} {
		if got := tally.unrecorded(runs, bindings); got != want {
			t.Errorf("%+v: %d runs have no record, not %d", bindings, got, want)
		}
	}
}

// Records of warm-ups and of runs that failed or were stopped are not compared: neither those of the run
// itself nor those of events meanwhile.
func TestSensorsOfRuns(t *testing.T) {
	at := func(seconds float64) time.Time { return epoch.Add(time.Duration(seconds * float64(time.Second))) }
	run := func(n int, warmup bool, x Exit) *Result {
		x.Began, x.Time = at(float64(n)*10), 5*time.Second
		return &Result{Step: Step{Number: n, Repetition: n, Warmup: warmup}, Variant: "x", Exit: x}
	}
	runs := []*Result{
		run(1, true, Exit{}), run(2, false, Exit{}), run(3, false, Exit{Status: 1}), run(4, false, Exit{}),
		run(5, false, Exit{Stopped: true}),
	}

	dir := t.TempDir()
	var text []byte
	session := "s"
	add := func(kind experiment.Kind, name string, when float64, attrs ...experiment.Attr) {
		r := experiment.Record{Experiment: "x", Session: session, Number: 1, Kind: kind}
		r.Event = experiment.EventInfo{Name: name, Time: at(when), Attrs: attrs}
		r.Values = []experiment.Value{{Path: `\\H\System\Processes`, Value: counter.Float(when), Unit: counter.Count}}
		text = append(r.AppendJSON(text), '\n')
	}
	for _, r := range runs {
		// A region begins before its command, and is of it also where clocks differ a little.
		attr := experiment.Attr{Key: attrRepetition, Value: int64(r.Repetition)}
		add(experiment.Span, r.event(), float64(r.Number)*10-0.5, attr)
		add(experiment.Point, "tick", float64(r.Number)*10+1)
		add(experiment.Point, "tick", float64(r.Number)*10+3)
		add(experiment.Point, "tick", float64(r.Number)*10+7) // between two runs
	}

	// Those of a run with the same queue that was killed before have runs that are not known here.
	session = "killed"
	add(experiment.Span, RunEvent+".x", -500, experiment.Attr{Key: attrRepetition, Value: int64(2)})
	add(experiment.Point, "tick", -499)
	if err := os.WriteFile(filepath.Join(dir, FileRecords), text, 0o600); err != nil {
		t.Fatal(err)
	}

	conditions := Conditions{Session: "s", Plan: make([]Step, len(runs))}
	s, err := ReadSensors(dir, conditions, runs)
	if err != nil || s.Failed != 6 || s.Others != 3 || s.Stray != 2 {
		t.Fatalf("%d records of failed runs, %d of warm-ups, %d of others, error %v", s.Failed, s.Others, s.Stray, err)
	}
	want := map[sensorKey][]float64{
		{"run.x", `\System\Processes`}:       {19.5, 39.5},
		{"run.x", `tick: \System\Processes`}: {22, 42}, // means of two
		{"tick", `\System\Processes`}:        {17, 27, 37, 47, 57},
	}
	if diff := cmp.Diff(want, s.values); diff != "" {
		t.Errorf("compared (-want +got):\n%s", diff)
	}

	// Where the fourth run was killed with winperf, nobody knows when it began.
	s, err = ReadSensors(dir, conditions, runs[:3])
	if err != nil || s.Failed != 3+1+8 { // of the third, behind it, and of those that are missing
		t.Errorf("%d records of runs that failed or are missing, error %v", s.Failed, err)
	}
	want = map[sensorKey][]float64{
		{"run.x", `\System\Processes`}: {19.5}, {"run.x", `tick: \System\Processes`}: {22}, {"tick", `\System\Processes`}: {17, 27},
	}
	if diff := cmp.Diff(want, s.values); diff != "" {
		t.Errorf("compared of a plan that was not completed (-want +got):\n%s", diff)
	}
	if s, err = ReadSensors(dir, conditions, nil); err != nil || len(s.values) != 0 {
		t.Errorf("%v, error %v", s.values, err)
	}
}

// The sensors of one folder are compared between its commands, what only one of them has as well.
func TestCompareCommands(t *testing.T) {
	s := &Sensors{units: map[sensorKey]string{}, values: map[sensorKey][]float64{
		{"run.a", "both"}: {1, 1, 1, 1, 1}, {"run.b", "both"}: {2, 2, 2, 2, 2}, {"run.b", "one"}: {3}, {"tick", "both"}: {4},
	}}
	rows := s.CompareCommands([]string{"a", "b"})
	if len(rows) != 2 || rows[0].Name != "both" || rows[0].Cells[1].Difference != 1 || !rows[0].Cells[1].Significant() {
		t.Fatalf("%+v", rows)
	}
	if one := rows[1].Cells; one[0].Count != 0 || one[1].Mean != 3 || one[1].Significant() {
		t.Errorf("%+v", one)
	}
	if rest := s.Rest([]string{"a", "b"}); len(rest) != 1 || rest[0].Name != "tick both" || rest[0].Cells[0].Mean != 4 {
		t.Errorf("%+v", rest)
	}
}

// Of a process that began in a region the difference is compared, whether or not the record has its rate.
func TestSensorsDifference(t *testing.T) {
	s := newSensors()
	s.add(&experiment.Record{Event: experiment.EventInfo{Name: "run.a"}, Values: []experiment.Value{
		{Path: `\\H\Process(a)\% Processor Time`, Status: counter.NoPrevious, Difference: 7, HasDifference: true},
		{Path: `\\H\Process(a)\% User Time`, Status: counter.NoPrevious, Difference: 7, HasDifference: true, TicksPerSecond: 1e7},
		{
			Path: `\\H\Process(b)\% User Time`, Value: counter.Float(70), Difference: 7, HasDifference: true, TicksPerSecond: 1e7,
			Touched: winperf.AnomalySet(0).With(winperf.InstanceBegan),
		},
		{Path: `\\H\System\Work`, Value: counter.Float(2), Difference: 9, HasDifference: true},
		{Path: `\\H\System\Text`, Value: counter.Text("x")},
	}}, nil)
	want := map[sensorKey][]float64{
		{"run.a", `\Process(a)\% Processor Time (difference)`}: {7},
		{"run.a", `\Process(a)\% User Time (difference)`}:      {7e-7}, {"run.a", `\System\Work`}: {2},
		{"run.a", `\Process(b)\% User Time (difference)`}: {7e-7},
	}
	if diff := cmp.Diff(want, s.values); diff != "" {
		t.Error(diff)
	}
	if unit := s.units[sensorKey{"run.a", `\Process(a)\% User Time (difference)`}]; unit != "seconds" {
		t.Errorf("the difference of a time has the unit %q", unit)
	}
}

// failing is a sink that takes nothing.
type failing struct{ err error }

func (f failing) Deliver(context.Context, []delivery.Item) error { return f.err }
func (failing) Close(context.Context) error                      { return nil }

// What the results folder does not take is refused for good, which ends the runs; that nobody waits any
// longer is no such failure.
func TestResultsSink(t *testing.T) {
	full := errors.New("no space left")
	b := &broken{closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (resultsSink{failing{context.Canceled}, b, &earlier{}}).Deliver(ctx, nil); !errors.Is(err, context.Canceled) || b.stop() != nil {
		t.Errorf("error %v, %v", err, b.stop())
	}

	for range 2 {
		err := (resultsSink{failing{full}, b, &earlier{}}).Deliver(t.Context(), nil)
		if !errors.Is(err, full) || err.Error() != delivery.Refuse(full).Error() {
			t.Errorf("error %v", err)
		}
	}
	if err := b.stop(); !errors.Is(err, errBroken) || !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}

	// What it takes of another run is counted.
	own, e := "own", &earlier{}
	sink := resultsSink{failing{}, b, e}
	killed := []delivery.Item{{Session: "killed"}, {Session: "killed"}}
	if err := errors.Join(sink.Deliver(t.Context(), nil), sink.Deliver(t.Context(), killed)); err != nil {
		t.Error(err)
	}
	e.session.Store(&own)
	if err := errors.Join(sink.Deliver(t.Context(), killed), sink.Deliver(t.Context(), []delivery.Item{{Session: own}})); err != nil {
		t.Error(err)
	}
	if n := e.records.Load(); n != 4 {
		t.Errorf("%d records of another run, not 4", n)
	}
}

// A folder that cannot be made is told before, and trying that leaves nothing behind.
func TestCanKeep(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, can := range map[string]bool{
		filepath.Join(dir, "new"): true, filepath.Join(dir, "a", "b"): true, filepath.Join(t.TempDir()): true,
		dir: false, file: false, filepath.Join(file, "x"): false,
	} {
		if err := CanKeep(path); (err == nil) != can {
			t.Errorf("%s: %v", path, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v is left, error %v", left, err)
	}
}

// Discard removes what an experiment that did not begin has made, and nothing else.
func TestDiscard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	for _, other := range []bool{false, true} {
		f, err := Create(dir, Conditions{})
		if err != nil {
			t.Fatal(err)
		}
		if other {
			if err := f.Keep("mine", nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(f.Close(), f.Discard()); err != nil {
			t.Error(err)
		}
		left, _ := os.ReadDir(dir) // there is none, or it is looked at
		if names := slices.Collect(func(yield func(string) bool) {
			for _, e := range left {
				if !yield(e.Name()) {
					return
				}
			}
		}); other != slices.Equal(names, []string{"mine"}) {
			t.Errorf("left %v", names)
		}
	}
}
