package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// secure writes a certificate for 127.0.0.1 and a web configuration with a password, and returns
// the configuration and the pool that trusts it. users are lines of the configuration.
func secure(t testing.TB, dir, password, more string) (file string, trust *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "winperf"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}

	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, text := range map[string][]byte{
		"cert.pem": cert,
		"key.pem":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		"web.yml": fmt.Appendf(nil, "tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\n%s"+
			"basic_auth_users:\n  monitor: %q\n", more, hash),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trust = x509.NewCertPool()
	trust.AppendCertsFromPEM(cert)
	return filepath.Join(dir, "web.yml"), trust
}

func TestSecure(t *testing.T) {
	dir := t.TempDir()
	file, trust := secure(t, dir, "secret", "")
	s := start(t, Config{Web: Web{ConfigFile: file, Listen: []string{"127.0.0.1:0", "127.0.0.1:0"}}})
	secured := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trust}, DisableKeepAlives: true,
	}}
	for _, c := range []struct {
		user, password string
		status         int
	}{{"monitor", "secret", 200}, {"monitor", "wrong", 401}, {"other", "secret", 401}, {"", "", 401}} {
		r, _ := http.NewRequest("GET", s.url+"/metrics", nil)
		if c.user != "" {
			r.SetBasicAuth(c.user, c.password)
		}
		resp, err := secured.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || (value(string(text), free) != "") != (c.status == 200) {
			t.Errorf("%s: status %d\n%s", c.user, resp.StatusCode, text)
		}
	}

	// Without TLS, or with a certificate that the client does not trust, there is no answer.
	if _, err := client().Get(s.url + "/metrics"); err == nil {
		t.Error("a client trusts any certificate")
	}
	if resp, err := client().Get(strings.Replace(s.url, "https:", "http:", 1)); err == nil {
		_ = resp.Body.Close()
		if resp.StatusCode != 400 {
			t.Errorf("without TLS: status %d", resp.StatusCode)
		}
	}
}

// A server that wants certificates of its clients answers nobody else.
func TestClientCertificates(t *testing.T) {
	dir := t.TempDir()
	file, trust := secure(t, dir, "secret",
		"  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: cert.pem\n")
	s := start(t, Config{Web: Web{ConfigFile: file}})
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	for _, certificates := range [][]tls.Certificate{nil, {pair}} {
		secured := &http.Client{Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{RootCAs: trust, Certificates: certificates},
			DisableKeepAlives: true,
		}}
		r, _ := http.NewRequest("GET", s.url+"/-/ready", nil)
		r.SetBasicAuth("monitor", "secret")
		resp, err := secured.Do(r)
		if (err == nil) != (len(certificates) > 0) {
			t.Errorf("%d certificates: %v", len(certificates), err)
		}
		if err == nil {
			_ = resp.Body.Close()
		}
	}
}

// A connection over HTTP/2 may have a few requests at once: each costs memory.
func TestStreams(t *testing.T) {
	file, trust := secure(t, t.TempDir(), "secret", "")
	s := start(t, Config{Web: Web{ConfigFile: file}})
	c, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"),
		&tls.Config{RootCAs: trust, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}

	// The first frame has the server's settings: 9 bytes of head, then 2 of number and 4 of value for each (RFC 9113).
	head := make([]byte, 9)
	if _, err := io.ReadFull(c, head); err != nil {
		t.Fatal(err)
	}
	settings := make([]byte, int(head[1])<<8+int(head[2]))
	if _, err := io.ReadFull(c, settings); err != nil {
		t.Fatal(err)
	}
	const maxConcurrentStreams = 3
	for ; len(settings) >= 6; settings = settings[6:] {
		if binary.BigEndian.Uint16(settings) == maxConcurrentStreams {
			if got := binary.BigEndian.Uint32(settings[2:]); got != maxStreams {
				t.Errorf("%d streams, want %d", got, maxStreams)
			}
			return
		}
	}
	t.Error("the server bounds no streams")
}
