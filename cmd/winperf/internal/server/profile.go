package server

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"time"
)

// The longest profile of the processor and the longest trace.
const maxProfile = 30 * time.Second

// handleProfiles adds profiles at the paths that go tool pprof and go tool trace expect. Package
// net/http/pprof would make the program larger, because it imports html/template.
func (s *server) handleProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/{$}", listProfiles)
	mux.HandleFunc("GET /debug/pprof/{name}", profile)
	mux.HandleFunc("GET /debug/pprof/cmdline", says(strings.Join(os.Args, "\x00")))
	mux.HandleFunc("GET /debug/pprof/profile", s.timed(maxProfile, pprof.StartCPUProfile, pprof.StopCPUProfile))
	mux.HandleFunc("GET /debug/pprof/trace", s.timed(time.Second, trace.Start, trace.Stop))
}

func listProfiles(w http.ResponseWriter, r *http.Request) {
	text := "cmdline\nprofile\ntrace\n"
	for _, p := range pprof.Profiles() {
		text += fmt.Sprintf("%s (%d)\n", p.Name(), p.Count())
	}
	says(text)(w, r)
}

// profile writes a profile of this moment: as text with debug=1 or 2, for heap after a garbage collection
// with gc=1.
func profile(w http.ResponseWriter, r *http.Request) {
	name, query := r.PathValue("name"), r.URL.Query()
	p := pprof.Lookup(name)
	if p == nil {
		refuse(w, http.StatusNotFound, fmt.Errorf("no profile %s", name))
		return
	}
	if query.Has("seconds") {
		refuse(w, http.StatusBadRequest, fmt.Errorf("seconds is only for profile and trace, not for %s", name))
		return
	}

	if gc, _ := strconv.Atoi(query.Get("gc")); gc > 0 && name == "heap" {
		runtime.GC()
	}
	debug, _ := strconv.Atoi(query.Get("debug"))
	profileHeader(w, debug == 0)
	_ = p.WriteTo(w, debug) // fails only if the client left
}

// timed writes a profile of the next seconds, which the parameter seconds sets.
func (s *server) timed(usual time.Duration, start func(io.Writer) error, stop func()) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		span := usual
		if text := r.URL.Query().Get("seconds"); text != "" {
			seconds, err := strconv.ParseFloat(text, 64)
			if err != nil || !(seconds > 0 && seconds <= maxProfile.Seconds()) {
				const form = "seconds: expected a number above 0 and up to %v, found %q"
				refuse(w, http.StatusBadRequest, fmt.Errorf(form, maxProfile.Seconds(), text))
				return
			}
			span = time.Duration(seconds * float64(time.Second))
		}

		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(span + s.opt.timeouts.write))
		profileHeader(w, true)
		if err := start(w); err != nil {
			refuse(w, http.StatusConflict, err)
			return
		}
		defer stop()
		select {
		case <-time.After(span):
		case <-r.Context().Done():
		}
	}
}

func profileHeader(w http.ResponseWriter, binary bool) {
	kind := "text/plain; charset=utf-8"
	if binary {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
}
