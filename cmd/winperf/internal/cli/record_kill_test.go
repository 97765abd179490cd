package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/source"
)

// killCase is a recording that is killed.
type killCase struct {
	format  string
	args    []string
	run     time.Duration // at most
	lost    int           // acknowledged samples that may be lost: those of one second
	kept    int           // how many are kept of more; 0 is all
	appends bool          // a recording can go on with the file
}

// record is a command line.
func (c *killCase) record(more ...string) []string {
	return slices.Concat([]string{"record"}, c.args, more)
}

// killCases are recordings in every format, in one file and in several. Of ten
// samples a second no more than eleven fall into less than one.
func killCases() map[string]killCase {
	const fast = 400 * time.Millisecond
	const slow = 2500 * time.Millisecond
	path := `\Memory\Available MBytes`
	rotated := func(most, action string, args ...string) []string {
		return append(args, "--max-samples", most, "--at-limit", action)
	}
	return map[string]killCase{
		"capture":         {format: "capture", args: []string{path, "-i", "0.01"}, run: fast, appends: true},
		"csv":             {format: "csv", args: []string{path, "-i", "0.01"}, run: fast, appends: true},
		"tsv":             {format: "tsv", args: []string{path, "-i", "0.01"}, run: fast, appends: true},
		"jsonl":           {format: "jsonl", args: []string{path, "-i", "0.01"}, run: fast, appends: true},
		"large capture":   {format: "capture", args: []string{"-i", "0.01"}, run: fast, appends: true},
		"large csv":       {format: "csv", args: []string{`\Process(*)\*`, "-i", "0.01"}, run: fast},
		"large jsonl":     {format: "jsonl", args: []string{`\Process(*)\*`, "-i", "0.01"}, run: fast},
		"blg of counters": {format: "blg", args: []string{path, `\Process(*)\*`, "-i", "0.1"}, run: slow, lost: 11},
		"small blg":       {format: "blg", args: []string{path, "-i", "0.1"}, run: slow, lost: 11},
		"blg of objects":  {format: "blg", args: []string{"-i", "0.1"}, run: slow, lost: 11},
		"slow blg":        {format: "blg", args: []string{path, "-i", "1"}, run: slow},
		"slow large blg":  {format: "blg", args: []string{"-i", "1"}, run: slow},
		"new captures":    {format: "capture", args: rotated("7", "new", path, "-i", "0.01"), run: fast},
		"new blgs":        {format: "blg", args: rotated("7", "new", "-i", "0.1"), run: slow, lost: 11},
		"circular blgs":   {format: "blg", args: rotated("16", "circular", path, "-i", "0.1"), run: slow, lost: 11, kept: 16},
		"circular csvs":   {format: "csv", args: rotated("32", "circular", path, "-i", "0.01"), run: fast, kept: 32},
	}
}

// TestRecordKill kills recordings at random moments: every file opens and has
// all samples that were acknowledged, but for those of one second where they are
// fast and the format keeps buffers.
func TestRecordKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	if runtime.GOOS != "linux" {
		t.Skip("needs a live source")
	}
	for name, c := range killCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 {
				killRecording(t, &c)
			}
		})
	}
}

// TestSoakRecordKill is TestRecordKill for as long as WINPERF_SOAK says.
func TestSoakRecordKill(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK does not say how long to run")
	}
	if runtime.GOOS != "linux" {
		t.Skip("needs a live source")
	}
	kills := 0
	for begin := time.Now(); time.Since(begin) < duration && !t.Failed(); {
		for name, c := range killCases() {
			t.Run(name, func(t *testing.T) { killRecording(t, &c) })
			kills++
		}
	}
	t.Logf("%d recordings were killed", kills)
}

// killRecording kills one recording, looks at its files, goes on with them where
// that can be done, and looks again.
func killRecording(t *testing.T, c *killCase) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "killed."+c.format)
	acknowledged := recordAndKill(t, c, name)
	held, damage := samplesInAll(t, dir)
	least := acknowledged - c.lost
	if c.kept > 0 {
		least = min(least, c.kept-c.lost)
	}
	most := acknowledged + 1
	if held < least || held > most || damage > 3 { // the file's end, the record and the sample that it cuts off
		t.Errorf("%d samples and %d places of damage; %d were acknowledged", held, damage, acknowledged)
	}
	if !c.appends || acknowledged == 0 {
		return
	}

	more := process(t, "winperf", c.record("-n", "3", "--append", "-o", name)...)
	out, err := more.CombinedOutput()
	if err != nil && !lacksRight(more, out) {
		t.Fatalf("going on: %v\n%s", err, out)
	}
	again, damage := samplesInAll(t, dir)
	if again != held+3 || damage > 0 {
		t.Errorf("%d samples and %d places of damage after going on with %d", again, damage, held)
	}
}

// lacksRight reports whether a program says of a live machine that not all of it may be
// read, as in many containers, and nothing worse.
func lacksRight(cmd *exec.Cmd, said []byte) bool {
	return cmd.ProcessState.ExitCode() == console.ExitPartial && bytes.Contains(said, []byte("no permission to read"))
}

// recordAndKill starts a recording, kills it and returns how many samples it
// said it had.
func recordAndKill(t *testing.T, c *killCase, name string) (acknowledged int) {
	t.Helper()
	cmd := process(t, "winperf", c.record("--progress", "-o", name)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(rand.N(c.run), func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		number, _, _ := strings.Cut(lines.Text(), " sample")
		if acknowledged, err = strconv.Atoi(number); err != nil {
			t.Fatalf("standard error has %q", lines.Text())
		}
	}
	_ = cmd.Wait() // it was killed
	return acknowledged
}

// samplesInAll is samplesIn of all files in a directory. A file that was just
// begun may have nothing in it.
func samplesInAll(t *testing.T, dir string) (samples, damage int) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Size() == 0 {
			continue
		}
		s, d := samplesIn(t, filepath.Join(dir, f.Name()))
		samples, damage = samples+s, damage+d
	}
	return samples, damage
}

// samplesIn counts the samples in a file and the places where it is damaged.
func samplesIn(t *testing.T, name string) (samples, damage int) {
	t.Helper()
	if strings.HasSuffix(name, ".jsonl") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return jsonSamples(string(b))
	}
	src, err := source.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true, Costly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var sample winperf.Sample
	var found []error
	for ; ; samples++ {
		err := q.Next(t.Context(), &sample)
		found = append(found, sample.Damage...)
		if errors.Is(err, io.EOF) {
			return samples, placesOf(found)
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// jsonSamples counts the moments that whole lines are of, and the other lines.
func jsonSamples(text string) (samples, damage int) {
	last := ""
	for line := range strings.Lines(text) {
		time, _, found := strings.Cut(line, ",")
		switch {
		case !found || !strings.HasSuffix(line, "}\n"):
			damage++
		case time != last:
			samples++
			last = time
		}
	}
	return samples, damage
}

// placesOf counts the places of damage: of binary logs there may be several
// findings about one.
func placesOf(damage []error) int {
	places := map[int64]bool{}
	for i, err := range damage {
		var where *winperf.DataError
		if errors.As(err, &where) {
			places[where.Offset] = true
		} else {
			places[int64(-1-i)] = true
		}
	}
	return len(places)
}
