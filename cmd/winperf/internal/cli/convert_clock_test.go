package cli

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// takenValues is a target that knows remote write 1.0 only. It keeps the values it was sent by their times, and
// answers a request with 401 that is the one of a number.
type takenValues struct {
	*httptest.Server
	values    map[float64]uint64 // and in milliseconds when they were
	instances map[float64]string // and whose they are
	requests  int
	stranger  int // the number of the request that is answered with 401, from 1; 0 is none
}

func newTakenValues(t *testing.T) *takenValues {
	t.Helper()
	v := &takenValues{values: map[float64]uint64{}, instances: map[float64]string{}}
	v.Server = httptest.NewServer(v)
	t.Cleanup(v.Close)
	return v
}

func (v *takenValues) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	packed, _ := io.ReadAll(r.Body) // what is cut off cannot be unpacked
	body, err := s2.Decode(nil, packed)
	v.requests++
	switch {
	case strings.Contains(r.Header.Get("Content-Type"), "v2"):
		w.WriteHeader(http.StatusUnsupportedMediaType)
		v.requests--
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case v.requests == v.stranger:
		w.WriteHeader(http.StatusUnauthorized)
	default:
		v.take(body)
	}
}

// take keeps the samples of a message WriteRequest: series are its fields 1, which have labels as fields 1 and samples
// as fields 2.
func (v *takenValues) take(body []byte) {
	for _, series := range repeated(body, 1) {
		instance := ""
		for _, label := range repeated(series.Bytes, 1) {
			if string(first(label.Bytes, 1)) == "instance" {
				instance = string(first(label.Bytes, 2))
			}
		}
		for _, sample := range repeated(series.Bytes, 2) {
			value := math.Float64frombits(repeated(sample.Bytes, 1)[0].Uint)
			v.values[value], v.instances[value] = repeated(sample.Bytes, 2)[0].Uint, instance
		}
	}
}

// writeSetBack writes a text log of a clock that was set back: each of its values is another one. It returns when
// which value was.
func writeSetBack(t *testing.T, counters int) (file string, want map[float64]uint64) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for k := range counters {
		fmt.Fprintf(&b, `,"\\HOST\Queue(%d)\Length"`, k)
	}
	want = map[float64]uint64{}
	begin := time.Now().UTC().Add(-time.Minute).Truncate(time.Second)
	for n, second := range []int{0, 10, 20, 30, 5, 15, 15, 25, 35} { // 15 comes twice
		at := begin.Add(time.Duration(second) * time.Second)
		fmt.Fprintf(&b, "\n\"%s.000\"", at.Format("01/02/2006 15:04:05"))
		for k := range counters {
			value := n*counters + k
			fmt.Fprintf(&b, `,"%d"`, value)
			want[float64(value)] = uint64(at.UnixMilli())
		}
	}
	file = filepath.Join(t.TempDir(), "back.csv")
	if err := os.WriteFile(file, []byte(b.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, want
}

// Where a clock was set back, times come again that were sent: what is of them is sent all the same, wherever a
// request ends, and wherever the command is interrupted.
func TestBackfillClockSetBack(t *testing.T) {
	log, want := writeSetBack(t, 4000) // a request has 10,000 samples
	for stranger := range 5 {
		target := newTakenValues(t)
		target.stranger = stranger
		args := []string{"--resume", filepath.Join(t.TempDir(), "state")}
		if stranger > 0 {
			expect(t, console.ExitFailed, "401", log, "remote-write+"+target.URL, args...)
		}
		expect(t, console.ExitPartial, "the time goes back", log, "remote-write+"+target.URL, args...)

		wrong := 0
		for value, at := range want {
			if target.values[value] != at {
				wrong++
			}
		}
		if wrong > 0 || len(target.values) != len(want) {
			t.Errorf("interrupted at request %d: %d of %d values are there, %d wrong",
				stranger, len(target.values), len(want), wrong)
		}
	}
}

// Without a file a time is all that says how to go on, and here it does not.
func TestBackfillClockSetBackAnew(t *testing.T) {
	log, _ := writeSetBack(t, 4000)
	target := newTakenValues(t)
	target.stranger = 3
	expect(t, console.ExitFailed, "; repeat the command to start again", log, "remote-write+"+target.URL)
}
