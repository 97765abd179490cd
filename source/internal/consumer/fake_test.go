package consumer

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
)

// fake is a machine with counter sets. It behaves as perflib.h's functions are
// documented, and badly where a test says so.
type fake struct {
	mu      sync.Mutex
	sets    []*fakeSet
	queries map[uintptr][]counterset.Identifier
	last    uintptr
	clock   time.Time
	calls   map[string]int
	// fail gives a call its result instead of the machine's own, if it is not nil.
	fail func(call string, n int) error
	// hang is waited for by queryData, if it is not nil.
	hang chan struct{}
	// hanging is closed when it is.
	hanging chan struct{}
	// grow is how often data turns out to need more.
	grow int
	// mend changes the data of a sample.
	mend func([]byte) []byte
	// german is whether texts are there in German.
	german bool
	// texts replaces the answer to a request for texts.
	texts map[uint32][]byte
}

// fakeSet is a registered counter set, with a provider if it has instances.
type fakeSet struct {
	info      counterset.Info
	name      string
	running   bool
	instances []counterset.InstanceName
	value     func(i int, id uint32) counterset.Value
	refuse    counterset.Status
}

func fakeCounter(id uint32, t counter.Type) counterset.CounterInfo {
	const none = counterset.None
	return counterset.CounterInfo{ID: id, Type: t, Detail: 100, Base: none, PerfTime: none, PerfFreq: none,
		Multi: none}
}

var (
	disks = winperf.GUID{1}
	clock = winperf.GUID{2}
	dead  = winperf.GUID{3}
)

// newFake is a machine with three sets: one with instances, one without, and one
// whose provider does not run.
func newFake() *fake {
	f := &fake{queries: map[uintptr][]counterset.Identifier{}, calls: map[string]int{},
		clock: time.Unix(1_700_000_000, 0)}
	value := func(i int, id uint32) counterset.Value {
		return counterset.Value{Size: 8, Bits: uint64(1000*i) + uint64(id) +
			uint64(f.clock.Unix()-1_700_000_000)*10}
	}
	f.sets = []*fakeSet{
		{
			name: "Disk", running: true, value: value,
			info: counterset.Info{GUID: disks, Detail: 100, InstanceType: counterset.FlagMultiple,
				Counters: []counterset.CounterInfo{
					fakeCounter(1, counter.LargeRawCount), fakeCounter(2, counter.BulkCount),
				}},
			instances: []counterset.InstanceName{{Name: "C:", ID: 1}, {Name: "D:", ID: 2},
				{Name: "_Total", ID: 3}},
		},
		{
			name: "Clock", running: true, value: value, instances: []counterset.InstanceName{{}},
			info: counterset.Info{GUID: clock, Detail: 100,
				Counters: []counterset.CounterInfo{fakeCounter(7, counter.LargeRawCount)}},
		},
		{
			name: "Dead", info: counterset.Info{GUID: dead, InstanceType: counterset.FlagMultiple,
				Counters: []counterset.CounterInfo{
					fakeCounter(1, counter.RawCount),
				}},
		},
	}
	return f
}

// source opens the fake as a source.
func (f *fake) source(opt Options) (*source, error) { return open(f.table(), opt) }

// table are the fake's functions.
func (f *fake) table() *calls {
	return &calls{
		enumerateSets:      f.enumerateSets,
		registrationInfo:   f.registrationInfo,
		enumerateInstances: f.enumerateInstances,
		openQuery:          f.openQuery,
		closeQuery:         f.closeQuery,
		addCounters:        f.addCounters,
		queryInfo:          f.queryInfo,
		queryData:          f.queryData,
		computerName:       func() (string, error) { return "HOST", f.called("computerName") },
		uiLanguage:         func() (uint16, error) { return 0x407, f.called("uiLanguage") },
		now: func() time.Time {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.clock
		},
	}
}

