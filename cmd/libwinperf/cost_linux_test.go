package main

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// costs are what the benchmark measures: the processors of this machine, and all its processes.
var costs = map[string][]string{
	"processors": {"Processor/% Processor Time", "Processor/% User Time"},
	"processes":  {"Process/% Processor Time", "Process/ID Process", "Process/Working Set", "Process/Thread Count"},
}

// BenchmarkCycle is one prepare, sample and decode of sensors of this machine, with their values
// read, in Go and by the callers of the library. Programs in C are a thread of the system, which Go can
// be, too. What is told is the median of the cycles, as other programs hold up some of them.
func BenchmarkCycle(b *testing.B) {
	for name, sensors := range costs {
		for i := range sensors {
			sensors[i] = "linux.winperf/" + strings.TrimPrefix(sensors[i], "linux.winperf/")
		}
		b.Run(name+"/Go", func(b *testing.B) { goCycle(b, sensors) })
		b.Run(name+"/GoThread", func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			goCycle(b, sensors)
		})
		b.Run(name+"/C", func(b *testing.B) {
			program := compile(b, "cost")
			reported(b, run(b, nil, program, args(b, sensors)...))
		})
		b.Run(name+"/Java", func(b *testing.B) { reported(b, jvm(b, nil, nil, "Cost", args(b, sensors)...)) })
	}
}

func args(b *testing.B, sensors []string) []string {
	return append([]string{"local:", strconv.Itoa(b.N)}, sensors...)
}

// reported makes the nanoseconds that a program prints those of the benchmark.
func reported(b *testing.B, text string) {
	ns, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(ns, "ns/op")
}

func goCycle(b *testing.B, sensors []string) {
	src, err := source.Open(b.Context(), "local:")
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	var sel winperf.Selection
	for _, name := range sensors {
		n, err := sensor.ParseName(name + "#*")
		if err != nil {
			b.Fatal(err)
		}
		sel.Paths = append(sel.Paths, n.Path())
	}

	m := measure.New(src, sel, measure.Options{})
	defer m.Close()
	var values int
	var times []time.Duration
	for b.Loop() {
		begin := time.Now()
		cycle, err := m.Cycle(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for i := range cycle.Columns() {
			values += cycle.Columns()[i].Len()
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2]), "ns/op")
	if values == 0 {
		b.Fatal(fmt.Errorf("no values"))
	}
}
