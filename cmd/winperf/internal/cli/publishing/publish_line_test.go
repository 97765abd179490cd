package publishing

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

const lineSchema = `{"objects": [
	{"name": "Peer", "multi": true, "counters": [{"name": "Bytes Served", "type": "PERF_COUNTER_RAWCOUNT"}]},
	{"name": "Transfer", "counters": [{"name": "Bytes Sent", "type": "PERF_COUNTER_RAWCOUNT"}]}]}`

// newTestPublishing publishes lineSchema until the test ends.
func newTestPublishing(t *testing.T) *publishing {
	t.Helper()
	s, err := registration.ParseDeclaration("test.json", []byte(lineSchema))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("skipped: Windows does not remove mapped files")
	}
	p, err := publish.New(s, publish.Options{Dir: filepath.Join(t.TempDir(), "published")})
	if errors.Is(err, winperf.ErrNotSupported) {
		t.Skip("skipped: this system does not publish")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return newPublishing(p, s)
}

// spell returns text with the n-th choice of upper and lower case.
func spell(text string, n uint) string {
	b := []byte(text)
	for i := range b {
		if n>>(i%bits.UintSize)&1 != 0 {
			b[i] = bytes.ToUpper(b[i : i+1])[0]
		}
	}
	return string(b)
}

// heap returns the bytes of memory in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Spellings of one path are one counter, and take no memory.
func TestPublishSpellings(t *testing.T) {
	p := newTestPublishing(t)
	run := func(line string) {
		t.Helper()
		if fault := p.line(line); fault != nil {
			t.Fatalf("%s: %v", line, fault)
		}
	}
	const spellings = 1 << 16
	run(`\peer(one)\bytes served 0`)
	run(`\transfer\bytes sent 0`)

	before := heap()
	for n := range uint(spellings) {
		run(spell(`\peer(one)\bytes served`, n<<2) + " +1")
		run(spell(`\transfer\bytes sent`, n<<2) + " +1")
	}
	run(`\Peer(one)\Byteſ Served +1`)
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d bytes more in use", after-before)
	}

	if len(p.instances) != 2 {
		t.Errorf("%d instances, want 2", len(p.instances))
	}
	for path, want := range map[string]uint64{
		`\Peer(one)\Bytes Served`: spellings + 1, `\Transfer\Bytes Sent`: spellings,
	} {
		target, err := p.target(path)
		if err != nil {
			t.Fatal(err)
		}
		h, err := p.handle(target)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.value.Load(); got != want {
			t.Errorf("%s is %d, want %d", path, got, want)
		}
	}
	runtime.KeepAlive(p)
}

// A child that is removed and added again takes no memory of its parent.
func TestPublishChildren(t *testing.T) {
	p := newTestPublishing(t)
	lines := []string{`\Peer(a)\Bytes Served 1`}
	for range 100 {
		lines = append(lines, `\Peer(a/b)\Bytes Served 1`, `\Peer(A/B)\* remove`)
	}
	lines = append(lines, `\Peer(a/c)\Bytes Served 1`)
	for _, line := range lines {
		if fault := p.line(line); fault != nil {
			t.Fatalf("%s: %v", line, fault)
		}
	}
	if a := p.instances[instanceKey{0, "a"}]; len(a.children) != 1 || len(p.instances) != 2 {
		t.Errorf("%d children of a, %d instances; want 1 and 2", len(a.children), len(p.instances))
	}
	if fault := p.line(`\Peer(a)\* remove`); fault != nil || len(p.instances) != 0 {
		t.Errorf("%v, %d instances are left", fault, len(p.instances))
	}
}

// A line that is refused creates no instance, and leaves those that are there.
func TestPublishRefused(t *testing.T) {
	p := newTestPublishing(t)
	if fault := p.line(`\Peer(a)\Bytes Served 7`); fault != nil {
		t.Fatal(fault)
	}
	for _, line := range []string{
		`\Peer(b)\Bytes Served -9`, `\Peer(a/b)\Bytes Served 5000000000`,
		`\Peer(c)\Bytes Served 1/2`, `\Peer(a)\Bytes Served -9`,
	} {
		if p.line(line) == nil {
			t.Errorf("%s is not refused", line)
		}
	}

	a := p.instances[instanceKey{0, "a"}]
	if len(p.instances) != 1 || a == nil || len(a.children) != 0 {
		t.Fatalf("instances %v", p.instances)
	}
	if value, err := a.Counter("Bytes Served"); err != nil || value.Load() != 7 {
		t.Errorf("the value of a is %d, %v", value.Load(), err)
	}
}

// Very many lines that cannot be read give few reports, which count all of them.
func TestPublishFaults(t *testing.T) {
	p := newTestPublishing(t)
	var stderr bytes.Buffer
	a := &console.App{Stderr: &stderr}
	const bad = 50_000
	long := strings.Repeat("ä", 20_000)
	text := `\Peer(` + long + " 1\n" + strings.Repeat("x\n", bad-1)
	in := console.NewLineReader(strings.NewReader(text))
	if err := publishLines(a, input.StandardInput, in, p); err != nil {
		t.Fatal(err)
	}

	said := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
	reported, hidden := 0, 0
	for _, line := range said {
		n := 0
		if _, err := fmt.Sscanf(line, "winperf: standard input: %d more lines could not be read", &n); err == nil {
			hidden += n
			continue
		}
		reported++
		if !strings.HasPrefix(line, "winperf: standard input:") || len(line) > 2*maxFaultText+100 {
			t.Errorf("a line of %d bytes: %.100s", len(line), line)
		}
	}
	if reported+hidden != bad || reported < maxFaults || reported > bad/2 {
		t.Errorf("%d lines are reported and %d counted, want %d in all", reported, hidden, bad)
	}
	if !a.Partial {
		t.Error("the status is that of a success")
	}
}
