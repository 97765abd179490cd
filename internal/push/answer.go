package push

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/internal/retry"
	"github.com/winperf/winperf/internal/safetext"
)

// verdict is the result of a request.
type verdict uint8

const (
	taken   verdict = iota // the receiver stored it
	again                  // retry
	refused                // drop it
	mixed                  // refused, but parts of it may be accepted
	larger                 // too large
	older                  // the receiver only supports an older version of the protocol
)

// answer is the meaning of a receiver's reply.
type answer struct {
	verdict verdict
	written int           // samples stored by the receiver
	after   time.Duration // least time before the next try
	err     error         // why it was not accepted as a whole
	nobody  bool          // no receiver is at this URL, or it denies access
}

// evaluate evaluates a reply to a request. Its Retry-After is relative to now.
func evaluate(r *request, got *reply, now time.Time) answer {
	a := answer{after: retry.After(got.header.Get("Retry-After"), now), nobody: nobody(got.status)}
	switch status := got.status; {
	case status/100 == 2:
		a.verdict, a.written = taken, r.samples
	case status/100 != 4 || retried(status):
		a.verdict = again
	default:
		a.verdict = refusal(status)
	}
	if a.verdict != taken {
		a.err = got.problem()
	} else if mediaType(got) == "text/html" {
		// The page is from a proxy or a network's login.
		a.verdict, a.written = again, 0
		a.err = fmt.Errorf("it answered %d with a page of HTML, as no receiver does", got.status)
	}

	switch {
	case r.otlp && a.verdict == taken:
		a.partial(r, got)
	case r.second:
		a.second(r, got)
	}
	return a
}

// refusal returns the verdict of a status of 4xx that is not retried. Receivers answer 400,
// 409 or 422 if some samples are bad, and then may store none.
func refusal(status int) verdict {
	switch status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		return mixed
	case http.StatusRequestEntityTooLarge:
		return larger
	}
	return refused
}

func mediaType(r *reply) string {
	word, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return word
}

// retried reports whether a status of 4xx is not about the request itself: access is
// denied, or the receiver is overloaded.
func retried(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return false
}

// nobody reports whether a status means that no receiver is at this URL or that it denies
// access.
func nobody(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return true
	}
	return false
}

// problem returns the status and the first line of the body as an error.
func (r *reply) problem() error {
	line, _, _ := strings.Cut(strings.TrimSpace(string(r.body)), "\n")
	if len(line) > 300 {
		line = line[:300] + "…"
	}
	if line = safetext.Line(strings.TrimSpace(line)); line != "" {
		line = ": " + line
	}
	return fmt.Errorf("it answered %d %s%s", r.status, http.StatusText(r.status), line)
}

// writtenHeader is the number of samples of a request of version 2.0 that were stored.
const writtenHeader = "X-Prometheus-Remote-Write-Samples-Written"

// second evaluates the answer to a request of version 2.0. Without the header, the receiver
// did not understand the version.
func (a *answer) second(r *request, got *reply) {
	n, err := strconv.ParseUint(got.header.Get(writtenHeader), 10, 31)
	known := err == nil
	guess := !r.confirmed && (got.status == http.StatusBadRequest || got.status == http.StatusNotAcceptable)

	switch {
	case got.status == http.StatusUnsupportedMediaType, !known && (a.verdict == taken || guess):
		a.verdict, a.written = older, 0
	case known && a.verdict == mixed && n > 0: // it stored the good samples; no retry is needed
		a.verdict, a.written = refused, min(int(n), r.samples)
	case known && a.verdict == refused:
		a.written = min(int(n), r.samples)
	case known && a.verdict == taken && int(n) < r.samples:
		a.written = int(n)
		a.err = fmt.Errorf("it stored %d of %d samples", n, r.samples)
	}
}

// partial reads the number of points rejected by a receiver that accepted the request: a
// message ExportMetricsServiceResponse with partial_success = 1, in which
// rejected_data_points = 1 and error_message = 2.
func (a *answer) partial(r *request, got *reply) {
	if mediaType(got) != "application/x-protobuf" {
		return
	}
	rejected, why := uint64(0), ""
	_ = fields(got.body, func(f protobuf.Field) error { // ignore an unreadable body
		if f.Number != 1 {
			return nil
		}
		return fields(f.Bytes, func(f protobuf.Field) error {
			switch f.Number {
			case 1:
				rejected = uint64(max(int64(f.Uint), 0))
			case 2:
				why = string(f.Bytes)
			}
			return nil
		})
	})

	if rejected > 0 {
		rejected = min(rejected, uint64(r.samples))
		a.written = r.samples - int(rejected)
		a.err = fmt.Errorf("it rejected %d of %d points: %s", rejected, r.samples, safetext.Line(why))
	}
}

func fields(b []byte, each func(protobuf.Field) error) error {
	for len(b) > 0 {
		f, rest, err := protobuf.Next(b)
		if err == nil {
			err = each(f)
		}
		if err != nil {
			return err
		}
		b = rest
	}
	return nil
}
