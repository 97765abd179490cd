package metrics

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// faults is a sample with a counter of 4 bytes, or without its object.
func faults(n int, there bool, value int64) string {
	text := fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=1 time100ns=%d\n", n+1, 133500000000000000+int64(n)*10_000_000) +
		"object 2 form=single\n counter 44 PERF_COUNTER_RAWCOUNT\n values : 1\n"
	if there {
		text += processHead + fmt.Sprintf(" instance \"a\" : %d 133400000000000000 8\n", value)
	}
	return text
}

// TestSetStays shows that a Set is valid while other frames are decoded, and mapped by another Mapper.
func TestSetStays(t *testing.T) {
	n := names(t, processNames)
	m, other := NewMapper(Options{}), NewMapper(Options{})
	var s sequence
	set := mapped(t, m, s.next(t, faults(0, true, 5)), n)
	want := strings.Join(lines(set, "winperf_process_page_faults_total"), "\n")
	for i := range 4 {
		mapped(t, other, s.next(t, faults(i+1, i%2 == 0, 7)), n)
	}
	if got := strings.Join(lines(set, "winperf_process_page_faults_total"), "\n"); got != want || !strings.HasSuffix(got, " 5") {
		t.Errorf("%q, was %q", got, want)
	}
}

// TestMapKeeps shows that a counter goes on over 2^32 after frames that were decoded and not mapped. A
// Mapper which does not keep its frames refuses that.
func TestMapKeeps(t *testing.T) {
	n := names(t, processNames)
	for _, noKeep := range []bool{false, true} {
		m := NewMapper(Options{NoKeep: noKeep})
		var s sequence
		mapped(t, m, s.next(t, faults(0, true, 4294967290)), n)
		var f frame.Frame
		for i := range 3 {
			f = s.next(t, faults(i+1, true, int64(i)))
		}
		set, err := m.Map(f, n)
		if noKeep {
			if !errors.Is(err, winperf.ErrState) {
				t.Errorf("the frame before is not valid any more: %v, want ErrState", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		const want = `winperf_process_page_faults_total{name="a",pid="8"} 4294967298`
		if got := lines(set, "winperf_process_page_faults_total"); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestObjectIsBackWithoutKeep shows that an object which was missing goes on, also where the Mapper keeps no other
// frames.
func TestObjectIsBackWithoutKeep(t *testing.T) {
	n := names(t, processNames)
	m := NewMapper(Options{NoKeep: true})
	var s sequence
	mapped(t, m, s.next(t, faults(0, true, 4294967290)), n)
	for i := range 4 {
		mapped(t, m, s.next(t, faults(i+1, false, 0)), n)
	}
	const want = `winperf_process_page_faults_total{name="a",pid="8"} 4294967306`
	got := lines(mapped(t, m, s.next(t, faults(5, true, 10)), n), "winperf_process_page_faults_total")
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}
