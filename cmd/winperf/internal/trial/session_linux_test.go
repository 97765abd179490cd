package trial

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/source"
)

// An experiment whose events all come by lines ends with these, and delivers what a run with its queue had
// spilled when it was killed.
func TestLinesEnd(t *testing.T) {
	dir := t.TempDir()
	queue := filepath.Join(dir, "queue")
	spill, err := delivery.NewSpill(delivery.Disk{Dir: filepath.Join(queue, "spill")})
	if err != nil {
		t.Fatal(err)
	}
	left := &experiment.Record{
		Experiment: "lines", Session: "killed", Number: 1, Kind: experiment.Point, Event: experiment.EventInfo{Name: "left"},
	}
	if err := spill.Append([]*experiment.Record{left}); err != nil {
		t.Fatal(err)
	}
	if err := spill.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := ReadFile("x.yaml", []byte("name: lines\nqueue: {directory: "+queue+"}\nevents: [{name: in, lines: stdin}]\n"+
		"bindings: [{events: ['*'], sensors: ['\\System\\Processes'], policy: spill}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := Create(filepath.Join(dir, "results"), Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	s, err := Prepare(t.Context(), f, folder, &Opener{
		Source: func(ctx context.Context, url string) (winperf.Source, error) { return source.Open(ctx, url) },
		Lines: func(context.Context, string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("first\nsecond\n")), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if d := s.experiment.Status().Events[0].Detail; d != "stdin" {
		t.Errorf("the lines are said to be of %q", d)
	}
	out, err := s.Run(t.Context(), func(*Result) error { return nil })
	if err != nil || out.Earlier != 1 {
		t.Errorf("%d records of the run that was killed, error %v", out.Earlier, err)
	}

	c, err := ReadConditions(folder.Path)
	if err != nil || c.Session != out.Status.Session || c.Session == "" {
		t.Errorf("the plan is of session %q, not %q, error %v", c.Session, out.Status.Session, err)
	}
	if sensors, err := ReadSensors(folder.Path, c, nil); err != nil || sensors.Stray != 1 {
		t.Errorf("%+v, error %v", sensors, err)
	}

	text, err := os.ReadFile(folder.File(FileRecords))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"left", "first", "second"} {
		if n := strings.Count(string(text), `"name":"`+name+`"`); n != 1 {
			t.Errorf("%d records of %q in\n%s", n, name, text)
		}
	}
}

// slowly is a source whose samples take a while, or none, as is drawn.
type slowly struct{ winperf.Source }

func (s slowly) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	q, err := s.Source.Compile(ctx, sel)
	return slowQuery{q}, err
}

type slowQuery struct{ winperf.Query }

func (q slowQuery) Next(ctx context.Context, s *winperf.Sample) error {
	time.Sleep(time.Duration(rand.IntN(2)) * 40 * time.Millisecond)
	return q.Query.Next(ctx, s)
}

// The end of a run is sampled before its process is gone, however long that takes and whatever else is
// sampled then.
func TestRunIsSeenAtItsEnd(t *testing.T) {
	f, err := ReadFile("x.yaml", []byte("name: seen\ncommands: [{name: quick, run: ["+os.Args[0]+"], env: {TRIAL_LOAD: quick}}]\n"+
		"repetitions: 8\ninterval: 20ms\nbindings:\n"+
		"  - {name: a, events: [run], sensors: ['\\Process("+filepath.Base(os.Args[0])+"*)\\ID Process']}\n"+
		"  - {name: b, events: [run], sensors: ['\\System\\Processes']}\n"))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := Create(filepath.Join(t.TempDir(), "results"), Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	open := &Opener{Source: func(ctx context.Context, url string) (winperf.Source, error) {
		src, err := source.Open(ctx, url)
		return slowly{src}, err
	}}
	s, err := Prepare(t.Context(), f, folder, open)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out, err := s.Run(t.Context(), func(*Result) error { return nil })
	if err != nil {
		t.Fatal(err)
	}

	seen := map[uint64]bool{}
	for r := range readRecords(t, folder) {
		for _, v := range r.Values {
			if n, ok := v.Value.Float64(); ok && r.Binding == "a" {
				seen[uint64(n)] = true
			}
		}
	}
	for _, r := range out.Results {
		if pid := r.Tree.Processes[0].PID; !seen[uint64(pid)] {
			t.Errorf("process %d of run %d is not in the record of its end", pid, r.Number)
		}
	}
}

// readRecords are the records of a results folder.
func readRecords(t *testing.T, folder *Folder) iter.Seq[*experiment.Record] {
	t.Helper()
	text, err := os.ReadFile(folder.File(FileRecords))
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(*experiment.Record) bool) {
		for line := range strings.Lines(string(text)) {
			r, err := experiment.ParseRecord([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			if !yield(&r) {
				return
			}
		}
	}
}

// ticksOf attaches another experiment to that of a session, and takes the first record of its events.
func ticksOf(ctx context.Context, s *Session) (*experiment.Record, error) {
	e, err := experiment.New(experiment.Options{
		Name: "other", Program: &s.program, Sources: s.origins,
		Bindings: []experiment.Binding{{Events: []string{"tick"}, Paths: []winperf.Path{{Object: "System", Counter: "Threads"}}}},
	})
	if err != nil {
		return nil, err
	}
	if err := e.Attach(ctx); err != nil {
		return nil, err
	}
	defer func() { _ = e.Detach(ctx) }() // the record is there
	for {
		records, err := e.Next(ctx, 1)
		if err != nil {
			return nil, err
		}
		if records[0].Kind == experiment.Point {
			return records[0], nil
		}
	}
}

// An experiment that somebody ends from outside is over. Others get its events.
func TestEndedFromOutside(t *testing.T) {
	f, err := ReadFile("x.yaml", []byte("name: ticks\nevents: [{name: tick, interval: 10ms}]\n"+
		"bindings: [{events: [tick], sensors: ['\\System\\Processes']}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := Create(filepath.Join(t.TempDir(), "results"), Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	s, err := Prepare(t.Context(), f, folder, &Opener{
		Source: func(ctx context.Context, url string) (winperf.Source, error) { return source.Open(ctx, url) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	e := s.experiment
	go func() {
		for e.State() != experiment.Attached || e.Status().Stored == 0 {
			select {
			case <-t.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
		}
		rec, err := ticksOf(t.Context(), s)
		if err != nil || rec.Event.Name != "tick" || len(rec.Values) != 1 || !strings.HasSuffix(rec.Values[0].Path, `\Threads`) {
			t.Errorf("record %+v, error %v", rec, err)
		}
		if err := e.Detach(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	out, err := s.Run(t.Context(), func(*Result) error { return nil })
	if err != nil || out.Status.State != experiment.Detached {
		t.Errorf("%v, error %v", out.Status, err)
	}
}
