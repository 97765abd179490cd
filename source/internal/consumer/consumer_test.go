package consumer

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
)

// TestConsumer calls every function of the interface.
func TestConsumer(t *testing.T) {
	f := newFake()
	c := &consumer{calls: f.table()}
	sets, err := c.sets()
	if diff := cmp.Diff([]winperf.GUID{disks, clock, dead}, sets); diff != "" || err != nil {
		t.Error(diff, err)
	}
	info, b, err := c.info(disks)
	if err != nil || len(b) != 32+2*48 {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&f.sets[0].info, info); diff != "" {
		t.Error(diff)
	}
	for code, want := range map[uint32]string{
		counterset.RegName: "Disk", counterset.RegHelp: "Help on Disk",
		counterset.RegProviderName: "Provider", counterset.RegEnglishName: "Disk",
	} {
		if s, err := c.text(disks, code, 0); err != nil || s != want {
			t.Errorf("code %d: %q, %v", code, s, err)
		}
	}
	if all, errs := c.texts(disks, counterset.RegCounterNames, 0); len(errs) > 0 || len(all) != 2 ||
		all[1].Text != "Counter 2" {
		t.Error(all, errs)
	}
}

// TestHandle adds, reads and deletes, with filters by name and by id.
func TestHandle(t *testing.T) {
	f := newFake()
	h, err := (&consumer{calls: f.table()}).Open()
	if err != nil {
		t.Fatal(err)
	}
	ids := []counterset.Identifier{
		{Set: disks, Counter: counterset.Any, InstanceID: counterset.Any, Instance: "?:"},
		{Set: disks, Counter: counterset.Any, InstanceID: 3, Instance: "*"},
		{Set: dead, Counter: counterset.Any, InstanceID: counterset.Any, Instance: "*"},
	}
	added, err := h.add(ids...)
	if err != nil || len(added) != 3 || added[0].Status != 0 || added[1].Status != 0 ||
		added[2].Status != counterset.GUIDNotFound {
		t.Fatal(added, err)
	}
	info, _, err := h.info()
	if err != nil || len(info) != 2 || info[0].InstanceID != 3 || info[1].Index != 1 {
		t.Fatal(info, err)
	}
	data := func() string {
		b, err := h.sample(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, damage, err := counterset.ParseData(b)
		if err != nil || len(damage) > 0 {
			t.Fatal(damage, err)
		}
		var got []string
		for _, a := range d.Answers {
			for _, in := range a.Instances {
				got = append(got, in.Name)
			}
		}
		return strings.Join(got, " ")
	}
	if got := data(); got != "_Total C: D:" {
		t.Errorf("instances %s", got)
	}
	if err := errors.Join(h.Close(), h.Close()); err != nil || len(f.queries) != 0 {
		t.Error(err, f.queries)
	}
	_, err1 := h.add(ids...)
	_, _, err2 := h.info()
	_, err3 := h.sample(nil, 0)
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, winperf.ErrState) {
			t.Errorf("closed: %v", err)
		}
	}
}

// TestConsumerErrors fails every function.
func TestConsumerErrors(t *testing.T) {
	one := counterset.Identifier{Set: disks, Counter: counterset.Any, Instance: "*"}
	run := map[string]func(c *consumer) error{
		"enumerateSets":    func(c *consumer) error { _, err := c.sets(); return err },
		"registrationInfo": func(c *consumer) error { _, _, err := c.info(disks); return err },
		"openQuery":        func(c *consumer) error { _, err := c.Open(); return err },
		"closeQuery": func(c *consumer) error {
			h, _ := c.Open()
			return h.Close()
		},
		"addCounters": func(c *consumer) error {
			h, _ := c.Open()
			_, err := h.add(one)
			return err
		},
		"queryInfo": func(c *consumer) error {
			h, _ := c.Open()
			_, _, err := h.info()
			return err
		},
		"queryData": func(c *consumer) error {
			h, _ := c.Open()
			_, err := h.sample(nil, 0)
			return err
		},
	}
	for function, call := range run {
		f := newFake()
		f.fail = failOnce(function, counterset.AccessDenied)
		err := call(&consumer{calls: f.table()})
		var named *callError
		if !errors.Is(err, counterset.AccessDenied) || !errors.As(err, &named) ||
			!strings.HasPrefix(named.function, "Perf") {
			t.Errorf("%s: %v", function, err)
		}
		f.fail = func(call string, _ int) error { // for ever, whatever the buffer
			if call == function {
				return counterset.NotEnoughMemory
			}
			return nil
		}
		err = call(&consumer{calls: f.table()})
		if err == nil {
			t.Errorf("%s that always needs more: no error", function)
		}
	}
}

// TestGrowth reads what grows between two calls.
func TestGrowth(t *testing.T) {
	f := newFake()
	h, _ := (&consumer{calls: f.table()}).Open()
	if _, err := h.add(counterset.Identifier{Set: clock, Counter: counterset.Any}); err != nil {
		t.Fatal(err)
	}
	f.grow = 5
	b, err := h.sample(make([]byte, 0, 100), 40)
	if err != nil || cap(b)-len(b) < 40 || f.grow != 0 {
		t.Errorf("%d bytes, room for %d more, %v", len(b), cap(b)-len(b), err)
	}
	f.grow = 1000
	if _, err := h.sample(b, 0); !errors.Is(err, winperf.ErrBadData) ||
		!strings.Contains(err.Error(), "16 times in a row") {
		t.Error(err)
	}
	for _, c := range []struct {
		claim int
		err   error
		want  string
	}{
		{-1, nil, "-1 were written to a buffer of 8"},
		{9, nil, "9 were written to a buffer of 8"},
		{1000, counterset.NotEnoughMemory, "1000 are needed, at most 100 are accepted"},
	} {
		_, err := grown(make([]byte, 8), 100, func([]byte) (int, error) { return c.claim, c.err })
		if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestBadAnswers gives the consumer what no one should.
func TestBadAnswers(t *testing.T) {
	f := newFake()
	c := &consumer{calls: f.table()}
	for _, b := range [][]byte{{}, {1}, make([]byte, 15)} {
		f.texts = map[uint32][]byte{}
		for code := range uint32(11) {
			f.texts[code] = b
		}
		_, _, err1 := c.info(disks)
		_, err2 := c.text(disks, counterset.RegName, 0)
		_, errs := c.texts(disks, counterset.RegCounterNames, 0)
		for i, err := range append(errs, err1) {
			if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), disks.String()) {
				t.Errorf("%d bytes, %d: %v", len(b), i, err)
			}
		}
		if len(b) < 2 && !errors.Is(err2, winperf.ErrBadData) {
			t.Errorf("%d bytes: %v", len(b), err2)
		}
	}
	f.texts = map[uint32][]byte{counterset.RegCounterSet: counterset.AppendInfo(nil, &f.sets[1].info)}
	if info, _, err := c.info(disks); info != nil ||
		!strings.Contains(errorText(err), "the answer is about "+clock.String()) {
		t.Error(info, err)
	}
	var ids []byte
	table := f.table()
	table.addCounters = func(_ uintptr, b []byte) error { ids = b; b[20] = 200; return nil }
	h, _ := (&consumer{calls: table}).Open()
	if _, err := h.add(counterset.Identifier{Set: disks}); !errors.Is(err, winperf.ErrBadData) ||
		len(ids) != 40 {
		t.Error(err)
	}
	if _, err := h.add(counterset.Identifier{Set: disks, Instance: "a\x00"}); !errors.Is(
		err, counterset.ErrEncode) {
		t.Error(err)
	}
}
