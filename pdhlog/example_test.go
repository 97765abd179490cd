package pdhlog_test

import (
	"log"
	"os"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/pdhlog"
)

// unixLines is standard output without the carriage returns, which an example
// cannot show.
type unixLines struct{}

func (unixLines) Write(p []byte) (int, error) {
	_, err := os.Stdout.WriteString(strings.ReplaceAll(string(p), "\r\n", "\n"))
	return len(p), err
}

func ExampleWriter() {
	bytes := winperf.NewSeries(winperf.Path{Machine: "HOST", Object: "Memory", Counter: "Available Bytes"})
	pages := winperf.NewSeries(winperf.Path{Machine: "HOST", Object: "Memory", Counter: "Pages/sec"})
	start := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

	w := pdhlog.NewWriter(unixLines{}, pdhlog.Options{
		Location: time.FixedZone("", 330*60),
		Zone:     "India Standard Time",
	})
	moments := [][]winperf.Reading{
		{
			{Series: bytes, Value: counter.Int(238132991823872)},
			{Series: pages, Status: counter.NoPrevious},
		},
		{
			{Series: bytes, Value: counter.Int(238132991823870)},
			{Series: pages, Value: counter.Float(1.25)},
		},
	}
	for i, readings := range moments {
		if err := w.Write(start.Add(time.Duration(i)*time.Second), readings); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// "(PDH-CSV 4.0) (India Standard Time)(-330)","\\HOST\Memory\Available Bytes","\\HOST\Memory\Pages/sec"
	// "03/01/2026 15:00:00.000","238132991823872"," "
	// "03/01/2026 15:00:01.000","238132991823870","1.25"
}
