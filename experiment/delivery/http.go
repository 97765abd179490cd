package delivery

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/retry"
	"github.com/winperf/winperf/internal/safetext"
)

// HTTPOptions configure NewHTTP.
type HTTPOptions struct {
	// Header is added to every request, for example Authorization.
	Header http.Header
	// Client sends the requests; nil makes a new one. Redirects are not followed: a POST that becomes a
	// GET delivers nothing.
	Client *http.Client
	// Now returns the time of day, for Retry-After; nil is time.Now.
	Now func() time.Time
}

// Headers that identify the records of a request. Idempotency-Key is session/first-last. A repeated batch
// has the same headers.
const (
	HeaderExperiment = "Winperf-Experiment"
	HeaderSession    = "Winperf-Session"
	HeaderNumbers    = "Winperf-Numbers" // first-last
)

// NewHTTP returns a sink that posts batches to an endpoint as lines of JSON (application/x-ndjson). A
// status 2xx means that all records of the request were taken. 400, 413, 415 and 422 refuse them
// permanently. After any other status the batch is sent again, not before Retry-After has passed.
func NewHTTP(endpoint string, o HTTPOptions) (Sink, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		const form = "%s is not an endpoint (%w): use http://HOST[:PORT]/PATH or https://…"
		return nil, fmt.Errorf(form, shownEndpoint(endpoint), winperf.ErrNotSupported)
	}

	client := http.Client{}
	if o.Client != nil {
		client = *o.Client
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		client.Transport = t.Clone()
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if o.Now == nil {
		o.Now = time.Now
	}
	return &httpSink{u.String(), client, o}, nil
}

func shownEndpoint(text string) string {
	if strings.Contains(text, "@") {
		return "the URL (hidden, as it has a user)"
	}
	return strconv.Quote(text)
}

type httpSink struct {
	endpoint string
	client   http.Client
	opt      HTTPOptions
}

// Deliver implements Sink.
func (s *httpSink) Deliver(ctx context.Context, batch []Item) error {
	var body bytes.Buffer
	for i := range batch {
		body.Write(batch[i].JSON)
		body.WriteByte('\n')
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint, &body)
	if err != nil {
		return err
	}
	for name, values := range s.opt.Header {
		req.Header[name] = values
	}

	first, last := batch[0], batch[len(batch)-1]
	numbers := fmt.Sprintf("%d-%d", first.Number, last.Number)
	req.Header.Set("Content-Type", "application/x-ndjson")
	req.Header.Set(HeaderExperiment, url.PathEscape(first.Experiment))
	req.Header.Set(HeaderSession, url.PathEscape(first.Session))
	req.Header.Set(HeaderNumbers, numbers)
	req.Header.Set("Idempotency-Key", url.PathEscape(first.Session)+"/"+numbers)
	return s.send(req)
}

func (s *httpSink) send(req *http.Request) error {
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()

	// The beginning of the body explains an error. The rest is read to keep the connection, up to a
	// limit.
	const shown, read = 200, 64 << 10
	text, _ := io.ReadAll(io.LimitReader(resp.Body, shown))
	_, _ = io.CopyN(io.Discard, resp.Body, read)
	if resp.StatusCode/100 == 2 {
		return nil
	}

	answer := strings.TrimSuffix(resp.Status+": "+safetext.Line(strings.TrimSpace(string(text))), ": ")
	err = fmt.Errorf("the endpoint answered %s", answer)
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity:
		return Refuse(err)
	}
	if d := retry.After(resp.Header.Get("Retry-After"), s.opt.Now()); d > 0 {
		return RetryAfter(d, err)
	}
	return err
}

// Close implements Sink.
func (s *httpSink) Close(context.Context) error {
	s.client.CloseIdleConnections()
	return nil
}
