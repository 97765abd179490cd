package perflib_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider/perflib"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// library stands in for the system's: it keeps what it is told, and reads values
// where they are.
type library struct {
	fail      string // the function that fails
	calls     []string
	templates [][]byte
	instances map[uintptr]*fakeInstance
	next      uintptr
	collect   func()
	now       int64
}

type fakeInstance struct {
	set    winperf.GUID
	name   string
	values map[uint32]unsafe.Pointer
}

var errFake = errors.New("the library fails")

func (l *library) call(name, format string, args ...any) error {
	l.calls = append(l.calls, strings.TrimSpace(name+" "+fmt.Sprintf(format, args...)))
	if l.fail == name {
		return errFake
	}
	return nil
}

func (l *library) StartProvider(id *[16]byte, collect func()) (uintptr, error) {
	l.collect, l.instances = collect, map[uintptr]*fakeInstance{}
	return 7, l.call("StartProvider", "%s", winperf.GUID(*id))
}

func (l *library) SetCounterSetInfo(p uintptr, template []byte) error {
	l.templates = append(l.templates, slices.Clone(template))
	return l.call("SetCounterSetInfo", "%d", p)
}

func (l *library) CreateInstance(p uintptr, set *[16]byte, name string, id uint32) (uintptr, error) {
	if err := l.call("CreateInstance", "%s %d", name, id); err != nil {
		return 0, err
	}
	l.next++
	l.instances[l.next] = &fakeInstance{winperf.GUID(*set), fmt.Sprintf("%s#%d", name, id), map[uint32]unsafe.Pointer{}}
	return l.next, nil
}

func (l *library) SetCounterRefValue(p, instance uintptr, counter uint32, address unsafe.Pointer) error {
	l.instances[instance].values[counter] = address
	if l.fail == "SetCounterRefValue" {
		return errFake
	}
	return nil
}

func (l *library) DeleteInstance(p, instance uintptr) error {
	if l.instances[instance] == nil {
		return errors.New("no such instance")
	}
	if err := l.call("DeleteInstance", "%s", l.instances[instance].name); err != nil {
		return err
	}
	delete(l.instances, instance)
	return nil
}

func (l *library) StopProvider(p uintptr) error { return l.call("StopProvider", "%d", p) }

func (l *library) PerformanceCounter() (ticks, perSecond int64) { return l.now, 1000 }

// value32 and value64 read a counter of an instance as the system would.
func (l *library) value32(instance uintptr, counter uint32) uint32 {
	return *(*uint32)(l.instances[instance].values[counter])
}

func (l *library) value64(instance uintptr, counter uint32) uint64 {
	return *(*uint64)(l.instances[instance].values[counter])
}

const text = `{
	"driver": "MyApplication", "provider": "{00000001-0000-0000-0000-000000000000}", "binary": "myapp.exe",
	"objects": [
		{"symbol": "TRANSFER", "name": "Transfer", "guid": "{00000002-0000-0000-0000-000000000000}", "counters": [
			{"symbol": "SENT", "name": "Bytes Sent", "type": "PERF_COUNTER_RAWCOUNT"},
			{"symbol": "FREE", "name": "Available Bandwidth", "type": "PERF_RAW_FRACTION", "detail": 200, "scale": -1},
			{"symbol": "UP", "name": "Up", "type": "PERF_ELAPSED_TIME"}]},
		{"symbol": "PEER", "name": "Peer", "multi": true, "guid": "{00000003-0000-0000-0000-000000000000}", "counters": [
			{"symbol": "SERVED", "name": "Bytes Served", "type": "PERF_COUNTER_BULK_COUNT"}]}
	]
}`

