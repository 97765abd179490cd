package browsertest

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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
		"first.jsonl,second.jsonl,(2) first.jsonl")
	eval[bool](p, `(() => { const select = document.querySelector('.source'); select.value = '2';
		return select.dispatchEvent(new Event('change')); })()`)
	p.wait(valuesRow("plain") + ` === 'plain 719'`)
	p.check()
}

// TestStaticHost checks that the page works on a server that only sends files.
func TestStaticHost(t *testing.T) {
	text := onePage(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page.html" {
			t.Errorf("a request for %s", r.URL)
		}
		_, _ = io.WriteString(w, text)
	}))
	defer server.Close()
	p := blank(t, 1280, 800)
	p.origin = server.URL
	p.run(chromedp.Navigate(server.URL + "/page.html#view=values&object=Process"))
	p.wait(`document.body.textContent.includes('Drop logs')`)
	p.drop(writeLines(t, "first.jsonl", 100))
	p.wait(settled + ` && ` + valuesRow("plain") + ` === 'plain 119'`)
	p.check()
}

// TestFileChosen checks that the picker opens a log with keys only, and that the start has no violation that
// axe finds.
func TestFileChosen(t *testing.T) {
	p := openFile(t, onePage(t), "")
	p.wait(`document.body.textContent.includes('Drop logs')`)
	p.audit(axe(t), "start")
	chosen := make(chan cdp.BackendNodeID, 1)
	p.chosen = chosen
	call(p, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: true})

	p.press(kb.Tab, kb.Enter)
	files := []string{writeLines(t, "first.jsonl", 100)}
	call(p, dom.SetFileInputFiles, dom.SetFileInputFilesParams{BackendNodeID: <-chosen, Files: files})
	p.wait(settled)
	p.equal(`document.title`, "first.jsonl – winperf")
	p.check()
}

// TestRealLogs checks that the real logs open, and show what a server shows of them.
func TestRealLogs(t *testing.T) {
	t.Parallel()
	directory, err := filepath.Abs("../../../../../shared/data/blg")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(directory); err != nil {
		t.Skip("there are no real logs: ", err)
	}
	text := onePage(t)
	for name, want := range map[string]string{
		"PAL_SampleLog.blg": "_Total 24.6 %", "Tx_BasicPerfCounters.blg": "_Total 28.1 %",
	} {
		file := filepath.Join(directory, name)
		p := openFile(t, text, "#view=values&object=Processor")
		p.wait(`document.body.textContent.includes('Drop logs')`)
		begin := time.Now()
		p.drop(file)
		p.wait(settled + ` && ` + valuesRow("_Total") + ` !== ''`)
		t.Logf("%s is shown after %v", name, time.Since(begin))
		p.contains(valuesRow("_Total"), want)

		served := openAt(t, serve(t, file), 1280, 800, "view=values&object=Processor")
		for _, view := range []string{"view=values&object=Processor", `view=charts&path=\Processor(*)\*`, ""} {
			for _, one := range []*page{p, served} {
				eval[string](one, `location.hash = '#`+strings.ReplaceAll(view, `\`, `\\`)+`'`)
				one.wait(settled)
			}
			got, want := "", "nothing"
			for deadline := time.Now().Add(patience); got != want && time.Now().Before(deadline); {
				time.Sleep(50 * time.Millisecond)
				got, want = eval[string](p, viewText), eval[string](served, viewText)
			}
			if got != want || len(want) < 100 {
				t.Errorf("%s, %q: %q, served %q", name, view, got, want)
			}
		}
		p.check()
	}
}

// TestCancel checks that the progress of a log is shown while it is opened, and that opening can be stopped.
func TestCancel(t *testing.T) {
	bomb := filepath.Join(t.TempDir(), "bomb.csv.gz")
	writeBomb(t, bomb)
	p := openFile(t, onePage(t), "#view=values&object=Process")
	p.wait(`document.body.textContent.includes('Drop logs')`)
	eval[bool](p, `(() => { new MutationObserver((_, observer) => {
		const line = document.querySelector('.opening > div');
		if (!line?.textContent.includes('MB read')) return;
		observer.disconnect();
		window.seen = line.textContent;
		line.querySelector('button').click();
	}).observe(document.querySelector('.opening'), {childList: true, subtree: true}); return true; })()`)
	p.drop(bomb)
	p.wait(`window.seen !== undefined && document.querySelector('.opening').childElementCount === 0`)
	p.equal(`window.seen`, "Opening bomb.csv.gz: 0.3 of 0.3 MB readCancel")

	p.drop(writeLines(t, "first.jsonl", 100))
	p.wait(settled + ` && ` + valuesRow("plain") + ` === 'plain 119'`)
	p.check()
}

// TestLargeFile reports the memory of the tab for a log, named by WINPERF_LARGE_LOG.
func TestLargeFile(t *testing.T) {
	log := os.Getenv("WINPERF_LARGE_LOG")
	if log == "" {
		t.Skip("WINPERF_LARGE_LOG names no log")
	}
	p := openFile(t, onePage(t), "")
	p.wait(`document.body.textContent.includes('Drop logs')`)
	begin := time.Now()
	step := func(name string) {
		for !eval[bool](p, settled+` && document.querySelector('.progress-line:not([hidden])') === null`) {
			time.Sleep(50 * time.Millisecond)
		}
		t.Logf("%-40s %8.3f s, at most %d MB in the tab", name, time.Since(begin).Seconds(), tabMemory(t))
		begin = time.Now()
	}

	p.drop(log)
	step("overview")
	for _, view := range []string{
		`view=charts&path=\\Processor(_Total)\\% Processor Time`, `view=charts&path=\\Process(*)\\% Processor Time`, "view=values",
	} {
		eval[string](p, `location.hash = '#`+view+`'`)
		time.Sleep(100 * time.Millisecond)
		step(view)
	}
}

// tabMemory returns the largest resident memory that a tab of the browser had, in MB.
func tabMemory(t *testing.T) (most int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range all {
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(status), "cmdline"))
		if strings.Contains(string(command), "--type=renderer") && isDescendant(status) {
			most = max(most, number(status, "VmHWM:")*1024/1_000_000)
		}
	}
	return most
}

