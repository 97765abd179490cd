package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// recorder is a provider that notes what it is asked for. The value of every
// counter is its title index.
type recorder struct {
	objects []*provider.Object
	asked   []provider.Query
	fail    error
	open    int
}

func (r *recorder) Name() string                { return "recorder" }
func (r *recorder) Objects() []*provider.Object { return r.objects }

func (r *recorder) Open(context.Context) (provider.Session, error) {
	r.open++
	return r, nil
}

func (r *recorder) Close() error {
	r.open--
	return nil
}

func (r *recorder) Collect(_ context.Context, q *provider.Query, w *provider.Writer) error {
	r.asked = append(r.asked, *q)
	if r.fail != nil {
		return r.fail
	}
	for _, o := range r.objects {
		if !q.Includes(o) {
			continue
		}
		layout, err := provider.NewLayout(o, nil)
		if err != nil {
			return err
		}
		if q.Metadata {
			w.Definitions(layout)
			continue
		}
		ow := w.Object(layout)
		if o.Multi {
			ow.Instance(provider.Instance{Name: "one"})
		}
		for i := range o.Counters {
			if q.IncludesCounter(o, i) {
				ow.Set(i, uint64(o.Counters[i].Index))
			}
		}
		ow.End()
	}
	return nil
}

// object declares an object of raw counts; each name stands for the next title
// index.
func object(index uint32, name string, counters ...string) *provider.Object {
	o := &provider.Object{Index: index, Name: name}
	for i, c := range counters {
		o.Counters = append(o.Counters, provider.Counter{Index: index + 2*uint32(i+1), Name: c, Type: counter.RawCount})
	}
	return o
}

// hostObjects are Memory 100 (Free 102, Used 104, Used Peak 106), Process 200
// (Used 202, Id 204) and the costly Thread 300 (Id 302) and Threat 400 (Id 402).
func hostObjects() []*provider.Object {
	process, thread, threat := object(200, "Process", "CPU", "Id"), object(300, "Thread", "State"), object(400, "Threat", "Level")
	process.Multi, thread.Multi, threat.Multi = true, true, true
	thread.Costly, threat.Costly = true, true
	return []*provider.Object{object(100, "Memory", "Free", "Used", "Used Peak"), process, thread, threat}
}

