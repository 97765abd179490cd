package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
)

// cookAll runs winperf cook.
func cookAll(t *testing.T, in io.Reader, args ...string) (status int, lines []map[string]any) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = Run(context.Background(), append([]string{"cook"}, args...), in, &stdout, &stderr)
	for line := range bytes.Lines(stdout.Bytes()) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, m)
	}
	return status, lines
}

const fullSample = `{"value":%d,"base":%d,"multi":2,"perf_time":%d,"perf_freq":10000000,"time_100ns":%d,"object_time":%d,"object_freq":1000}`

// sampleAt is a raw sample with all fields, all rising with the second.
func sampleAt(second int) string {
	return fmt.Sprintf(fullSample, 1000+second*500, 100+second*10, second*10000000, second*10000000, second*1000)
}

// TestCookEveryType checks that every type answers, by name and by number, and
// that a missing base or count of components is told.
func TestCookEveryType(t *testing.T) {
	for info := range counter.Types() {
		in := fmt.Sprintf("{\"type\":%q,\"prev\":%s,\"cur\":%s}\n", info.Name, sampleAt(1), sampleAt(2)) +
			fmt.Sprintf("{\"type\":%d,\"prev\":%s,\"cur\":%s}\n", uint32(info.Type), sampleAt(1), sampleAt(2)) +
			fmt.Sprintf("{\"type\":%q,\"prev\":{},\"cur\":{}}\n", info.Name)
		status, lines := cookAll(t, strings.NewReader(in))
		if status != console.ExitDone || len(lines) != 3 {
			t.Errorf("%s: status %d, %d lines", info.Name, status, len(lines))
			continue
		}
		ok := info.Samples > 0 && !info.Type.IsText()
		for _, line := range lines[:2] {
			_, isNumber := line["value"].(float64)
			if isNumber != ok || (line["status"] == "ok") != ok || line["unit"] != info.Unit.String() || line["error"] != nil {
				t.Errorf("%s: %v, want a value: %v", info.Name, line, ok)
			}
		}
		bare := lines[2]
		if needs := info.Type.NeedsBase() || info.Type.IsMulti(); needs {
			told, _ := bare["error"].(string)
			if bare["status"] != "invalid_data" || bare["value"] != nil || !strings.Contains(told, " needs ") {
				t.Errorf("%s without base: %v", info.Name, bare)
			}
		}
	}
}

// TestCookLines checks that lines are passed over or answered one for one,
// however they arrive.
func TestCookLines(t *testing.T) {
	const good = `{"type":65536,"cur":{"value":7}}`
	long := `{"type":65536,"cur":{"value":7},"x":"` + strings.Repeat("x", console.MaxLine) + `"}`
	in := good + "\r\n\n  \n" + long + "\n" + good
	status, lines := cookAll(t, iotest.OneByteReader(strings.NewReader(in)))
	if status != console.ExitPartial || len(lines) != 3 {
		t.Fatalf("status %d, %d lines: %v", status, len(lines), lines)
	}
	if lines[0]["value"] != 7.0 || lines[2]["value"] != 7.0 {
		t.Errorf("values %v and %v, want 7", lines[0]["value"], lines[2]["value"])
	}
	if want := fmt.Sprintf("line 4: longer than %d bytes", console.MaxLine); lines[1]["error"] != want {
		t.Errorf("error %q, want %q", lines[1]["error"], want)
	}
	status, lines = cookAll(t, io.MultiReader(strings.NewReader(good+"\n"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if status != console.ExitFailed || len(lines) != 1 {
		t.Errorf("a reader that fails: status %d, %d lines", status, len(lines))
	}
}

// FuzzCook checks that every line has one answer: a value if and only if its
// status is ok.
func FuzzCook(f *testing.F) {
	f.Add(`{"type":"PERF_RAW_FRACTION","cur":{"value":20,"base":50}}`)
	f.Add(fmt.Sprintf(`{"type":%d,"prev":%s,"cur":%s}`, 0x20510500, sampleAt(1), sampleAt(2)))
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.Map(func(r rune) rune {
			if r == '\n' {
				return ' '
			}
			return r
		}, line)
		_, lines := cookAll(t, strings.NewReader(line))
		if blank := strings.TrimSpace(line) == ""; blank != (len(lines) == 0) || len(lines) > 1 {
			t.Fatalf("%d answers to %q", len(lines), line)
		}
		for _, answer := range lines {
			if (answer["status"] == "ok") != (answer["value"] != nil) {
				t.Errorf("%q: %v", line, answer)
			}
		}
	})
}
