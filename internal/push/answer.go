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

// verdict is what becomes of a request.
type verdict uint8

const (
	taken   verdict = iota // the target has it
	again                  // it is to be tried again
	refused                // it is passed over
	mixed                  // it is refused, but parts of it may be taken
	larger                 // it is refused, as it is too large
	older                  // the target knows an older version of the protocol only
)

// answer is what a target's reply means.
type answer struct {
	verdict verdict
	written int           // samples that the target has, of a request that is taken or refused
	after   time.Duration // at least so long before the next try
	err     error         // why it is not taken as a whole
	nobody  bool          // there is no receiver, or none for who asks
}

// judge says what a reply to a request means. Its Retry-After is counted from now.
func judge(r *request, got *reply, now time.Time) answer {
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
		// It is from a proxy, or of a network that wants somebody to log in.
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

// refusal is what a status of 4xx says that is not retried. What receivers answer to some bad
// samples among good ones, of which they may take none then, is 400, or 409 or 422.
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

// retried reports whether a status of 4xx says nothing about the request itself: that
// who asks is not known, or that the target has too much to do.
func retried(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return false
}

// nobody reports whether a status says that there is no receiver, or none for who asks.
func nobody(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return true
	}
	return false
}

// problem is the status with the first line of the body.
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

// writtenHeader tells how many samples of a request of version 2.0 were stored.
const writtenHeader = "X-Prometheus-Remote-Write-Samples-Written"

// second looks at the answer to a request of version 2.0. Without the header the target
// did not read it as one.
func (a *answer) second(r *request, got *reply) {
	n, err := strconv.ParseUint(got.header.Get(writtenHeader), 10, 31)
	known := err == nil
	guess := !r.confirmed && (got.status == http.StatusBadRequest || got.status == http.StatusNotAcceptable)

	switch {
	case got.status == http.StatusUnsupportedMediaType, !known && (a.verdict == taken || guess):
		a.verdict, a.written = older, 0
	case known && a.verdict == mixed && n > 0: // it took what is good, and need not be asked again
		a.verdict, a.written = refused, min(int(n), r.samples)
	case known && a.verdict == refused:
		a.written = min(int(n), r.samples)
	case known && a.verdict == taken && int(n) < r.samples:
		a.written = int(n)
		a.err = fmt.Errorf("it stored %d of %d samples", n, r.samples)
	}
}

// partial looks for points that a target rejected though it took the request: a message
// ExportMetricsServiceResponse with partial_success = 1, in which rejected_data_points = 1 and
// error_message = 2.
func (a *answer) partial(r *request, got *reply) {
	if mediaType(got) != "application/x-protobuf" {
		return
	}
	rejected, why := uint64(0), ""
	_ = fields(got.body, func(f protobuf.Field) error { // what cannot be read says nothing
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
