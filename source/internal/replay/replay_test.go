package replay_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source/internal/replay"
)

// The forms of a file with names.
const (
	textNames = "230\tProcess\n6\t% Processor Time\n231\tHelp on processes.\n"
	multiSZ   = "2\x003\x000\x00\x00\x00P\x00r\x00o\x00c\x00\x00\x00\x00\x00"
)

// write writes files into a directory of the test, which becomes the current one.
func write(t *testing.T, files map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// blocks are samples of the machine REFERENCE.
func blocks(n int) (all [][]byte) {
	for _, s := range perftest.Series(perftest.Small, n, 10, 1) {
		all = append(all, s.Bytes)
	}
	return all
}

// compile opens a query over everything.
func compile(t *testing.T, src winperf.Source) winperf.Query {
	t.Helper()
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestSamples(t *testing.T) {
	b := blocks(3)
	write(t, map[string][]byte{"a.bin": b[0], "b.bin": b[1], "c.bin": append(b[2], "slack behind the end"...)})
	src, err := replay.OpenPerfdata("a.bin,b.bin,c.bin")
	if err != nil {
		t.Fatal(err)
	}
	if name := src.Describe().Machine; name != "REFERENCE" {
		t.Errorf("machine %q", name)
	}
	if n := src.Describe().Samples; n != 3 {
		t.Errorf("%d samples", n)
	}
	schema, err := src.Schema(t.Context())
	if err != nil || schema.Interface != "file" || len(schema.Names) != 0 {
		t.Errorf("schema %+v, error %v", schema, err)
	}
	want, _ := filepath.Glob("*.bin")
	for range 2 { // each query begins at the first sample
		q := compile(t, src)
		var sample winperf.Sample
		var used *winperf.Block
		for i, name := range want {
			if err := q.Next(t.Context(), &sample); err != nil {
				t.Fatal(err)
			}
			raw := sample.Parts[0].Block
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(raw.Bytes, file) || raw.Format != winperf.FormatV1 || raw.Schema != schema {
				t.Errorf("%s: %d bytes of %d, format %d", name, len(raw.Bytes), len(file), raw.Format)
			}
			if i > 0 && raw != used {
				t.Errorf("%s: memory that was given back is not used", name)
			}
			used = raw
		}
		for range 2 {
			if err := q.Next(t.Context(), &sample); !errors.Is(err, io.EOF) || len(sample.Parts) > 0 {
				t.Errorf("at the end: %v", err)
			}
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

// A machine in a path selects within a record and refuses nothing.
func TestCompileForeignMachine(t *testing.T) {
	write(t, map[string][]byte{"a.bin": blocks(1)[0]})
	src, err := replay.OpenPerfdata("a.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := src.Compile(t.Context(), winperf.Selection{Paths: []winperf.Path{{Machine: "other", Object: "Process", Counter: "*"}}}); err != nil {
		t.Error(err)
	}
}

func TestSpec(t *testing.T) {
	block := blocks(1)[0]
	write(t, map[string][]byte{
		"a.bin": block, "b c.bin": block, "with,comma&.bin": block, "100%.bin": block, "%41.bin": block, "%zz": block,
		"names.tsv": []byte(textNames), "names.bin": []byte(multiSZ), "german,.tsv": []byte("230\tProzess\n"), "damaged.tsv": []byte("230\tProcess\nnonsense\n"),
		"bad.tsv": []byte("nonsense"),
	})
	tests := []struct {
		spec    string
		samples int
		title   string // of object 230
		damage  int
		err     error
		text    string // in the error
	}{
		{spec: "a.bin", samples: 1, title: "#230"},
		{spec: "a.bin,a.bin,b c.bin", samples: 3, title: "#230"},
		{spec: "b%20c.bin", samples: 1, title: "#230"},
		{spec: "with%2Ccomma%26.bin,a.bin", samples: 2, title: "#230"},
		{spec: "100%.bin", samples: 1, title: "#230"},
		{spec: "%41.bin", samples: 1, title: "#230"}, // the file is there under just this name
		{spec: "%zz", samples: 1, title: "#230"},
		{spec: "a.bin?names=names.tsv", samples: 1, title: "Process"},
		{spec: "a.bin?names=names.bin", samples: 1, title: "Proc"},
		{spec: "a.bin?names=german%2C.tsv&names=names.tsv", samples: 1, title: "Prozess"},
		{spec: "a.bin?names=damaged.tsv", samples: 1, title: "Process", damage: 1},
		{spec: "", err: winperf.ErrNotSupported, text: "file 1 is empty"},
		{spec: "?names=names.tsv", err: winperf.ErrNotSupported, text: "file 1 is empty"},
		{spec: "a.bin,", err: winperf.ErrNotSupported, text: "file 2 is empty"},
		{spec: "a.bin,,a.bin", err: winperf.ErrNotSupported, text: "file 2 is empty"},
		{spec: "a.bin?", err: winperf.ErrNotSupported, text: `option ""`},
		{spec: "a.bin?names", err: winperf.ErrNotSupported, text: `option "names"`},
		{spec: "a.bin?names=", err: winperf.ErrNotSupported, text: `option "names="`},
		{spec: "a.bin?names=names.tsv&x=y", err: winperf.ErrNotSupported, text: `option "x=y"`},
		{spec: "missing.bin", err: fs.ErrNotExist, text: "missing.bin"},
		{spec: "missing%2C.bin", err: fs.ErrNotExist, text: "missing,.bin"},
		{spec: "a.bin?names=missing.tsv", err: fs.ErrNotExist, text: "missing.tsv"},
		{spec: "a.bin?names=bad.tsv", err: winperf.ErrBadData, text: "bad.tsv"},
	}
	for _, tt := range tests {
		t.Run(tt.spec, func(t *testing.T) {
			src, err := replay.OpenPerfdata(tt.spec)
			if tt.err != nil {
				if !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text) || src != nil {
					t.Fatalf("error %v, want %v and %q", err, tt.err, tt.text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			schema, err := src.Schema(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			names, _ := nametable.FromSchema(schema)
			n := src.Describe().Samples
			if n != tt.samples || names.Title(230) != tt.title || len(schema.Damage) != tt.damage {
				t.Errorf("%d samples, object 230 is %q, damage %v", n, names.Title(230), schema.Damage)
			}
		})
	}
}

// A drive's colon and backslashes are nothing special.
func TestWindowsPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the path is that of a file in the root of the drive here")
	}
	write(t, map[string][]byte{`C:\x y.bin`: blocks(1)[0]})
	if _, err := replay.OpenPerfdata(`C:\x y.bin,C:\x%20y.bin`); err != nil {
		t.Error(err)
	}
}

func TestNoFiles(t *testing.T) {
	if src, err := replay.OpenFiles(nil, nil); !errors.Is(err, winperf.ErrNotSupported) || src != nil {
		t.Errorf("error %v", err)
	}
}

// The source does not depend on what becomes of the caller's list.
func TestFilesAreCopied(t *testing.T) {
	write(t, map[string][]byte{"a.bin": blocks(1)[0]})
	files := []string{"a.bin"}
	src, err := replay.OpenFiles(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	files[0] = "missing.bin"
	if err := perftest.Take(t.Context(), compile(t, src), &winperf.Raw{}); err != nil {
		t.Error(err)
	}
}

// A first file that no object can be read of is refused at once.
func TestBadFirstFile(t *testing.T) {
	block := blocks(1)[0]
	header := block[:120]
	foreign := append([]byte{}, block...)
	foreign[8] = 0 // LittleEndian of PERF_DATA_BLOCK
	write(t, map[string][]byte{
		"empty": nil, "one": {1}, "text": []byte("no block at all, but longer than the head of one: " + strings.Repeat("x", 600)),
		"header": header, "foreign": foreign,
	})
	if err := os.Mkdir("directory", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"empty": winperf.ErrBadData, "one": winperf.ErrBadData, "text": winperf.ErrBadData, "header": winperf.ErrBadData,
		"foreign": nil, "directory": winperf.ErrNotSupported, os.DevNull: winperf.ErrNotSupported,
	} {
		_, err := replay.OpenFiles([]string{name}, nil)
		if err == nil || !strings.Contains(err.Error(), name) || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: error %v, want one that names the file and wraps %v", name, err, want)
		}
	}
}

// A first file that is cut behind an object can be opened, and any later file
// is the affair of who decodes it.
func TestCutFiles(t *testing.T) {
	b := blocks(2)
	write(t, map[string][]byte{"cut.bin": b[0][:len(b[0])-100], "garbage.bin": []byte("garbage")})
	src, err := replay.OpenFiles([]string{"cut.bin", "garbage.bin"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := compile(t, src)
	var raw winperf.Raw
	for _, want := range []int{len(b[0]) - 100, len("garbage")} {
		if err := perftest.Take(t.Context(), q, &raw); err != nil || len(raw.Bytes) != want {
			t.Errorf("%d bytes, error %v, want %d", len(raw.Bytes), err, want)
		}
	}
}

// Files that gzip compressed are read as they are named, and one that is cut as far as it goes.
func TestPackedBlocks(t *testing.T) {
	b := blocks(2)
	var packed [][]byte
	for _, block := range b {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, err := w.Write(block)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		packed = append(packed, out.Bytes())
	}
	write(t, map[string][]byte{
		"a.gz": packed[0], "b.gz": packed[1][:len(packed[1])-8], "head.gz": packed[0][:5], "plain": b[0],
	})

	src, err := replay.OpenFiles([]string{"a.gz", "b.gz", "plain"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := compile(t, src)
	for i, want := range [][]byte{b[0], b[1], b[0]} {
		var s winperf.Sample
		if err := q.Next(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
		raw, err := s.Raw()
		if err != nil || !bytes.Equal(raw.Bytes, want) {
			t.Errorf("%d: other bytes, error %v", i, err)
		}
		if cut := i == 1; cut != (len(s.Damage) == 1) || cut && !errors.Is(s.Damage[0], winperf.ErrBadData) {
			t.Errorf("%d: damage %v", i, s.Damage)
		}
	}

	if _, err := replay.OpenFiles([]string{"head.gz"}, nil); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("without a whole head: error %v", err)
	}
}

// A block as text is the block again, and the text of its error names the file and the line.
func TestTextBlocks(t *testing.T) {
	b := blocks(1)[0]
	parsed, err := perfdata.Parse(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := perfdata.WriteText(&text, parsed, nil); err != nil {
		t.Fatal(err)
	}
	write(t, map[string][]byte{
		"one": text.Bytes(), "noted": append([]byte("\n # by hand\n"), text.Bytes()...), "plain": b,
		"bad": []byte("object 2\n counter x\n"), "huge": append(text.Bytes(), bytes.Repeat([]byte("# \n"), 32<<20)...),
	})

	src, err := replay.OpenFiles([]string{"one", "plain", "noted", "bad", "huge"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := compile(t, src)
	var raw winperf.Raw
	for i := range 3 {
		if err := perftest.Take(t.Context(), q, &raw); err != nil || !bytes.Equal(raw.Bytes, b) {
			t.Errorf("%d: other bytes, error %v", i, err)
		}
	}

	err = perftest.Take(t.Context(), q, &raw)
	if !errors.Is(err, winperf.ErrBadData) || !strings.HasPrefix(err.Error(), "bad: bad text form in line 2, ") {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"bad", "huge"} {
		if _, err := replay.OpenFiles([]string{name}, nil); !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A later file that cannot be read is an error each time, until it can be read.
func TestLaterFileMissing(t *testing.T) {
	b := blocks(2)
	write(t, map[string][]byte{"a.bin": b[0]})
	src, err := replay.OpenFiles([]string{"a.bin", "b.bin"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := compile(t, src)
	var raw winperf.Raw
	if err := perftest.Take(t.Context(), q, &raw); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "b.bin") {
			t.Errorf("error %v", err)
		}
	}
	if err := os.WriteFile("b.bin", b[1], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := perftest.Take(t.Context(), q, &raw); err != nil || !bytes.Equal(raw.Bytes, b[1]) {
		t.Errorf("%d bytes, error %v", len(raw.Bytes), err)
	}
}

// Files that are too large are refused without reading, and of those that are
// no blocks little is read.
func TestHugeFiles(t *testing.T) {
	write(t, map[string][]byte{"a.bin": blocks(1)[0]})
	for name, size := range map[string]int64{"large": 256 << 20, "huge": replay.MaxFile + 1} {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "huge" { // begins like a block
			_, err = f.WriteString("P\x00E\x00R\x00F\x00")
		}
		err = errors.Join(err, f.Truncate(size)) // takes no space on the disk
		if err := errors.Join(err, f.Close()); err != nil {
			t.Skipf("skipped: no file with holes: %v", err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = replay.OpenFiles([]string{name}, nil)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", name, n)
		}
	}
}

func TestContextEnded(t *testing.T) {
	write(t, map[string][]byte{"a.bin": blocks(1)[0]})
	src, err := replay.OpenPerfdata("a.bin")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q := compile(t, src)
	if err := perftest.Take(ctx, q, &winperf.Raw{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := perftest.Take(t.Context(), q, &winperf.Raw{}); err != nil {
		t.Errorf("the sample is lost: %v", err)
	}
}

// FuzzSpec checks that a spec is either refused, with the sentinel, or taken
// apart without losing anything.
func FuzzSpec(f *testing.F) {
	for _, spec := range []string{"a.bin", "a,b,c?names=x&names=y", "?", "a?names=", `C:\x.bin`, ",", "a?b=c?d=e", "%41%", "a?names=%2C"} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		files, names, err := replay.ParseSpec(spec)
		if err != nil {
			if !errors.Is(err, winperf.ErrNotSupported) || files != nil || names != nil {
				t.Fatalf("error %v, files %q, names %q", err, files, names)
			}
			return
		}
		if strings.Contains(spec, "%") {
			return // names may have become others
		}
		again := strings.Join(files, ",")
		for i, name := range names {
			again += fmt.Sprintf("%cnames=%s", "?&"[min(i, 1)], name)
		}
		if diff := cmp.Diff(spec, again); diff != "" {
			t.Fatalf("put together again (-want +got):\n%s", diff)
		}
	})
}

// A file that goes away between two queries is an error of the next query, in every format, and
// one that comes again can be read.
func TestFileGone(t *testing.T) {
	dir := t.TempDir()
	name, away := filepath.Join(dir, "x.jsonl"), filepath.Join(dir, "away")
	const line = `{"time":"2026-01-02T15:04:05Z","path":"\\O\\C","value":1,"unit":"count","status":"ok"}` + "\n"
	if err := os.WriteFile(name, []byte(line), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := replay.OpenJSONL(replay.At(name))
	if err != nil {
		t.Fatal(err)
	}
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()

	if err := os.Rename(name, away); err != nil {
		t.Fatal(err)
	}
	var s winperf.Sample
	if err := q.Next(t.Context(), &s); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
	if err := os.Rename(away, name); err != nil {
		t.Fatal(err)
	}
	if readings, err := perftest.Readings(t.Context(), q); err != nil || len(readings) != 1 {
		t.Errorf("come again: %v, %d readings", err, len(readings))
	}
}

// Readings that are older than their sample belong to it, whichever comes first.
func TestJSONLAge(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	const form = `{"time":"2026-01-02T15:04:05Z","path":"\\O\\%s","value":1,"unit":"count","status":"ok","age":%d}` + "\n"
	text := fmt.Sprintf(form, "Old", 2) + fmt.Sprintf(form, "New", 0)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := replay.OpenJSONL(replay.At(name))
	if err != nil {
		t.Fatal(err)
	}
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var s winperf.Sample
	if err := q.Next(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	readings, err := perftest.Displayed(&s)
	if err != nil || len(readings) != 2 {
		t.Fatalf("%v, %d readings, want 2", err, len(readings))
	}
	at := capture.Time(&s)
	if age := at.Sub(readings[0].Time); age != 2*time.Second || !readings[1].Time.Equal(at) {
		t.Errorf("the first is %v old", age)
	}
}