// isDescendant reports whether the process with a status file is below this one.
func isDescendant(status string) bool {
	for {
		parent := number(status, "PPid:")
		if parent <= 1 || parent == os.Getpid() {
			return parent > 1
		}
		status = fmt.Sprintf("/proc/%d/status", parent)
	}
}

// number returns a number in a status file, 0 if it is absent.
func number(status, name string) (n int) {
	text, _ := os.ReadFile(status)
	_, rest, _ := strings.Cut(string(text), name)
	_, _ = fmt.Sscan(rest, &n)
	return n
}

// TestNoLog checks the messages for files that are no logs, or too large. The page then opens other logs.
func TestNoLog(t *testing.T) {
	t.Parallel()
	large := writeFile(t, "large.blg", "")
	if err := os.Truncate(large, 3e9); err != nil {
		t.Fatal(err)
	}
	bomb := filepath.Join(t.TempDir(), "bomb.csv.gz")
	writeBomb(t, bomb)

	p := openFile(t, onePage(t), "#view=values&object=Process")
	p.wait(`document.body.textContent.includes('Drop logs')`)
	for name, want := range map[string]string{
		writeFile(t, "<b>notes.txt", "no log"): "<b>notes.txt is not a log of a known kind (PDH text log, PDH binary log, winperf capture",
		writeFile(t, "empty", ""):              "empty: an empty file is not supported as a log",
		writeFile(t, "short.blg", "no log"):    "short.blg: ",
		large:                                  "large.blg has 3.0 GB, and this page opens at most 1 GB: use winperf view",
		bomb:                                   "bomb.csv.gz has more than 256 MB when it is unpacked: unpack it first, or use winperf view",
		t.TempDir():                            " cannot be read: it is a directory, or was removed",
	} {
		p.drop(name)
		p.wait(`document.querySelector('.opening [role=alert]') !== null`)
		p.contains(`document.querySelector('.opening').innerText`, want)
		eval[bool](p, `document.querySelector('.opening button').click() ?? true`)
		p.equal(`document.querySelectorAll('.opening > div').length`, "0")
	}

	p.drop(writeLines(t, "first.jsonl", 100))
	p.wait(settled + ` && ` + valuesRow("plain") + ` === 'plain 119'`)
	p.check()
}

