package linuxhost

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// tool is a program that measures for a while.
type tool struct {
	t   *testing.T
	cmd *exec.Cmd
	out bytes.Buffer
}

func startTool(t *testing.T, name string, args ...string) *tool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*agreeSeconds*time.Second)
	t.Cleanup(cancel)
	r := &tool{t: t, cmd: exec.CommandContext(ctx, name, args...)}
	r.cmd.Env = append(os.Environ(), "LC_ALL=C", "S_TIME_FORMAT=ISO", "S_COLORS=never")
	r.cmd.Stdout = &r.out
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// waitForLook waits until the program has looked for the first time: then it sleeps,
// and until then never does, as it reads only what is in memory or on a disk.
func (r *tool) waitForLook() {
	r.t.Helper()
	for range 10 * agreeSeconds * 100 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(r.cmd.Process.Pid) + "/stat")
		if err != nil {
			r.t.Fatal(err)
		}
		if state := stat[bytes.LastIndexByte(stat, ')')+2]; state == 'S' || state == 'Z' {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.t.Fatalf("%s does not sleep", r.cmd.Path)
}

// wait waits for the end and returns what was written.
func (r *tool) wait() string {
	r.t.Helper()
	if err := r.cmd.Wait(); err != nil {
		r.t.Fatalf("%s: %v", r.cmd.Path, err)
	}
	return r.out.String()
}

// columnsOf returns the numbers of a line by the words of its head line.
func columnsOf(t *testing.T, head, line string) map[string]float64 {
	t.Helper()
	names, words := strings.Fields(head), strings.Fields(line)
	if len(names) == 0 || len(words) < len(names) {
		t.Fatalf("head %q, line %q", head, line)
	}
	shown := map[string]float64{}
	for i, name := range names {
		if n, err := strconv.ParseFloat(words[i], 64); err == nil {
			shown[name] = n
		}
	}
	return shown
}

var established = regexp.MustCompile(`TCP: .*\(estab (\d+)`)

// establishedOf returns the number of connections that ss -s tells.
func establishedOf(t *testing.T, text string) float64 {
	t.Helper()
	found := established.FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("ss wrote %q", text)
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// loader is the environment variable that makes TestLoader put load on the
// machine until it is killed. It holds the name of a file that it may write.
const loader = "LINUXHOST_TEST_LOADER"

// startLoad starts a process that puts load on the machine, and returns its id.
func startLoad(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestLoader$")
	cmd.Env = append(os.Environ(), loader+"="+filepath.Join(t.TempDir(), "load"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, as it should be
	})
	time.Sleep(300 * time.Millisecond) // it has grown to its size
	return cmd.Process.Pid
}

func TestLoader(t *testing.T) {
	name := os.Getenv(loader)
	if name == "" {
		t.Skip("stands for a process in another test")
	}
	go loadNetwork()
	go func() {
		for {
			loadDisk(name)
		}
	}()
	loadProcessor(time.Now().Add(time.Minute))
}

// loadProcessor runs, faults and sleeps in turn. Its memory is given back and
// stays mapped, so that its virtual size is the same whenever somebody looks.
func loadProcessor(end time.Time) {
	p, err := unix.Mmap(-1, 0, 1<<16, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return
	}
	for time.Now().Before(end) {
		for began := time.Now(); time.Since(began) < 15*time.Millisecond; {
			for i := 0; i < len(p); i += 4096 {
				p[i] = 1
			}
			if unix.Madvise(p, unix.MADV_DONTNEED) != nil {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// loadDisk writes a file through to the disk, forgets it and reads it again.
func loadDisk(name string) {
	defer time.Sleep(50 * time.Millisecond)
	f, err := os.Create(name)
	if err != nil {
		return
	}
	defer f.Close()
	p := make([]byte, 256<<10)
	if _, err := f.Write(p); err != nil || f.Sync() != nil {
		return
	}
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	_, _ = f.ReadAt(p, 0)
}

// loadNetwork sends itself datagrams.
func loadNetwork() {
	to, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return
	}
	defer to.Close()
	from, err := net.Dial("udp", to.LocalAddr().String())
	if err != nil {
		return
	}
	defer from.Close()
	p := make([]byte, 1000)
	for {
		_, _ = from.Write(p)
		_, _, _ = to.ReadFrom(p)
		time.Sleep(5 * time.Millisecond)
	}
}
