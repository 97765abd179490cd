package pdh

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/winapi"
)

// fake is a machine with PDH. Its language is German.
type fake struct {
	mu       sync.Mutex
	objects  []*fakeObject
	counters map[uintptr]*fakeHandle
	queries  map[uintptr]bool
	last     uintptr
	clock    time.Time
	ticks    int64
	count    map[string]int
	// fail gives a call its result instead of the machine's own, if it is not nil.
	fail func(call string, n int) error
	// hang is waited for by collect, if it is not nil.
	hang chan struct{}
	// hanging is closed when it is.
	hanging chan struct{}
	// grow is how often a buffer turns out to be too small although it is not.
	grow int
	// lie changes what a call says of its size.
	lie func(call string, size uint32) uint32
	// plain leaves the numbers of equal instances out of arrays.
	plain bool
}

type fakeObject struct {
	name, english string
	costly        bool
	multiple      bool
	instances     []string // with numbers
	counters      []fakeCounter
}

type fakeCounter struct {
	name, english string
	typ           counter.Type
	// raw is the value of instance i after some ticks.
	raw func(i int, ticks int64) winapi.PDH_RAW_COUNTER
}

type fakeHandle struct {
	object    *fakeObject
	counter   *fakeCounter
	instance  string
	collected int
}

const fakeFrequency = 1000

func newFake() *fake {
	rate := func(i int, ticks int64) winapi.PDH_RAW_COUNTER {
		return winapi.PDH_RAW_COUNTER{FirstValue: int64(i+1) * 10 * ticks, SecondValue: ticks * fakeFrequency}
	}
	return &fake{
		counters: map[uintptr]*fakeHandle{}, queries: map[uintptr]bool{}, count: map[string]int{}, last: 100,
		clock: time.Unix(1_700_000_000, 0),
		objects: []*fakeObject{
			{
				name: "Prozess", english: "Process", multiple: true,
				instances: []string{"idle", "svchost", "svchost#1", "a#b"},
				counters: []fakeCounter{
					{"E/A pro s", "IO/sec", counter.BulkCount, rate},
					{"Handles", "Handle Count", counter.RawCount,
						func(i int, ticks int64) winapi.PDH_RAW_COUNTER {
							return winapi.PDH_RAW_COUNTER{FirstValue: int64(100*i) + ticks}
						}},
				},
			},
			{
				name: "Speicher", english: "Memory",
				counters: []fakeCounter{
					{"Bytes", "Bytes", counter.LargeRawCount,
						func(_ int, ticks int64) winapi.PDH_RAW_COUNTER {
							return winapi.PDH_RAW_COUNTER{FirstValue: 1<<40 + ticks}
						}},
					{"Mittel", "Average", counter.AverageTimer,
						func(_ int, ticks int64) winapi.PDH_RAW_COUNTER {
							return winapi.PDH_RAW_COUNTER{FirstValue: 500 * ticks, SecondValue: 2 * ticks}
						}},
				},
			},
			{name: "Thread", english: "Thread", costly: true, multiple: true,
				counters: []fakeCounter{{"Nummer", "Number", counter.RawCount, rate}}},
		},
	}
}

func (f *fake) table() *calls {
	return &calls{
		openQuery: f.openQuery, closeQuery: f.closeQuery, collect: f.collect,
		addCounter: func(q uintptr, path string) (uintptr,
			error) {
			return f.add("addCounter", q, path, false)
		},
		addEnglish: func(q uintptr, path string) (uintptr,
			error) {
			return f.add("addEnglish", q, path, true)
		},
		removeCounter: func(c uintptr) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.counters, c)
			return f.called("removeCounter")
		},
		counterInfo: f.counterInfo, timeBase: f.timeBase, rawValue: f.rawValue, rawArray: f.rawArray,
		formatted: f.formatted, formattedArray: f.formattedArray,
		enumObjects: func(_ string, buf []uint16, detail uint32, _ bool) (uint32, error) {
			var names []string
			for _, o := range f.objects {
				if !o.costly || detail&winapi.PERF_DETAIL_COSTLY != 0 {
					names = append(names, o.name)
				}
			}
			return f.text("enumObjects", buf, append(names, "")...)
		},
		enumItems:    f.enumItems,
		computerName: func() (string, error) { return "HOST", f.called("computerName") },
		now:          func() time.Time { return f.clock },
	}
}

func (f *fake) called(call string) error {
	f.count[call]++
	if f.fail != nil {
		return f.fail(call, f.count[call])
	}
	return nil
}

// size is what a call says of its size, and whether that is too small.
func (f *fake) size(call string, need, room int) (uint32, error) {
	size := uint32(need)
	if f.lie != nil {
		size = f.lie(call, size)
	}
	if f.grow > 0 && room > 0 {
		f.grow--
		return uint32(room + 2), winapi.PDH_MORE_DATA
	}
	if need > room {
		return size, winapi.PDH_MORE_DATA
	}
	return size, nil
}

