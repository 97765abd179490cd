package sink_test

import (
	"errors"
	"log"
	"os"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/sink"
)

// load returns columns as a source would give them.
func load() []winperf.Column {
	series := func(path string, unit counter.Unit) *winperf.Series {
		p, err := winperf.ParsePath(path)
		if err != nil {
			log.Fatal(err)
		}
		s := winperf.NewSeries(p)
		s.Unit = unit
		return s
	}
	return winperf.ColumnsOf([]winperf.Reading{
		{Series: series(`\\HOST\Processor(_Total)\% Processor Time`, counter.Percent), Value: counter.Float(12.3456)},
		{Series: series(`\\HOST\Processor(_Total)\Interrupts/sec`, counter.PerSecond), Value: counter.Float(2048)},
		{Series: series(`\\HOST\Processor(0)\% Processor Time`, counter.Percent), Value: counter.Float(24.6912)},
		{Series: series(`\\HOST\Processor(0)\Interrupts/sec`, counter.PerSecond), Status: counter.NoPrevious},
	})
}

var now = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

func ExampleNew() {
	out, err := sink.New("jsonl", os.Stdout, sink.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(out.Write(now, load()[2:]), out.Close()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"time":"2026-03-01T09:30:00.0000000Z","path":"\\\\HOST\\Processor(0)\\% Processor Time","value":24.6912,"unit":"percent","status":"ok","object":"Processor","instance":"0","counter":"% Processor Time"}
	// {"time":"2026-03-01T09:30:00.0000000Z","path":"\\\\HOST\\Processor(0)\\Interrupts/sec","value":null,"unit":"per_second","status":"no_previous","object":"Processor","instance":"0","counter":"Interrupts/sec"}
}

func ExampleNew_table() {
	table, err := sink.New("table", os.Stdout, sink.Options{Location: time.UTC})
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(table.Write(now, load()), table.Close()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2026-03-01 09:30:00.000 +00:00  HOST
	// Processor  % Processor Time  Interrupts/sec
	// _Total                12.35         2048.00
	// 0                     24.69     no_previous
}

func ExampleNew_paths() {
	paths, err := sink.New("paths", os.Stdout, sink.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for second := range 2 {
		if err := paths.Write(now.Add(time.Duration(second)*time.Second), load()); err != nil {
			log.Fatal(err)
		}
	}
	if err := paths.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// \\HOST\Processor(_Total)\% Processor Time
	// \\HOST\Processor(_Total)\Interrupts/sec
	// \\HOST\Processor(0)\% Processor Time
	// \\HOST\Processor(0)\Interrupts/sec
}
