package serve

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/sink/prometheus"
)

// refuse answers with an error in one line, and returns the status.
func refuse(w http.ResponseWriter, status int, err error) int {
	http.Error(w, safetext.Line(err.Error()), status)
	return status
}

// responder writes metrics to a client, compressed if that takes them so.
type responder struct {
	e   *Exporter
	w   http.ResponseWriter
	to  io.Writer
	zip *gzip.Writer
	any bool // something was written
}

func (e *Exporter) responder(w http.ResponseWriter, r *http.Request, format prometheus.Format) *responder {
	out := &responder{e: e, w: w, to: w}
	w.Header().Set("Content-Type", format.ContentType())
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Add("Vary", "Accept, Accept-Encoding")

	if takesGzip(strings.Join(r.Header.Values("Accept-Encoding"), ",")) {
		w.Header().Set("Content-Encoding", "gzip")
		out.zip = e.zips.Get().(*gzip.Writer)
		out.zip.Reset(w)
		out.to = out.zip
	}
	return out
}

// Write implements io.Writer.
func (r *responder) Write(p []byte) (int, error) {
	r.any = true
	return r.to.Write(p)
}

// pieces writes what others wait for, who have less time than the client may take in all: so it has
// to read at some pace.
type pieces struct {
	*responder
	control *http.ResponseController
	until   time.Time // when all has to be read
}

// pieceSize is how much the client has to read in the time that a piece may take, in bytes.
const pieceSize = 64 << 10

// Write implements io.Writer.
func (p *pieces) Write(text []byte) (n int, err error) {
	defer func() { _ = p.control.SetWriteDeadline(p.until) }() // which not every client has
	for rest := text; err == nil && len(rest) > 0; {
		one := rest[:min(pieceSize, len(rest))]
		rest = rest[len(one):]

		soon := time.Now().Add(p.e.opt.piece)
		if p.until.Before(soon) {
			soon = p.until
		}
		_ = p.control.SetWriteDeadline(soon)

		var wrote int
		wrote, err = p.responder.Write(one)
		n += wrote
	}
	return n, err
}

// end completes the answer, or breaks it off where there was an error, and returns the
// status.
func (r *responder) end(err error) int {
	if err != nil && !r.any {
		r.w.Header().Del("Content-Encoding")
		return refuse(r.w, http.StatusInternalServerError, err)
	}
	if r.zip != nil && err == nil {
		err = r.zip.Close()
	}
	if r.zip != nil {
		r.zip.Reset(io.Discard)
		r.e.zips.Put(r.zip)
	}

	if err != nil { // what is half written must not look whole
		r.e.opt.Log.Debug("a scrape was broken off", "err", err)
		panic(http.ErrAbortHandler)
	}
	return http.StatusOK
}

// takesGzip reports whether the header Accept-Encoding allows gzip (RFC 9110, 12.5.3).
func takesGzip(accept string) bool {
	star := false
	for part := range strings.SplitSeq(accept, ",") {
		coding, parameters, _ := strings.Cut(part, ";")
		q := 1.0
		if _, text, found := strings.Cut(strings.ToLower(parameters), "q="); found {
			var err error
			if q, err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
				q = 0
			}
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return q > 0
		case "*":
			star = q > 0
		}
	}
	return star
}
