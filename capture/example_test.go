package capture_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// Samples are written, and read again byte for byte. A file takes the place of
// the buffer.
func Example() {
	var file bytes.Buffer
	w := capture.NewWriter(&file, capture.Options{})
	schema := &winperf.Schema{Interface: "registry"}
	for _, text := range []string{"one", "two"} {
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: []byte(text), Schema: schema}
		if err := w.Write(raw.Sample()); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	f, err := capture.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Samples(), "samples")
	c := f.Cursor()
	var sample winperf.Sample
	for {
		err := c.Next(context.Background(), &sample)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, part := range sample.Parts {
			fmt.Printf("%s, from the %s\n", part.Block.Bytes, sample.Schema.Interface)
		}
	}
	// Output:
	// 2 samples
	// one, from the registry
	// two, from the registry
}

// A program that was killed while it wrote leaves a file that can be read and gone on
// with.
func ExampleFile_Tail() {
	var file bytes.Buffer
	w := capture.NewWriter(&file, capture.Options{})
	for range 3 {
		if err := w.Write(winperf.Raw{Bytes: []byte("sample")}.Sample()); err != nil {
			log.Fatal(err)
		}
	}
	file.Truncate(file.Len() - 5)

	f, err := capture.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	tail := f.Tail()
	fmt.Println(f.Samples(), "samples, closed:", tail.Closed)

	file.Truncate(int(tail.Offset))
	w = capture.NewWriter(&file, capture.Options{Tail: tail})
	if err := w.Write(winperf.Raw{Bytes: []byte("sample")}.Sample()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Samples(), "samples")
	// Output:
	// 2 samples, closed: false
	// 3 samples
}
