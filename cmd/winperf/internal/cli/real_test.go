package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

// run runs a command that must end with status 0 and returns its output.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	return runTold(t, "", args...)
}

// runTold is run where standard error says what is told.
func runTold(t *testing.T, told string, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := Run(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
	if status != console.ExitDone || stderr.String() != told {
		t.Fatalf("%v: status %d, standard error %q", args, status, &stderr)
	}
	return stdout.Bytes()
}

// TestRealBlocks dumps every real block in every form and makes the same bytes
// of the text again.
func TestRealBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	files, err := filepath.Glob(filepath.Join(perftest.Data(t), "perfdata", "*.bin"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no blocks: %v", err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want = want[:binary.LittleEndian.Uint32(want[20:])] // TotalByteLength; the caller's buffer was larger
		block, err := perfdata.ParseText(run(t, "dump", file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got, err := block.Encode(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the text does not give the same %d bytes: %d bytes, %v", file, len(want), len(got), err)
		}
		var dump struct {
			Objects []struct {
				Index     uint32
				Counters  []json.RawMessage
				Instances []struct{ Raw []json.RawMessage }
			}
		}
		if err := json.Unmarshal(run(t, "dump", "-o", "json", file), &dump); err != nil || len(dump.Objects) != 1 {
			t.Errorf("%s: %d objects, %v", file, len(dump.Objects), err)
			continue
		}
		for _, in := range dump.Objects[0].Instances {
			if len(in.Raw) != len(dump.Objects[0].Counters) {
				t.Errorf("%s: %d raw values of %d counters", file, len(in.Raw), len(dump.Objects[0].Counters))
			}
		}
	}
}

// TestRealZone shows a log of another zone as it stood on its machine's wall, also when it went
// through a capture, and finds what is shown.
func TestRealZone(t *testing.T) {
	log := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	const path = `\Processor(_Total)\% Processor Time`
	const head = `"(PDH-CSV 4.0) (Eastern Daylight Time)(240)",`
	direct := run(t, "watch", path, "--source", log, "-o", "csv")
	if !bytes.HasPrefix(direct, []byte(head)) || !bytes.Contains(direct, []byte(`"08/14/2007 15:50:38.599"`)) {
		t.Errorf("watch: %q", direct)
	}

	capture := filepath.Join(t.TempDir(), "x.capture")
	run(t, "convert", log, "-o", capture, "--quiet")
	if got := run(t, "watch", path, "--source", capture, "-o", "csv"); !bytes.Equal(got, direct) {
		t.Errorf("through a capture %q, want %q", got, direct)
	}

	for _, name := range []string{log, capture} {
		at := run(t, "get", path, "--source", name, "-o", "csv", "--at", "08/14/2007 15:50:38.599")
		if last := run(t, "get", path, "--source", name, "-o", "csv"); !bytes.Equal(at, last) {
			t.Errorf("%s: at its last time %q, want %q", name, at, last)
		}
	}
}

// A capture keeps what wrote the log that it was made from, and a log made from that has it again.
func TestConvertSystem(t *testing.T) {
	log := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"convert", log, "-o", "a.capture"},
		{"record", "--source", "a.capture", "-o", "b.capture"},
		{"convert", "b.capture", "-o", "c.blg"},
	} {
		var stdout, stderr strings.Builder
		if status := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); status != console.ExitDone {
			t.Fatalf("%q: status %d: %s", args, status, &stderr)
		}
	}
	for _, file := range []string{"a.capture", "b.capture", "c.blg"} {
		var stdout, stderr strings.Builder
		Run(t.Context(), []string{"info", file}, strings.NewReader(""), &stdout, &stderr)
		if !strings.Contains(stdout.String(), "system     Windows 6.0, build 6000, 32-bit") {
			t.Errorf("%s: %s%s", file, &stdout, &stderr)
		}
	}
}