// writeBomb writes a small file that is large when it is unpacked.
func writeBomb(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := gzip.NewWriter(f)
	zeros := make([]byte, 1<<20)
	for range 300 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNoProgram checks the message of a page whose program cannot start.
func TestNoProgram(t *testing.T) {
	text := strings.Replace(onePage(t), `id="program">H4sI`, `id="program">AAAA`, 1)
	p := openFile(t, text, "")
	const alerts = `[...document.querySelectorAll('.opening [role=alert]')].map((one) => one.textContent).join()`
	p.wait(alerts + ` !== ''`)
	p.contains(alerts, "The reader of logs ended: ")
	first := eval[string](p, alerts)
	p.drop(writeLines(t, "first.jsonl", 100))
	p.waitText(alerts, first+","+first)
	p.check()
}

// TestNoConnection checks that the browser refuses what the page never does: to fetch, to load an image from
// a host, to run other scripts.
func TestNoConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the browser sent a request")
	}))
	defer server.Close()
	p := openFile(t, onePage(t), "")
	p.wait(`document.body.textContent.includes('Drop logs')`)
	p.check()
	for _, attempt := range []string{
		`fetch(%q)`,
		`new Promise((done, failed) => { new EventSource(%q).onerror = failed; })`,
		`new Promise((done, failed) => { const socket = new WebSocket(%q.replace('http', 'ws')); socket.onerror = failed; socket.onopen = done; })`,
		`new Promise((done, failed) => { const image = new Image(); image.onload = done; image.onerror = failed; image.src = %q; })`,
		`new Promise((done, failed) => { const script = document.createElement('script'); script.onload = done; script.onerror = failed; script.src = %q; document.body.append(script); })`,
		`Promise.reject(navigator.sendBeacon(%q, 'x'))`,
	} {
		got := eval[string](p, `(`+fmt.Sprintf(attempt, server.URL)+`).then(() => 'allowed', () => 'refused')`)
		if got != "refused" {
			t.Errorf("%s is %s", attempt, got)
		}
	}
}

// TestSavedLogs checks that the page opens the logs that it contains, in the state that it contains.
func TestSavedLogs(t *testing.T) {
	t.Parallel()
	var elements strings.Builder
	for i, base := range []int{100, 500} {
		name, blocks := fmt.Sprintf("log%d.blg", i), []string{"convert"}
		for second := range 3 {
			blocks = append(blocks, writeFile(t, "block.txt", fmt.Sprintf(`block name="HOST" perftime=%d time100ns=%d
object 230
  counter 180 PERF_COUNTER_RAWCOUNT
  instance "plain" : %d
  instance "other" : %d
`, second*10_000_000, 133500000000000000+second*10_000_000, base+second, base+1000+second)))
		}
		capture := filepath.Join(t.TempDir(), "log.capture")
		winperf(t, append(blocks, "-o", capture)...)
		text, err := os.ReadFile(capture)
		if err != nil {
			t.Fatal(err)
		}
		const form = `<script type="application/json" class="saved-log">{"name":%q,"capture":%q}</script>` + "\n"
		fmt.Fprintf(&elements, form, name, base64.StdEncoding.EncodeToString(text))
	}
	const state = `<script type="application/json" id="saved-state">"view=values\u0026source=1"</script>` + "\n"
	text := strings.Replace(onePage(t), "<!-- saved logs -->\n", elements.String()+state, 1)

	p := openFile(t, text, "")
	p.wait(settled + ` && ` + valuesRow("plain") + ` !== ''`)
	p.equal(valuesRow("plain"), "plain 502")
	p.equal(valuesRow("other"), "other 1,502")
	p.equal(`document.title`, "log1.blg – winperf")
	p.equal(`location.hash`, "#view=values&source=1")
	p.equal(`document.querySelectorAll('script').length`, "0")
	p.check()

	// The address has priority over the state in the page.
	p = openFile(t, text, "#view=values")
	p.wait(settled + ` && ` + valuesRow("plain") + ` !== ''`)
	p.equal(valuesRow("plain"), "plain 102")

	p = openFile(t, strings.Replace(text, `"capture":"`, `"capture":"?`, 1), "")
	p.wait(`document.body.textContent.includes('The saved logs are damaged')`)
	p.check()
}
