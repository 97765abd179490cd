package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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

// TestTerminal shows names of a log on a terminal, in formats that keep them as
// they are in a file.
func TestTerminal(t *testing.T) {
	const log = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\A(x\u202ey\u2028z)\\C\"\r\n\"01/02/2026 15:04:05.000\",\"7\"\r\n"
	name := filepath.Join(t.TempDir(), "hostile.csv")
	if err := os.WriteFile(name, []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"csv", "tsv", "jsonl", "paths", "table"} {
		t.Run(format, func(t *testing.T) {
			tty, screen := terminal(t)
			cmd := process(t, "winperf", "get", `\A(*)\C`, "--source", name, "-o", format)
			cmd.Stdout = tty
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, stderr.Bytes())
			}

			// The terminal holds what was written; there is more of it than of a line.
			shown := make([]byte, 4096)
			n, err := screen.Read(shown)
			if err != nil {
				t.Fatal(err)
			}
			shown = shown[:n]
			if !bytes.Contains(shown, []byte(`x\u202ey\u2028z`)) {
				t.Errorf("shown: %+q", shown)
			}
			for _, r := range string(shown) {
				if !unicode.IsGraphic(r) && r != '\r' && r != '\n' && r != '\t' {
					t.Errorf("%+q is in %+q", r, shown)
				}
			}

			file := filepath.Join(t.TempDir(), "copy.txt")
			out, err := process(t, "winperf", "get", `\A(*)\C`, "--source", name, "-f", format, "-o", file).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			copied, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if kept := bytes.Contains(copied, []byte("x\u202ey\u2028z")); kept != (format == "csv" || format == "tsv") {
				t.Errorf("%s has the name as it is: %v\n%+q", format, kept, copied)
			}
		})
	}
}
