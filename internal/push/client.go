package push

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

type client struct {
	target Target
	url    *url.URL
	http   http.Client
}

// newClient checks the settings and files. It sends nothing.
func newClient(t Target) (*client, protocol, error) {
	t.settle()
	if err := t.wrong(); err != nil {
		return nil, protocol{}, err
	}
	u, p, err := t.address()
	if err != nil {
		return nil, p, err
	}
	config, err := t.TLS.config()
	if err != nil {
		return nil, p, fmt.Errorf("%s: %w", t.Name(), err)
	}

	c := &client{target: t, url: u}
	c.http = http.Client{
		Timeout: t.Timeout,
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			TLSClientConfig:     config,
			ForceAttemptHTTP2:   true,
			IdleConnTimeout:     90 * time.Second,
			// Only two headers of an answer are read.
			MaxResponseHeaderBytes: 64 << 10,
		},
		// A redirect would send the data and the password to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	_, err = c.request(context.Background(), nil, nil)
	return c, p, err
}

func (t *TLS) config() (*tls.Config, error) {
	config := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.Insecure}
	if t.CAFile != "" {
		text, err := small(t.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate (PEM)", t.CAFile)
		}
	}

	if t.CertFile == "" && t.KeyFile == "" {
		return config, nil
	}
	load := func() (*tls.Certificate, error) {
		cert, err := small(t.CertFile)
		if err != nil {
			return nil, err
		}
		key, err := small(t.KeyFile)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(cert, key)
		return &pair, err
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return load() }
	_, err := load()
	return config, err
}

func (c *client) request(ctx context.Context, body []byte, headers http.Header) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{"User-Agent": {c.target.UserAgent}}
	for name, values := range headers {
		r.Header[name] = values
	}
	for name, value := range c.target.Headers {
		r.Header.Set(name, value)
		if http.CanonicalHeaderKey(name) == "Host" {
			r.Host = value
		}
	}
	return r, c.authorize(r)
}

// authorize adds the credentials, except basic authentication of the URL.
func (c *client) authorize(r *http.Request) error {
	if c.target.PasswordFile != "" {
		password, err := secret(c.target.PasswordFile)
		if err != nil {
			return err
		}
		r.URL.User = url.UserPassword(r.URL.User.Username(), password)
	}

	if c.target.BearerFile != "" {
		token, err := secret(c.target.BearerFile)
		if err == nil {
			err = checkHeader("Authorization", token)
		}
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

// secret reads a file of one line.
func secret(name string) (string, error) {
	text, err := small(name)
	return strings.TrimSpace(string(text)), err
}

// maxSmall limits files of certificates and passwords.
const maxSmall = 1 << 20

// small reads a file of at most maxSmall bytes.
func small(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSmall+1))
	if err == nil && len(text) > maxSmall {
		return nil, fmt.Errorf("%s: longer than %d bytes, too long for a certificate or password", name, maxSmall)
	}
	return text, err
}

type reply struct {
	status int
	header http.Header
	body   []byte // its beginning
}

// post sends a body.
func (c *client) post(ctx context.Context, body []byte, headers http.Header) (*reply, error) {
	r, err := c.request(ctx, body, headers)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err // without the URL, which the message already has
		}
		return nil, err
	}
	defer answer.Body.Close()

	// This is a connection without an end, not an answer.
	if answer.StatusCode == http.StatusSwitchingProtocols {
		return &reply{answer.StatusCode, answer.Header, nil}, nil
	}

	// A longer answer is not read and its connection not reused. An error here does not
	// change the status.
	const most = 64 << 10
	text, _ := io.ReadAll(io.LimitReader(answer.Body, most))
	return &reply{answer.StatusCode, answer.Header, text}, nil
}

func (c *client) close() { c.http.CloseIdleConnections() }
