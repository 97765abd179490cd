package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/winperf/winperf/internal/control"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider/publish"
)

func TestMain(m *testing.M) {
	programs := map[string]func(){"winperf": func() { os.Exit(Main()) }, "listener": listener}
	maps.Copy(programs, systemPrograms)
	testscript.Main(apart{m}, programs)
}

// apart runs tests that publish to a directory of their own and see nothing else that is
// published on the machine. On Windows the provider has one that cannot be chosen.
type apart struct{ m *testing.M }

func (a apart) Run() int {
	if runtime.GOOS == "windows" {
		return a.m.Run()
	}
	dir, err := os.MkdirTemp("", "winperf-published-")
	exitOn(err)
	exitOn(os.Setenv(publish.Environment, dir))
	status := a.m.Run()
	exitOn(os.RemoveAll(dir))
	return status
}

// exitOn ends a program of the tests.
func exitOn(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// TestScript runs the sessions in testdata/script. Each finds the record of a
// small machine in its directory: one.bin and two.bin, a second apart, and
// names.tsv; $RECORD is all of it as a source, and $MANY
// eight times that.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("RECORD", "perfdata:one.bin,two.bin?names=names.tsv")
			env.Setenv("MANY", "perfdata:"+strings.Repeat("one.bin,two.bin,", 7)+"one.bin,two.bin?names=names.tsv")
			env.Setenv("TZ", "UTC")
			env.Setenv(publish.Environment, filepath.Join(env.WorkDir, "published"))
			env.Setenv(control.Environment, filepath.Join(env.WorkDir, "s"))
			env.Setenv("FORGED", "no\nwinperf all is well\u202e.capture")
			return writeRecord(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"lines":    lines,
			"mkblock":  mkblock,
			"mkzip":    mkzip,
			"safe":     safe,
			"truncate": truncate,
			"unescape": unescape,
			"polls":    polls,
		},
		RequireExplicitExec: true,
	})
}

// writeRecord makes the record in a directory.
func writeRecord(dir string) error {
	for _, name := range []string{"one", "two"} {
		b, err := encodeText(filepath.Join("testdata", "record", name+".txt"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".bin"), b, 0o666)
		}
		if err != nil {
			return err
		}
	}
	b, err := os.ReadFile(filepath.Join("testdata", "record", "names.tsv"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "names.tsv"), b, 0o666)
}

// encodeText makes a block of the text form in a file.
func encodeText(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, err := perfdata.ParseText(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return block.Encode()
}

// exits runs a command that must end with an exit status:
//
//	exits STATUS COMMAND [ARG...]
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	status := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		status = exit.ExitCode()
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
}

// lines counts the lines of a file, of stdout or of stderr:
//
//	lines FILE N
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, "\n"); strconv.Itoa(n) != args[1] {
		ts.Fatalf("%d lines, want %s:\n%s", n, args[1], text)
	}
}

// safe checks that a file, stdout or stderr holds lines of what may be shown:
//
//	safe FILE
func safe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: safe FILE")
	}
	text := ts.ReadFile(args[0])
	for i, r := range text {
		if r != '\n' && !unicode.IsGraphic(r) {
			ts.Fatalf("%+q at byte %d of:\n%+q", r, i, text)
		}
	}
	if text == "" || !utf8.ValidString(text) {
		ts.Fatalf("%s is empty or no UTF-8: %+q", args[0], text)
	}
}

// unescape copies a file whose lines have the escapes of Go strings:
//
//	unescape FILE OUT
func unescape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unescape FILE OUT")
	}
	var out strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		text, err := strconv.Unquote(`"` + strings.TrimSuffix(line, "\n") + `"`)
		ts.Check(err)
		out.WriteString(text + "\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o666))
}

// mkblock makes a performance data block of the text form in a file, or a
// reference block, or takes a binary log, changes bytes and cuts it:
//
//	mkblock [OFFSET=HEX...] [cut=N] FILE|LOG.blg|small|desktop|huge OUT
func mkblock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mkblock [OFFSET=HEX...] [cut=N] FILE|small|desktop|huge OUT")
	}
	in, out := args[len(args)-2], args[len(args)-1]
	var b []byte
	for _, size := range perftest.Sizes {
		if size.String() == in {
			b = perftest.Block(size)
		}
	}
	if strings.HasSuffix(in, ".blg") {
		b = []byte(ts.ReadFile(in))
	}
	if b == nil {
		var err error
		b, err = encodeText(ts.MkAbs(in))
		ts.Check(err)
	}
	for _, arg := range args[:len(args)-2] {
		key, value, _ := strings.Cut(arg, "=")
		if key == "cut" {
			n, err := strconv.Atoi(value)
			ts.Check(err)
			b = b[:n]
			continue
		}
		offset, err := strconv.Atoi(key)
		ts.Check(err)
		with, err := hex.DecodeString(value)
		ts.Check(err)
		copy(b[offset:], with)
	}
	ts.Check(os.WriteFile(ts.MkAbs(out), b, 0o666))
}
