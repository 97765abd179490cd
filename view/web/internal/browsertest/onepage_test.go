package browsertest

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// onePage returns the text of the page that needs no server.
func onePage(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "onefile", "page.html.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		const message = "there is no page: run scripts/build-page"
		if os.Getenv("CI") == "true" {
			t.Fatal(message)
		}
		t.Skip(message)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// openFile opens a page from a file, as a double-click does.
func openFile(t *testing.T, text, fragment string) *page {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := blank(t, 1280, 800)
	p.origin = "file://" + filepath.Dir(name)
	p.run(chromedp.Navigate("file://" + name + fragment))
	return p
}

// drop drops files on the page.
func (p *page) drop(files ...string) {
	p.t.Helper()
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: files, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{
		input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop,
	} {
		call(p, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: 200, Y: 200, Data: data})
	}
}

// hostileName is an instance name with markup and a character that reverses text.
const hostileName = "<img src=x onerror=alert(1)>\u202e"

// writeLines writes a log as JSON lines: the counter Value of two instances, which is base for the first one
// and base + 1000 for the other, and one more each second.
func writeLines(t *testing.T, name string, base int) string {
	t.Helper()
	var b strings.Builder
	for second := range 20 {
		at := time.Date(2024, 1, 17, 22, 20, second, 0, time.UTC).Format(time.RFC3339)
		for i, instance := range []string{"plain", hostileName} {
			line, err := json.Marshal(map[string]any{
				"time": at, "path": `\\HOST\Process(` + instance + `)\Value`, "value": base + 1000*i + second, "unit": "count",
				"status": "ok", "object": "Process", "instance": instance, "counter": "Value",
			})
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
	}
	return writeFile(t, name, b.String())
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// valuesRow returns the text of a row of the table of values; its columns are separated by spaces.
func valuesRow(name string) string {
	return fmt.Sprintf(`[...[...document.querySelectorAll('.values-table tbody tr')]
		.find((row) => row.textContent.includes(%q))?.children ?? []].map((cell) => cell.textContent).join(' ')`, name)
}

// TestFileDropped checks that logs dropped on the page are shown, with values of the right instances.
func TestFileDropped(t *testing.T) {
	p := openFile(t, onePage(t), "#view=values&object=Process")
	p.wait(`document.body.textContent.includes('Drop logs')`)
	p.drop(writeLines(t, "first.jsonl", 100))
	p.wait(settled)
	p.wait(valuesRow("plain") + ` !== ''`)
	p.equal(valuesRow("plain"), "plain 119")
	p.equal(valuesRow("onerror"), `<img src=x onerror=alert(1)>\u202e 1,119`)
	p.equal(`document.title`, "first.jsonl – winperf")

	// More logs become sources, too; the first of them is shown.
	p.drop(writeLines(t, "second.jsonl", 500), writeLines(t, "first.jsonl", 700))
	p.wait(`document.title === 'second.jsonl – winperf'`)
	p.wait(settled + ` && ` + valuesRow("plain") + ` === 'plain 519'`)
	p.wait(`document.querySelector('.source').options.length === 3`)
	p.equal(`[...document.querySelector('.source').options].map((one) => one.text).join()`,
		"first.jsonl,second.jsonl,first.jsonl (2)")
	eval[bool](p, `(() => { const select = document.querySelector('.source'); select.value = '2';
		return select.dispatchEvent(new Event('change')); })()`)
	p.wait(valuesRow("plain") + ` === 'plain 719'`)
	p.check()
}
