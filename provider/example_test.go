package provider_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/provider"
)

// The two objects of a mail server. Title indices of an application's own
// begin above those of Windows.
var (
	mailObject = provider.Object{
		Index: 30000, Name: "Mail", Help: "The mail server as a whole.",
		Counters: []provider.Counter{
			{Index: 30002, Name: "Messages/sec", Help: "Messages taken in.", Type: counter.BulkCount},
			{Index: 30004, Name: "% Spool Used", Help: "Share of the spool's blocks that is taken.",
				Type: counter.RawFraction},
		},
	}
	queueObject = provider.Object{
		Index: 30006, Name: "Mail Queue", Help: "The queues of the mail server, by destination.", Multi: true,
		Counters: []provider.Counter{
			{Index: 30008, Name: "Messages", Help: "Messages that wait.", Type: counter.RawCount},
			{Index: 30010, Name: "Oldest", Help: "When the oldest message came, in Unix seconds.",
				Type: counter.LargeRawCount},
		},
	}
)

// mailServer is a provider. A larger one would do in Open what may fail.
type mailServer struct{ mail, queue *provider.Layout }

func (m *mailServer) Name() string { return "mail server" }

func (m *mailServer) Objects() []*provider.Object {
	return []*provider.Object{&mailObject, &queueObject}
}

func (m *mailServer) Open(context.Context) (s provider.Session, err error) {
	if m.mail, err = provider.NewLayout(&mailObject, nil); err != nil {
		return nil, err
	}
	if m.queue, err = provider.NewLayout(&queueObject, nil); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *mailServer) Collect(_ context.Context, q *provider.Query, w *provider.Writer) error {
	if q.Includes(&mailObject) {
		o := w.Object(m.mail)
		o.Set(0, 12_345)
		o.Set(1, 64)
		o.SetBase(1, 256)
		o.End()
	}
	if q.Includes(&queueObject) {
		o := w.Object(m.queue)
		o.Instance(provider.Instance{Name: "example.org"})
		o.Set(0, 3)
		o.Set(1, 1_772_357_415)
		o.Instance(provider.Instance{Name: "example.com"})
		o.Set(0, 0) // an empty queue has no oldest message
		o.End()
	}
	return nil
}

func (m *mailServer) Close() error { return nil }

func Example() {
	d, err := provider.NewDispatcher(provider.Options{Machine: "MX1"}, &mailServer{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	block, err := d.Collect(context.Background(), provider.ParseQuery("Global"), nil)
	if err != nil {
		log.Fatal(err)
	}

	var pool frame.Pool
	f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: block}.Sample(), frame.Frame{})
	if err != nil {
		log.Fatal(err)
	}
	for o := range f.Objects() {
		for in := range o.Instances() {
			for k := range o.NumCounters() {
				value, ok := o.Raw(in.Position(), k)
				fmt.Printf("%d %-13q %d %v: %d %v\n", o.ID().Index, in.Name(), o.Counter(k).ID.Index,
					o.Counter(k).Type, value, ok)
			}
		}
	}
	// Output:
	// 30000 ""            30002 PERF_COUNTER_BULK_COUNT: 12345 true
	// 30000 ""            30004 PERF_RAW_FRACTION: 64 true
	// 30000 ""            0 PERF_RAW_BASE: 256 true
	// 30006 "example.org" 30008 PERF_COUNTER_RAWCOUNT: 3 true
	// 30006 "example.org" 30010 PERF_COUNTER_LARGE_RAWCOUNT: 1772357415 true
	// 30006 "example.com" 30008 PERF_COUNTER_RAWCOUNT: 0 true
	// 30006 "example.com" 30010 PERF_COUNTER_LARGE_RAWCOUNT: 0 false
}

// spool is a provider that cannot be opened.
type spool struct{}

func (spool) Name() string { return "spool" }

func (spool) Objects() []*provider.Object {
	return []*provider.Object{{Index: 30012, Name: "Spool", Counters: []provider.Counter{
		{Index: 30014, Name: "Files", Type: counter.RawCount},
	}}}
}

func (spool) Open(context.Context) (provider.Session, error) {
	return nil, errors.New("no such directory")
}

func ExampleProblem() {
	tell := func(p provider.Problem) {
		fmt.Printf("%s: %s: %v; failed %d times, is left alone for %v\n", p.Provider, p.Stage, p.Err,
			p.Total, p.Pause)
	}
	d, err := provider.NewDispatcher(provider.Options{OnProblem: tell}, spool{}, &mailServer{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	for range 3 { // the mail server's objects come each time
		if _, err := d.Collect(context.Background(), provider.ParseQuery("Global"), nil); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// spool: open: no such directory; failed 1 times, is left alone for 100ms
}

func ExampleParseQuery() {
	for _, text := range []string{"Global", " 230 2  230", "Foreign HOST", "2 Process"} {
		fmt.Printf("%+v\n", *provider.ParseQuery(text))
	}
	// Output:
	// {Global:true Costly:false Metadata:false Objects:[] Unneeded:[] Counters:map[]}
	// {Global:false Costly:false Metadata:false Objects:[2 230] Unneeded:[] Counters:map[]}
	// {Global:false Costly:false Metadata:false Objects:[] Unneeded:[] Counters:map[]}
	// {Global:false Costly:false Metadata:false Objects:[] Unneeded:[] Counters:map[]}
}

// A counter that this system does not have is left out of the layout, and
// writing it is passed over.
func ExampleNewLayout() {
	l, err := provider.NewLayout(&mailObject, func(i int) bool { return i != 1 })
	if err != nil {
		log.Fatal(err)
	}
	for i, c := range l.Object().Counters {
		fmt.Println(c.Name, l.Has(i))
	}
	_, err = provider.NewLayout(&provider.Object{Index: 30001, Name: "Odd"}, nil)
	fmt.Println(err)
	// Output:
	// Messages/sec true
	// % Spool Used false
	// object "Odd" (index 30001): title index is not an even number above 0: bad counter declaration
}
