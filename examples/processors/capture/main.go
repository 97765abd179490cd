// Capture writes samples of the counter set Processor Information, in the format of perflib.h, to a
// capture. The processors are invented, so that any system can make the capture and every value is known.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/nametable"
)

// begin is the time of the first sample, uptime the machine's uptime at that time.
var begin = time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)

const (
	uptime  = 1000
	samples = 4
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: capture FILE")
		os.Exit(1)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "capture:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

func write(out io.Writer) error {
	schema, err := newSchema()
	if err != nil {
		return err
	}

	w := capture.NewWriter(out, capture.Options{ID: 1, Location: time.UTC, System: "made up"})
	for n := range samples {
		raw := winperf.Raw{Format: winperf.FormatV2, Bytes: sample(n), Schema: schema}
		if err := w.Write(raw.Sample()); err != nil {
			return err
		}
	}
	return w.Close()
}

func newSchema() (*winperf.Schema, error) {
	const title = 1 << 24 // counter sets have no title indices
	texts := map[uint32]string{title: "Processor Information"}
	for i, c := range counters {
		texts[title+2+2*uint32(i)] = c.name
	}

	names, err := nametable.FromMap(nametable.Mixed, texts)
	if err != nil {
		return nil, err
	}
	return &winperf.Schema{
		Interface: "perflib",
		Names:     []winperf.NameTable{names.NameTable(nametable.English)},
		Sets:      []winperf.CounterSet{{GUID: processorInformation, Title: title, Info: registration()}},
	}, nil
}
