package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
)

// TestMain is also the load of TestLive: a program that uses processor time and starts itself.
func TestMain(m *testing.M) {
	switch os.Getenv("TRIAL_LOAD") {
	case "":
		os.Exit(m.Run())
	case "parent":
		child, err := Start(context.Background(), Command{Args: os.Args[:1], Env: map[string]string{"TRIAL_LOAD": "child"}}, func() {})
		if err != nil {
			panic(err)
		}
		burn(300 * time.Millisecond)
		if x, err := child.Wait(); err != nil || x.Status != 7 {
			panic(x)
		}
	case "child":
		burn(300 * time.Millisecond)
		os.Exit(7)
	case "family":
		if _, err := Start(context.Background(), Command{Args: os.Args[:1], Env: map[string]string{"TRIAL_LOAD": "deaf"}}, func() {}); err != nil {
			panic(err)
		}
		time.Sleep(10 * time.Minute)
	case "quick":
		os.Exit(0)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		name := filepath.Join(os.Getenv("TRIAL_DIR"), "ready")
		if err := os.WriteFile(name+"_", fmt.Append(nil, os.Getpid()), 0o666); err != nil {
			panic(err)
		}
		if err := os.Rename(name+"_", name); err != nil {
			panic(err)
		}
		time.Sleep(10 * time.Minute)
	}
}

// burn uses so much processor time.
func burn(d time.Duration) {
	for begin := processorTime(); processorTime()-begin < d; {
	}
}

// Both processes are seen, and what was seen is no more than what the system says.
func TestLive(t *testing.T) {
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	load := Command{Args: os.Args[:1], Env: map[string]string{"TRIAL_LOAD": "parent"}}
	opt := Options{Source: src, Variants: []Variant{{Name: "load", Command: load, Interval: 20 * time.Millisecond}}}
	runs := 0
	err = Run(t.Context(), opt, func(r *Result) error {
		runs++
		x, tree := &r.Exit, &r.Tree
		if x.Status != 0 || r.Err != "" || len(tree.Processes) != 2 {
			t.Fatalf("exit %+v, error %q, processes %+v", x, r.Err, tree.Processes)
		}
		parent, child := tree.Processes[0], tree.Processes[1]
		if child.Parent != parent.PID {
			t.Errorf("the parent of %+v is %+v", child, parent)
		}
		// The kernel counts times of processes in steps of 10 ms.
		used, seen := x.User+x.System, tree.User+tree.System
		if used < 600*time.Millisecond || seen > used+40*time.Millisecond || parent.User+parent.System > used {
			t.Errorf("%v used, %v seen of %+v", used, seen, tree.Processes)
		}
		if child.User+child.System == 0 || tree.PeakMemory == 0 {
			t.Errorf("nothing seen of %+v", child)
		}
		return nil
	})
	if err != nil || runs != 1 {
		t.Errorf("%d runs, error %v", runs, err)
	}
}

// A program that ctx ends is told from one that failed by itself.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	child, err := Start(ctx, Command{Args: []string{"sleep", "600"}}, func() {})
	if err != nil {
		t.Skip("sleep cannot be started: ", err)
	}
	cancel()
	x, err := child.Wait()
	if err != nil || x.Signal != "SIGTERM" || x.Status != -1 {
		t.Errorf("exit %+v, error %v", x, err)
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// lacking is a source on a busy machine: of each query the first samples lack the processes, which were not
// read in time.
type lacking struct {
	winperf.Source
	samples int // of each query
}

func (l lacking) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	whole, err := l.Source.Compile(ctx, sel)
	if err != nil {
		return nil, err
	}
	part, err := l.Source.Compile(ctx, winperf.Selection{Objects: []winperf.ObjectID{{Index: 4}}})
	return &lackingQuery{Query: whole, part: part, left: l.samples}, err
}

type lackingQuery struct {
	winperf.Query
	part winperf.Query
	left int
}

func (q *lackingQuery) Next(ctx context.Context, s *winperf.Sample) error {
	if q.left == 0 {
		return q.Query.Next(ctx, s)
	}
	q.left--
	err := q.part.Next(ctx, s)
	s.Parts[0].Err = context.DeadlineExceeded
	return err
}

func (q *lackingQuery) Close() error { return errors.Join(q.Query.Close(), q.part.Close()) }

// What a run used that is stopped is known, and what its command started ends with it.
func TestStopped(t *testing.T) { checkStopped(t, 0) }

// It does so, too, where samples lack the processes at first.
func TestStoppedOnBusyMachine(t *testing.T) { checkStopped(t, 2) }

func checkStopped(t *testing.T, lack int) {
	local, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	src := lacking{local, lack}
	dir := t.TempDir()
	load := Command{Args: os.Args[:1], Env: map[string]string{"TRIAL_LOAD": "family", "TRIAL_DIR": dir}, Grace: time.Second}
	for _, interval := range []time.Duration{0, 20 * time.Millisecond} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			awaitFile(ctx, filepath.Join(dir, "ready"))
			cancel()
		}()
		var all []*Result
		opt := Options{Source: src, Repetitions: 3, Variants: []Variant{{Name: "load", Command: load, Interval: interval}}}
		err = Run(ctx, opt, func(r *Result) error {
			all = append(all, r)
			return nil
		})
		if !errors.Is(err, context.Canceled) || len(all) != 1 || !all[0].Exit.Stopped || all[0].Exit.Signal != "SIGTERM" {
			t.Fatalf("error %v, results %+v", err, all)
		}
		if _, failed := Variants(all); failed != 1 {
			t.Error("a run that was stopped is compared")
		}

		// The child ignores SIGTERM. It may be there still, without memory, if nobody waits for it.
		text, err := os.ReadFile(filepath.Join(dir, "ready"))
		if err != nil {
			t.Fatal(err)
		}
		status, err := os.ReadFile(filepath.Join("/proc", string(text), "status"))
		if err == nil && strings.Contains(string(status), "VmRSS") {
			t.Errorf("process %s goes on:\n%s", text, status)
		}
		if err := os.Remove(filepath.Join(dir, "ready")); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitFile waits until a file is there.
func awaitFile(ctx context.Context, name string) {
	for ctx.Err() == nil {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
