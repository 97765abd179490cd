package experiment_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
)

// The end of a context ends the waiting for a source that has always been quick, too, and the event
// is measured all the same.
func TestContextEndsWhereQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(ctx context.Context, n int) error {
			if n == 3 || n == 5 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		r.program.Event(t.Context(), "quick")

		for _, name := range []string{"point", "region"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			start := time.Now()
			if name == "point" {
				r.program.Event(ctx, name)
			} else {
				_, region := r.program.Region(ctx, name)
				defer region.End()
			}
			if d := time.Since(start); d != time.Second {
				t.Errorf("%s: it took %v", name, d)
			}
			cancel()
			synctest.Wait()
		}
		r.program.Event(t.Context(), "later")

		want := "point quick Ticks=2 Work=10\npoint point Ticks=4 Work=10\npoint later Ticks=7 Work=10\n"
		if diff := cmp.Diff(want, texts(r.end())); diff != "" {
			t.Error(diff)
		}
	})
}

// A record that memory turns out to have no space for holds up its event no longer than its context.
func TestPolicyWaitContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := 4
		f := newFake(func(n int) string { return processes(n, crowd(count)...) })
		wait := experiment.Binding{
			Events: []string{"*"}, Paths: paths(`\Process(*)\Work Rate`), Policy: experiment.Wait, MaxValues: 10,
		}
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{wait}})
		r.emit(t.Context(), "a", 0, 1)
		count = 8

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		r.emit(ctx, "a", 1, 2)
		if d := time.Since(start); d > time.Second {
			t.Errorf("the event took %v", d)
		}
		if diff := cmp.Diff([]string{"1 attached", "2 a0", "3 a1"}, r.take(3)); diff != "" {
			t.Error(diff)
		}
	})
}

// A record that takes more than half of the space is spilled for, too.
func TestSpillWideRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := 4
		f := newFake(func(n int) string { return processes(n, crowd(count)...) })
		wide := experiment.Binding{
			Events: []string{"*"}, Paths: paths(`\Process(*)\Work Rate`), Policy: experiment.Spill, MaxValues: 10,
		}
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{wide}, Spool: &spool{}})
		r.emit(t.Context(), "a", 0, 1)
		count = 8

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r.emit(ctx, "a", 1, 3)
		if err := ctx.Err(); err != nil {
			t.Errorf("events wait for room that the spool could make: %v", err)
		}
		if diff := cmp.Diff([]string{"1 attached", "2 a0", "3 a1", "4 a2"}, r.take(4)); diff != "" {
			t.Error(diff)
		}
	})
}

// The names that one experiment has for an event are not those of another.
func TestLinksOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var program experiment.Program
		links := func(context.Context) (_, _, _ string) { return "t", "s", "k" }
		with := begin(t, newFake(nil), experiment.Options{
			Program: &program, Bindings: []experiment.Binding{bound("*")}, Links: links,
		})
		without := begin(t, newFake(nil), experiment.Options{Program: &program, Bindings: []experiment.Binding{bound("*")}})
		program.Event(t.Context(), "point")
		_, region := program.Region(t.Context(), "region")
		region.End()

		for _, tt := range []struct {
			*rig
			want string
		}{{with, "tsk"}, {without, ""}} {
			for _, rec := range tt.end() {
				if got := rec.Event.Trace + rec.Event.SpanID + rec.Event.Task; got != tt.want {
					t.Errorf("%s has %q, want %q", rec.Event.Name, got, tt.want)
				}
			}
		}
	})
}

// A program that passes no context runs with an experiment as it does without.
func TestNoContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		var none context.Context
		r.program.Event(none, "point")
		ctx, region := r.program.Region(none, "region")
		r.program.Event(ctx, "within")
		region.End()
		records := r.end()
		if len(records) != 3 || records[1].Event.Parent != records[2].Event.ID {
			t.Errorf("records:\n%s", texts(records))
		}
	})
}

// hangs is a source that cannot be compiled, and after a while does not answer when it is to be.
type hangs struct {
	*fake
	now atomic.Bool
}

