package web

import (
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web/internal/api"
)

//go:embed page
var embedded embed.FS

// Options configure a Handler.
type Options struct {
	// Token must be exchanged for a cookie before the interface answers. It is valid once. "" means that
	// the server around the Handler authenticates clients.
	Token string
	// AllowHost reports whether the Handler answers requests for a host, in lower case and without port.
	// nil allows localhost and IP addresses, so that a web page cannot read the values through its
	// own host name (DNS rebinding).
	AllowHost func(host string) bool
}

// Handler answers the requests of docs/view.md.
type Handler struct {
	view   *view.View
	opt    Options
	cookie string // its name, because browsers share cookies between the ports of a host
	mux    *http.ServeMux
	slots  chan struct{}
	busy   chan struct{} // one element for each answer in memory

	onePage func() ([]byte, error) // OnePage, except in tests

	mu      sync.Mutex
	token   string // "" after its use
	session string // the value of the valid cookie; "" before the login
}

// maxRequests limits the requests at the same time, including streams.
const maxRequests = 64

// maxAnswers limits the answers in memory. Other requests wait. Browsers send at most 6 requests at the same
// time.
const maxAnswers = 8

// New returns a Handler of a View, which the caller closes.
func New(v *view.View, opt Options) *Handler {
	h := &Handler{view: v, opt: opt, token: opt.Token, mux: http.NewServeMux(), onePage: OnePage}
	h.slots, h.busy = make(chan struct{}, maxRequests), make(chan struct{}, maxAnswers)
	h.cookie = "winperf-" + rand.Text()[:8]
	h.mux.HandleFunc("POST /api/v1/login", h.login)
	for _, name := range api.Names() {
		answer := h.answer(name)
		if name == "values" {
			answer = h.values
		}
		h.mux.HandleFunc("GET /api/v1/"+name, h.guarded(answer))
	}
	h.mux.HandleFunc("GET /api/v1/page", h.guarded(h.limited(h.page)))
	h.mux.HandleFunc("POST /api/v1/cancel", h.guarded(h.cancel))
	h.mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, api.ErrUnknown)
	})
	h.mux.HandleFunc("/", static)
	return h
}

// NewToken returns a random token.
func NewToken() string { return rand.Text() }

// policy allows only the page's own files. The browser then loads and sends nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' blob: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if err := h.checkOrigin(r); err != nil {
		fail(w, http.StatusForbidden, err)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// checkOrigin refuses requests for names of other hosts, and from pages of other sites.
func (h *Handler) checkOrigin(r *http.Request) error {
	allow := h.opt.AllowHost
	if allow == nil {
		allow = isLocal
	}
	if !allow(hostOf(r.Host)) {
		return fmt.Errorf("the host %.100q is not this program: use its address or localhost", r.Host)
	}

	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	if site == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return errors.New("the request is from a page of another site")
	}
	if origin == "" {
		return nil
	}
	of, err := url.Parse(origin)
	if err != nil || !strings.EqualFold(of.Host, r.Host) || of.Scheme != "http" && of.Scheme != "https" {
		return fmt.Errorf("the request is from a page of %.100q", origin)
	}
	return nil
}

// isLocal reports whether a host is localhost or an IP address.
func isLocal(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// hostOf returns the host of an address in lower case, without a port.
func hostOf(address string) string {
	u := url.URL{Host: address}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// login exchanges the token for a cookie.
func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	const longest = 256
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longest))
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil || h.token == "" || subtle.ConstantTimeCompare(body, []byte(h.token)) != 1 {
		if h.opt.Token == "" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		const text = "the token is wrong or was used: use the address that winperf printed"
		fail(w, http.StatusUnauthorized, errors.New(text))
		return
	}

	h.token = ""
	h.session = rand.Text()
	http.SetCookie(w, &http.Cookie{
		Name: h.cookie, Value: h.session, Path: "/",
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
	w.WriteHeader(http.StatusNoContent)
}

func (h *Handler) loggedIn(r *http.Request) bool {
	if h.opt.Token == "" {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	found := 0
	for _, c := range r.CookiesNamed(h.cookie) {
		found |= subtle.ConstantTimeCompare([]byte(c.Value), []byte(h.session))
	}
	return h.session != "" && found == 1
}

// guarded requires a cookie and limits the number of requests.
func (h *Handler) guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !h.loggedIn(r) {
			fail(w, http.StatusUnauthorized, errors.New("not logged in: open the address that winperf printed"))
			return
		}
		select {
		case h.slots <- struct{}{}:
			defer func() { <-h.slots }()
		default:
			fail(w, http.StatusServiceUnavailable, fmt.Errorf("more than %d requests at the same time", maxRequests))
			return
		}
		extend(w)
		next(w, r)
	}
}

// writeLimit is the longest time for an answer, or for one event.
const writeLimit = 10 * time.Minute

// extend gives an answer more time than the server's own timeouts. Servers without deadlines need none.
func extend(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
	_ = c.SetWriteDeadline(time.Now().Add(writeLimit))
}

// fail answers with an error.
func fail(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(safetext.NewJSON(w)).Encode(map[string]string{"error": err.Error()})
}

// static serves the files of the page.
func static(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		fail(w, http.StatusMethodNotAllowed, errors.New("expected GET"))
		return
	}

	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	text, err := fs.ReadFile(embedded, "page/"+name)
	if err != nil {
		http.NotFound(w, r)
		return
	}

	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".js" { // systems have other opinions
		kind = "text/javascript; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(text)
}
