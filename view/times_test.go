package view_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/view"
)

// lines writes a log of JSON lines with samples at some times.
func lines(t *testing.T, times ...string) string {
	t.Helper()
	var b strings.Builder
	for _, at := range times {
		const form = `{"time":%q,"path":"\\\\HOST\\Process(a)\\Value","value":1,"unit":"count","status":"ok",` +
			`"object":"Process","instance":"a","counter":"Value"}` + "\n"
		fmt.Fprintf(&b, form, at)
	}
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestDistantTimes: every answer about a log whose times RFC 3339 cannot express is JSON, with the nearest
// time.
func TestDistantTimes(t *testing.T) {
	future := writeLog(t, t.TempDir(), 0, 3, func(second int) string {
		const form = "block name=\"HOST\" perftime=%d perffreq=10000000 time100ns=%d\nobject 230\n" +
			"  counter 180 PERF_COUNTER_LARGE_RAWCOUNT\n  instance \"a\" : %d\n"
		return fmt.Sprintf(form, second*10_000_000, int64(9e18)+int64(second)*10_000_000, second)
	})

	for _, name := range []string{lines(t, "9999-12-31T23:59:58-14:00", "9999-12-31T23:59:59-14:00"), future} {
		v := open(t, name)
		r := view.Request{Paths: []string{`\Process(*)\*`}}
		for what, answer := range map[string]func() (any, error){
			"sources":    func() (any, error) { return v.Sources(t.Context()) },
			"instances":  func() (any, error) { return v.Instances(t.Context(), r, "Process") },
			"events":     func() (any, error) { return v.Events(t.Context(), r) },
			"changed":    func() (any, error) { return v.Changed(t.Context(), r, "") },
			"range":      func() (any, error) { return v.Range(t.Context(), r, view.Steps{}) },
			"points":     func() (any, error) { return v.Range(t.Context(), r, view.Steps{Points: 10}) },
			"values":     func() (any, error) { return v.Values(t.Context(), r) },
			"statistics": func() (any, error) { return v.Statistics(t.Context(), r) },
		} {
			got, err := answer()
			if err != nil {
				t.Errorf("%s %s: %v", filepath.Ext(name), what, err)
			} else if text, err := json.Marshal(got); err != nil {
				t.Errorf("%s %s: %v", filepath.Ext(name), what, err)
			} else if what == "sources" && !strings.Contains(string(text), `"end":"9999-12-31T23:59:59Z"`) {
				t.Errorf("%s", text)
			}
		}
	}
}

// TestLongInterval: values between two samples that are centuries apart are the values of the first one.
func TestLongInterval(t *testing.T) {
	first := time.Date(1790, 1, 1, 0, 0, 0, 0, time.UTC)
	const interval = 7378697629476709760 // with a margin of 1 ms, 2.5 times this is -2^24 in 64 bits
	v := open(t, lines(t, first.Format(time.RFC3339Nano), first.Add(interval).Format(time.RFC3339Nano)))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	got, err := v.Values(ctx, view.Request{Paths: []string{`\Process(*)\*`}, End: first.Add(interval / 2)})
	if err != nil || !got.Time.Equal(first) {
		t.Errorf("%+v %v", got, err)
	}
}