// open opens a source over a recorder.
func open(t *testing.T, opt Options) (*source, *recorder) {
	t.Helper()
	r := &recorder{objects: hostObjects()}
	s, err := newSource(host{
		machine:  "HOST",
		dispatch: provider.Options{Clocks: func() counter.Clocks { return counter.Clocks{PerfFreq: 1} }},
		provider: r,
	}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, r
}

func parse(t *testing.T, texts ...string) (paths []winperf.Path) {
	t.Helper()
	for _, text := range texts {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}

// sample takes one sample and decodes it.
func sample(t *testing.T, q winperf.Query) frame.Frame {
	t.Helper()
	var pool frame.Pool
	var sample winperf.Sample
	if err := q.Next(t.Context(), &sample); err != nil {
		t.Fatal(err)
	}
	f, err := pool.Decode(&sample, frame.Frame{})
	if err != nil || len(f.Damage()) > 0 {
		t.Fatal(err, f.Damage())
	}
	return f
}

// What reaches the provider: objects and, where not all of them are wanted,
// counters.
func TestCompile(t *testing.T) {
	type hint = map[uint32][]uint32
	tests := []struct {
		name    string
		paths   []string
		sel     winperf.Selection
		query   string
		without []uint32
		hint    hint
	}{
		{name: "nothing", query: ""},
		{name: "one counter", paths: []string{`\Memory\Used`}, query: "100", hint: hint{100: {104}}},
		{name: "in any case", paths: []string{`\\host\MEMORY\used`}, query: "100", hint: hint{100: {104}}},
		{
			name: "several counters, each once", paths: []string{`\Memory\Used`, `\Memory\Free`, `\Memory\Used`, `\Process(a)\CPU`, `\Process(b)\CPU`},
			query: "100 200", hint: hint{100: {102, 104}, 200: {202}},
		},
		{name: "wildcard in the counter", paths: []string{`\Memory\Used*`}, query: "100", hint: hint{100: {104, 106}}},
		{name: "all counters", paths: []string{`\Memory\*`, `\Memory\Used`}, query: "100", hint: hint{100: {102, 104, 106}}},
		{name: "all counters of all objects", paths: []string{`\*(*)\*`}, query: "100 200", hint: hint{}},
		{name: "all counters of some objects and of one", paths: []string{`\*o*(*)\*`, `\Process(*)\*`}, query: "100 200", hint: hint{200: {202, 204}}},
		{name: "all counters one by one", paths: []string{`\Process(*)\Id`, `\Process(x)\CPU`}, query: "200", hint: hint{200: {202, 204}}},
		{name: "wildcard in the object", paths: []string{`\*(*)\Id`}, query: "100 200", hint: hint{100: nil, 200: {204}}},
		{name: "by title index", paths: []string{`\#100\#106`}, query: "100", hint: hint{100: {106}}},
		{name: "a counter that there is not", paths: []string{`\Memory\Nothing`}, query: "100", hint: hint{100: nil}},
		{name: "an object that there is not", paths: []string{`\Nothing\Used`}, query: "", hint: hint{}},
		{name: "costly by its name", paths: []string{`\Thread(*)\State`}, query: "300", hint: hint{300: {302}}},
		{name: "costly by its index", paths: []string{`\#300(*)\Stat?`, `\Thread(*)\Nothing`}, query: "300", hint: hint{300: {302}}},
		{name: "costly by a wildcard", paths: []string{`\Thr*(*)\*`}, query: "", hint: hint{}},
		{
			name: "whole object", paths: []string{`\Memory\Used`}, sel: winperf.Selection{Objects: []winperf.ObjectID{{Index: 300}, {Index: 100}, {Index: 999}}},
			query: "100 300", hint: hint{100: {102, 104, 106}, 300: {302}},
		},
		{name: "global", sel: winperf.Selection{Global: true}, query: "Global", hint: hint{}},
		{
			name: "global and paths", paths: []string{`\Memory\Used`, `\Process(*)\Id`}, sel: winperf.Selection{Global: true},
			query: "Global", hint: hint{},
		},
		{
			name: "global and all counters of one", paths: []string{`\Memory\*`}, sel: winperf.Selection{Global: true},
			query: "Global", hint: hint{100: {102, 104, 106}},
		},
		{
			name: "global without an object", sel: winperf.Selection{Global: true, Unneeded: []winperf.ObjectID{{Index: 200}}},
			query: "Global", without: []uint32{200}, hint: hint{},
		},
		{
			name: "global with a counter of an object that it need not include", paths: []string{`\Process(*)\CPU`, `\Memory\Used`},
			sel:   winperf.Selection{Global: true, Unneeded: []winperf.ObjectID{{Index: 200}}},
			query: "Global 200", without: []uint32{200}, hint: hint{200: {202}},
		},
		{
			name: "costly and paths", paths: []string{`\Memory\Used`, `\Thread(*)\Nothing`}, sel: winperf.Selection{Costly: true},
			query: "Costly 100", hint: hint{100: {104}},
		},
		{
			name: "definitions", paths: []string{`\Memory\Used`}, sel: winperf.Selection{Global: true, Metadata: true},
			query: "MetadataGlobal", hint: hint{},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, r := open(t, Options{})
			tt.sel.Paths = parse(t, tt.paths...)
			q, err := s.Compile(t.Context(), tt.sel)
			if err != nil {
				t.Fatal(err)
			}
			f := sample(t, q)
			if tt.query == "" {
				if len(r.asked) != 0 || f.NumObjects() != 0 {
					t.Errorf("asked %v, %d objects", r.asked, f.NumObjects())
				}
				return
			}
			if len(r.asked) != 1 {
				t.Fatalf("asked %d times", len(r.asked))
			}
			if got := r.asked[0].String(); got != tt.query {
				t.Errorf("query %q, want %q", got, tt.query)
			}
			if diff := cmp.Diff(tt.without, r.asked[0].Unneeded); diff != "" {
				t.Errorf("unneeded objects (-want +got):\n%s", diff)
			}
			if _, has := f.Find(winperf.ObjectID{Index: 200}); len(tt.without) > 0 && len(tt.paths) == 0 && has {
				t.Error("the sample has an object that it need not include")
			}
			if diff := cmp.Diff(tt.hint, r.asked[0].Counters); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
		})
	}
}

// Values of counters that nobody asked about are missing, not zero.
func TestSample(t *testing.T) {
	s, _ := open(t, Options{})
	q, err := s.Compile(t.Context(), winperf.Selection{Paths: parse(t, `\Memory\Used`, `\Process(one)\*`)})
	if err != nil {
		t.Fatal(err)
	}
	f := sample(t, q)
	if format := f.Object(0).Block().Format; f.Machine() != "HOST" || format != winperf.FormatV1 {
		t.Errorf("machine %q, format %d", f.Machine(), format)
	}
	got := map[uint32]uint64{}
	for o := range f.Objects() {
		for k := range o.NumCounters() {
			if v, ok := o.Raw(0, k); ok {
				got[o.Counter(k).ID.Index] = v
			}
		}
	}
	if diff := cmp.Diff(map[uint32]uint64{104: 104, 202: 202, 204: 204}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

func TestMetadata(t *testing.T) {
	s, _ := open(t, Options{})
	q, err := s.Compile(t.Context(), winperf.Selection{Global: true, Costly: true, Metadata: true})
	if err != nil {
		t.Fatal(err)
	}
	f := sample(t, q)
	if n := f.NumObjects(); n != 4 {
		t.Errorf("%d objects, want 4", n)
	}
	for o := range f.Objects() {
		if !o.Metadata() || o.Len() != 0 {
			t.Errorf("object %d: metadata %v, %d instances", o.ID().Index, o.Metadata(), o.Len())
		}
	}
}

func TestForeignMachine(t *testing.T) {
	s, _ := open(t, Options{})
	if name := s.Describe().Machine; name != "HOST" {
		t.Errorf("machine %q", name)
	}
	q, err := s.Compile(t.Context(), winperf.Selection{Paths: parse(t, `\Memory\Used`, `\\other\Memory\Used`)})
	if !errors.Is(err, winperf.ErrNoMachine) || q != nil {
		t.Fatalf("error %v", err)
	}
	for _, word := range []string{`\\other\Memory\Used`, "HOST"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not name %s", err, word)
		}
	}
}

func TestSchema(t *testing.T) {
	s, _ := open(t, Options{Providers: []provider.Provider{&recorder{objects: []*provider.Object{object(500, "Shop", "Orders")}}}})
	schema, err := s.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(schema.Costly, []uint32{300, 400}) || schema.Interface != "local" || len(schema.Damage) != 0 {
		t.Errorf("costly %v, interface %q, damage %v", schema.Costly, schema.Interface, schema.Damage)
	}
	names, damage := nametable.FromSchema(schema)
	for index, want := range map[uint32]string{100: "Memory", 106: "Used Peak", 400: "Threat", 502: "Orders"} {
		if got := names.Title(index); got != want {
			t.Errorf("name of %d is %q, want %q", index, got, want)
		}
	}
	if len(damage) > 0 || !slices.Equal(names.Languages(), []string{nametable.English}) {
		t.Errorf("damage %v, languages %v", damage, names.Languages())
	}
}

// A provider that fails costs its own objects, and somebody is told.
func TestProblem(t *testing.T) {
	var problems []provider.Problem
	broken := &recorder{objects: []*provider.Object{object(500, "Shop", "Orders")}, fail: errors.New("scripted")}
	s, _ := open(t, Options{Providers: []provider.Provider{broken}, OnProblem: func(p provider.Problem) { problems = append(problems, p) }})
	q, err := s.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	f := sample(t, q)
	if _, ok := f.Find(winperf.ObjectID{Index: 500}); ok || f.NumObjects() != 2 {
		t.Errorf("%d objects, want the host's 2", f.NumObjects())
	}
	if len(problems) != 1 || !errors.Is(problems[0].Err, broken.fail) || problems[0].Provider != "recorder" {
		t.Errorf("problems %v", problems)
	}
}

// A sample without the objects of a provider that was late says so, as long as they are missing.
func TestLate(t *testing.T) {
	slow := &recorder{objects: []*provider.Object{object(500, "Shop", "Orders")}, fail: context.DeadlineExceeded}
	s, _ := open(t, Options{Providers: []provider.Provider{slow}})
	q, err := s.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	var sample winperf.Sample
	for n := range 2 { // the second one is in the pause, or late again
		if err := q.Next(t.Context(), &sample); err != nil || !errors.Is(sample.Parts[0].Err, slow.fail) {
			t.Errorf("sample %d: %v, %v", n, sample.Parts[0].Err, err)
		}
	}

	memory := compileMemory(t, s)
	if err := memory.Next(t.Context(), &sample); err != nil || sample.Parts[0].Err != nil {
		t.Errorf("without the object: %v, %v", sample.Parts[0].Err, err)
	}
}

// Failures are anomalies of the source: each is told once, and the oldest are
// forgotten.
func TestAnomalies(t *testing.T) {
	broken := &recorder{objects: []*provider.Object{object(500, "Shop", "Orders")}, fail: errors.New("scripted")}
	s, _ := open(t, Options{Providers: []provider.Provider{broken}})
	src := s.Describe()
	if list, n := src.Anomalies(nil, 0); len(list) != 0 || n != 0 {
		t.Errorf("%d anomalies, %v, before anything happened", n, list)
	}
	q, err := s.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	sample(t, q)
	list, n := src.Anomalies(nil, 0)
	if len(list) != 1 || n != 1 {
		t.Fatalf("%d anomalies, %v, want one", n, list)
	}
	a := list[0]
	if a.Kind != winperf.ProviderFailed || !errors.Is(a.Err, broken.fail) || !a.Time.Equal(winperf.FromFiletime(0)) {
		t.Errorf("anomaly %+v", a)
	}
	if want := "provider_failed: provider recorder: collect: failure 1: "; !strings.HasPrefix(a.String(), want) || a.Action != "not asked for 100ms" {
		t.Errorf("anomaly %q, want one that begins with %q", a, want)
	}
	if list, n = src.Anomalies(list, n); len(list) != 1 || n != 1 {
		t.Errorf("the same anomaly again: %d, %v", n, list)
	}
	for range maxTroubles {
		s.troubles.add(provider.Problem{Stage: "close"})
	}
	list, n = src.Anomalies(nil, 0)
	if len(list) != maxTroubles || n != maxTroubles+1 || list[0].Err != nil || list[0].Action != "" {
		t.Errorf("%d anomalies of %d, the first %+v", len(list), n, list[0])
	}
	if list, n = src.Anomalies(nil, n-2); len(list) != 2 || n != maxTroubles+1 {
		t.Errorf("%d anomalies of %d, want the last 2", len(list), n)
	}
	if list, n = src.Anomalies(nil, n+5); len(list) != 0 || n != maxTroubles+1 {
		t.Errorf("%d anomalies of %d behind the last", len(list), n)
	}
}

// A sample that lacks the host's objects, as their provider failed, tells that
// once, and so does every other query under way; one that comes later does not.
func TestFailureIsDamage(t *testing.T) {
	s, r := open(t, Options{})
	first, second := compileMemory(t, s), compileMemory(t, s)
	var sample winperf.Sample
	damage := func(q winperf.Query) string {
		t.Helper()
		if err := q.Next(t.Context(), &sample); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(sample.Damage)
	}

	if got := damage(first); got != "[]" {
		t.Errorf("damage %s of a whole sample", got)
	}
	r.fail = errors.New("out of order")
	const want = "[provider recorder: collect: failure 1: out of order]"
	if got := damage(first); got != want {
		t.Errorf("damage %s, want %s", got, want)
	}
	if got := damage(first); got != "[]" {
		t.Errorf("damage %s is told again", got)
	}
	if got := damage(second); got != want {
		t.Errorf("damage %s of the other query, want %s", got, want)
	}
	if got := damage(compileMemory(t, s)); got != "[]" {
		t.Errorf("damage %s of a later query", got)
	}
	if list, _ := s.Describe().Anomalies(nil, 0); len(list) != 1 {
		t.Errorf("anomalies %v", list)
	}

	// What may not be read has a status of its own.
	s, r = open(t, Options{})
	r.fail = fs.ErrPermission
	if got := damage(compileMemory(t, s)); got != "[]" {
		t.Errorf("damage %s of what may not be read", got)
	}
}

func compileMemory(t *testing.T, s *source) winperf.Query {
	t.Helper()
	q, err := s.Compile(t.Context(), winperf.Selection{Paths: parse(t, `\Memory\Free`)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func TestBadProvider(t *testing.T) {
	_, err := newSource(host{provider: &recorder{objects: hostObjects()}}, Options{Providers: []provider.Provider{&recorder{objects: []*provider.Object{object(100, "Memory", "Free")}}}})
	if !errors.Is(err, provider.ErrSchema) {
		t.Errorf("error %v", err)
	}
}

func TestClosed(t *testing.T) {
	s, r := open(t, Options{})
	q, err := s.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	sample(t, q)
	if r.open != 1 {
		t.Errorf("%d sessions are open", r.open)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if r.open != 0 {
		t.Errorf("%d sessions are still open", r.open)
	}
	if err := perftest.Take(t.Context(), q, &winperf.Raw{}); !errors.Is(err, winperf.ErrState) {
		t.Errorf("sample of a closed source: %v", err)
	}
}

func TestContextEnded(t *testing.T) {
	s, r := open(t, Options{})
	q, err := s.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := perftest.Take(ctx, q, &winperf.Raw{}); !errors.Is(err, context.Canceled) || len(r.asked) != 0 {
		t.Errorf("error %v after %d questions", err, len(r.asked))
	}
}
