package web

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web/internal/api"
)

// MaxSaved is the largest size of all logs in a saved page, in bytes.
const MaxSaved = 64 << 20

// ErrEmpty means that the requested ranges have no sample. It wraps view.ErrRequest.
var ErrEmpty error = refused("there are no samples to save")

// refused is a view.ErrRequest.
type refused string

func (e refused) Error() string { return string(e) }

func (e refused) Is(target error) bool { return target == view.ErrRequest }

// place is the line of the page that needs no server which saved logs replace.
const place = "<!-- saved logs -->\n"

// WritePage writes a page that needs no server with samples inside: of the sources and ranges of requests,
// with all objects. page is from [OnePage]; state is the fragment of the address that the page opens, in
// which the sources are 0, 1 and so on, in the order of the requests. The error wraps view.ErrRequest if
// there is no sample (ErrEmpty), or if the logs are larger than MaxSaved. WritePage calls damaged, unless
// nil, with the damage of logs that it skips.
func WritePage(
	ctx context.Context, w io.Writer, page []byte, v *view.View, requests []view.Request, state string,
	damaged func([]error),
) error {
	head, rest, found := bytes.Cut(page, []byte(place))
	if !found {
		return fmt.Errorf("the page that needs no server has no line %q", strings.TrimSpace(place))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}

	names := map[string]string{}
	for _, named := range v.Names() {
		names[named.ID] = named.Name
	}
	left, saved := int64(MaxSaved), 0
	for _, r := range requests {
		log := &savedLog{w: w, name: names[r.Source], left: &left}
		if err := errors.Join(v.Save(ctx, r, log, damaged), log.close()); err != nil {
			return err
		}
		if log.encoder != nil {
			saved++
		}
	}

	if saved == 0 {
		return ErrEmpty
	}
	const form = "<script type=\"application/json\" id=\"saved-state\">%s</script>\n%s"
	_, err := fmt.Fprintf(w, form, quoted(state), rest)
	return err
}

// quoted returns a JSON string that cannot end a script element.
func quoted(text string) string {
	var b strings.Builder
	escaped, err := json.Marshal(text)
	if err == nil {
		_, err = safetext.NewJSON(&b).Write(escaped)
	}
	if err != nil { // not of a string
		return `""`
	}
	return b.String()
}

// savedLog writes a log into its element of the page, which begins with the first byte.
type savedLog struct {
	w       io.Writer
	name    string
	left    *int64
	encoder io.WriteCloser // nil before the first byte
}

// Write implements io.Writer.
func (l *savedLog) Write(b []byte) (int, error) {
	if *l.left -= int64(len(b)); *l.left < 0 {
		const form = "more than %d MB of samples: choose a shorter time (--begin, --end), or write fewer" +
			" counters to a log first (winperf convert LOG PATH... -o small.capture)"
		return 0, refused(fmt.Sprintf(form, MaxSaved>>20))
	}
	if l.encoder == nil {
		const form = `<script type="application/json" class="saved-log">{"name":%s,"capture":"`
		if _, err := fmt.Fprintf(l.w, form, quoted(l.name)); err != nil {
			return 0, err
		}
		l.encoder = base64.NewEncoder(base64.StdEncoding, l.w)
	}
	return l.encoder.Write(b)
}

func (l *savedLog) close() error {
	if l.encoder == nil {
		return nil
	}
	if err := l.encoder.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(l.w, "\"}</script>\n")
	return err
}

// page answers with a saved page.
func (h *Handler) page(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	requests, err := h.rangesOf(q)
	var page []byte
	if err == nil {
		page, err = h.onePage()
	}
	if err == nil { // an error has no status after the first byte, so the samples are read twice
		err = WritePage(r.Context(), io.Discard, page, h.view, requests, q.Get("state"), nil)
	}
	if err != nil {
		refuse(w, r, err)
		return
	}

	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	name := map[string]string{"filename": h.fileName(requests)}
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", name))
	header.Set("Content-Security-Policy", policy+"; sandbox")
	header.Set("Cache-Control", "no-store")
	if err := WritePage(r.Context(), w, page, h.view, requests, q.Get("state"), nil); err != nil {
		panic(http.ErrAbortHandler) // the client sees that the page is incomplete
	}
}

// rangesOf returns the sources and ranges of a page. The n-th begin and end are of the n-th source.
func (h *Handler) rangesOf(q url.Values) (requests []view.Request, err error) {
	sources, begins, ends := q["source"], q["begin"], q["end"]
	if len(sources) == 0 {
		r, err := api.Request(q)
		for _, named := range h.view.Names() {
			r.Source = named.ID
			requests = append(requests, r)
		}
		return requests, err
	}

	const most = 16
	if len(sources) > most || len(begins) > len(sources) || len(ends) > len(sources) {
		const form = "%w: %d sources, %d begins and %d ends, expected at most %d sources and one range for each"
		return nil, fmt.Errorf(form, view.ErrRequest, len(sources), len(begins), len(ends), most)
	}
	for i, source := range sources {
		one := url.Values{"source": {source}}
		if i < len(begins) {
			one["begin"] = begins[i : i+1]
		}
		if i < len(ends) {
			one["end"] = ends[i : i+1]
		}
		r, err := api.Request(one)
		if err != nil {
			return nil, err
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// fileName returns a name for a page, without characters that file systems refuse.
func (h *Handler) fileName(requests []view.Request) string {
	for _, named := range h.view.Names() {
		if named.ID == requests[0].Source {
			return strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
					return r
				}
				return '-'
			}, named.Name) + ".html"
		}
	}
	return "winperf.html"
}