func (h *hangs) Compile(ctx context.Context, _ winperf.Selection) (winperf.Query, error) {
	if h.now.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, errors.New("not there yet")
}

// One of several sources that does not answer costs its own values, and holds up nobody for good.
func TestPrepareHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lame := &hangs{fake: newFake(nil)}
		r := begin(t, newFake(nil), experiment.Options{
			Apart:   true,
			Sources: []sensor.Origin{{Name: "A", Source: newFake(nil)}, {Name: "B", Source: lame}},
			Bindings: []experiment.Binding{{
				Events: []string{"*"}, Paths: paths(`\System\Ticks`), Timeout: 3 * time.Second,
			}},
		})
		lame.now.Store(true)
		start := time.Now()
		for range 3 {
			r.program.Event(t.Context(), "point")
		}
		if d := time.Since(start); d > time.Minute {
			t.Errorf("three events took %v", d)
		}
		for _, rec := range r.end() {
			if got := text(rec); !strings.HasPrefix(got, "point point Ticks=") {
				t.Errorf("record %s", got)
			}
		}
	})
}

// breakObject makes the first object of a block one that cannot be read.
func breakObject(b []byte) {
	le := binary.LittleEndian
	at := le.Uint32(b[24:])   // HeaderLength
	le.PutUint32(b[at+4:], 1) // DefinitionLength
}

// An object that cannot be read in one sample takes its instances nowhere.
func TestDamagedLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		second := func() int { return int(time.Since(start) / time.Second) }
		f := newFake(func(n int) string {
			if second() < 4 {
				return processes(n, "editor 10 1 5")
			}
			return processes(n, "shell 1 1 5")
		})
		f.mangle = func(_ int, b []byte) {
			if second() == 2 {
				breakObject(b)
			}
		}
		r := begin(t, f, experiment.Options{
			Apart:    true,
			Bindings: []experiment.Binding{{Events: []string{"*"}, Paths: paths(`\Process(*)\ID Process`)}},
			Events: []experiment.EventSource{
				experiment.Processes{Name: "editors", Match: "editor*"},
				experiment.Threshold{Name: "high", Path: paths(`\Process(editor)\ID Process`)[0], Bound: 3},
			},
		})
		time.Sleep(5500 * time.Millisecond)
		var got []string
		for _, rec := range r.end() {
			got = append(got, fmt.Sprint(rec.Event.Time.Sub(start), " ", rec.Event.Name))
		}
		slices.Sort(got) // two sources emit at once
		want := []string{"0s high.begin", "4s editors.end", "4s high.end"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A region over a sample that cannot be read has its values all the same.
func TestRegionOverDamage(t *testing.T) {
	for name, tt := range map[string]struct {
		text func(n int) string
		path string
		want []string
	}{
		"processes": {
			func(n int) string {
				return processes(n, fmt.Sprint("a 10 1 ", 100*n), fmt.Sprint("b 20 1 ", 1000*n))
			},
			`\Process(*)\Work Rate`, []string{"ok 200", "ok 2000"},
		},
		"object without instances": {counting, `\System\Work`, []string{"ok 20"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(tt.text)
				f.mangle = func(n int, b []byte) {
					if n == 3 {
						breakObject(b)
					}
				}
				r := begin(t, f, experiment.Options{
					Bindings: []experiment.Binding{{Events: []string{"*"}, Paths: paths(tt.path)}},
				})
				_, region := r.program.Region(t.Context(), "region")
				r.program.Event(t.Context(), "damaged")
				region.End()
				var got []string
				for _, v := range r.end()[1].Values {
					got = append(got, fmt.Sprint(v.Status, " ", v.Difference))
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Lines that open regions for ever take bounded memory.
func TestLinesHold(t *testing.T) {
	const size = 60_000
	for _, tt := range []struct {
		name string
		line func(i int) string
	}{
		{"ids", func(i int) string { return fmt.Sprintf("r region=begin id=%d%s\n", i, strings.Repeat("x", size)) }},
		{"attributes", func(i int) string { return fmt.Sprintf("r region=begin id=%d a=%s\n", i, strings.Repeat("x", size)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, to := io.Pipe()
			answers, ack := io.Pipe()
			r := begin(t, newFake(nil), experiment.Options{
				Bindings: []experiment.Binding{bound("other")},
				Events:   []experiment.EventSource{experiment.Lines{Name: "in", Reader: in, Ack: ack}},
			})
			defer r.end()
			defer to.Close()
			answer, refused := make([]byte, 1<<16), 0
			for i := range 300 { // 18 MB
				if _, err := io.WriteString(to, tt.line(i)); err != nil {
					t.Fatal(err)
				}
				n, err := answers.Read(answer)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(string(answer[:n]), "error ") {
					refused++
				}
			}
			if refused == 0 {
				t.Error("300 regions of 60,000 bytes each are kept")
			}
		})
	}
}

// Attributes take space as values do.
func TestRoomOfAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := numbered("a", experiment.DropOldest, 1000)
		b.MaxValues = 1000
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{b}})
		for i := range 20 {
			r.program.Event(t.Context(), fmt.Sprint("a", i), slog.String("s", strings.Repeat("x", 100_000)))
		}
		synctest.Wait()
		if s := r.Status(); s.Bindings[0].Waiting > 3 {
			t.Errorf("%d records with 100,000 bytes each wait in the room of 1,000 values", s.Bindings[0].Waiting)
		}
	})
}

// Where records are kept as summaries only, what these have no space for is counted.
func TestAggregateNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, only := range []bool{true, false} {
			b := numbered("a", experiment.DropOldest, 1000)
			b.Aggregate = &experiment.Aggregate{Series: 3, Only: only}
			r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{b}})
			r.emit(t.Context(), "a", 0, 5)
			records := r.end()
			summarized, dropped := 0, uint64(0)
			for _, rec := range records {
				if rec.Kind == experiment.Summary {
					summarized++
				}
				dropped += rec.Dropped
			}
			want := uint64(0)
			if only {
				want = 2
			}
			if summarized != 3 || dropped != want {
				t.Errorf("only summaries %v: %d summaries, %d dropped", only, summarized, dropped)
			}
		}
	})
}