// text answers with texts, a NUL behind each.
func (f *fake) text(call string, buf []uint16, all ...string) (uint32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called(call); err != nil {
		return 0, err
	}
	var b []uint16
	for _, s := range all {
		b = append(append(b, utf16.Encode([]rune(s))...), 0)
	}
	copy(buf, b)
	return f.size(call, len(b), len(buf))
}

func (f *fake) enumItems(_, object string, counters, instances []uint16, _ uint32) (uint32, uint32, error) {
	o := f.find(object, false)
	if o == nil {
		return 0, 0, winapi.PDH_CSTATUS_NO_OBJECT
	}
	var c, i []string
	for k := range o.counters {
		c = append(c, o.counters[k].name)
	}
	for _, in := range o.instances {
		if !strings.Contains(in, "#") {
			i = append(i, in)
		}
	}
	nc, err1 := f.text("enumItems", counters, append(c, "")...)
	if !o.multiple {
		return nc, 0, err1
	}
	if len(i) == 0 {
		i = []string{""} // two NULs: it can have some, and has none
	}
	ni, err2 := f.text("enumItems", instances, append(i, "")...)
	if err1 == nil {
		err1 = err2
	}
	return nc, ni, err1
}

func (f *fake) find(name string, english bool) *fakeObject {
	at := slices.IndexFunc(f.objects, func(o *fakeObject) bool {
		return strings.EqualFold(name, o.name) && !english || strings.EqualFold(name, o.english) && english
	})
	if at < 0 {
		return nil
	}
	return f.objects[at]
}

func (f *fake) openQuery() (uintptr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("openQuery"); err != nil {
		return 0, err
	}
	f.last++
	f.queries[f.last] = true
	return f.last, nil
}

func (f *fake) closeQuery(q uintptr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.queries, q)
	return f.called("closeQuery")
}

func (f *fake) add(call string, _ uintptr, text string, english bool) (uintptr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called(call); err != nil {
		return 0, err
	}
	p, err := winperf.ParsePath(text)
	if err != nil {
		return 0, winapi.PDH_CSTATUS_BAD_COUNTERNAME
	}
	if p.Machine != "" && p.Machine != "OTHER" {
		return 0, winapi.PDH_CSTATUS_NO_MACHINE
	}
	o := f.find(p.Object, english)
	switch {
	case o == nil:
		return 0, winapi.PDH_CSTATUS_NO_OBJECT
	case o.multiple != p.HasInstance:
		return 0, winapi.PDH_INVALID_PATH
	}
	for k := range o.counters {
		c := &o.counters[k]
		if strings.EqualFold(c.name, p.Counter) && !english ||
			strings.EqualFold(c.english, p.Counter) && english {
			f.last++
			f.counters[f.last] = &fakeHandle{object: o, counter: c, instance: p.InstanceText()}
			return f.last, nil
		}
	}
	return 0, winapi.PDH_CSTATUS_NO_COUNTER
}

