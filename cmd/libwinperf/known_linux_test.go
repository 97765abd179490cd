package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider"
)

var (
	system = &provider.Object{Index: 2, Name: "System", Counters: []provider.Counter{
		{Index: 248, Name: "Processes", Type: counter.RawCount},
	}}
	process = &provider.Object{Index: 230, Name: "Process", Multi: true, Counters: []provider.Counter{
		{Index: 6, Name: "% Processor Time", Type: counter.Timer100NSec},
		{Index: 784, Name: "ID Process", Type: counter.RawCount},
		{Index: 180, Name: "Working Set", Type: counter.LargeRawCount},
		{Index: 4000, Name: "Big", Type: counter.LargeRawCount},
	}}
	// What counts is another program from then on, whose values are others.
	retypedProcess = &provider.Object{Index: 230, Name: "Process", Multi: true, Counters: []provider.Counter{
		{Index: 6, Name: "% Processor Time", Type: counter.LargeRawCount},
		{Index: 784, Name: "ID Process", Type: counter.LargeRawCount},
		{Index: 180, Name: "Working Set", Type: counter.RawCount},
		{Index: 4000, Name: "Big", Type: counter.Timer100NSec},
	}}
)

// known is a record of two samples, a second apart from 2024-01-01 on, whose values the callers' own
// tests know. The process editor is busy all the time.
func known(t *testing.T) string { return samples(t, process, process) }

// changed is known with a third sample, in which the process worker has come, and a fourth one, in which the
// process before it has left.
func changed(t *testing.T) string { return samples(t, process, process, process, process) }

// retyped is known, but in its second sample the counters of processes have other types than in the first.
func retyped(t *testing.T) string { return samples(t, process, retypedProcess) }

// samples is a record of samples that hold an object of processes each.
func samples(t *testing.T, of ...*provider.Object) string {
	t.Helper()
	var blocks [][]byte
	for n, process := range of {
		blocks = append(blocks, knownBlock(int64(n), process))
	}

	var names strings.Builder
	for _, o := range []*provider.Object{system, process} {
		fmt.Fprintf(&names, "%d\t%s\n", o.Index, o.Name)
		for i := range o.Counters {
			fmt.Fprintf(&names, "%d\t%s\n", o.Counters[i].Index, o.Counters[i].Name)
		}
	}
	return recordNamed(t, names.String(), blocks...)
}

func knownBlock(second int64, process *provider.Object) []byte {
	const epoch, perSecond = 133_485_408_000_000_000, 10_000_000
	clocks := func() counter.Clocks {
		return counter.Clocks{PerfTime: second * 1000, PerfFreq: 1000, Time100ns: epoch + second*perSecond}
	}
	d, err := provider.NewDispatcher(provider.Options{
		Machine: "HOST", Clocks: clocks, OnProblem: func(p provider.Problem) { panic(p.Err) },
	}, knownValues{uint64(second * perSecond), process})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	b, err := d.Collect(context.Background(), &provider.Query{Global: true}, nil)
	if err != nil {
		panic(err)
	}
	return b
}

// knownValues provides the values of a moment.
type knownValues struct {
	at      uint64 // in 100 ns since the first sample
	process *provider.Object
}

func (v knownValues) Name() string                                   { return "test" }
func (v knownValues) Open(context.Context) (provider.Session, error) { return v, nil }
func (v knownValues) Close() error                                   { return nil }
func (v knownValues) Objects() []*provider.Object                    { return []*provider.Object{system, v.process} }

func (v knownValues) Collect(_ context.Context, _ *provider.Query, out *provider.Writer) error {
	layout, err := provider.NewLayout(system, nil)
	if err != nil {
		return err
	}
	ow := out.Object(layout)
	ow.Set(0, 2)
	ow.End()

	if layout, err = provider.NewLayout(v.process, nil); err != nil {
		return err
	}
	ow = out.Object(layout)
	for _, in := range v.processes() {
		ow.Instance(provider.Instance{Name: in.name})
		for k, value := range in.values {
			ow.Set(k, value)
		}
	}
	ow.End()
	return nil
}

// instance is a process with the values of its counters.
type instance struct {
	name   string
	values []uint64
}

func (v knownValues) processes() []instance {
	all := []instance{
		{"editor", []uint64{v.at, 3_000_000_000, 1 << 40, 1<<63 + 1}},
		{"größer", []uint64{0, 13, 1<<53 + 1, 0}},
	}
	if v.at >= 20_000_000 { // from the third sample on
		all = append(all, instance{"worker", []uint64{1, 14, 15, 16}})
	}
	if v.at >= 30_000_000 { // from the fourth sample on
		all = slices.Delete(all, 1, 2)
	}
	return all
}

// odd is a record of an object that is a thing itself, with a text, a heading and a help text.
func odd(t *testing.T) string {
	t.Helper()
	o := perfdata.Object{Title: 300, Help: 301, Form: perfdata.Single, Counters: []perfdata.Counter{
		{Title: 302, Help: 303, Type: counter.CounterText, Size: 12, Offset: 8},
		{Title: 304, Help: 305, Type: counter.NoData},
		{Title: 306, Help: 307, Type: counter.RawCount, Size: 4, Offset: 4},
	}}
	if _, err := o.AddInstance(""); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.SetText(0, 0, "größe"), o.SetValue(0, 2, 7)); err != nil {
		t.Fatal(err)
	}
	b, err := (&perfdata.Block{Objects: []perfdata.Object{o}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return recordNamed(t, "300\tOdd\n301\tIs odd.\n302\tText\n303\tTells it.\n304\tHeading\n306\tNumber\n", b, b, b)
}