// Names take bounded memory, too.
func TestLongNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		long := strings.Repeat("x", 5000)
		r.program.Event(t.Context(), long)
		r.program.Declare(long)
		if n := len(r.program.Names()); n != 0 {
			t.Errorf("%d names are remembered", n)
		}
		if records := r.end(); len(records) != 1 || records[0].Event.Name != long {
			t.Errorf("records:\n%s", texts(records))
		}
	})

	var p experiment.Program
	for i := range 10_001 {
		p.Declare(strings.Repeat("x", 1024-len(fmt.Sprint(i))) + fmt.Sprint(i))
	}
	if n := len(p.Names()); n != 10_000 {
		t.Errorf("%d names are remembered", n)
	}
}

// An event that no experiment is bound to costs no memory, whether there is an experiment or none.
func TestEventWithoutExperiment(t *testing.T) {
	p := new(experiment.Program)
	event := func() { p.Event(t.Context(), "event") }
	if n := testing.AllocsPerRun(100, event); n != 0 {
		t.Errorf("%v allocations without an experiment", n)
	}

	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("other")}})
		event := func() { r.program.Event(t.Context(), "event") }
		if n := testing.AllocsPerRun(100, event); n != 0 {
			t.Errorf("%v allocations with an experiment that is bound to another name", n)
		}
		if records := r.end(); len(records) != 0 {
			t.Errorf("records:\n%s", texts(records))
		}
	})
}

// flaky is a listener that has no place for connections at first, and never for good.
type flaky struct {
	net.Listener
	failures int
}

func (f *flaky) Accept() (net.Conn, error) {
	if f.failures--; f.failures >= 0 {
		return nil, &net.OpError{Op: "accept", Err: temporary{}}
	}
	return f.Listener.Accept()
}

