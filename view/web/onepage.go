package web

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"

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
