package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/perftest"
)

// TestSoakRates compares rates that callers get while processes start and end with the processor time that
// /proc has, for as long as WINPERF_SOAK says.
func TestSoakRates(t *testing.T) {
	cases := perftest.SoakCases(t)
	have(t, "gcc", "python3")
	callers := []*caller{
		startCaller(t, exec.Command(compile(t, "rates"))),
		startCaller(t, exec.Command("python3", "python/rates.py")),
		startCaller(t, exec.Command("java", append(javaOptions(t), "Rates")...)),
	}

	// Each starts a process 20 times a second.
	var burners []int
	for range 4 {
		burners = append(burners, burner(t))
	}
	for _, c := range callers {
		c.begin(t, burners)
	}
	for n, r := range cases.All() {
		if n < 4 {
			burners = append(burners, burner(t)) // its first rate counts from zero
		}
		time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
		for _, c := range callers {
			c.cycle(t, n, burners)
		}
	}
	if cases.Done == 0 {
		t.Error("the time was over before the library was built")
	}
	for _, c := range callers {
		t.Logf("%s: %d cycles, %d with -6", c.name, c.cycles, c.anomalies)
	}
}

// burner starts a shell that uses a processor, sleeps and starts processes.
func burner(t *testing.T) int {
	t.Helper()
	script := fmt.Sprintf("while :; do i=0; while [ $i -lt %d ]; do i=$((i+1)); done; sleep 0.05; done", 5000+rand.IntN(20000))
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	return cmd.Process.Pid
}

// used is how many seconds of processor time a process has used.
func used(t *testing.T, pid int) float64 {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')'):]))
	user, err := strconv.ParseFloat(fields[12], 64)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := strconv.ParseFloat(fields[13], 64)
	if err != nil {
		t.Fatal(err)
	}
	return (user + kernel) / 100
}

// caller is a program that prints rates for each line that it reads.
type caller struct {
	name   string
	input  io.Writer
	output *bufio.Scanner
	time   int64 // of the last sample, in nanoseconds since 1970

	summed map[int]float64 // processor time by the rates since the first cycle
	before map[int]float64 // processor time by /proc, read before the first cycle
	first  map[int]float64 // ... after the first cycle
	last   map[int]float64 // ... after the last cycle

	cycles, anomalies int
}

func startCaller(t *testing.T, cmd *exec.Cmd) *caller {
	t.Helper()
	cmd.Env = append(os.Environ(), pythonEnv()...)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", cmd, err)
		}
	})
	return &caller{name: cmd.String(), input: input, output: bufio.NewScanner(output)}
}

// rates has the caller run a cycle, and returns its rates by process id and how long they cover, in seconds.
func (c *caller) rates(t *testing.T) (rates map[int]float64, seconds float64) {
	t.Helper()
	if _, err := io.WriteString(c.input, "\n"); err != nil {
		t.Fatal(err)
	}

	rates = map[int]float64{}
	for c.output.Scan() {
		var pid, code int
		var rate float64
		var ns int64
		if n, _ := fmt.Sscanf(c.output.Text(), "= %d %d", &ns, &code); n == 2 {
			if code != 0 {
				c.anomalies++
			}
			seconds, c.time = float64(ns-c.time)/1e9, ns
			return rates, seconds
		}
		if _, err := fmt.Sscan(c.output.Text(), &pid, &rate); err != nil {
			t.Fatalf("%s printed %q: %v", c.name, c.output.Text(), err)
		}
		rates[pid] = rate
	}
	t.Fatalf("%s has ended: %v", c.name, c.output.Err())
	return nil, 0
}

// begin runs the first cycle.
func (c *caller) begin(t *testing.T, burners []int) {
	t.Helper()
	c.summed, c.before, c.first = map[int]float64{}, allUsed(t, burners), nil
	c.rates(t)
	c.first = allUsed(t, burners)
	c.last = c.first
}

func allUsed(t *testing.T, burners []int) map[int]float64 {
	all := map[int]float64{}
	for _, pid := range burners {
		all[pid] = used(t, pid)
	}
	return all
}

// cycle runs a cycle. Its samples are between two readings of /proc, and so must be what the rates add up to.
func (c *caller) cycle(t *testing.T, n int, burners []int) {
	t.Helper()
	rates, seconds := c.rates(t)
	now := allUsed(t, burners)
	c.cycles++
	for _, pid := range burners {
		rate, there := rates[pid]
		if !there {
			t.Errorf("%s, cycle %d: process %d has no rate", c.name, n, pid)
		}
		c.summed[pid] += rate / 100 * seconds

		least, most := c.last[pid]-c.first[pid], now[pid]-c.before[pid]
		slack := 0.001 * math.Max(1, most)
		if sum := c.summed[pid]; sum < least-slack || sum > most+slack {
			t.Fatalf("%s, cycle %d: process %d used %.3f s by its rates, and %.3f to %.3f s by /proc", c.name, n, pid, sum, least, most)
		}
	}
	c.last = now
}
