package push

import (
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"otlp+http://host:4318":                      "http://host:4318/v1/metrics",
		"otlp+https://host/":                         "https://host/v1/metrics",
		"otlp+http://host/otlp/v1/metrics":           "http://host/otlp/v1/metrics",
		"remote-write+http://host:9090":              "http://host:9090/api/v1/write",
		"remote-write+https://me:pass@host/push?a=b": "https://me:pass@host/push?a=b",
		"Remote-Write+HTTP://host":                   "http://host/api/v1/write",
		"remote-wirte+http://host":                   "!did you mean remote-write+http://?",
		"http://host":                                "!(did you mean otlp+http://?)",
		"https://host/api/v1/write":                  "!(did you mean remote-write+https://?)",
		"otlp+http:host":                             "!expected otlp+http://HOST",
		"otlp+http://":                               "!expected otlp+http://HOST",
		"otlp+http://:4318":                          "!expected otlp+http://HOST",
		"otlp+http://host:99999":                     "!expected a port from 1 to 65535",
		"otlp+http://me:secret@host:0":               "!expected a port from 1 to 65535",
		"otlp+http://me:secret@[::1":                 "!bad URL of a receiver",
		"otlp+http://me:secret@host:port":            "!expected SCHEME://USER:PASSWORD@HOST[:PORT]",
		"otlp+http://me:secret/x@host":               "!in a password / is %2F",
		"otlp+http://host:port":                      "!invalid port \":port\"",
		"otlp+http://host#part":                      "!expected otlp+http://HOST",
		"":                                           "!expected otlp+http://",

		"remote_write+http://localhost:9090/x": "!bad URL of a receiver remote_write+http://localhost:9090/x: " +
			"expected otlp+http://, otlp+https://, remote-write+http://, remote-write+https://HOST " +
			"(did you mean remote-write+http://?)",
		"remote_write+https://me:secret@host": "!receiver remote_write+https://me:xxxxx@host: expected otlp+http://",
		"remote_write+http://me:secret@[::1":  "!(did you mean remote-write+http://?)",
		"otlp_http://host":                    "!(did you mean otlp+http://?)",
		"me:secret@host://x":                  "!bad URL of a receiver: expected otlp+http://",
		"otlp_http:me:secret@host":            "!bad URL of a receiver: expected otlp+http://",
		"%zz":                                 "!bad URL of a receiver: ",
	} {
		u, _, err := (&Target{URL: text}).address()
		switch why, fails := strings.CutPrefix(want, "!"); {
		case fails && (err == nil || !strings.Contains(err.Error(), why)):
			t.Errorf("%q: %v, want %q", text, err, why)
		case fails && strings.Contains(err.Error(), "secret"):
			t.Errorf("%q: the error has the password: %v", text, err)
		case !fails && (err != nil || u.String() != want):
			t.Errorf("%q: %v, %v, want %s", text, u, err, want)
		}
	}
}

// No name and no error shows a password, also where a URL is none.
func TestNameHidesPasswords(t *testing.T) {
	for text, want := range map[string]string{
		"otlp+http://host":                   "otlp+http://host",
		"OTLP+http://me:secret@host/a?b=c":   "otlp+http://me:xxxxx@host/a?b=c",
		"remote_write+http://me:secret@host": "remote_write+http://me:xxxxx@host",
		"me:secret@host:9090":                "a target",
		"otlp+http:me:secret@host":           "a target",
		"otlp+http://me:secret@[::1":         "a target",
		"me:secret@host://x":                 "a target",
		"":                                   "a target",
		"otlp+http://me:secret/x@host":       "a target",
		"otlp+http://me:secret?x@host":       "a target",
		"otlp+http://me:secret#x@host":       "a target",
		"otlp+http://me:x%secret@host":       "a target",
		"otlp+http://me:x secret@host":       "a target",
	} {
		target := Target{URL: text}
		if got := target.Name(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		for _, p := range target.Check() {
			if said := p.Err.Error(); strings.Contains(said, "secret") || strings.Contains(said, "%se") {
				t.Errorf("%s: the error shows the password: %v", text, p.Err)
			}
		}
	}
}

func TestIsURL(t *testing.T) {
	for text, want := range map[string]bool{
		"remote-write+http://x": true, "OTLP+http://": true, "otlp+http": false, "http://x": false, "log.csv": false,
	} {
		if IsURL(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

func TestBadTargets(t *testing.T) {
	const url = "otlp+https://me@host"
	for want, target := range map[string]Target{
		"bad header":       {URL: url, Headers: map[string]string{"a b": "c"}},
		"control":          {URL: url, Headers: map[string]string{"A": "b\r\nC: d"}},
		"none.pem":         {URL: url, TLS: TLS{CAFile: "none.pem"}},
		"open none.pem":    {URL: url, TLS: TLS{CertFile: "none.pem", KeyFile: "none.key"}},
		"no certificate":   {URL: url, TLS: TLS{CAFile: "target_test.go"}},
		"open none.token":  {URL: "otlp+https://host", BearerFile: "none.token"},
		"open none.secret": {URL: url, PasswordFile: "none.secret"},
	} {
		if _, err := NewSender(target, SenderOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