type temporary struct{}

func (temporary) Error() string   { return "too many open files" }
func (temporary) Temporary() bool { return true }
func (temporary) Timeout() bool   { return false }

// A listener that fails for a while goes on, and one that does not stop failing ends.
func TestLineServerAccepts(t *testing.T) {
	for _, tt := range []struct {
		failures int
		goesOn   bool
	}{{2, true}, {1000, false}} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Skip(err)
		}
		r := begin(t, newFake(nil), experiment.Options{
			Bindings: []experiment.Binding{bound("*")},
			Events: []experiment.EventSource{
				experiment.LineServer{Name: "server", Listener: &flaky{listener, tt.failures}},
			},
		})
		if !tt.goesOn {
			for r.Status().Events[0].Err == nil {
				time.Sleep(time.Millisecond)
			}
			if got := r.Status().Events[0].Err.Error(); !strings.Contains(got, "too many open files") {
				t.Errorf("error %s", got)
			}
			must(t, r.Detach(t.Context()))
			continue
		}

		c, err := net.Dial("tcp", listener.Addr().String())
		must(t, err)
		fmt.Fprintln(c, "point")
		if answer, _ := bufio.NewReader(c).ReadString('\n'); answer != "ok\n" {
			t.Errorf("answer %q", answer)
		}
		must(t, c.Close())
		if got := texts(r.end()); got != "point point Ticks=2 Work=10\n" {
			t.Errorf("records:\n%s", got)
		}
	}
}

// bomb is a value that cannot be told without harm.
type bomb struct{ in int }

func (b bomb) LogValue() slog.Value {
	if b.in == 0 {
		panic("boom")
	}
	return slog.GroupValue(slog.Any("again", b))
}

// Whatever a program gives as attributes, the event has a record that can be written and read.
func TestHostileAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		r.program.Event(t.Context(), "\xff\x00\n\"", slog.String("\xfe", "\xff"), slog.Any("panics", bomb{}),
			slog.Any("endless", bomb{1}), slog.Float64("none", math.NaN()), slog.Any("nil", nil), slog.Any("", []int{1}), slog.Attr{})
		records := r.end()
		if len(records) != 1 || records[0].Err != "" {
			t.Fatalf("records:\n%s", texts(records))
		}
		back, err := experiment.ParseRecord(records[0].AppendJSON(nil))
		if err != nil || back.Event.Name != "\ufffd\x00\n\"" || len(back.Event.Attrs) != len(records[0].Event.Attrs) {
			t.Errorf("error %v, event %+v", err, back.Event)
		}
	})
}

// What an event has no space for is counted, in groups, too.
func TestManyAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		many, group := []slog.Attr{{}}, []any{}
		for i := range 10_000 {
			many, group = append(many, slog.Int("n", i)), append(group, slog.Int("n", i))
		}
		r.program.Event(t.Context(), "all", many[:129]...) // one is none
		r.program.Event(t.Context(), "many", append(many, slog.Group("g", group...))...)
		want := []string{"code all n=127", "code many n=127 attributes left out=19872"}
		for i, rec := range r.end() {
			rec.Event.Attrs = rec.Event.Attrs[127:]
			if diff := cmp.Diff(want[i], names([]*experiment.Record{rec}, "n", "attributes left out")[0]); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// What happens within regions of several programs is a part of that of its own program.
func TestRegionsOfPrograms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		two := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		ctx, outer := one.program.Region(t.Context(), "outer")
		two.program.Event(ctx, "alone")
		ctx, inner := two.program.Region(ctx, "inner")
		one.program.Event(ctx, "of outer")
		two.program.Event(ctx, "of inner")
		inner.End()
		outer.End()

		var got []string
		for _, rec := range append(one.end(), two.end()...) {
			got = append(got, fmt.Sprint(rec.Event.ID, " ", rec.Event.Name, " in ", rec.Event.Parent))
		}
		want := []string{"2 of outer in 1", "1 outer in 0", "1 alone in 0", "3 of inner in 2", "2 inner in 0"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
