package serve

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/sink/prometheus"
)

// refuse answers with an error in one line and returns the status.
func refuse(w http.ResponseWriter, status int, err error) int {
	http.Error(w, safetext.Line(err.Error()), status)
	return status
}

func (e *Exporter) send(w http.ResponseWriter, text *answer, format prometheus.Format) int {
	h := w.Header()
	h.Set("Content-Type", format.ContentType())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept, Accept-Encoding")

	var err error
	if text.gzip == text.packed {
		if text.packed {
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("Content-Length", strconv.Itoa(text.size()))
		_, err = text.WriteTo(w)
	} else {
		var plain io.Reader
		if plain, err = text.plain(); err == nil {
			_, err = io.Copy(w, plain)
		}
	}
	if err != nil { // an incomplete answer must not look complete
		e.opt.Log.Debug("a scrape was aborted", "err", err)
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
