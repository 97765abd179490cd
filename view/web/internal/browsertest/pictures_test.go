package browsertest

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const exampleCharts = `view=charts&path=\Processor(*)\%25 Processor Time&path=10:\Process(*)\%25 Processor Time&path=\PhysicalDisk(*)\Disk Bytes/sec&path=\Process(sqlservr)\Working Set`

// TestPictures writes pictures of the page to the directory in WINPERF_PICTURES. A person must look at
// them.
func TestPictures(t *testing.T) {
	directory := os.Getenv("WINPERF_PICTURES")
	if directory == "" {
		t.Skip("WINPERF_PICTURES is not set")
	}
	views := map[string]string{
		"overview": "view=overview",
		"charts":   exampleCharts,
		"zoomed":   exampleCharts + "&begin=2024-01-17T22:48:00Z&end=2024-01-17T23:06:00Z&mark=2024-01-17T22:52:00Z",
		"compare":  exampleCharts + "&with=1",
		"values":   "view=values",
		"memory":   "view=values&object=Memory",
		"live":     "source=3",
		"network":  "source=2",
	}
	for _, size := range []struct {
		name          string
		width, height int64
	}{{"wide", 1280, 800}, {"narrow", 360, 740}} {
		for _, theme := range []string{"light", "dark"} {
			p := open(t, size.width, size.height, "theme="+theme)
			for name, fragment := range views {
				p.visit(fragment + "&theme=" + theme)
				p.save(filepath.Join(directory, name+"-"+size.name+"-"+theme+".png"))
			}
			eval[any](p, `document.querySelector('dialog').showModal()`)
			p.save(filepath.Join(directory, "help-"+size.name+"-"+theme+".png"))
			p.check()
		}
	}
}

// TestDocumentPictures writes the pictures of docs/view.md to the directory in WINPERF_DOCUMENT_PICTURES.
func TestDocumentPictures(t *testing.T) {
	directory := os.Getenv("WINPERF_DOCUMENT_PICTURES")
	if directory == "" {
		t.Skip("WINPERF_DOCUMENT_PICTURES is not set")
	}
	logs := t.TempDir()
	before, after := filepath.Join(logs, "before.blg"), filepath.Join(logs, "after.blg")
	winperf(t, "convert", serverLog(t, "before.csv", 1, true), "-o", before)
	winperf(t, "convert", serverLog(t, "after.csv", 2, false), "-o", after)

	const charts = `view=charts&path=\Processor(_Total)\%25 Processor Time&path=\Process(backup)\%25 Processor Time&` +
		`path=\PhysicalDisk(*)\Avg. Disk sec/Transfer&search=disk`
	for _, picture := range []struct {
		name          string
		width, height int64
		fragment      string
	}{
		{"overview", 1200, 930, "theme=light"},
		{"charts", 1200, 1010, "theme=light&" + charts},
		{"compare", 1200, 1060, "theme=light&with=0&" + charts},
		{"dark", 1200, 560, "theme=dark&view=values"},
		{"narrow", 360, 740, "theme=light"},
	} {
		p := openAt(t, serve(t, before, after), picture.width, picture.height, "source=1&"+picture.fragment)
		if strings.HasPrefix(picture.fragment, "theme=light") && !strings.Contains(picture.fragment, "view=") {
			p.wait(`document.querySelector('.facts').textContent.includes('900 samples')`)
		}
		file := filepath.Join(directory, picture.name+".png")
		p.save(file)
		reduce(t, file)
		p.check()
	}
}

// reduce writes a picture again with the 256 most frequent colors, which needs half of the space.
func reduce(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[color.Color]int{}
	size := full.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			counts[full.At(x, y)]++
		}
	}

	colors := slices.Collect(maps.Keys(counts))
	slices.SortFunc(colors, func(a, b color.Color) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	reduced := image.NewPaletted(size, colors[:min(len(colors), 256)])
	draw.Draw(reduced, size, full, size.Min, draw.Src)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, reduced); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// save writes a picture of the window.
func (p *page) save(file string) {
	p.t.Helper()
	eval[any](p, `new Promise((resolve) => setTimeout(resolve, 400))`)
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
