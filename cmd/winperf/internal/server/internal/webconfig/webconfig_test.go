package webconfig

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// served is a server under test and the directory of its files.
type served struct {
	t    *testing.T
	dir  string
	addr string
	log  lines
}

type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start serves "hello" with a configuration. The directory has the certificates server, client and other.
func start(t *testing.T, config string) *served {
	t.Helper()
	s := &served{t: t, dir: t.TempDir()}
	s.certificate("server")
	s.certificate("client")
	s.certificate("other")
	s.write("web.yml", config)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()

	srv := &http.Server{
		Handler:  http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }),
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
	}
	done, ready := make(chan error, 1), &accepting{Listener: l, first: make(chan struct{})}
	go func() { done <- Serve(ready, srv, s.path("web.yml"), slog.New(slog.NewTextHandler(&s.log, nil))) }()
	t.Cleanup(func() {
		_ = srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	select {
	case <-ready.first:
	case err := <-done:
		t.Fatal(err)
	}
	return s
}

// accepting closes first when the server is ready.
type accepting struct {
	net.Listener
	once  sync.Once
	first chan struct{}
}

func (a *accepting) Accept() (net.Conn, error) {
	a.once.Do(func() { close(a.first) })
	return a.Listener.Accept()
}

func (s *served) path(name string) string { return filepath.Join(s.dir, name) }

func (s *served) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// certificate writes NAME.crt and NAME.key, for the host NAME.
func (s *served) certificate(name string) {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(name+".crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	s.write(name+".key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
}

// client returns the settings of a client that trusts the server's certificate of this moment.
func (s *served) client(certificate string) *tls.Config {
	s.t.Helper()
	text, err := os.ReadFile(s.path("server.crt"))
	if err != nil {
		s.t.Fatal(err)
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "server"}
	config.RootCAs.AppendCertsFromPEM(text)
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(s.path(certificate+".crt"), s.path(certificate+".key"))
		if err != nil {
			s.t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

// get makes a request on a new connection, over TLS if there is a configuration. user is user:password.
func (s *served) get(config *tls.Config, user string) (*http.Response, error) {
	s.t.Helper()
	url := "http://" + s.addr
	if config != nil {
		url = "https://" + s.addr
	}
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if name, password, ok := strings.Cut(user, ":"); ok {
		r.SetBasicAuth(name, password)
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if (resp.StatusCode == 200) != (string(text) == "hello") {
		s.t.Errorf("status %d: %s", resp.StatusCode, text)
	}
	return resp, err
}

// status returns the status of a request without TLS.
func (s *served) status(user string) int {
	s.t.Helper()
	resp, err := s.get(nil, user)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode
}

func hash(t *testing.T, password string) string {
	t.Helper()
	h, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(h)
}

func TestPasswords(t *testing.T) {
	old := hash(t, "secret")
	s := start(t, fmt.Sprintf("basic_auth_users: {ann: %q, bob: %q}\n", old, hash(t, "other")))
	same := func(want map[string]int) {
		t.Helper()
		for range 2 { // the second answer is without a comparison
			for user, status := range want {
				if got := s.status(user); got != status {
					t.Errorf("%s: status %d, want %d", user, got, status)
				}
			}
		}
	}
	same(map[string]int{
		"ann:secret": 200, "ann:wrong": 401, "ann:": 401, "": 401, "bob:secret": 401, "bob:other": 200,
		"eve:secret": 401, "eve:other": 401, ":secret": 401, ":": 401, "ann:secret:": 401,
	})

	// A changed password and a removed user apply to the next request.
	s.write("web.yml", fmt.Sprintf("basic_auth_users: {ann: %q}\n", hash(t, "new")))
	same(map[string]int{"ann:secret": 401, "ann:new": 200, "bob:other": 401})
	if resp, _ := s.get(nil, ""); resp.Header.Get("WWW-Authenticate") != "Basic" {
		t.Error("the answer does not ask for a password")
	}
}

// The passwords that were correct are remembered, one for each user, not as text, and no other ones.
func TestRemembered(t *testing.T) {
	var u users
	u.set(map[string]string{"ann": hash(t, strings.Repeat("x", 72))})
	for i := range 3 { // bcrypt compares 72 bytes, so that all passwords are correct
		r, _ := http.NewRequest("GET", "/", nil)
		r.SetBasicAuth("ann", strings.Repeat("x", 72+i))
		if !u.allow(r) {
			t.Errorf("password %d is wrong", i)
		}
		r.SetBasicAuth("ann", "wrong")
		if u.allow(r) {
			t.Error("a wrong password is correct")
		}
		r.SetBasicAuth("eve", strings.Repeat("x", 72))
		if u.allow(r) {
			t.Error("an unknown user is allowed")
		}
		if len(u.correct) != 1 || len(u.correct["ann"]) != 32 || bytes.Contains(u.correct["ann"], []byte("xx")) {
			t.Errorf("%d remembered: %x", len(u.correct), u.correct["ann"])
		}
	}
}

// An unknown user costs the slowest comparison of the file.
func TestDecoy(t *testing.T) {
	slow, err := bcrypt.GenerateFromPassword([]byte("a"), bcrypt.MinCost+1)
	if err != nil {
		t.Fatal(err)
	}
	var u users
	u.set(map[string]string{"a": hash(t, "a"), "b": string(slow), "c": hash(t, "c")})
	if u.decoy != string(slow) {
		t.Error(u.decoy)
	}
}

const secured = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"

func TestClientCertificates(t *testing.T) {
	const ca = "  client_ca_file: client.crt\n"
	const require = "  client_auth_type: RequireAndVerifyClientCert\n" + ca
	for _, c := range []struct {
		config, certificate string
		ok                  bool
	}{
		{secured, "", true},
		{secured, "other", true},
		{secured + require, "", false},
		{secured + require, "other", false},
		{secured + require, "client", true},
		{secured + require + "  client_allowed_sans: [client]\n", "client", true},
		{secured + require + "  client_allowed_sans: [server]\n", "client", false},
		{secured + "  client_auth_type: VerifyClientCertIfGiven\n" + ca, "", true},
		{secured + "  client_auth_type: VerifyClientCertIfGiven\n" + ca, "other", false},
		{secured + "  client_auth_type: VerifyClientCertIfGiven\n  client_allowed_sans: [a]\n" + ca, "", true},
		{secured + "  client_auth_type: RequireAnyClientCert\n", "other", true},
		{secured + "  client_auth_type: RequireClientCert\n", "", false},
	} {
		s := start(t, c.config)
		config := s.client("")
		if c.certificate != "" { // sent also if the server does not list its issuer
			pair := s.client(c.certificate).Certificates[0]
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
		if _, err := s.get(config, ""); (err == nil) != c.ok {
			t.Errorf("%s, certificate %q: %v", c.config, c.certificate, err)
		}
	}
}

func TestProtocols(t *testing.T) {
	for _, c := range []struct {
		config   string
		min, max uint16 // of the client
		version  uint16 // 0: refused
		http2    bool
	}{
		{secured, tls.VersionTLS12, tls.VersionTLS13, tls.VersionTLS13, true},
		{secured, tls.VersionTLS12, tls.VersionTLS12, tls.VersionTLS12, true},
		{secured, tls.VersionTLS10, tls.VersionTLS11, 0, false},
		{secured + "  min_version: TLS13\n", tls.VersionTLS12, tls.VersionTLS12, 0, false},
		{secured + "  max_version: TLS12\n", tls.VersionTLS12, tls.VersionTLS13, tls.VersionTLS12, true},
		{secured + "  min_version: TLS11\nhttp_server_config: {http2: no}\n", tls.VersionTLS11, tls.VersionTLS11, tls.VersionTLS11, false},
		{secured + "http_server_config: {http2: false}\n", tls.VersionTLS12, tls.VersionTLS13, tls.VersionTLS13, false},
		{secured + "http_server_config: {http2: on}\n", tls.VersionTLS12, tls.VersionTLS13, tls.VersionTLS13, true},
		{
			secured + "  curve_preferences: [CurveP256]\n  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]\n",
			tls.VersionTLS12, tls.VersionTLS12, tls.VersionTLS12, true,
		},
	} {
		s := start(t, c.config)
		config := s.client("")
		config.MinVersion, config.MaxVersion = c.min, c.max
		resp, err := s.get(config, "")
		if (err == nil) != (c.version != 0) {
			t.Errorf("%s: %v", c.config, err)
		}
		if err == nil && (resp.TLS.Version != c.version || (resp.ProtoMajor == 2) != c.http2) {
			t.Errorf("%s: %s, %s", c.config, tls.VersionName(resp.TLS.Version), resp.Proto)
		}
	}
}

// A new certificate is used for the next connection. While it does not belong to the key, the old one is used.
func TestCertificateChanges(t *testing.T) {
	s := start(t, secured)
	old := s.client("")
	s.certificate("server")
	fresh := s.client("")
	if _, err := s.get(fresh, ""); err != nil {
		t.Error(err)
	}
	if _, err := s.get(old, ""); err == nil {
		t.Error("the old certificate is in use")
	}

	key, err := os.ReadFile(s.path("server.key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"other.key", "none.key"} {
		text, _ := os.ReadFile(s.path(bad))
		s.write("server.key", string(text))
		if _, err := s.get(fresh, ""); err != nil {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if n := strings.Count(s.log.String(), "server.crt and server.key"); n != 2 {
		t.Errorf("%d errors are logged:\n%s", n, &s.log)
	}
	s.write("server.key", string(key))
	if _, err := s.get(fresh, ""); err != nil {
		t.Error(err)
	}
}

// An invalid configuration is logged once and changes nothing.
func TestInvalidLater(t *testing.T) {
	users := fmt.Sprintf("basic_auth_users: {ann: %q}\n", hash(t, "secret"))
	s := start(t, users)
	for i, invalid := range []string{
		"basic_auth_user: {}\n", "basic_auth_users: {ann: ''}\n", "a: [\n", secured + users, secured + "  min_version: 1.2\n",
	} {
		s.write("web.yml", invalid)
		for range 2 {
			if got := []int{s.status("ann:secret"), s.status("ann:wrong"), s.status("")}; got[0] != 200 || got[1] != 401 || got[2] != 401 {
				t.Errorf("%s: %d", invalid, got)
			}
		}
		if n := strings.Count(s.log.String(), "level=ERROR"); n != i+1 {
			t.Errorf("%s: %d errors:\n%s", invalid, n, &s.log)
		}
	}
	if err := os.Remove(s.path("web.yml")); err != nil {
		t.Fatal(err)
	}
	if got := s.status(""); got != 401 {
		t.Errorf("without a file: status %d", got)
	}

	s.write("web.yml", "")
	if got := s.status(""); got != 200 {
		t.Errorf("without users: status %d", got)
	}
}

func TestHeadersAndLimit(t *testing.T) {
	s := start(t, "http_server_config: {headers: {X-Frame-Options: deny}}\nrate_limit: {burst: 1, interval: 1h}\n")
	first, err := s.get(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if first.StatusCode != 200 || first.Header.Get("X-Frame-Options") != "deny" {
		t.Errorf("status %d, %v", first.StatusCode, first.Header)
	}
	if status := s.status(""); status != http.StatusTooManyRequests {
		t.Errorf("status %d above the limit", status)
	}
}
