package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"golang.org/x/sys/unix"
)

// terminal opens a terminal: what is written to it can be read.
func terminal(t *testing.T) (tty, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip("no terminals here: ", err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return tty, screen
}

// TestTerminal shows names of a log on a terminal, where nothing of them may turn or
// break a line, in formats that are for people and in those that are for programs.
// Into a file and into a pipe both write the same: text logs the names as they are,
// JSON so that they read back as they are, and all others what a terminal gets.
func TestTerminal(t *testing.T) {
	const (
		name    = "x\u202ey\u2028z"
		escaped = `x\u202ey\u2028z`
		log     = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\" + name + "(" + name + ")\\C\"\r\n\"01/02/2026 15:04:05.000\",\"7\"\r\n"
	)
	t.Chdir(t.TempDir())
	file := name + ".csv"
	if err := os.WriteFile(file, []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args    []string
		formats []string
	}{
		{[]string{"get", `\*(*)\*`, "--source", file}, []string{"csv", "tsv", "jsonl", "json", "paths", "table"}},
		{[]string{"watch", `\*(*)\*`, "--source", file}, []string{"csv", "tsv", "jsonl", "json", "paths", "table"}},
		{[]string{"convert", file}, []string{"csv", "tsv", "jsonl", "json", "paths"}},
		{[]string{"list", "--source", file}, []string{"table", "jsonl", "paths"}},
		{[]string{"info", file}, []string{"text", "json"}},
	}
	for _, tt := range tests {
		for _, format := range tt.formats {
			t.Run(tt.args[0]+" "+format, func(t *testing.T) {
				args := append(slices.Clip(tt.args), "-f", format)
				exact := format == "csv" || format == "tsv"
				tty, screen := terminal(t)
				cmd := process(t, "winperf", args...)
				cmd.Stdout = tty
				runQuietly(t, cmd)

				// The terminal holds what was written, in any number of pieces. Behind the last
				// one it has gone away.
				if err := tty.Close(); err != nil {
					t.Fatal(err)
				}
				shown, err := io.ReadAll(screen)
				if err != nil && !errors.Is(err, syscall.EIO) {
					t.Fatal(err)
				}
				if !bytes.Contains(shown, []byte(escaped)) {
					t.Errorf("shown: %+q", shown)
				}
				for _, r := range string(shown) {
					control := r == '\r' || r == '\n' || r == '\t' || r == '\x1b' && format == "table"
					if !unicode.IsGraphic(r) && !control {
						t.Errorf("%+q is in %+q", r, shown)
					}
				}

				var piped bytes.Buffer
				cmd = process(t, "winperf", args...)
				cmd.Stdout = &piped
				runQuietly(t, cmd)
				copied := "copy." + format
				runQuietly(t, process(t, "winperf", append(args, "--overwrite", "-o", copied)...))
				for where, text := range map[string]string{"a pipe": piped.String(), "a file": content(t, copied)} {
					kept, safe := strings.Contains(text, name), strings.Contains(text, escaped)
					if kept != exact || safe == exact {
						t.Errorf("in %s the name is as it is: %v, escaped: %v; %+q", where, kept, safe, text)
					}
				}
			})
		}
	}
}

// TestTerminalUnits sums up and compares bytes: on a terminal with a prefix unless all digits are
// asked for, in a pipe with all digits.
func TestTerminalUnits(t *testing.T) {
	t.Chdir(t.TempDir())
	var log strings.Builder
	for second := range 3 {
		const form = `{"time":"2026-01-02T15:04:0%dZ","path":"\\\\H\\Memory\\Available Bytes",` +
			`"value":152784896,"unit":"count","status":"ok"}` + "\n"
		fmt.Fprintf(&log, form, second)
	}
	if err := os.WriteFile("log.jsonl", []byte(log.String()), 0o666); err != nil {
		t.Fatal(err)
	}

	const exact, human = "152784896", "145.7 MiB"
	for _, args := range [][]string{
		{"summary", "log.jsonl"},
		{"compare", "log.jsonl", "log.jsonl"},
		{"compare", "log.jsonl", "log.jsonl", `\*\*`, "-n", "1"},
	} {
		tty, screen := terminal(t)
		for _, more := range []string{"--format=table", "--exact"} {
			cmd := process(t, "winperf", append(args, more)...)
			cmd.Stdout = tty
			runQuietly(t, cmd)
		}
		if err := tty.Close(); err != nil {
			t.Fatal(err)
		}
		shown, err := io.ReadAll(screen)
		if err != nil && !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		if h, e := bytes.Index(shown, []byte(human)), bytes.Index(shown, []byte(exact)); h < 0 || e < h {
			t.Errorf("%q on a terminal, without and with --exact: %s", args, shown)
		}

		var piped bytes.Buffer
		cmd := process(t, "winperf", args...)
		cmd.Stdout = &piped
		runQuietly(t, cmd)
		if text := piped.String(); !strings.Contains(text, exact) || strings.Contains(text, human) {
			t.Errorf("%q in a pipe: %s", args, text)
		}
	}
}

// TestTerminalSummary sums up on a terminal of 80 columns: the name comes first, and no line is longer,
// so that the terminal breaks no number.
func TestTerminalSummary(t *testing.T) {
	t.Chdir(t.TempDir())
	const log = `"(PDH-CSV 4.0) (UTC)(0)","\\H\PhysicalDisk(_Total)\Disk Bytes/sec"` + "\n" +
		`"01/02/2026 15:04:05.000","1234567890"` + "\n"
	if err := os.WriteFile("log.csv", []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}

	tty, screen := terminal(t)
	size := unix.Winsize{Row: 24, Col: 80}
	if err := unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &size); err != nil {
		t.Fatal(err)
	}
	cmd := process(t, "winperf", "summary", "log.csv", "--above", "1", "--percentiles", "5,50,95,99.9")
	cmd.Stdout = tty
	runQuietly(t, cmd)
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	shown, err := io.ReadAll(screen)
	if err != nil && !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}

	lines := strings.Split(strings.ReplaceAll(string(shown), "\r", ""), "\n")
	i := slices.Index(lines, `\PhysicalDisk(_Total)\Disk Bytes/sec`)
	if i < 0 || !strings.HasPrefix(strings.TrimSpace(lines[i+1]), "1  ") {
		t.Errorf("the name is not above its numbers: %q", lines)
	}
	numbers := 0
	for _, line := range lines {
		if len(line) > int(size.Col) {
			t.Errorf("%d columns: %q", len(line), line)
		}
		numbers += strings.Count(line, "1234567890")
	}
	if numbers != 8 { // minimum, average, maximum, last and four percentiles
		t.Errorf("the number stands there %d times: %q", numbers, lines)
	}
}

// runQuietly runs a program that has nothing to complain of.
func runQuietly(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
}
