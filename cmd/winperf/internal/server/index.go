package server

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
)

// index shows the served objects. Package html/template would make the program larger: the linker then
// keeps all methods of all types.
func (s *server) index(w http.ResponseWriter, _ *http.Request) {
	live := s.use()
	defer live.users.Done()
	path := html.EscapeString((&url.URL{Path: s.web.TelemetryPath}).EscapedPath())

	var page strings.Builder
	fmt.Fprintf(&page, indexStart, html.EscapeString(s.opt.Version), html.EscapeString(live.config.Source), path)
	objects := live.exporter.Objects()
	if len(objects) > 0 {
		page.WriteString("<h2>Objects</h2>\n<ul>\n")
		for _, name := range objects {
			query := url.Values{"object": {name}}.Encode()
			fmt.Fprintf(&page, "<li><a href=\"%s?%s\">%s</a></li>\n", path, query, html.EscapeString(name))
		}
		page.WriteString("</ul>\n")
	}
	page.WriteString("</body>\n</html>\n")

	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write([]byte(page.String()))
}

// indexStart needs the version, the source and the path of the metrics.
const indexStart = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>winperf</title>
<style>body { font-family: sans-serif; max-width: 50em; margin: 2em auto; }</style>
</head>
<body>
<h1>winperf %s</h1>
<p>Performance counters of %s for Prometheus.</p>
<ul>
<li><a href="%s">Metrics</a></li>
<li><a href="/-/healthy">Healthy</a></li>
<li><a href="/-/ready">Ready</a></li>
</ul>
`
