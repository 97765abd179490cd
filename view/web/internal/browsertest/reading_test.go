package browsertest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// jsonLines writes a log of JSON lines that takes seconds to read, and returns its name.
func jsonLines(t *testing.T) string {
	t.Helper()
	const samples, processes = 30_000, 60
	file := filepath.Join(t.TempDir(), "long.jsonl")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}

	out := bufio.NewWriterSize(f, 1<<20)
	for i := range samples {
		at := begin.Add(time.Duration(i) * time.Second).Format(time.RFC3339)
		for process := range processes {
			fmt.Fprintf(out, `{"time":"%s","path":"\\\\SERVER\\Process(p%d)\\Working Set","value":%d,"unit":"count",`+
				`"status":"ok","object":"Process","instance":"p%[2]d","counter":"Working Set"}`+"\n", at, process, i+process)
		}
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestCancelReading: while a log is read, the page shows its first samples and the progress; after a cancel
// it shows the samples read until then.
func TestCancelReading(t *testing.T) {
	t.Parallel()
	start(t)
	p := tab(t, serve(t, jsonLines(t)), 1280, 800)
	p.navigate(p.token)
	p.wait(`document.querySelector('.progress-line') !== null && !document.querySelector('.progress-line').hidden`)
	p.contains(`document.querySelector('.progress-line').textContent`, "Reading the log: ")
	p.wait(`document.querySelectorAll('.cards canvas').length > 0`)
	p.equal(`document.querySelector('.progress-line').hidden`, "false")

	p.run(chromedp.Click(chromedp.Search(`//button[text()="Cancel reading"]`)))
	p.wait(`document.querySelector('.progress-line').hidden`)
	p.wait(settled)
	p.contains(`document.querySelector('.facts').textContent`, "reading was cancelled")
	p.check()
}
