package publishing

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// A file is read as programs append to it, and from its beginning after it was truncated or replaced.
func TestFollow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lines.txt")
	var reports []error
	ctx, end := context.WithCancel(t.Context())
	f := &follower{ctx: ctx, name: name, report: func(err error) {
		reports = append(reports, err)
		write(t, name, os.O_CREATE|os.O_EXCL, "first\nsec") // the follower waits for the file
	}}
	in := console.NewLineReader(f)
	expect := func(want string) {
		t.Helper()
		if line, err := in.Next(); err != nil || string(line) != want {
			t.Fatalf("got %q, %v, want %q", line, err, want)
		}
	}

	expect("first")
	if len(reports) != 1 {
		t.Errorf("reports %v", reports)
	}
	write(t, name, os.O_APPEND, "ond\nthird\n")
	expect("second")
	expect("third")
	write(t, name, os.O_APPEND, "unfinished line")
	if n, err := f.next(make([]byte, 100)); n != 15 || err != nil {
		t.Fatalf("read %d bytes, %v", n, err)
	}
	write(t, name, os.O_TRUNC, "new\n")
	expect("") // the end of the unfinished line
	expect("new")

	if runtime.GOOS != "windows" { // where an open file cannot be renamed
		if err := os.Rename(name, name+".1"); err != nil {
			t.Fatal(err)
		}
		write(t, name+".1", os.O_APPEND, "late\n")
		write(t, name, os.O_CREATE|os.O_EXCL, "replaced\n")
		write(t, name+".1", os.O_APPEND, "very late\n")
		expect("late")
		expect("very late")
		expect("replaced")
	}

	end()
	if _, err := in.Next(); err == nil || !errors.Is(in.Failed, context.Canceled) {
		t.Errorf("after the end: %v", in.Failed)
	}
	if f.file != nil {
		_ = f.file.Close()
	}
}

func write(t *testing.T, name string, flag int, text string) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_WRONLY|flag, 0o600)
	if err == nil {
		_, err = file.WriteString(text)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A directory is refused.
func TestFollowDirectory(t *testing.T) {
	f := &follower{ctx: t.Context(), name: t.TempDir()}
	if _, err := f.Read(make([]byte, 1)); err == nil {
		t.Error("a directory is read")
	}
}
