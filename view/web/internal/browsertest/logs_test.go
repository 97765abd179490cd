package browsertest

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// begin is the time of the first sample of logs.
var begin = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// program returns winperf, built once.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(os.TempDir(), fmt.Sprintf("winperf-browsertest-%d", os.Getpid()))
	if _, err := os.Stat(file); err == nil {
		return file
	}
	cmd := exec.Command("go", "build", "-o", file, "./cmd/winperf")
	cmd.Dir = filepath.Join("..", "..", "..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shared.stop = append(shared.stop, func() { _ = os.Remove(file) })
	return file
}

// winperf returns the output of a command.
func winperf(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("winperf %q: %v", args, err)
	}
	return string(out)
}

// serve runs winperf view, and returns the address that it prints.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"view", "--no-browser"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// writeLog writes a csv log with a sample every interval, and returns its name.
func writeLog(t *testing.T, name string, samples int, interval time.Duration, values func(i int) map[string]float64) string {
	t.Helper()
	var b strings.Builder
	var order []string
	for i := range samples {
		v := values(i)
		if order == nil {
			b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
			for path := range v {
				order = append(order, path)
			}
			slices.Sort(order)
			for _, path := range order {
				fmt.Fprintf(&b, `,"\\SERVER%s"`, path)
			}
		}
		fmt.Fprintf(&b, "\r\n%q", begin.Add(time.Duration(i)*interval).Format("01/02/2006 15:04:05.000"))
		for _, path := range order {
			fmt.Fprintf(&b, `,"%.6g"`, v[path])
		}
	}

	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// smooth is noise around a mean: each value is close to the one before it.
type smooth struct {
	random *rand.Rand
	state  map[string]float64
}

func (s smooth) next(name string, mean, spread float64) float64 {
	s.state[name] = 0.8*s.state[name] + 0.6*s.random.NormFloat64()
	return max(0, mean+spread*s.state[name])
}

// serverLog writes half an hour of a server with a database. Between minutes 12 and 16 a backup is busy and
// the data disk is slow; the cache process gets more memory all the time. With calm there is none of this.
func serverLog(t *testing.T, name string, seed uint64, calm bool) string {
	t.Helper()
	s := smooth{rand.New(rand.NewPCG(seed, 7)), map[string]float64{}}
	loads := map[string]float64{"sqlservr": 46, "web": 31, "cache": 17, "search": 9, "indexer": 6, "System": 2, "agent": 1}
	return writeLog(t, name, 900, 2*time.Second, func(i int) map[string]float64 {
		minute := float64(i) / 30
		fault := 0.0
		if !calm && minute >= 12 && minute < 16 {
			fault = 1
		}
		v := map[string]float64{}
		day := 1 + 0.35*math.Sin(minute/5)
		set := func(object, instance, counter string, mean, spread float64) float64 {
			if instance != "" {
				instance = "(" + instance + ")"
			}
			path := `\` + object + instance + `\` + counter
			v[path] = s.next(path, mean, spread)
			return v[path]
		}

		total := 0.0
		process := func(name string, id, load, memory, io float64) {
			used := set("Process", name, "% Processor Time", load, load/5)
			total += used
			set("Process", name, "Working Set", memory, memory/200)
			set("Process", name, "IO Data Bytes/sec", io, io/4)
			v[`\Process(`+name+`)\ID Process`] = id
		}
		for n, name := range slices.Sorted(func(yield func(string) bool) {
			for name := range loads {
				if !yield(name) {
					return
				}
			}
		}) {
			load := loads[name]
			memory := load * 3e7
			if name == "cache" && !calm {
				memory += minute * 4e7
			}
			process(name, float64(1200+404*n), load*day, memory, load*1e5)
		}
		process("backup", 9120, 0.4+118*fault, 6e7+9e7*fault, 2e4+6e7*fault)

		for core := range 4 {
			used := min(100, set("Processor", fmt.Sprint(core), "% Processor Time", total/4, 5))
			v[fmt.Sprintf(`\Processor(%d)\%% Processor Time`, core)] = used
			v[`\Processor(_Total)\% Processor Time`] += used / 4
		}
		leak := v[`\Process(cache)\Working Set`]
		set("Memory", "", "Available Bytes", 9e9-leak, 2e7)
		set("Memory", "", "Committed Bytes", 6e9+leak, 2e7)
		set("Memory", "", "Cache Bytes", 1.8e9, 3e7)
		set("Memory", "", "Pages/sec", 12, 5)
		set("PhysicalDisk", "0 C:", "Disk Bytes/sec", 3e6*day, 4e5)
		set("PhysicalDisk", "1 D:", "Disk Bytes/sec", 9e6*day+6e7*fault, 1e6)
		set("PhysicalDisk", "0 C:", "Avg. Disk sec/Transfer", 0.004, 0.0005)
		set("PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer", 0.006+0.19*fault, 0.0008+0.02*fault)
		set("PhysicalDisk", "0 C:", "Current Disk Queue Length", 0.4, 0.3)
		set("PhysicalDisk", "1 D:", "Current Disk Queue Length", 0.8+14*fault, 0.4)
		set("Network Interface", "Ethernet", "Bytes Total/sec", 4e6*day, 6e5)
		set("System", "", "Context Switches/sec", 6000*day+3000*fault, 400)
		set("System", "", "Processor Queue Length", 1+5*fault, 0.5)
		return v
	})
}
