package main

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/control"
)

// Experiments are attached to programs in other languages, and get their events with attributes, regions
// and values.
func TestEvents(t *testing.T) {
	t.Run("C", func(t *testing.T) { testEvents(t, exec.Command(compile(t, "events"))) })
	t.Run("Python", func(t *testing.T) {
		have(t, "gcc", "python3")
		native.need(t, "native")
		cmd := exec.Command("python3", "python/events.py")
		cmd.Env = append(os.Environ(), pythonEnv()...)
		testEvents(t, cmd)
	})
	t.Run("Java", func(t *testing.T) { testEvents(t, exec.Command("java", append(javaOptions(t), "Emit")...)) })
}

func testEvents(t *testing.T, cmd *exec.Cmd) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	at, err := os.MkdirTemp("/tmp", "wp") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(at); err != nil {
			t.Error(err)
		}
	})
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, control.Environment+"="+at)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := input.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()

	client := dial(ctx, t, at)
	defer client.Close()
	var listing control.Listing
	if err := client.Call(ctx, control.Request{Op: "list"}, &listing); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"größer", "request"}, listing.Events); diff != "" {
		t.Errorf("events before the first attach (-want +got):\n%s", diff)
	}

	spec := &control.Spec{Name: "load", Bindings: []control.Binding{
		{Events: []string{"*"}, Sensors: []string{`\System\Processes`}, Policy: "wait"},
	}}
	if err := client.Call(ctx, control.Request{Op: "attach", Spec: spec}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	checkRecords(t, receive(ctx, t, client, 3))
}

// dial waits until the program listens.
func dial(ctx context.Context, t *testing.T, dir string) *control.Client {
	t.Helper()
	for ; ; time.Sleep(5 * time.Millisecond) {
		program, err := control.Find(ctx, dir, "events")
		if err != nil && ctx.Err() == nil {
			continue
		}
		client, err := control.Dial(ctx, program.Path)
		if err != nil {
			t.Fatal(err)
		}
		return client
	}
}

// receive takes the records of n events.
func receive(ctx context.Context, t *testing.T, client *control.Client, n int) []experiment.Record {
	t.Helper()
	var all []experiment.Record
	for len(all) < n {
		batch, err := client.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range batch.Records {
			r, err := experiment.ParseRecord(line)
			if err != nil {
				t.Fatal(err)
			}
			if r.Kind != experiment.Change {
				all = append(all, r)
			}
		}
		if err := batch.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// checkRecords compares with what the programs emit.
func checkRecords(t *testing.T, records []experiment.Record) {
	t.Helper()
	path := experiment.Attr{Key: "path", Value: "/größer"}
	want := []struct {
		name  string
		kind  experiment.Kind
		attrs []experiment.Attr
	}{
		{"request", experiment.Point, []experiment.Attr{path, {Key: "bytes", Value: int64(-42)}, {Key: "ratio", Value: 0.5}}},
		{"request", experiment.Point, nil},
		{"job", experiment.Span, []experiment.Attr{path, {Key: "result", Value: "ok"}}},
	}
	for i, r := range records {
		if r.Event.Name != want[i].name || r.Kind != want[i].kind || r.Err != "" {
			t.Errorf("record %d is %s of kind %d: %s", i, r.Event.Name, r.Kind, r.Err)
		}
		if diff := cmp.Diff(want[i].attrs, r.Event.Attrs); diff != "" {
			t.Errorf("attributes of record %d (-want +got):\n%s", i, diff)
		}
		if n, ok := r.Values[0].Value.Uint64(); len(r.Values) != 1 || !ok || n == 0 {
			t.Errorf("record %d has the values %v", i, r.Values)
		}
	}
	if inner, job := records[1].Event, records[2].Event; inner.Parent != job.ID || records[0].Event.Parent != 0 {
		t.Errorf("the event within the region has the parent %d, and the region the id %d", inner.Parent, job.ID)
	}
}
