// Build writes the page that needs no server: one HTML file with the modules of view/web/page, their styles,
// and the program that reads logs. It is a module of its own, because the bundler is no dependency of
// winperf.
//
// Usage: build DIRECTORY PROGRAM FILE
//
// DIRECTORY is view/web, PROGRAM the WebAssembly of view/web/internal/onepage. A FILE that ends in .gz is
// compressed. The same input always gives the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: build DIRECTORY PROGRAM FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// sizeLimit is the largest page.
const sizeLimit = 4 << 20

func run(directory, program, file string) error {
	page, err := build(directory, program)
	if err != nil {
		return err
	}
	if len(page) > sizeLimit {
		return fmt.Errorf("the page has %d bytes, expected at most %d", len(page), sizeLimit)
	}
	if strings.HasSuffix(file, ".gz") {
		if page, err = compress(page); err != nil {
			return err
		}
	}
	return os.WriteFile(file, page, 0o644)
}

func compress(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// parts are the parts of the page.
type parts struct {
	licences, icon, program, worker string
	styles, scripts                 []string
}

func build(directory, program string) ([]byte, error) {
	root, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}

	r := &reader{page: filepath.Join(root, "page"), own: filepath.Join(root, "internal", "onepage")}
	goDirectory := strings.TrimSpace(string(goroot))
	p := parts{
		licences: r.read(r.page, "uplot/LICENSE") + "\n" + r.read(goDirectory, "LICENSE"),
		icon:     base64.StdEncoding.EncodeToString([]byte(r.read(r.page, "icon.svg"))),
		styles: []string{
			r.read(r.page, "uplot/uPlot.min.css"), r.read(r.page, "page.css") + r.read(r.own, "onepage.css"),
		},
		scripts: []string{r.read(r.page, "uplot/uPlot.iife.min.js"), r.bundle(filepath.Join(r.page, "main.js"))},
		worker:  r.read(goDirectory, "lib/wasm/wasm_exec.js") + r.bundle(filepath.Join(r.own, "worker.js")),
	}
	packed, err := compress([]byte(r.read(filepath.Dir(program), filepath.Base(program))))
	if err = errors.Join(r.err, err); err != nil {
		return nil, err
	}
	p.program = base64.StdEncoding.EncodeToString(packed)
	return p.html()
}

// reader reads files and keeps the first error.
type reader struct {
	page, own string // directories
	err       error
}

func (r *reader) read(directory, name string) string {
	b, err := os.ReadFile(filepath.Join(directory, name))
	if r.err == nil {
		r.err = err
	}
	return string(b)
}

// bundle returns a module and all that it imports as one script. The page's connection is replaced.
func (r *reader) bundle(entry string) string {
	connection := api.Plugin{Name: "connection", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^\./request\.js$`},
			func(api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: filepath.Join(r.own, "request.js")}, nil
			})
	}}

	result := api.Build(api.BuildOptions{
		EntryPoints: []string{entry}, Bundle: true, Plugins: []api.Plugin{connection},
		Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true,
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		if m.ID != "import-is-undefined" { // the replaced connection lacks what only a server can do
			r.err = errors.Join(r.err, fmt.Errorf("%s: %s", entry, m.Text))
		}
	}

	if len(result.OutputFiles) != 1 {
		return ""
	}
	return string(result.OutputFiles[0].Contents)
}

// savedLogs is the line that saved logs replace.
const savedLogs = "<!-- saved logs -->"

// html returns the page. Its policy allows only the parts that the page contains.
func (p *parts) html() ([]byte, error) {
	styles, styleSources, err := elements("style", p.styles)
	if err != nil {
		return nil, err
	}
	scripts, scriptSources, err := elements("script", p.scripts)
	if err != nil {
		return nil, err
	}
	if !safe("script", p.worker) || strings.Contains(p.licences, "--") {
		return nil, errors.New("the worker or a licence ends its element")
	}

	policy := "default-src 'none'; connect-src 'none'; worker-src blob:; " +
		"script-src" + scriptSources + " 'wasm-unsafe-eval'; style-src" + styleSources + "; " +
		"img-src blob: data:; form-action 'none'; base-uri 'none'; " +
		"require-trusted-types-for 'script'; trusted-types worker"
	text := `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="` + policy + `">
<title>winperf</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:image/svg+xml;base64,` + p.icon + `">
<!--
` + p.licences + `-->
` + styles + `</head>
<body>
<main>
<h1>winperf</h1>
<div class="empty">
<p>Drop logs of performance counters here: blg, csv, tsv, captures and JSON lines.</p>
<p><button type="button" id="open">Open logs…</button></p>
<p class="note">This page has no server. It reads the logs in the browser and sends nothing.</p>
<noscript>This page needs JavaScript.</noscript>
</div>
</main>
` + savedLogs + `
<script type="text/plain" id="program">` + p.program + `</script>
<script type="text/plain" id="worker">` + p.worker + `</script>
` + scripts + `</body>
</html>
`
	if n := strings.Count(text, savedLogs); n != 1 {
		return nil, fmt.Errorf("the page has %d places for saved logs", n)
	}
	return []byte(text), nil
}

// elements returns an element for each text, and the sources that allow them in a policy.
func elements(tag string, texts []string) (all, sources string, err error) {
	for _, text := range texts {
		if !safe(tag, text) {
			return "", "", fmt.Errorf("a %s ends its element", tag)
		}
		hash := sha256.Sum256([]byte(text))
		all += "<" + tag + ">" + text + "</" + tag + ">\n"
		sources += " 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	}
	return all, sources, nil
}

// safe reports whether a browser reads a text in an element unchanged.
func safe(tag, text string) bool {
	lower := strings.ToLower(text)
	return !strings.Contains(lower, "</"+tag) && !strings.Contains(lower, "<!--") &&
		!strings.ContainsAny(text, "\r\x00")
}
