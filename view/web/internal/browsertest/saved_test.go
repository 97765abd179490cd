package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// captured saves a capture of this machine and returns its name.
func captured(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "load.capture")
	paths := []string{`\System\*`, `\Processor(*)\*`, `\Memory\*`}
	winperf(t, append([]string{"record", "-n", "40", "-i", "0.05", "-o", file, "--quiet"}, paths...)...)
	return file
}

// savePage saves the view with a key, and returns the name of the file.
func (p *page) savePage() string {
	p.t.Helper()
	eval[bool](p, `(() => { const make = URL.createObjectURL;
		window.saved = new Promise((resolve) => {
			URL.createObjectURL = (blob) => { resolve(blob.text()); return make.call(URL, blob); };
		});
		return true; })()`)
	p.press("s")
	const toast = `document.querySelector('.toast').textContent`
	p.wait(`!['', 'Reading the samples …'].includes(` + toast + `)`)
	said := eval[string](p, toast)
	if strings.Contains(said, "scripts/build-page") && os.Getenv("CI") != "true" {
		p.t.Skip(said)
	}

	if said != "The page was saved." {
		p.t.Fatal(said)
	}
	file := filepath.Join(p.t.TempDir(), "saved.html")
	if err := os.WriteFile(file, []byte(eval[string](p, "window.saved")), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return file
}

// openSaved opens a saved page by its name, as a double-click does.
func openSaved(t *testing.T, file string) *page {
	t.Helper()
	p := blank(t, 1280, 800)
	p.origin = "file://" + filepath.Dir(file)
	p.run(chromedp.Navigate("file://" + file))
	p.wait(settled)
	return p
}

const viewText = `document.querySelector('main#view').innerText`

// TestSavedPage checks that a saved page opens from a file and shows the same values as the served page.
func TestSavedPage(t *testing.T) {
	t.Parallel()
	p := openAt(t, serve(t, captured(t)), 1280, 800, "")
	part := eval[string](p, `fetch('/api/v1/sources').then((answer) => answer.json()).then(({sources}) => {
		const [begin, end] = [sources[0].begin, sources[0].end].map(Date.parse);
		const at = (share) => new Date(begin + share * (end - begin)).toISOString();
		return 'begin=' + at(0.3) + '&end=' + at(0.7); })`)
	const paths = `&path=\Processor(*)\%25 Processor Time&path=\System\Context Switches/sec` +
		`&path=\Memory\Available Bytes`
	views := []string{"view=charts" + paths, "view=values&object=Processor", "view=values&object=System"}

	p.visit(part + "&zone=utc&" + views[0])
	file := p.savePage()
	saved := openSaved(t, file)
	saved.equal(`document.title`, "load.capture – winperf")
	const edges = `[...document.querySelectorAll('.edges input')].map((one) => one.value).join()`
	saved.equal(edges, eval[string](p, edges))
	for _, view := range views {
		for _, one := range []*page{p, saved} {
			eval[string](one, `location.hash = '#`+strings.ReplaceAll(part+"&zone=utc&"+view, `\`, `\\`)+`'`)
			one.wait(settled)
		}
		want, got := eval[string](p, viewText), eval[string](saved, viewText)
		if got != want || len(want) < 100 {
			t.Errorf("%s: %q, served %q", view, got, want)
		}
	}

	// The page has no samples outside the range, except the one before it, and cannot be saved again.
	saved.equal(`document.querySelector('.menu-list').textContent.includes('Save page')`, "false")
	saved.check()
	p.check()
}

// TestSavedComparison checks that a saved comparison of two logs has both of their ranges.
func TestSavedComparison(t *testing.T) {
	t.Parallel()
	log := func(name string, base float64) string {
		return writeLog(t, name, 60, time.Second, func(i int) map[string]float64 {
			return map[string]float64{`\Memory\Pages/sec`: base + float64(i)}
		})
	}
	address := serve(t, log("first.csv", 0), log("before.csv", 1000), log("after.csv", 2000))
	const state = `source=2&view=charts&path=\Memory\Pages/sec&begin=2026-03-02T09:00:20Z` +
		`&end=2026-03-02T09:00:30Z&with=1&withbegin=2026-03-02T09:00:05Z`
	p := openAt(t, address, 1280, 800, state)
	p.waitText(row+`('Memory')`, "Pages/sec Memory 2,030/s 2,025/s 2,020/s 2,030/s 1,010/s +100.5 %")
	saved := openSaved(t, p.savePage())
	saved.waitText(row+`('Memory')`, "Pages/sec Memory 2,030/s 2,025/s 2,020/s 2,030/s 1,010/s +100.5 %")
	saved.equal(`[...document.querySelector('.source').options].map((one) => one.text).join()`, "after.csv,before.csv")
	saved.check()
	p.check()
}

// TestSavedPageCancelled checks that a saved page offers to open other logs only when its own were not opened.
func TestSavedPageCancelled(t *testing.T) {
	t.Parallel()
	served := openAt(t, serve(t, captured(t)), 1280, 800, "view=values&object=System")
	file := served.savePage()
	p := blank(t, 1280, 800)
	p.origin = "file://" + filepath.Dir(file)
	const area = `getComputedStyle(document.querySelector('.empty')).display`
	call(p, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: `new MutationObserver((_, observer) => {
			const cancel = document.querySelector('.opening button');
			if (!cancel) return;
			observer.disconnect();
			window.seen = ` + area + `;
			cancel.click();
		}).observe(document, {childList: true, subtree: true})`,
	})
	p.run(chromedp.Navigate("file://" + file))
	p.wait(`window.seen !== undefined && document.querySelector('.opening').childElementCount === 0`)
	p.equal(`window.seen`, "none")
	p.equal(area, "block")
	p.check()
}
