package push

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/sink/metrics"
)

// protocols are the targets of a test of all ways to send: a scheme and an answer that takes a
// request.
var allProtocols = map[string]struct {
	scheme string
	takes  func(http.ResponseWriter, *http.Request, []point) int
}{
	"remote write 1.0": {"remote-write", old(http.StatusUnsupportedMediaType)},
	"remote write 2.0": {"remote-write", takes},
	"OTLP":             {"otlp", takes},
}

// many is a Set of n series, all of one value.
func many(value, n int) *metrics.Set {
	var labels [][]metrics.Label
	var values []uint64
	for i := range n {
		labels = append(labels, []metrics.Label{{Name: "name", Value: fmt.Sprintf("%03d", i)}})
		values = append(values, bits(value, 0))
	}
	rows := metrics.NewRows(labels, nil)
	return &metrics.Set{Time: time.UnixMilli(int64(value) * 1000), Families: []metrics.Family{
		{Name: "value", Columns: []metrics.Column{{Rows: rows, Form: metrics.Float, Bits: values}}},
	}}
}

// sendMany sends Sets until the target has, or refuses, all.
func sendMany(t *testing.T, s *Sender, sets []*metrics.Set) {
	t.Helper()
	for {
		err := error(nil)
		for _, set := range sets {
			if _, err = s.Send(t.Context(), set); err != nil {
				break
			}
		}
		if err == nil {
			err = s.Flush(t.Context())
		}
		if err == nil {
			return
		}
		if err != ErrAgain { //nolint:errorlint // nothing is wrapped around it here
			t.Fatal(err)
		}
	}
}

// inOrder tells what is wrong with what a target has: n series, each with these values, once and in order.
func inOrder(t *testing.T, points []point, n int, want []float64) {
	t.Helper()
	values := map[string][]float64{}
	for _, p := range points {
		if int64(p.value)*1000 != p.ms {
			t.Errorf("%s has %v at %d", p.series, p.value, p.ms)
		}
		values[p.series] = append(values[p.series], p.value)
	}
	if len(values) != n {
		t.Errorf("%d series, want %d", len(values), n)
	}
	for series, got := range values {
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", series, got, want)
		}
	}
}

// A target that refuses a request for some samples in it, as Prometheus does where it has newer ones or
// takes none so old, gets those of other times by themselves.
func TestRefusedInPart(t *testing.T) {
	for name, c := range allProtocols {
		for _, bad := range [][]float64{{1, 2, 3, 4}, {9}, {1, 5, 6}, {}, {1, 2, 3, 4, 5, 6, 7, 8, 9}} {
			r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
				unknown := name == "remote write 1.0" && strings.Contains(q.Header.Get("Content-Type"), "v2")
				if !unknown && slices.ContainsFunc(points, func(p point) bool { return slices.Contains(bad, p.value) }) {
					if name == "remote write 2.0" {
						w.Header().Set(writtenHeader, "0")
					}
					return http.StatusBadRequest
				}
				return c.takes(w, q, points)
			})
			s, err := NewSender(Target{URL: r.url(c.scheme)}, SenderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var sets []*metrics.Set
			var good []float64
			for n := 1; n <= 9; n++ {
				sets = append(sets, many(n, 5))
				if !slices.Contains(bad, float64(n)) {
					good = append(good, float64(n))
				}
			}

			t.Run(fmt.Sprint(name, bad), func(t *testing.T) {
				sendMany(t, s, sets)
				inOrder(t, r.has(), min(len(good), 1)*5, good)
				if c := s.Counts(); c.Sent != uint64(5*len(good)) || c.Refused != uint64(5*len(bad)) ||
					c.Whole != uint64(len(bad)) {
					t.Errorf("%+v", c)
				}
			})
			s.Close()
		}
	}
}

// A request with several machines is divided as others are: each part has the resources of what is in it.
func TestMachinesRefusedInPart(t *testing.T) {
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
		if slices.ContainsFunc(points, func(p point) bool { return p.value == 2 }) {
			return http.StatusBadRequest
		}
		return takes(w, q, points)
	})
	s, err := NewSender(Target{URL: r.url("otlp"), PerMachine: []string{"host.name"}}, SenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	of := func(machine string) []metrics.Label {
		return []metrics.Label{{Name: "instance", Value: machine}, {Name: "machine", Value: machine}}
	}
	var sets []*metrics.Set
	for n := 1; n <= 3; n++ {
		set := many(n, 3)
		set.Families[0].Columns[0].Rows = metrics.NewRows([][]metrics.Label{of("A"), of("B"), of("A2")}, nil)
		sets = append(sets, set)
	}
	sendMany(t, s, sets)
	inOrder(t, r.has(), 3, []float64{1, 3})
	if c := s.Counts(); c.Sent != 6 || c.Refused != 3 || c.Whole != 3 { // a machine at a time
		t.Errorf("%+v", c)
	}
}

// A target that takes no large requests gets smaller ones, from the first on that it did not take.
func TestTooLarge(t *testing.T) {
	const series, most = 1000, 30_000 // bytes
	for name, c := range allProtocols {
		t.Run(name, func(t *testing.T) {
			large := 0
			r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
				if q.ContentLength > most/30 && len(points) > series/4 {
					large++
					return http.StatusRequestEntityTooLarge
				}
				return c.takes(w, q, points)
			})
			s, err := NewSender(Target{URL: r.url(c.scheme)}, SenderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()

			sendMany(t, s, []*metrics.Set{many(1, series), many(2, series), many(3, series)})
			inOrder(t, r.has(), series, []float64{1, 2, 3})
			if c := s.Counts(); c.Sent != 3*series || c.Refused != 0 || c.Retries == 0 {
				t.Errorf("%+v", c)
			}
			first := large
			sendMany(t, s, []*metrics.Set{many(4, series), many(5, series)})
			if first == 0 || large != first {
				t.Errorf("%d requests were too large at first, %d in all", first, large)
			}
		})
	}
}

// A target to which every request is too large costs few requests, and what it did not take is counted.
func TestAlwaysTooLarge(t *testing.T) {
	for name, c := range allProtocols {
		t.Run(name, func(t *testing.T) {
			told := &teller{}
			r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
				if len(points) == 0 || strings.Contains(q.Header.Get("Content-Type"), "v2") && name == "remote write 1.0" {
					return c.takes(w, q, points)
				}
				return http.StatusRequestEntityTooLarge
			})
			s, err := NewSender(Target{URL: r.url(c.scheme)}, SenderOptions{Report: told.tell})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			sendMany(t, s, []*metrics.Set{many(1, 1000)})
			if c := s.Counts(); c.Sent != 0 || c.Refused != 1000 || r.requests > 20 {
				t.Errorf("%+v, %d requests", c, r.requests)
			}
			if all := strings.Join(told.all(), "\n"); !strings.Contains(all, "413 Request Entity Too Large") {
				t.Errorf("told %s", all)
			}
		})
	}
}

// The halves of a request of version 2.0 have the texts that they need, and no others.
func TestBlankSymbols(t *testing.T) {
	var whole, halves int64
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
		if len(points) > 500 {
			whole = q.ContentLength
			return http.StatusRequestEntityTooLarge
		}
		halves += q.ContentLength
		return takes(w, q, points)
	})
	s, err := NewSender(Target{URL: r.url("remote-write")}, SenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sendMany(t, s, []*metrics.Set{many(7, 1000)})
	inOrder(t, r.has(), 1000, []float64{7})
	if halves > whole*5/4 {
		t.Errorf("halves of %d bytes together, the whole had %d", halves, whole)
	}
}
