package pdh

import (
	"errors"
	"io/fs"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf/internal/winapi"
)

// TestNativeCompute calls the functions that compute and take paths apart, and
// the rarer ones of queries, and fails each.
func TestNativeCompute(t *testing.T) {
	n := newNative(t)
	p, q := winapi.NewPdhCompute(winapi.NewDLL(n.file)), winapi.NewPdh(winapi.NewDLL(n.file))
	query, err := p.OpenQueryH(0)
	if err != nil {
		t.Fatal(err)
	}
	rate, err := q.AddEnglishCounter(query, `\Process(idle)\IO/sec`)
	if err != nil {
		t.Fatal(err)
	}
	older := winapi.PDH_RAW_COUNTER{FirstValue: 100, SecondValue: 1000}
	newer := winapi.PDH_RAW_COUNTER{FirstValue: 400, SecondValue: 3000}
	double := func(err error, v *winapi.PDH_FMT_COUNTERVALUE, want float64) error {
		if got := math.Float64frombits(v.Bits); err == nil && (got != want || v.CStatus != winapi.PDH_CSTATUS_NEW_DATA) {
			t.Errorf("%v (%v), want %v", got, v.CStatus, want)
		}
		return err
	}
	for function, call := range map[string]func() error{
		"PdhOpenQueryH": func() error {
			again, err := p.OpenQueryH(0)
			if err == nil {
				err = q.CloseQuery(again)
			}
			return err
		},
		"PdhCollectQueryDataWithTime": func() error {
			time, err := p.CollectWithTime(query)
			if err == nil && time != 0x0102030405060708 {
				t.Errorf("time %#x", time)
			}
			return err
		},
		"PdhCollectQueryDataEx": func() error { return p.CollectEx(query, 7, 1) },
		"PdhCalculateCounterFromRawValue": func() error {
			var v winapi.PDH_FMT_COUNTERVALUE
			return double(p.Calculate(rate, winapi.PDH_FMT_DOUBLE, &newer, &older, &v), &v, 150)
		},
		"PdhFormatFromRawValue": func() error {
			var v winapi.PDH_FMT_COUNTERVALUE
			return double(p.Format(0x10410500, winapi.PDH_FMT_DOUBLE, 100, &newer, &older, &v), &v, 15)
		},
		"PdhComputeCounterStatistics": func() error {
			var s winapi.PDH_STATISTICS
			err := p.Statistics(rate, winapi.PDH_FMT_LARGE, 1, []winapi.PDH_RAW_COUNTER{older, newer}, &s)
			if err == nil && (s.Count != 2 || s.Min.Bits != 100 || s.Max.Bits != 400 || s.Mean.Bits != 250) {
				t.Errorf("%+v", s)
			}
			return err
		},
		"PdhMakeCounterPathW": func() error {
			buf := make([]uint16, 100)
			size, err := p.MakePath(`\\M`, "Obj", "I", "P", 3, "Ctr", buf)
			if got := syscall.UTF16ToString(buf); err == nil && (got != `\\M\Obj(P/I#3)\Ctr` || int(size) != len(got)+1) {
				t.Errorf("%q, %d", got, size)
			}
			return err
		},
		"PdhParseCounterPathW": func() error {
			buf := make(winapi.Memory, 100)
			if _, err := p.ParsePath(`\\M\Obj(P/I#3)\Ctr`, buf); err != nil {
				return err
			}
			got, err := buf.PathElements()
			want := winapi.CounterInfo{Machine: `\\M`, Object: "Obj", Instance: "I", HasInstance: true, Parent: "P", Index: 3, Counter: "Ctr"}
			if got != want {
				t.Errorf("%+v", got)
			}
			return err
		},
		"PdhParseInstanceNameW": func() error {
			name, parent, index, err := p.ParseInstance("P/I#3")
			if err == nil && (name != "I" || parent != "P" || index != 3) {
				t.Errorf("%q %q %d", name, parent, index)
			}
			return err
		},
		"PdhValidatePathExW":              func() error { return p.ValidatePathEx(0, `\Speicher\Bytes`) },
		"PdhSetDefaultRealTimeDataSource": func() error { return p.SetDefaultSource(1) },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", function, err)
		}
		t.Setenv("WINPERF_FAKE", function)
		if err := call(); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s that fails: %v", function, err)
		}
		t.Setenv("WINPERF_FAKE", "")
	}
	if live, err := p.IsRealTime(query); !live || err != nil {
		t.Error(live, err)
	}
	if err := errors.Join(q.RemoveCounter(rate), q.CloseQuery(query)); err != nil {
		t.Error(err)
	}
	missing := winapi.NewPdhCompute(winapi.NewDLL("kernel32.dll"))
	if _, err := missing.IsRealTime(query); err == nil || !strings.Contains(err.Error(), "PdhIsRealTimeQuery") {
		t.Error(err)
	}
}