// called counts a call and returns the error that the test wants.
func (f *fake) called(call string) error {
	f.calls[call]++
	if f.fail != nil {
		return f.fail(call, f.calls[call])
	}
	return nil
}

// give copies b as the functions do.
func give(buf, b []byte) (int, error) {
	if len(b) > len(buf) {
		return len(b), counterset.NotEnoughMemory
	}
	return copy(buf, b), nil
}

func (f *fake) enumerateSets(_ string, ids []winperf.GUID) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("enumerateSets"); err != nil {
		return 0, err
	}
	if len(ids) < len(f.sets) {
		return len(f.sets), counterset.NotEnoughMemory
	}
	for i, s := range f.sets {
		ids[i] = s.info.GUID
	}
	return len(f.sets), nil
}

func (f *fake) set(id winperf.GUID) *fakeSet {
	at := slices.IndexFunc(f.sets, func(s *fakeSet) bool { return s.info.GUID == id })
	if at < 0 {
		return nil
	}
	return f.sets[at]
}

func (f *fake) registrationInfo(_ string, id *winperf.GUID, code, lang uint32, buf []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("registrationInfo"); err != nil {
		return 0, err
	}
	s := f.set(*id)
	if s == nil {
		return 0, counterset.GUIDNotFound
	}
	if b, ok := f.texts[code]; ok {
		return give(buf, b)
	}
	prefix := ""
	switch {
	case code == counterset.RegCounter:
	case lang == 0x407 && f.german:
		prefix = "Deutsch "
	case lang != 0:
		return 0, counterset.InvalidParameter
	}
	text := func(s string) (int, error) {
		b, err := counterset.AppendString(nil, prefix+s)
		if err != nil {
			return 0, err
		}
		return give(buf, b)
	}
	all := func(kind string) (int, error) {
		var list []counterset.CounterString
		for _, c := range s.info.Counters {
			list = append(list, counterset.CounterString{ID: c.ID,
				Text: prefix + kind + string(rune('0'+c.ID))})
		}
		b, err := counterset.AppendStrings(nil, list)
		if err != nil {
			return 0, err
		}
		return give(buf, b)
	}
	switch code {
	case counterset.RegCounterSet:
		return give(buf, counterset.AppendInfo(nil, &s.info))
	case counterset.RegCounter:
		for _, c := range s.info.Counters {
			if c.ID == lang {
				return give(buf, counterset.AppendCounterInfo(nil, c))
			}
		}
		return 0, counterset.ItemNotFound
	case counterset.RegName, counterset.RegEnglishName:
		return text(s.name)
	case counterset.RegHelp:
		return text("Help on " + s.name)
	case counterset.RegCounterNames, counterset.RegEnglishCounter:
		return all("Counter ")
	case counterset.RegCounterHelps:
		return all("Help on counter ")
	case counterset.RegProviderName:
		return text("Provider")
	case counterset.RegProviderGUID:
		return give(buf, bytes.Repeat([]byte{9}, 16))
	}
	return 0, counterset.InvalidParameter
}

func (f *fake) enumerateInstances(_ string, id *winperf.GUID, buf []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("enumerateInstances"); err != nil {
		return 0, err
	}

	s := f.set(*id)
	switch {
	case s == nil || !s.running:
		return 0, counterset.GUIDNotFound
	case s.refuse != counterset.Success:
		return 0, s.refuse
	}
	var b []byte
	for _, in := range s.instances {
		b, _ = counterset.AppendInstance(b, in)
	}
	if f.mend != nil {
		b = f.mend(b)
	}
	return give(buf, b)
}

func (f *fake) openQuery(string) (uintptr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("openQuery"); err != nil {
		return 0, err
	}
	f.last++
	f.queries[f.last] = nil
	return f.last, nil
}

func (f *fake) closeQuery(query uintptr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("closeQuery"); err != nil {
		return err
	}
	if _, open := f.queries[query]; !open {
		return counterset.InvalidParameter
	}
	delete(f.queries, query)
	return nil
}

