//go:build linux || darwin

package publish

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func init() { roles["counted"] = beCounted }

// beCounted publishes an instance and adds to its counter for every line that it
// reads, until its standard input ends.
func beCounted(dir string) {
	t := &testing.T{}
	p, err := New(schema(t, schemaText), Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	parent := add(t, p, "Peer", "parent", nil)
	served := must(t, parent.Counter, "Bytes Served")
	done := must(t, add(t, p, "Job", "job", parent).Counter, "Done")

	fmt.Println(p.Path())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		served.Add(1)
		done.Set(done.Load() + 1)
		if in.Text() == "add" {
			add(t, p, "Peer", "late", nil)
		}
		fmt.Println("counted")
	}
	os.Exit(0)
}

// counted is a publisher in a process of its own.
type counted struct {
	t    *testing.T
	path string
	in   *os.File
	out  *bufio.Scanner
	cmd  *exec.Cmd
}

func startCounted(t *testing.T, dir string) *counted {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), publisherDir+"="+dir, publisherRole+"=counted")
	cmd.Stderr = os.Stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = r
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = r.Close()
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{t: t, in: w, out: bufio.NewScanner(out), cmd: cmd}
	c.path = c.line()
	return c
}

func (c *counted) line() string {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the publisher has ended: %v", c.cmd.Wait())
	}
	return c.out.Text()
}

// count has it count once.
func (c *counted) count(how string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, how); err != nil {
		c.t.Fatal(err)
	}
	c.line()
}

// end ends it and wants status 0.
func (c *counted) end() {
	c.t.Helper()
	_ = c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("the publisher ended with %v", err)
	}
}

// Somebody makes the file of a living publisher shorter. It counts on, in the
// same file, and all that it published is there again: what was behind the new
// end begins with 0.
func TestCut(t *testing.T) {
	if underRace {
		t.Skip("skipped: the race detector touches memory from C, where no fault can be caught")
	}
	dir := tempDir(t)
	start(t, dir, singles) // skips where nothing can be published
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	c := startCounted(t, dir)
	c.count("")
	w.expect("One 0", "Transfer 0 0 0", "Peer(parent) 1", "Job(parent/job) 1 0 0")

	info, err := os.Stat(c.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{info.Size() / 2, 5000, 4096, 100, 0} {
		if err := os.Truncate(c.path, n); err != nil {
			t.Fatal(err)
		}
		c.count("")

		// Within a page nothing faults, and the file is whole a moment later.
		deadline := time.Now().Add(5 * time.Minute)
		for !strings.Contains(w.all(), "Job(parent/job) ") {
			if time.Now().After(deadline) {
				t.Fatalf("cut to %d bytes, published are\n%s", n, w.all())
			}
			time.Sleep(10 * time.Millisecond)
		}
	}

	// From the last cut on everything has begun with 0, and new instances find room.
	c.count("add")
	w.expect("One 0", "Transfer 0 0 0", "Peer(parent) 2", "Peer(late) 0", "Job(parent/job) 2 0 0")
	c.end()
}

// Somebody cuts the file again and again while the publisher counts.
func TestCutAgain(t *testing.T) {
	if underRace {
		t.Skip("skipped: the race detector touches memory from C, where no fault can be caught")
	}
	dir := tempDir(t)
	start(t, dir, singles)
	c := startCounted(t, dir)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				if err := os.Truncate(c.path, 0); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for range 200 {
		c.count("")
	}
	close(stop)
	<-ended
	c.count("")
	c.end()
}
