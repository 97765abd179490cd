package webconfig

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type tlsKeys struct {
	Cert         string   `yaml:"cert"` // as PEM
	CertFile     string   `yaml:"cert_file"`
	Key          string   `yaml:"key"` // as PEM
	KeyFile      string   `yaml:"key_file"`
	ClientAuth   auth     `yaml:"client_auth_type"`
	ClientCA     string   `yaml:"client_ca"` // as PEM
	ClientCAFile string   `yaml:"client_ca_file"`
	ClientSANs   []string `yaml:"client_allowed_sans"`
	MinVersion   version  `yaml:"min_version"`
	MaxVersion   version  `yaml:"max_version"`
	Ciphers      []cipher `yaml:"cipher_suites"`
	Curves       []curve  `yaml:"curve_preferences"`
	ServerOrder  truth    `yaml:"prefer_server_cipher_suites"` // without effect: Go chooses the order
}

func (k *tlsKeys) setDefaults() { k.MinVersion, k.MaxVersion = tls.VersionTLS12, tls.VersionTLS13 }

// enabled reports whether a key needs TLS.
func (k *tlsKeys) enabled() bool {
	return k.Cert+k.CertFile+k.Key+k.KeyFile+k.ClientCA+k.ClientCAFile != "" || k.ClientAuth.set
}

// load returns the settings, with the files that read returns, or nil without TLS.
func (k *tlsKeys) load(read func(string) ([]byte, error)) (*tls.Config, error) {
	if !k.enabled() {
		return nil, nil
	}
	pair, err := k.pair(read)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{
		Certificates: []tls.Certificate{pair},
		MinVersion:   uint16(k.MinVersion), MaxVersion: uint16(k.MaxVersion),
		ClientAuth:             k.ClientAuth.kind,
		SessionTicketsDisabled: true, // each connection checks the client's certificate
	}
	for _, id := range k.Ciphers {
		c.CipherSuites = append(c.CipherSuites, uint16(id))
	}
	for _, id := range k.Curves {
		c.CurvePreferences = append(c.CurvePreferences, tls.CurveID(id))
	}

	if c.ClientCAs, err = k.clientCAs(read); err != nil {
		return nil, err
	}
	if k.ClientSANs != nil {
		c.VerifyPeerCertificate = k.checkName
	}
	return c, nil
}

func (k *tlsKeys) pair(read func(string) ([]byte, error)) (none tls.Certificate, err error) {
	cert, err := fromEither("cert", k.Cert, k.CertFile, read)
	if err != nil {
		return none, err
	}
	key, err := fromEither("key", k.Key, k.KeyFile, read)
	if err != nil {
		return none, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return none, fmt.Errorf("%s and %s: %w", cmp.Or(k.CertFile, "cert"), cmp.Or(k.KeyFile, "key"), err)
	}
	return pair, nil
}

// fromEither returns the text of key, or of the file that key_file names. The file has precedence.
func fromEither(key, text, file string, read func(string) ([]byte, error)) ([]byte, error) {
	switch {
	case file != "":
		content, err := read(file)
		if err != nil {
			return nil, fmt.Errorf("%s_file: %w", key, err)
		}
		return content, nil
	case text != "":
		return []byte(text), nil
	}
	return nil, fmt.Errorf("expected %s_file or %[1]s", key)
}

func (k *tlsKeys) clientCAs(read func(string) ([]byte, error)) (*x509.CertPool, error) {
	if k.ClientCA+k.ClientCAFile == "" {
		return nil, nil
	}
	if k.ClientAuth.kind == tls.NoClientCert {
		return nil, errors.New("client_ca needs a client_auth_type that asks for certificates")
	}
	text, err := fromEither("client_ca", k.ClientCA, k.ClientCAFile, read)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("client_ca has no certificate")
	}
	return pool, nil
}

// checkName requires an alternative name of the client's certificate to be in the list.
func (k *tlsKeys) checkName(raw [][]byte, _ [][]*x509.Certificate) error {
	if len(raw) == 0 { // allowed by client_auth_type
		return nil
	}
	cert, err := x509.ParseCertificate(raw[0])
	if err != nil {
		return err
	}

	names := slices.Concat(cert.DNSNames, cert.EmailAddresses)
	for _, ip := range cert.IPAddresses {
		names = append(names, ip.String())
	}
	for _, uri := range cert.URIs {
		names = append(names, uri.String())
	}
	for _, name := range names {
		if slices.Contains(k.ClientSANs, name) {
			return nil
		}
	}
	return errors.New("client_allowed_sans has no name of the client's certificate")
}

type (
	auth struct {
		kind tls.ClientAuthType
		set  bool
	}
	version uint16
	cipher  uint16
	curve   tls.CurveID
)

// UnmarshalText reads the client_auth_type.
func (a *auth) UnmarshalText(text []byte) (err error) {
	a.set = len(text) > 0
	a.kind, err = choose(text, []choice[tls.ClientAuthType]{
		{"NoClientCert", tls.NoClientCert}, {"RequestClientCert", tls.RequestClientCert},
		{"RequireAnyClientCert", tls.RequireAnyClientCert},
		{"VerifyClientCertIfGiven", tls.VerifyClientCertIfGiven},
		{"RequireAndVerifyClientCert", tls.RequireAndVerifyClientCert},
		{"RequireClientCert", tls.RequireAnyClientCert}, {"", tls.NoClientCert},
	})
	return err
}

// UnmarshalText reads the version.
func (v *version) UnmarshalText(text []byte) (err error) {
	*v, err = choose(text, []choice[version]{
		{"TLS13", tls.VersionTLS13}, {"TLS12", tls.VersionTLS12},
		{"TLS11", tls.VersionTLS11}, {"TLS10", tls.VersionTLS10},
	})
	return err
}

// UnmarshalText reads the curve.
func (c *curve) UnmarshalText(text []byte) (err error) {
	*c, err = choose(text, []choice[curve]{
		{"CurveP256", curve(tls.CurveP256)}, {"CurveP384", curve(tls.CurveP384)},
		{"CurveP521", curve(tls.CurveP521)}, {"X25519", curve(tls.X25519)},
	})
	return err
}

// UnmarshalText reads the cipher suite. Insecure ones are unknown.
func (c *cipher) UnmarshalText(text []byte) (err error) {
	var suites []choice[cipher]
	for _, s := range tls.CipherSuites() {
		suites = append(suites, choice[cipher]{s.Name, cipher(s.ID)})
	}
	*c, err = choose(text, suites)
	return err
}

type choice[T any] struct {
	word  string
	value T
}

func choose[T any](text []byte, choices []choice[T]) (value T, err error) {
	var words []string
	for _, c := range choices {
		if c.word == string(text) {
			return c.value, nil
		}
		if c.word != "" {
			words = append(words, c.word)
		}
	}
	return value, fmt.Errorf("expected one of %s", strings.Join(words, ", "))
}
