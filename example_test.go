package winperf_test

import (
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

func ExampleParsePath() {
	p, err := winperf.ParsePath(`\\web1\Process(svchost#2)\% Processor Time`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Machine, p.Object, p.Instance, p.Index, p.Counter)
	// Output: web1 Process svchost 2 % Processor Time
}

func ExampleParsePath_error() {
	_, err := winperf.ParsePath(`Processor(_Total)\% Processor Time`)
	fmt.Println(err)
	// Output: bad counter path "Processor(_Total)\% Processor Time", character 1: a path begins with a backslash
}

func ExampleSelect() {
	sel, err := winperf.Select(`\System\Processes`, `\Processor(*)\% Processor Time`)
	fmt.Println(sel.Paths, err)

	_, err = winperf.Select(`\System\Processes`, `System\Threads`, `\Memory`)
	fmt.Println(err)
	// Output:
	// [\System\Processes \Processor(*)\% Processor Time] <nil>
	// bad counter path "System\Threads", character 1: a path begins with a backslash
	// bad counter path "\Memory", character 8: expected a backslash and a counter name, or an instance in parentheses
}

func ExampleReading() {
	series := winperf.NewSeries(winperf.Path{Object: "System", Counter: "File Read Bytes/sec"})
	series.Unit = counter.PerSecond
	fmt.Println(winperf.Reading{Series: series, Value: counter.Int(4096)})
	fmt.Println(winperf.Reading{Series: series, Status: counter.NoPrevious})
	// Output:
	// \System\File Read Bytes/sec: 4096 per_second
	// \System\File Read Bytes/sec: no_previous
}

func ExamplePath_String() {
	fmt.Println(winperf.Path{Object: "Process", HasInstance: true, Instance: "svchost", Counter: "ID Process"})
	fmt.Println(winperf.Path{Object: "Process", HasInstance: true, Instance: "svchost", Index: 1, Counter: "ID Process"})
	fmt.Println(winperf.Path{Object: "Jobs", HasInstance: true, Instance: "build#5", Counter: "Active"})
	// Output:
	// \Process(svchost)\ID Process
	// \Process(svchost#1)\ID Process
	// \Jobs(build#5#0)\Active
}

func ExamplePath_Validate() {
	p := winperf.Path{Object: "Queue (mail)", Counter: "Length"}
	fmt.Println(p.Validate())
	// Output: bad counter path "\Queue (mail)\Length", character 2: the object "Queue (mail)" cannot be written in a path: it reads back as "Queue "
}

func ExamplePath_Matcher() {
	p, err := winperf.ParsePath(`\Process(svc*)\% * Time`)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := p.Matcher()
	fmt.Println(m.Object("Process"), m.Counter("% Processor Time"), m.Instance("svchost", 1), m.Instance("Idle", 0))
	// Output: true true true false
}

func ExampleCompilePattern() {
	p := winperf.CompilePattern("% * time")
	fmt.Println(p.Match("% Processor Time"), p.Match("Elapsed Time"))
	// Output: true false
}

func ExampleParseGUID() {
	g, err := winperf.ParseGUID("383487A6-3676-4870-A4E7-D45B30C35629")
	fmt.Println(g, err)
	// Output: {383487a6-3676-4870-a4e7-d45b30c35629} <nil>
}

func ExampleFromFiletime() {
	fmt.Println(winperf.FromFiletime(116_444_736_000_000_000))
	// Output: 1970-01-01 00:00:00 +0000 UTC
}