func schema(t testing.TB) *registration.Declaration {
	t.Helper()
	s, err := registration.ParseDeclaration("schema", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func publisher(t testing.TB, s *registration.Declaration) *publish.Publisher {
	t.Helper()
	p, err := publish.New(s, publish.Options{Dir: publishDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func start(t testing.TB, l *library) (*perflib.Provider, *publish.Publisher) {
	t.Helper()
	s := schema(t)
	p := publisher(t, s)
	v, err := perflib.StartOn(l, s, p)
	if err != nil {
		t.Fatal(err)
	}
	return v, p
}

func instance(t testing.TB, p *publish.Publisher, name string) *publish.Instance {
	t.Helper()
	o, err := p.Object("Peer")
	if err != nil {
		t.Fatal(err)
	}
	in, err := o.Instance(name, publish.InstanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func count(t testing.TB, in *publish.Instance, name string) *publish.Counter {
	t.Helper()
	c, err := in.Counter(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTemplates compares every byte of what the library is told of the sets.
func TestTemplates(t *testing.T) {
	l := &library{}
	start(t, l)
	slot := fmt.Sprintf("%02x000000", unsafe.Sizeof(uintptr(0)))
	offset := func(i int) string { return fmt.Sprintf("%02x000000", i*int(unsafe.Sizeof(uintptr(0)))) }
	counters := func(list ...string) (s string) {
		for i, c := range list {
			id, rest, _ := strings.Cut(c, " ")
			s += id + "000000" + strings.Replace(strings.ReplaceAll(rest, " ", ""), "SLOT", slot,
				1) + offset(i)
		}
		return s
	}
	const provider = "01000000000000000000000000000000"
	want := []string{
		"02000000000000000000000000000000" + provider + "06000000" + "00000000" + counters(
			"01 00000100 0100000000000000 SLOT 64000000 00000000", // PERF_COUNTER_RAWCOUNT
			"02 00040220 0100000000000000 SLOT c8000000 ffffffff", // PERF_RAW_FRACTION
			"03 03040340 0300000000000000 SLOT 64000000 00000000", // PERF_RAW_BASE, not displayed
			"04 00052430 0100000000000000 SLOT 64000000 00000000", // PERF_ELAPSED_TIME
			"05 00010100 0300000000000000 SLOT 64000000 00000000", // PERF_COUNTER_LARGE_RAWCOUNT: time
			"06 00010100 0300000000000000 SLOT 64000000 00000000"),
		"03000000000000000000000000000000" + provider + "01000000" + "02000000" + counters(
			"01 00054110 0100000000000000 SLOT 64000000 00000000"), // PERF_COUNTER_BULK_COUNT
	}
	for i, template := range l.templates {
		if got := hex.EncodeToString(template); i >= len(want) || got != want[i] {
			t.Errorf("template %d:\n%s, want\n%s", i, got, want[i])
		}
	}
	if len(l.templates) != len(want) {
		t.Errorf("%d templates", len(l.templates))
	}
}

// TestValues changes published values and reads them where the library was told.
func TestValues(t *testing.T) {
	l := &library{now: 500}
	v, p := start(t, l)
	o, err := p.Object("Transfer")
	if err != nil {
		t.Fatal(err)
	}
	single, err := o.Single()
	if err != nil {
		t.Fatal(err)
	}
	base, err := single.Base("Available Bandwidth")
	if err != nil {
		t.Fatal(err)
	}
	count(t, single, "Bytes Sent").Add(5)
	count(t, single, "Available Bandwidth").Set(20)
	base.Set(50)
	count(t, single, "Up").Set(123)
	l.now = 2500
	l.collect()
	const first = 1
	for id, want := range map[uint32]uint64{1: 5, 2: 20, 3: 50, 4: 123, 5: 2500, 6: 1000} {
		got := uint64(0)
		if id < 4 {
			got = uint64(l.value32(first, id))
		} else {
			got = l.value64(first, id)
		}
		if got != want {
			t.Errorf("counter %d is %d, want %d", id, got, want)
		}
	}
	values := instance(t, p, "Peer 1")
	in, err := v.Instance("PEER", "Peer 1", values)
	if err != nil {
		t.Fatal(err)
	}
	count(t, values, "Bytes Served").Add(1 << 40)
	if got := l.value64(2, 1); got != 1<<40 {
		t.Errorf("Bytes Served is %d", got)
	}
	if err := errors.Join(in.Remove(), in.Remove(), v.Close(), v.Close()); err != nil {
		t.Fatal(err)
	}
	if len(l.instances) != 0 || l.calls[len(l.calls)-1] != "StopProvider 7" {
		t.Errorf("at the end %d instances, calls %q", len(l.instances), l.calls)
	}
	if _, err := v.Instance("Peer", "late", values); !errors.Is(err, winperf.ErrState) {
		t.Errorf("error %v", err)
	}
}

// TestNames gives instances of one name, in any case, different ids.
func TestNames(t *testing.T) {
	l := &library{}
	v, p := start(t, l)
	var list []*perflib.Instance
	for _, tt := range []struct {
		name   string
		remove int // -1 = none
		want   uint32
	}{{"a", -1, 0}, {"A", -1, 1}, {"b", -1, 0}, {"a", -1, 2}, {"a", 1, 1}} {
		if tt.remove >= 0 {
			if err := list[tt.remove].Remove(); err != nil {
				t.Fatal(err)
			}
		}
		in, err := v.Instance("Peer", tt.name, instance(t, p, tt.name))
		if err != nil || in.ID() != tt.want {
			t.Fatalf("%s: id %d, want %d; error %v", tt.name, in.ID(), tt.want, err)
		}
		list = append(list, in)
	}
	if err := v.Close(); err != nil || len(l.instances) != 0 {
		t.Errorf("%d instances, error %v", len(l.instances), err)
	}
}

// TestManyUsers adds and removes instances in several goroutines: the library is called by one at a time, which
// the race detector watches, and no two instances have one id.
func TestManyUsers(t *testing.T) {
	l := &library{}
	v, p := start(t, l)
	values := instance(t, p, "a")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				in, err := v.Instance("Peer", "a", values)
				if err == nil {
					err = in.Remove()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := v.Close(); err != nil || len(l.instances) != 0 {
		t.Errorf("%d instances, error %v", len(l.instances), err)
	}
}

func TestStartFails(t *testing.T) {
	s := schema(t)
	p := publisher(t, s)
	for _, function := range []string{"StartProvider", "SetCounterSetInfo", "CreateInstance",
		"SetCounterRefValue"} {
		l := &library{fail: function}
		v, err := perflib.StartOn(l, s, p)
		if v != nil || !errors.Is(err, errFake) {
			t.Errorf("%s: error %v", function, err)
		}
		stopped := l.calls[len(l.calls)-1] == "StopProvider 7"
		if len(l.instances) != 0 || stopped != (function != "StartProvider") {
			t.Errorf("%s: %d instances are left, calls %q", function, len(l.instances), l.calls)
		}
	}
	bare := schema(t)
	bare.Binary = ""
	if _, err := perflib.StartOn(&library{}, bare, p); !errors.Is(err, registration.ErrInvalid) {
		t.Errorf("without a binary: error %v", err)
	}
	other := schema(t)
	other.Objects[0].Name = "Other"
	l := &library{}
	if _, err := perflib.StartOn(l, other, p); !errors.Is(err, registration.ErrInvalid) ||
		len(l.instances) != 0 {
		t.Errorf("another schema: error %v", err)
	}
}

func TestInstanceFails(t *testing.T) {
	l := &library{}
	v, p := start(t, l)
	values := instance(t, p, "a")
	for object, want := range map[string]error{"None": winperf.ErrNoObject, "Transfer": winperf.ErrState} {
		if _, err := v.Instance(object, "a", values); !errors.Is(err, want) {
			t.Errorf("%s: error %v", object, err)
		}
	}
	l.fail = "SetCounterRefValue"
	if _, err := v.Instance("Peer", "a", values); !errors.Is(err, errFake) || len(l.instances) != 1 {
		t.Errorf("%d instances, error %v", len(l.instances), err)
	}
	l.fail = ""
	if in, err := v.Instance("Peer", "a", values); err != nil || in.ID() != 0 {
		t.Errorf("the failed one kept its id: %v", err)
	}
}

// TestAlignment: the system reads values of 8 bytes at once.
func TestAlignment(t *testing.T) {
	l := &library{}
	start(t, l)
	for id := uint32(4); id <= 6; id++ {
		if uintptr(l.instances[1].values[id])%8 != 0 {
			t.Errorf("counter %d is at %p", id, l.instances[1].values[id])
		}
	}
}
