package cli

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/perftest"
)

// TestHostileFiles damages files of every kind at random and gives them to the
// commands that open them.
func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	hostileFiles(t, perftest.SuiteCases(600))
}

// TestSoakHostileFiles is TestHostileFiles for as long as WINPERF_SOAK says.
func TestSoakHostileFiles(t *testing.T) {
	hostileFiles(t, perftest.SoakCases(t))
}

// hostileKind is files that belong together, and the commands that open them.
type hostileKind struct {
	seeds    map[string][]byte
	damaged  []string // names of those that are damaged, one in each round
	commands [][]string
	stdin    string // the file that is standard input, if any
}

// seedNames are the names of files.
func seedNames(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }

// others are all files of a kind, to take bytes from.
func (k *hostileKind) others() (all [][]byte) {
	for _, name := range seedNames(k.seeds) {
		all = append(all, k.seeds[name])
	}
	return all
}

// hostileFiles gives damaged files to commands. Whatever they hold the program
// does not fail inside, ends with a status that it has, tells within bounds what
// is wrong, takes no more memory than befits the file, and shows something where
// it says that all is done.
func hostileFiles(t *testing.T, cases *perftest.Cases) {
	dir := t.TempDir()
	if err := writeRecord(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	kinds := hostileKinds(t)

	run := hostileRuns{statuses: map[int]int{}}
	for n, r := range cases.All() {
		kind := kinds[r.IntN(len(kinds))]
		args := kind.commands[r.IntN(len(kind.commands))]
		name := kind.damaged[r.IntN(len(kind.damaged))]

		files := maps.Clone(kind.seeds)
		files[name] = perftest.Mutate(r, kind.seeds[name], kind.others()...)
		if fault := run.once(t, args, files, kind.stdin); fault != "" {
			t.Errorf("round %d, %s damaged, winperf %q: %s", n, name, args, fault)
		}
	}
	t.Logf("%d rounds: statuses %v, most of one: %d KiB allocated, %d bytes of output, %d of errors",
		cases.Done, run.statuses, run.allocated>>10, run.stdout, run.stderr)
	if least := cases.Done / 10; run.statuses[console.ExitDone] < least || run.statuses[console.ExitPartial] < least {
		t.Error("most rounds got nowhere, and so prove nothing")
	}
}

// hostileRuns keeps what runs of the program did at most.
type hostileRuns struct {
	statuses       map[int]int
	allocated      uint64
	stdout, stderr int
	last           []byte // what the latest one wrote to standard output
}

// hostileLimit is how long tests wait for an event at most: nothing takes as long, on a machine that is busy either.
const hostileLimit = 5 * time.Minute

// once runs the program on files in the current directory and returns what is
// not as it should be.
func (h *hostileRuns) once(t *testing.T, args []string, files map[string][]byte, stdin string) string {
	t.Helper()
	size := writeHostile(t, files)
	ctx, cancel := context.WithTimeout(t.Context(), hostileLimit)
	defer cancel()

	var stdout, stderr bytes.Buffer
	before := allocatedBytes()
	status := Run(ctx, args, bytes.NewReader(files[stdin]), &stdout, &stderr)
	allocated := allocatedBytes() - before
	shown := stdout.Len() + outputSize(t)
	nothing := stdin != "" && len(bytes.TrimSpace(files[stdin])) == 0 // goes in, and so nothing comes out

	h.last = stdout.Bytes()
	h.statuses[status]++
	h.allocated = max(h.allocated, allocated)
	h.stdout, h.stderr = max(h.stdout, shown), max(h.stderr, stderr.Len())
	switch {
	case ctx.Err() != nil:
		return "it did not end by itself"
	case strings.Contains(stderr.String(), "internal error"):
		return "it failed inside: " + stderr.String()
	case status != console.ExitDone && status != console.ExitFailed && status != console.ExitPartial:
		return "a status that it does not have"
	case status != console.ExitDone && stdout.Len()+stderr.Len() == 0:
		return "it says nothing of what is wrong"
	case status == console.ExitDone && shown == 0 && !nothing:
		return "it says that all is done and shows nothing"
	case stderr.Len() > maxHostileErrors:
		return "errors without end: " + stderr.String()[:1000]
	case shown > maxHostileOutput+256*size:
		return "output without end"
	case allocated > maxHostileMemory+256*uint64(size):
		return "it allocates without end"
	}
	return ""
}

// Bounds of one run, the last two beside a multiple of the size of its files.
const (
	maxHostileErrors = 64 << 10
	maxHostileOutput = 1 << 20
	maxHostileMemory = 64 << 20
)

// allocatedBytes is how much was allocated so far, garbage included.
func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// writeHostile makes the current directory hold these files and no others, and
// returns their size.
func writeHostile(t *testing.T, files map[string][]byte) (size int) {
	t.Helper()
	left, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if err := os.RemoveAll(e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range files {
		size += len(b)
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return size
}

// outputSize is how many bytes are in the files that commands write.
func outputSize(t *testing.T) (size int) {
	t.Helper()
	found, err := filepath.Glob("out*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		err := filepath.WalkDir(name, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil {
				size += int(info.Size())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return size
}

// hostileKinds makes whole files of every kind by the program itself, in the
// current directory, which holds the record.
func hostileKinds(t *testing.T) []hostileKind {
	t.Helper()
	const record = "perfdata:one.bin,two.bin?names=names.tsv"
	run(t, "record", "--source", record, "--quiet", "-o", "a.capture")
	run(t, "convert", record, "-o", "whole.blg")
	run(t, "convert", record, "--path", `\Memory\*`, "--path", `\Process(*)\*`, "-o", "some.blg")
	for _, name := range []string{"a.csv", "a.tsv", "a.jsonl"} {
		run(t, "convert", record, "-o", name)
	}
	writeSeed(t, "small.bin", perftest.Block(perftest.Small))
	paths := run(t, "list", "--source", record, "-o", "paths")
	writeSeed(t, "paths.txt", paths)
	writeSeed(t, "wide.txt", utf16Bytes(string(paths)))
	writeSeed(t, "cook.jsonl", []byte(cookSeed))
	writeSeed(t, "app.json", run(t, "provider", "init", "--example"))
	run(t, "provider", "init", "app.json")

	whole, samples := seed(t, "one.bin", "two.bin", "names.tsv"), seed(t, "cook.jsonl")
	registered := seed(t, "app.json", "app.ini", "app.h", "app.man", "app_symbols.h")
	kinds := []hostileKind{
		{whole, seedNames(whole), append(logCommands(record),
			[]string{"dump", "one.bin", "--names", "names.tsv"}, []string{"list", "--names", "--source", record}), ""},
		{registered, seedNames(registered), registrationCommands, ""},
		{samples, seedNames(samples), [][]string{{"cook"}, {"cook", "--wrap", "always"}}, "cook.jsonl"},
		{withSeed(whole, t, "paths.txt", "wide.txt"), []string{"paths.txt", "wide.txt"}, [][]string{
			{"get", "--source", record, "--counters", "paths.txt"},
			{"get", "--source", record, "--counters", "wide.txt", "-o", "jsonl"},
			{"record", "--source", record, "--counters", "paths.txt", "-o", "out.csv"},
		}, ""},
	}
	noLog := seed(t, "a.jsonl")
	kinds = append(kinds, hostileKind{noLog, []string{"a.jsonl"}, [][]string{{"info", "a.jsonl"}}, ""})
	for _, name := range []string{"a.capture", "whole.blg", "some.blg", "a.csv", "a.tsv", "small.bin"} {
		kinds = append(kinds, hostileKind{seed(t, name), []string{name}, logCommands(name), ""})
	}
	return kinds
}

// cookSeed is input of the cook command.
const cookSeed = `{"type":"PERF_RAW_FRACTION","cur":{"value":20,"base":50}}
{"type":"PERF_COUNTER_COUNTER","prev":{"value":1,"perf_time":10,"perf_freq":10},"cur":{"value":9}}
`

// logCommands are commands that read a log.
func logCommands(name string) [][]string {
	const every = `\*(*)\*`
	return [][]string{
		{"info", name}, {"info", name, "-o", "json"},
		{"summary", name, "--above", "1"}, {"summary", name, "-o", "csv"}, {"compare", name, name, "-o", "jsonl"},
		{"list", "--source", name}, {"list", "--source", name, "-o", "jsonl"},
		{"list", "--source", name, "Process"},
		{"get", "--source", name, every}, {"get", "--source", name, every, "-o", "jsonl"},
		{"get", "--source", name, `\Process(svchost#1)\ID Process`, `\Memory\Available MBytes`, "-o", "csv"},
		{"watch", "-n", "2", "--source", name},
		{"watch", "-n", "2", "--source", name, every, "-o", "json"},
		{"watch", "-n", "2", "--source", name, every, "-o", "csv", "--anomalies"},
		{"dump", "--source", name}, {"dump", "--source", name, "-o", "json"},
		{"dump", "--source", name, "-o", "out.bin"},
		{"convert", name, "-o", "out.csv"}, {"convert", name, "-o", "out.jsonl"},
		{"convert", name, "-o", "out.blg"}, {"convert", name, "-o", "out.capture"},
		{"convert", name, "-o", "out.tsv", "--path", `\Process(*)\*`, "-i", "1"},
		{"record", "--source", name, "-o", "out.capture"}, {"record", "--source", name, every, "-o", "out.jsonl"},
	}
}

// registrationCommands read the files that register counters.
var registrationCommands = [][]string{
	{"provider", "check", "app.json", "app.ini", "app.h", "app.man", "app_symbols.h"},
	{"provider", "check", "app.ini"}, {"provider", "check", "app.man"},
	{"provider", "init", "app.ini"}, {"provider", "init", "app.man"},
	{"provider", "init", "app.json", "--force"},
	{"provider", "install", "app.ini", "--library", "app.dll", "--dry-run"},
	{"provider", "install", "app.man", "--dry-run"},
}

// seed reads files of the current directory.
func seed(t *testing.T, names ...string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	return files
}

// withSeed is files and those of the names.
func withSeed(files map[string][]byte, t *testing.T, names ...string) map[string][]byte {
	all := seed(t, names...)
	maps.Copy(all, files)
	return all
}

func writeSeed(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// utf16Bytes is text as Windows' editors save it.
func utf16Bytes(s string) []byte {
	b := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(s)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}
