package webconfig

import (
	"strings"
	"testing"
)

// All errors of a file are reported, with their places, and without secrets.
func TestCheck(t *testing.T) {
	s := &served{t: t, dir: t.TempDir()}
	s.certificate("server")
	s.certificate("other")
	const pair = "tls_server_config: {cert_file: server.crt, key_file: server.key"
	good := hash(t, "x")
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"tls_server_config: {}\n", ""},
		{"tls_server_config:\nbasic_auth_users:\n", ""},
		{pair + "}\n", ""},
		{pair + ", prefer_server_cipher_suites: no, client_auth_type: NoClientCert}\n", ""},
		{pair + ", client_ca_file: other.crt, client_auth_type: RequestClientCert}\n", ""},
		{"http_server_config: {headers: {X-Frame-Options: sameorigin, X-XSS-Protection: '1'}}\n", ""},
		{"basic_auth_users: {a: " + good + ", 7: " + good + "}\n", ""},
		{"rate_limit: {interval: 1s, burst: 5}\n", ""},

		{"tls_server_confg: {}\n", `web.yml:1:1: unknown key "tls_server_confg" (did you mean tls_server_config?)`},
		{"tls_server_config: {cert_fil: a}\n", `web.yml:1:21: unknown key "cert_fil"`},
		{"tls_server_config: {cert_file: server.crt}\n", `web.yml: tls_server_config: expected key_file or key`},
		{"tls_server_config: {key_file: server.key}\n", `web.yml: tls_server_config: expected cert_file or cert`},
		{"tls_server_config: {client_auth_type: NoClientCert}\n", `web.yml: tls_server_config: expected cert_file or cert`},
		{"tls_server_config: {cert: secret, key: secret}\n", `web.yml: tls_server_config: cert and key: tls: failed`},
		{
			"tls_server_config: {cert_file: server.crt, key_file: other.key}\n",
			`web.yml: tls_server_config: server.crt and other.key: tls: private key does not match public key`,
		},
		{"tls_server_config: {cert_file: none, key_file: none}\n", `web.yml: tls_server_config: cert_file: open `},
		{pair + ", client_auth_type: Any}\n", `web.yml:1:84: client_auth_type: expected one of NoClientCert, `},
		{pair + ", client_ca_file: other.crt}\n", `web.yml: tls_server_config: client_ca needs a client_auth_type`},
		{
			pair + ", client_ca_file: other.key, client_auth_type: RequireAndVerifyClientCert}\n",
			`web.yml: tls_server_config: client_ca has no certificate`,
		},
		{pair + ", min_version: TLS14}\n", `web.yml:1:79: min_version: expected one of TLS13, TLS12, TLS11, TLS10`},
		{pair + ", cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]}\n", `web.yml:1:82: cipher_suites: expected one of TLS_`},
		{pair + ", curve_preferences: [P1]}\n", `web.yml:1:86: curve_preferences: expected one of CurveP256, CurveP384`},
		{"http_server_config: {http2: maybe}\n", `web.yml:1:29: http2: expected true or false`},
		{"http_server_config: {headers: {Server: x}}\n", `web.yml:1:40: headers: "Server" cannot be set, expected one of Content-S`},
		{
			"http_server_config: {headers: {X-Frame-Options: all}}\n",
			`web.yml:1:49: headers: X-Frame-Options: expected deny or sameorigin, found "all"`,
		},
		{"basic_auth_users: {a: ''}\n", `web.yml:1:23: basic_auth_users: expected a bcrypt hash of the password of a, as`},
		{"basic_auth_users: {a: secret}\n", `web.yml:1:23: basic_auth_users: expected a bcrypt hash of the password of a, as`},
		{"basic_auth_users: {a: " + good + ", a: " + good + "}\n", `web.yml:1:85: duplicate key "a"`},
		{"rate_limit: {interval: 5}\n", `web.yml:1:24: interval: expected a time with a unit, such as 500ms or 1s`},
		{"a\n", `web.yml:1:1: expected keys with values, found text "a"`},
	} {
		s.write("web.yml", c.text)
		got := ""
		if err := Check(s.path("web.yml")); err != nil {
			got = strings.ReplaceAll(err.Error(), s.path("web.yml"), "web.yml")
		}
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") || strings.Contains(got, "secret") {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	if err := Check(""); err != nil {
		t.Error(err)
	}
	if err := Check(s.path("none.yml")); err == nil || strings.Count(err.Error(), "none.yml") != 1 {
		t.Error(err)
	}
}