// stamp writes status and index into identifiers.
func stamp(b []byte, i int, status counterset.Status, index uint32) []byte {
	ids, _ := counterset.ParseIdentifiers(b)
	var out []byte
	for k, id := range ids {
		if k == i {
			id.Status, id.Index = status, index
		}
		out, _ = counterset.AppendIdentifier(out, id)
	}
	return out
}

func (f *fake) addCounters(query uintptr, b []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("addCounters"); err != nil {
		return err
	}
	ids, err := counterset.ParseIdentifiers(b)
	if err != nil {
		return counterset.InvalidParameter
	}
	for i, id := range ids {
		s, status := f.set(id.Set), counterset.Success
		switch {
		case s == nil || !s.running:
			status = counterset.GUIDNotFound
		case s.refuse != counterset.Success:
			status = s.refuse
		case s.info.Single() != (id.Instance == ""):
			status = counterset.InvalidParameter
		case slices.ContainsFunc(f.queries[query],
			func(o counterset.Identifier) bool { return sameQuery(o, id) }):
			status = counterset.AlreadyExists
		default:
			// The newest is first, as the order is not that of adding.
			f.queries[query] = slices.Insert(f.queries[query], 0, id)
		}
		copy(b, stamp(b, i, status, 0))
	}
	return nil
}

func (f *fake) queryInfo(query uintptr, buf []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("queryInfo"); err != nil {
		return 0, err
	}
	var b []byte
	for i, id := range f.queries[query] {
		id.Index = uint32(i)
		b, _ = counterset.AppendIdentifier(b, id)
	}
	return give(buf, b)
}

func (f *fake) queryData(query uintptr, buf []byte, n *uint32) error {
	f.mu.Lock()
	hang := f.hang
	f.mu.Unlock()
	if hang != nil {
		close(f.hanging)
		<-hang
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("queryData"); err != nil {
		return err
	}
	b := f.sample(f.queries[query])
	if f.grow > 0 {
		f.grow--
		*n = uint32(len(buf) + 1)
		return counterset.NotEnoughMemory
	}
	if f.mend != nil {
		b = f.mend(b)
	}
	size, err := give(buf, b)
	*n = uint32(size)
	return err
}

// data answers a query.
func (f *fake) sample(ids []counterset.Identifier) []byte {
	d := counterset.Data{Clocks: counter.Clocks{
		PerfTime: f.clock.UnixMicro(), PerfFreq: 1e6, Time100ns: winperf.ToFiletime(f.clock),
	}}
	for _, id := range ids {
		s := f.set(id.Set)
		if !s.running {
			d.Answers = append(d.Answers, counterset.Answer{Status: counterset.GUIDNotFound})
			continue
		}
		a := counterset.Answer{Form: counterset.FullSet}
		if s.info.Single() {
			a.Form = counterset.MultipleCounters
		}
		for _, c := range s.info.Counters {
			a.Counters = append(a.Counters, c.ID)
		}
		filter := winperf.CompilePattern(id.Instance)
		for i, in := range s.instances {
			if !filter.Match(in.Name) || id.InstanceID != counterset.Any && id.InstanceID != in.ID {
				continue
			}
			out := counterset.Instance{InstanceName: in}
			for _, c := range s.info.Counters {
				out.Values = append(out.Values, s.value(i, c.ID))
			}
			a.Instances = append(a.Instances, out)
		}
		d.Answers = append(d.Answers, a)
	}
	b, err := counterset.AppendData(nil, &d)
	if err != nil {
		panic(err)
	}
	return b
}

// tick lets time pass.
func (f *fake) tick(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock = f.clock.Add(d)
}

// failOnce fails the first call of a function.
func failOnce(function string, err error) func(string, int) error {
	return func(call string, n int) error {
		if call == function && n == 1 {
			return err
		}
		return nil
	}
}

// errorText is an error's text, "" for none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
