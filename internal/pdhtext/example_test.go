package pdhtext_test

import (
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pdhtext"
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

	w := pdhtext.NewWriter(unixLines{}, pdhtext.Options{
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
		if err := w.Write(start.Add(time.Duration(i)*time.Second), winperf.ColumnsOf(readings)); err != nil {
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

func ExampleReader() {
	const text = `"(PDH-CSV 4.0) (Eastern Daylight Time)(240)","\\HOST\Memory\Available Bytes","\\HOST\Memory\Pages/sec"
"06/30/2007 15:40:38.659","238132991823872"," "
"06/30/2007 15:40:39.659","238132991823870","1.25"
"06/30/2007 15:40:40.659","2381329918`
	r, err := pdhtext.NewReader(strings.NewReader(text), pdhtext.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Head().Zone, r.Head().Bias)
	var row pdhtext.Row
	for r.Next(&row) == nil { // io.EOF at the end
		fmt.Println(row.Time.Format(time.RFC3339Nano))
		for i, series := range row.Series {
			v := &row.Values
			fmt.Println(" ", winperf.Reading{
				Series: series, Value: counter.FromBits(v.Kinds[i], v.Bits[i]), Status: v.Status[i],
			})
		}
	}
	for _, err := range r.Damage() {
		fmt.Println(err)
	}
	// Output:
	// Eastern Daylight Time 4h0m0s
	// 2007-06-30T19:40:38.659Z
	//   \\HOST\Memory\Available Bytes: 238132991823872
	//   \\HOST\Memory\Pages/sec: no_previous
	// 2007-06-30T19:40:39.659Z
	//   \\HOST\Memory\Available Bytes: 238132991823870
	//   \\HOST\Memory\Pages/sec: 1.25
	// 2007-06-30T19:40:40.659Z
	//   \\HOST\Memory\Available Bytes: invalid_data
	//   \\HOST\Memory\Pages/sec: invalid_data
	// bad data in line 4 (offset 202), field 2: the field does not end; the rest of the row is skipped
}
