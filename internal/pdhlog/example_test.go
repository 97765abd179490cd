package pdhlog_test

import (
	"bytes"
	"fmt"
	"log"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// exampleFrame is a sample as measure.Watch gives it: one object with the idle
// times of two processors.
func exampleFrame(pool *frame.Pool, i int) (frame.Frame, *nametable.Names) {
	object := perfdata.Object{Title: 238, Counters: []perfdata.Counter{perfdata.NewCounter(6, counter.TimerInv100NSec)}}
	object.Layout(false)
	for n, name := range []string{"0", "_Total"} {
		if _, err := object.AddInstance(name); err != nil {
			log.Fatal(err)
		}
		if err := object.SetValue(n, 0, uint64(5_000_000*i)); err != nil {
			log.Fatal(err)
		}
	}
	start := time.Date(2026, 3, 1, 9, 30, i, 0, time.UTC)
	block := perfdata.Block{Time100ns: winperf.ToFiletime(start), Objects: []perfdata.Object{object}}
	if err := block.SetMachine("HOST"); err != nil {
		log.Fatal(err)
	}
	b, err := block.Encode()
	if err != nil {
		log.Fatal(err)
	}
	f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: b}.Sample(), frame.Frame{})
	if err != nil {
		log.Fatal(err)
	}
	table, err := nametable.FromMap(nametable.Counter, map[uint32]string{238: "Processor", 6: "% Processor Time"})
	if err != nil {
		log.Fatal(err)
	}
	names, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}})
	return f, names
}

func ExampleWriter() {
	var file bytes.Buffer // an os.File, which can go back, gets the time of the end too
	path, err := winperf.ParsePath(`\Processor(*)\% Processor Time`)
	if err != nil {
		log.Fatal(err)
	}
	w, err := pdhlog.NewWriter(&file, pdhlog.Options{
		Paths:    []winperf.Path{path},
		Location: time.FixedZone("India Standard Time", 330*60),
	})
	if err != nil {
		log.Fatal(err)
	}
	var pool frame.Pool
	for i := range 2 {
		if err := w.Write(exampleFrame(&pool, i)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	r, err := pdhlog.NewReader(&file)
	if err != nil {
		log.Fatal(err)
	}
	var s pdhlog.Sample
	for r.Next(&s) == nil {
		for _, v := range s.Values {
			fmt.Println(s.Time.In(r.Location()).Format(time.DateTime+" MST"), v.Counter.Path)
			for _, item := range v.Items {
				fmt.Println(" ", item.Name, item.First)
			}
		}
	}
	for _, err := range r.Damage() {
		fmt.Println(err)
	}
	// Output:
	// 2026-03-01 15:00:00 India Standard Time \\HOST\Processor(*)\% Processor Time
	//   0 0
	//   _Total 0
	// 2026-03-01 15:00:01 India Standard Time \\HOST\Processor(*)\% Processor Time
	//   0 5000000
	//   _Total 5000000
}

// Damage costs what it touches: of a log that is cut everything is read that is
// there.
func ExampleReader() {
	var file bytes.Buffer
	w, err := pdhlog.NewWriter(&file, pdhlog.Options{Location: time.UTC})
	if err != nil {
		log.Fatal(err)
	}
	var pool frame.Pool
	for i := range 3 {
		if err := w.Write(exampleFrame(&pool, i)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	file.Truncate(66_100) // within the second sample

	r, err := pdhlog.NewReader(&file)
	if err != nil {
		log.Fatal(err)
	}
	var s pdhlog.Sample
	for r.Next(&s) == nil {
		for _, v := range s.Values {
			fmt.Println(v.Counter.Path, v.Valid(), len(v.Items))
		}
	}
	for _, err := range r.Damage() {
		fmt.Println(err)
	}
	// Output:
	// \\HOST\Processor(*)\% Processor Time true 2
	// \\HOST\Processor(*)\% Processor Time false 0
	// bad data at byte 66100: the file is cut off within a buffer, 64972 bytes before its end
	// bad data at byte 66000: an event of 184 bytes is cut off after 100
}
