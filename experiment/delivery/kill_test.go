package delivery

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// deliverToDisk delivers records through a queue on disk to a file, slowly, and says which
// ones it took, until it is killed.
func deliverToDisk() {
	dir, session := os.Args[1], os.Args[2]
	s, err := NewFile(filepath.Join(dir, "out.jsonl"), FileOptions{})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	d, err := New(Options{
		Routes: []Route{{Name: "file", Sink: s, Records: 3, Linger: -1}},
		Disk:   &Disk{Dir: filepath.Join(dir, "queue")},
	})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	for n := uint64(1); ; n++ {
		if _, err := d.Put(context.Background(), record(session, n)); err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println("taken", n)
	}
}

// testKill kills programs that deliver: in the end the file has every record that was taken,
// in order and once, and none that was not, but for the one that was being taken.
func testKill(t *testing.T, more func(i int) bool) {
	dir := t.TempDir()
	var taken []uint64
	for i := 0; more(i); i++ {
		cmd := exec.Command(os.Args[0], dir, fmt.Sprint("s", i))
		cmd.Env = append(os.Environ(), program+"=disk")
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		stop, last := rand.IntN(100), uint64(0)
		for n := 0; lines.Scan(); n++ {
			if n == stop {
				must(t, cmd.Process.Kill())
			}
			if _, err := fmt.Sscanf(lines.Text(), "taken %d", &last); err != nil {
				t.Fatalf("it says %q", lines.Text())
			}
		}
		_ = cmd.Wait() // it tells that it was killed
		taken = append(taken, last)
	}

	// The rest is delivered by one that nobody kills.
	name := filepath.Join(dir, "out.jsonl")
	s, err := NewFile(name, FileOptions{})
	must(t, err)
	d := begin(t, Options{Routes: []Route{{Name: "file", Sink: s}}, Disk: &Disk{Dir: filepath.Join(dir, "queue")}})
	must(t, d.Close(t.Context()))

	got := inFile(t, name)
	t.Logf("%d programs were killed, and the file has %d records", len(taken), len(got))
	for i, last := range taken {
		session := fmt.Sprint("s", i)
		want := names(session, 1, last)
		if len(got) < len(want) {
			t.Fatalf("%s: %d records are left, want %d", session, len(got), len(want))
		}
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("%s: record %d is %s", session, k+1, got[k])
			}
		}
		got = got[len(want):]
		if next := fmt.Sprintf("%s/%d", session, last+1); len(got) > 0 && got[0] == next {
			got = got[1:] // it was killed before it could say so
		}
	}
	if len(got) > 0 {
		t.Errorf("nobody took %v", got)
	}
}

func TestKill(t *testing.T) {
	times := 20
	if runtime.GOOS == "windows" {
		times = 5 // starting a program takes longer there
	}
	testKill(t, func(i int) bool { return i < times })
}

// TestSoakKill kills 200 programs at least, and goes on as long as WINPERF_SOAK says.
func TestSoakKill(t *testing.T) {
	text := os.Getenv("WINPERF_SOAK")
	if text == "" {
		t.Skip("runs for as long as WINPERF_SOAK says")
	}
	d, err := time.ParseDuration(text)
	must(t, err)
	end := time.Now().Add(d)
	testKill(t, func(i int) bool { return i < 200 || time.Now().Before(end) })
}