func (f *fake) collect(uintptr) error {
	f.mu.Lock()
	hang := f.hang
	f.mu.Unlock()
	if hang != nil {
		close(f.hanging)
		<-hang
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("collect"); err != nil {
		return err
	}
	f.ticks++
	f.clock = f.clock.Add(time.Second)
	for _, h := range f.counters {
		h.collected++
	}
	return nil
}

func (f *fake) timeBase(c uintptr) (int64, error) {
	if err := f.called("timeBase"); err != nil {
		return 0, err
	}
	if f.counters[c].counter.typ == counter.RawCount {
		return 0, winapi.PDH_INVALID_ARGUMENT
	}
	return fakeFrequency, nil
}

// memory writes a structure's texts behind it.
type memory struct {
	buf  winapi.Memory
	used int // bytes
}

func (m *memory) text(s string) uintptr {
	units := append(utf16.Encode([]rune(s)), 0)
	all := unsafe.Slice((*uint16)(unsafe.Pointer(&m.buf[0])), m.buf.Bytes()/2)
	at := m.used / 2
	copy(all[at:], units)
	m.used += 2 * len(units)
	return uintptr(unsafe.Pointer(&m.buf[0])) + uintptr(2*at)
}

func (f *fake) counterInfo(c uintptr, buf winapi.Memory) (uint32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("counterInfo"); err != nil {
		return 0, err
	}
	const need = 2000
	size, err := f.size("counterInfo", need, buf.Bytes())
	if err != nil || buf.Bytes() < need {
		return size, err
	}
	h := f.counters[c]
	m := memory{buf, 256}
	info := (*winapi.PDH_COUNTER_INFO)(unsafe.Pointer(&buf[0]))
	*info = winapi.PDH_COUNTER_INFO{
		Type: uint32(h.counter.typ), FullPath: m.text(`\\HOST\` + h.object.name),
		ObjectName:  m.text(h.object.name),
		CounterName: m.text(h.counter.name), ExplainText: m.text("Hilfe"), InstanceIndex: ^uint32(0),
	}
	if h.object.multiple {
		info.InstanceName = m.text(h.instance)
	}
	return size, nil
}

// position is where an instance is, -1 for one that is not there.
func (h *fakeHandle) position() int {
	if !h.object.multiple {
		return 0
	}
	return slices.IndexFunc(h.object.instances,
		func(s string) bool { return strings.EqualFold(s, h.instance) })
}

func (f *fake) rawValue(c uintptr, v *winapi.PDH_RAW_COUNTER) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("rawValue"); err != nil {
		return err
	}
	h := f.counters[c]
	i := h.position()
	if i < 0 {
		v.CStatus = winapi.PDH_CSTATUS_NO_INSTANCE
		return nil
	}
	*v = h.counter.raw(i, f.ticks)
	return nil
}

// matching calls each with the instances that a handle's pattern matches.
func (f *fake) matching(h *fakeHandle, each func(n, i int, name string)) int {
	pattern, n := winperf.CompilePattern(h.instance), 0
	for i, name := range h.object.instances {
		plain, _, _ := strings.Cut(name, "#1")
		if !pattern.Match(plain) {
			continue
		}
		if f.plain {
			name = plain
		}
		each(n, i, name)
		n++
	}
	return n
}

func (f *fake) rawArray(c uintptr, buf winapi.Memory) (uint32, uint32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("rawArray"); err != nil {
		return 0, 0, err
	}
	h := f.counters[c]
	const item = int(unsafe.Sizeof(winapi.PDH_RAW_COUNTER_ITEM{}))
	need := 0
	count := f.matching(h, func(_, _ int, name string) { need += item + 2*len(name) + 2 })
	size, err := f.size("rawArray", need, buf.Bytes())
	if err != nil || buf.Bytes() < need || count == 0 {
		return size, 0, err
	}
	items := unsafe.Slice((*winapi.PDH_RAW_COUNTER_ITEM)(unsafe.Pointer(&buf[0])), count)
	m := memory{buf, item * count}
	f.matching(h, func(n, i int, name string) {
		items[n] = winapi.PDH_RAW_COUNTER_ITEM{Name: m.text(name), RawValue: h.counter.raw(i, f.ticks)}
	})
	return size, uint32(count), nil
}

// value is what PDH computes, as far as tests need it: the raw value, from the
// second sample on where two are needed.
func (h *fakeHandle) value(i int, ticks int64) winapi.PDH_FMT_COUNTERVALUE {
	if h.collected < h.counter.typ.Samples() {
		return winapi.PDH_FMT_COUNTERVALUE{CStatus: winapi.PDH_CSTATUS_INVALID_DATA}
	}
	v := winapi.PDH_FMT_COUNTERVALUE{Bits: uint64(h.counter.raw(i, ticks).FirstValue)}
	if !isWhole(h.counter.typ) {
		v.Bits = 0x4029000000000000 // 12.5
	}
	return v
}

func (f *fake) formatted(c uintptr, _ uint32, v *winapi.PDH_FMT_COUNTERVALUE) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("formatted"); err != nil {
		return err
	}
	h := f.counters[c]
	i := h.position()
	if i < 0 {
		v.CStatus = winapi.PDH_CSTATUS_NO_INSTANCE
		return winapi.PDH_INVALID_DATA
	}
	if *v = h.value(i, f.ticks); v.CStatus != 0 {
		return winapi.PDH_INVALID_DATA
	}
	return nil
}

func (f *fake) formattedArray(c uintptr, _ uint32, buf winapi.Memory) (uint32, uint32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.called("formattedArray"); err != nil {
		return 0, 0, err
	}
	h := f.counters[c]
	const item = int(unsafe.Sizeof(winapi.PDH_FMT_COUNTERVALUE_ITEM{}))
	need := 0
	count := f.matching(h, func(_, _ int, name string) { need += item + 2*len(name) + 2 })
	size, err := f.size("formattedArray", need, buf.Bytes())
	if err != nil || buf.Bytes() < need || count == 0 {
		return size, 0, err
	}
	items := unsafe.Slice((*winapi.PDH_FMT_COUNTERVALUE_ITEM)(unsafe.Pointer(&buf[0])), count)
	m := memory{buf, item * count}
	f.matching(h, func(n, i int, name string) {
		items[n] = winapi.PDH_FMT_COUNTERVALUE_ITEM{Name: m.text(name), FmtValue: h.value(i, f.ticks)}
	})
	return size, uint32(count), nil
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
