package queue

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// queueDir is the environment variable by which a test runs this program as one that
// writes and reads a queue until it is killed.
const queueDir = "WINPERF_TEST_QUEUE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(queueDir); dir != "" {
		useQueue(dir)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var killOptions = Options{MaxBytes: 64 << 20, Segment: 4096, Sync: time.Millisecond, Readers: []string{"reader"}}

// killEntry is what the entry of a number holds: nothing of it can come from another.
func killEntry(n uint64) string {
	return strings.Repeat(fmt.Sprintf("%d;", n), int(n%50)+1)
}

// useQueue appends entries and forgets some, and says so when it is done.
func useQueue(dir string) {
	s, err := openBox(dir, killOptions)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	r := s.Reader("reader")
	for n := s.State().Last + 1; ; n++ {
		last, err := s.Append([]byte(killEntry(n)))
		fmt.Println("appended", last, err)
		if n%20 != 0 {
			continue
		}
		entries, lost, err := r.Read(15)
		if err != nil || lost > 0 {
			fmt.Println("error", lost, err)
		}
		for _, e := range entries {
			if string(e.Data) != killEntry(e.Number) {
				fmt.Printf("error entry %d has %q\n", e.Number, e.Data)
			}
		}
		through := entries[len(entries)-1].Number
		fmt.Println("forgetting", through)
		err = r.Done(through)
		fmt.Println("forgot", through, err)
	}
}

// killed is what one run had said until it was killed.
type killed struct{ appended, forgetting, forgot uint64 }

// runAndKill lets a program use the queue for a while.
func runAndKill(t *testing.T, dir string) (k killed) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), queueDir+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	stop := rand.IntN(300)
	for i := 0; lines.Scan(); i++ {
		if i == stop { // what it said until it is dead counts, too
			must(t, cmd.Process.Kill())
		}
		var word, end string
		var n uint64
		if _, err := fmt.Sscan(lines.Text(), &word, &n, &end); err != nil && word != "forgetting" || end != "" && end != "<nil>" {
			t.Errorf("it says %q", lines.Text())
			_ = cmd.Process.Kill() // it may be dead
		}
		switch word {
		case "appended":
			k.appended = n
		case "forgetting":
			k.forgetting = n
		case "forgot":
			k.forgot = n
		}
	}
	_ = cmd.Wait() // it tells that it was killed
	return k
}

// testKill kills programs that use one queue: no entry is lost that was appended, none is
// there that was not, and none comes back that was forgotten.
func testKill(t *testing.T, more func(i int) bool) {
	dir := t.TempDir()
	var before killed
	var kills int
	for ; more(kills); kills++ {
		k := runAndKill(t, dir)
		k = killed{max(k.appended, before.appended), max(k.forgetting, before.forgetting), max(k.forgot, before.forgot)}
		s := openEntries(t, dir, killOptions)
		state := s.State()
		if state.Last < k.appended || state.Last > k.appended+1 {
			t.Errorf("%d entries, %d were appended", state.Last, k.appended)
		}

		first := uint64(0)
		r := s.Reader("reader")
		for {
			entries, lost, err := r.Read(100)
			must(t, err)
			if lost > 0 {
				t.Errorf("%d entries are lost", lost)
			}
			if len(entries) == 0 {
				break
			}
			if first == 0 {
				first = entries[0].Number
			}
			for _, e := range entries {
				if string(e.Data) != killEntry(e.Number) {
					t.Errorf("entry %d has %q", e.Number, e.Data)
				}
			}
		}
		if first > 0 && (first <= k.forgot || first > k.forgetting+1) {
			t.Errorf("the oldest entry is %d, %d were forgotten, and perhaps %d", first, k.forgot, k.forgetting)
		}
		before = k
		before.appended = state.Last
		must(t, s.Close())
	}
	t.Logf("%d programs were killed, and appended %d entries", kills, before.appended)
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
