package web

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"github.com/klauspost/compress/gzip"
)

//go:embed onefile
var oneFile embed.FS

// ErrNoPage means that the program was built without the page that needs no server.
var ErrNoPage = errors.New("this program was built without the page that needs no server: " +
	"run scripts/build-page, then build it again")

// OnePage returns the page that needs no server, which is one HTML file. Its line "<!-- saved logs -->" may
// be replaced by logs that the page opens at its start. The error is ErrNoPage for a program without
// the page.
func OnePage() ([]byte, error) {
	packed, err := oneFile.ReadFile("onefile/page.html.gz")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoPage
	}
	if err != nil {
		return nil, err
	}

	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the page that needs no server: %w", err)
	}
	return io.ReadAll(r)
}

// StaticPage returns a handler that answers with a page from OnePage, which holds no data.
func StaticPage(page []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Security-Policy", "frame-ancestors 'none'") // the page itself has the rest
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		_, _ = w.Write(page)
	})
}
