package web_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/winperf/winperf/view/web"
)

// TestOnePage: the page has one place for saved logs, and a program without the page says so.
func TestOnePage(t *testing.T) {
	page, err := web.OnePage()
	if errors.Is(err, web.ErrNoPage) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(page, []byte("\n<!-- saved logs -->\n")); n != 1 {
		t.Errorf("the page has %d places for saved logs, want 1", n)
	}
	const limit = 4 << 20
	if len(page) > limit {
		t.Errorf("the page has %d bytes, want at most %d", len(page), limit)
	}
}
