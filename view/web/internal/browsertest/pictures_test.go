package browsertest

import (
	"os"
	"path/filepath"
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
