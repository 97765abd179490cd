// Package browsertest runs the page in chromium, with the made-up data of ../pagetest/fake.js. It is a
// module of its own: what drives the browser is no dependency of winperf.
package browsertest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// settled is a state in which nothing loads: all charts are drawn.
const settled = `(() => document.querySelector('main#view h1') !== null
	&& document.querySelector('main#view').getAttribute('aria-busy') === 'false')()`

// page is a browser tab with the page. It collects console messages and requests.
type page struct {
	t      *testing.T
	ctx    context.Context
	origin string // such as http://127.0.0.1:1234
	token  string // the fragment of the printed address

	mu       sync.Mutex
	errors   []string
	requests []string
	chosen   chan<- cdp.BackendNodeID // receives the element that asks for files
}

// shared is the server and the browser of all tests.
var shared struct {
	once    sync.Once
	problem string // why the tests cannot run
	address string // that the server prints
	browser context.Context
	stop    []func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, stop := range slices.Backward(shared.stop) {
		stop()
	}
	os.Exit(code)
}

// start starts the server and the browser for the first test.
func start(t *testing.T) {
	t.Helper()
	shared.once.Do(func() {
		if err := startServer(); err != nil {
			shared.problem = err.Error()
			return
		}
		if err := startBrowser(); err != nil {
			shared.problem = err.Error()
		}
	})
	if shared.problem == "" {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(shared.problem)
	}
	t.Skip(shared.problem)
}

// startServer starts the server with made-up data.
func startServer() error {
	node, err := exec.LookPath("node")
	if err != nil {
		return err
	}

	cmd := exec.Command(node, filepath.Join("..", "pagetest", "fake.js"))
	cmd.Env = append(os.Environ(), "FAKE_REUSE=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	shared.stop = append(shared.stop, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})

	line, err := bufio.NewReader(out).ReadString('\n')
	shared.address = strings.TrimSpace(line)
	return err
}

// startBrowser starts a headless browser.
func startBrowser() error {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return err
	}

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.Flag("lang", "en-US"))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // chromium refuses its sandbox as root
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	shared.stop = append(shared.stop, cancel)
	shared.browser, cancel = chromedp.NewContext(allocator)
	shared.stop = append(shared.stop, cancel)
	return chromedp.Do(shared.browser)
}

// open opens the page at a fragment in a window of this size. Each test has its own cookies.
func open(t *testing.T, width, height int64, fragment string) *page {
	t.Helper()
	start(t)
	return openAt(t, shared.address, width, height, fragment)
}

// openAt opens a page at an address that winperf printed.
func openAt(t *testing.T, address string, width, height int64, fragment string) *page {
	t.Helper()
	start(t)
	p := tab(t, address, width, height)
	p.visit(p.token + "&" + fragment)
	return p
}

// blank returns an empty tab.
func blank(t *testing.T, width, height int64) *page {
	t.Helper()
	start(t)
	return tab(t, shared.address, width, height)
}

func tab(t *testing.T, address string, width, height int64) *page {
	t.Helper()
	origin, token, _ := strings.Cut(address, "/#")
	p := &page{t: t, origin: origin, token: token}
	ctx, cancel := chromedp.NewContext(shared.browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.listen))
	t.Cleanup(cancel)
	p.ctx, cancel = context.WithTimeout(ctx, 5*patience)
	t.Cleanup(cancel)

	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
	})
	call(p, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/New_York"})
	call(p, log.Enable, cdp.Empty{})
	return p
}

func describeAll(objects []*runtime.RemoteObject) (all []string) {
	for _, object := range objects {
		all = append(all, string(object.Value)+description(object))
	}
	return all
}

func description(object *runtime.RemoteObject) string {
	if object == nil {
		return ""
	}
	return object.Description
}

func (p *page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, event.ExceptionDetails.Text+" "+description(event.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		p.errors = append(p.errors, fmt.Sprintf("console.%s: %s", event.Type, describeAll(event.Args)))
	case *log.EventEntryAdded:
		p.errors = append(p.errors, event.Entry.Text+" "+event.Entry.URL)
	case *cdppage.EventFileChooserOpened:
		p.chosen <- event.BackendNodeID
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, event.Request.URL)
	}
}

// visit loads the page anew.
func (p *page) visit(fragment string) {
	p.t.Helper()
	p.navigate(fragment)
	p.wait(settled)
}

// navigate loads the page anew and does not wait for its data.
func (p *page) navigate(fragment string) {
	p.t.Helper()
	p.run(chromedp.Navigate("about:blank"), chromedp.Navigate(p.origin+"/#"+fragment))
}

// run runs actions of the browser.
func (p *page) run(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatalf("%v; the browser reported %q", err, p.problems())
	}
}

// call runs a command of the browser's protocol.
func call[P, R any](p *page, command cdp.Command[P, R], parameters P) R {
	p.t.Helper()
	result, err := chromedp.Call(p.ctx, command, parameters)
	if err != nil {
		p.t.Fatalf("%v; the browser reported %q", err, p.problems())
	}
	return result
}

// eval returns the value of an expression; it waits for a promise.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v; the browser reported %q", expression, err, p.problems())
	}
	return value
}

// patience is the time after which a page is taken for stuck, also on a busy machine.
const patience = time.Minute

// wait waits until an expression is true. chromedp.Poll compiles text in the page, which the page's
// policy forbids.
func (p *page) wait(expression string) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for !eval[bool](p, expression) {
		if time.Now().After(deadline) {
			p.t.Fatalf("still false: %s; the browser reported %q", expression, p.problems())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// waitText waits until an expression is a text. Spaces that do not break lines count as spaces.
func (p *page) waitText(expression, want string) {
	p.t.Helper()
	got := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if got = strings.ReplaceAll(eval[string](p, "String("+expression+")"), "\u00a0", " "); got == want {
			return
		}
	}
	p.t.Fatalf("%s is %q, want %q; the browser reported %q", expression, got, want, p.problems())
}

func (p *page) problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.errors...)
}

// check fails if the browser reported a problem, or requested something from another origin.
func (p *page) check() {
	p.t.Helper()
	for _, problem := range p.problems() {
		p.t.Errorf("the browser reported: %s", problem)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range p.requests {
		own := []string{p.origin + "/", "about:", "data:", "blob:" + p.origin}
		if strings.HasPrefix(p.origin, "file:") {
			own = append(own, "blob:null/")
		}
		if !slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(url, prefix) }) {
			p.t.Errorf("request to another origin: %s", url)
		}
	}
}
