package pdhtext

import (
	"bytes"
	"encoding/csv"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

// benchLog is a log of 1,000 columns and 500 rows, half of them integers.
func benchLog(b *testing.B) (log []byte, values int) {
	readings := benchReadings(b)
	var out bytes.Buffer
	w := NewWriter(&out, Options{Location: time.UTC})
	const rows = 500
	for i := range rows {
		if err := w.Write(sampleTime.Add(time.Duration(i)*time.Second), winperf.ColumnsOf(readings)); err != nil {
			b.Fatal(err)
		}
	}
	return out.Bytes(), rows * len(readings)
}

// BenchmarkRead reads a log, in the same run as plain reading of its bytes and
// as encoding/csv with strconv.ParseFloat, which gives less: no integers, no
// times, no series.
func BenchmarkRead(b *testing.B) {
	log, values := benchLog(b)
	run := func(name string, read func(b *testing.B, r io.Reader)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				read(b, struct{ io.Reader }{bytes.NewReader(log)})
			}
			b.ReportMetric(float64(values)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
		})
	}
	run("reader", func(b *testing.B, in io.Reader) {
		r, err := NewReader(in, ReadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for row := (Row{}); r.Next(&row) == nil; {
			n += row.Values.Len()
		}
		if n != values {
			b.Fatalf("%d values, want %d", n, values)
		}
	})
	run("plain", func(b *testing.B, in io.Reader) {
		buf := make([]byte, firstBuffer)
		for {
			if _, err := in.Read(buf); err == io.EOF {
				return
			} else if err != nil {
				b.Fatal(err)
			}
		}
	})
	run("encoding/csv", func(b *testing.B, in io.Reader) {
		r := csv.NewReader(in)
		r.ReuseRecord = true
		n := -1 // the head
		for ; ; n++ {
			fields, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			for _, f := range fields[1:] {
				if _, err := strconv.ParseFloat(f, 64); err != nil && n >= 0 {
					b.Fatal(err)
				}
			}
		}
		if n*1000 != values {
			b.Fatalf("%d rows", n)
		}
	})
}

// One row more takes no memory more.
func TestReadNoAllocations(t *testing.T) {
	line := at(1) + `,"238132991823872","1071.0072491149669531"` + "\r\n"
	log := head + string(bytes.Repeat([]byte(line), 2000))
	r, err := NewReader(bytes.NewReader([]byte(log)), ReadOptions{Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	var row Row
	if allocs := testing.AllocsPerRun(1000, func() {
		if err := r.Next(&row); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations a row, want 0", allocs)
	}
}
