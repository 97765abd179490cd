package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web"
)

// parts notes the largest part that is written.
type parts struct {
	bytes.Buffer
	largest int
}

func (p *parts) Write(b []byte) (int, error) {
	p.largest = max(p.largest, len(b))
	return p.Buffer.Write(b)
}

// TestEncodeRange: a range is written series by series, and is the same JSON as a whole.
func TestEncodeRange(t *testing.T) {
	for series := range 4 {
		r := &view.Range{Source: "0", Times: []int64{1, 2}, Series: []view.SeriesValues{}}
		for i := range series {
			one := view.SeriesValues{
				Path: `\\HOST\Process(]}<)\Value`, Average: make(view.Numbers, 1000+i), Missing: []view.Missing{}, Resets: []int64{},
			}
			r.Series = append(r.Series, one)
		}
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var got parts
		if err := web.Encode(&got, r); err != nil || got.String() != string(want)+"\n" {
			t.Errorf("%d series: %v\n%s, want\n%s", series, err, got.String(), want)
		}
		if series > 1 && got.largest > 2*len(want)/series {
			t.Errorf("%d series: %d of %d bytes at once", series, got.largest, len(want))
		}
	}
}

// TestBusy: requests beyond the limit of answers in memory wait, and end with their client.
func TestBusy(t *testing.T) {
	v, err := view.New(t.Context(), []view.Source{{Name: "log", Source: textLog(t)}}, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	h := web.New(v, web.Options{})
	h.SetOnePage(func() ([]byte, error) { return bytes.Repeat([]byte("<!-- saved logs -->\n"), 10), nil })
	ask := func(ctx context.Context, name string) <-chan string {
		answer := make(chan string)
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/api/v1/"+name, http.NoBody)
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			answer <- w.Body.String()
		}()
		return answer
	}

	release := h.Occupy()
	ctx, cancel := context.WithCancel(t.Context())
	left, waits, page := ask(ctx, "sources"), ask(t.Context(), "sources"), ask(t.Context(), "page")
	cancel()
	if text := <-left; text != "" {
		t.Errorf("the client that left got %q", text)
	}
	select {
	case text := <-waits:
		t.Fatalf("a request did not wait: %s", text)
	case text := <-page:
		t.Fatalf("the page did not wait: %.100s", text)
	default:
	}
	release()
	if text := <-page; len(text) < 100 {
		t.Errorf("the page is %q", text)
	}
	if text := <-waits; len(text) < 100 {
		t.Errorf("the request that waited got %q", text)
	}
}
