package push

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/sink/metrics"
)

func TestCheck(t *testing.T) {
	const write, otlp = "remote-write+https://host", "otlp+https://host"
	header := func(name, value string) map[string]string { return map[string]string{name: value} }
	label := func(name string) []metrics.Label { return []metrics.Label{{Name: name, Value: "x"}} }
	for want, target := range map[string]Target{
		"":                             {URL: write, Headers: header("X-Scope-OrgID", "1"), Labels: label("instance")},
		"url: bad URL":                 {URL: "otlp+htp://host"},
		"url: bad URL of a receiver: ": {URL: "otlp+http://me:secret@[::1"},

		"password_file: expected a user":        {URL: write, PasswordFile: "f"},
		"password_file: the URL has a password": {URL: "otlp+http://me:secret@host", PasswordFile: "f"},
		"bearer_file: password_file is set":     {URL: "otlp+http://me@host", PasswordFile: "f", BearerFile: "f"},
		"bearer_file: the URL has a user":       {URL: "otlp+http://me:secret@host", BearerFile: "f"},
		"headers.Authorization: password_file":  {URL: otlp, BearerFile: "f", Headers: header("Authorization", "x")},

		"headers.a b: bad header":                {URL: otlp, Headers: header("a b", "x")},
		"headers.: bad header":                   {URL: otlp, Headers: header("", "x")},
		"headers.A: bad header A: its value has": {URL: otlp, Headers: header("A", "x\ny")},
		"headers.content-type: winperf sets":     {URL: otlp, Headers: header("content-type", "x")},
		"headers.Te: winperf sets":               {URL: otlp, Headers: header("Te", "x")},
		"headers.host: expected HOST":            {URL: otlp, Headers: header("host", "http://a")},
		"headers.x-a: it is the same header as X-A": {
			URL: otlp, Headers: map[string]string{"X-A": "1", "x-a": "2"},
		},

		"tls: the URL is plain HTTP":                {URL: "otlp+http://host", TLS: TLS{ServerName: "x"}},
		"tls.cert_file: expected key_file":          {URL: otlp, TLS: TLS{CertFile: "c"}},
		"tls.key_file: expected cert_file":          {URL: otlp, TLS: TLS{KeyFile: "k"}},
		"tls.ca_file: insecure_skip_verify accepts": {URL: otlp, TLS: TLS{CAFile: "c", Insecure: true}},
		"labels.__name__: bad label \"__name__\":":  {URL: write, Labels: label("__name__")},
		"labels.__x: bad label \"__x\": names that": {URL: write, Labels: label("__x")},
		"labels.a-b: bad label \"a-b\": a name has letters, digits and _, and begins with no digit (did you mean a_b?)": {
			URL: write, Labels: label("a-b"),
		},
		"labels.1: bad label":     {URL: write, Labels: label("1")},
		"labels.é: bad label":     {URL: write, Labels: label("é")},
		"labels.a\x01: bad label": {URL: otlp, Resource: label("a\x01")},
		"labels.: bad label":      {URL: otlp, Resource: label("")},
	} {
		got := ""
		for _, p := range target.Check() {
			got += p.Key + ": " + p.Err.Error() + "\n"
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" || strings.Count(got, "\n") > 1 {
			t.Errorf("got %q\nwant %q", got, want)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("it shows a password: %s", got)
		}
	}
}

// Attributes of OTLP have dots, and what is wrong with two settings is told of both.
func TestCheckSeveral(t *testing.T) {
	target := Target{URL: "otlp+https://host"}
	target.AddLabels(map[string]string{"deployment.environment.name": "x", "a-b": "y"})
	if found := target.Check(); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	target = Target{URL: "remote-write+https://host", Headers: map[string]string{"a b": ""}}
	target.AddLabels(map[string]string{"service.name": "x", "__a": ""})
	if found := target.Check(); len(found) != 3 {
		t.Errorf("%+v", found)
	}
}

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(text string) string {
		f, err := os.CreateTemp(dir, "*")
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	none := filepath.Join(dir, "none")

	for _, c := range []struct {
		target    Target
		key, want string // the one problem, none where key is ""
	}{
		{Target{PasswordFile: file("secret\n")}, "", ""},
		{Target{PasswordFile: none}, "password_file", "open " + none},
		{Target{PasswordFile: dir}, "password_file", dir},
		{Target{BearerFile: file(" \n")}, "bearer_file", " is empty"},
		{Target{BearerFile: file("secret\nlines")}, "bearer_file", " has several lines"},
		{Target{BearerFile: file("secret\x01")}, "bearer_file", "control characters"},
		{Target{TLS: TLS{CAFile: file("x")}}, "tls.ca_file", " holds no certificate"},
		{Target{TLS: TLS{CertFile: none, KeyFile: file("x")}}, "tls.cert_file", "open " + none},
		{Target{TLS: TLS{CertFile: file("x"), KeyFile: none}}, "tls.key_file", "open " + none},
		{Target{TLS: TLS{CertFile: file("x"), KeyFile: file("x")}}, "tls.cert_file", "failed to find any PEM data"},
	} {
		found := c.target.CheckFiles()
		switch {
		case c.key == "" && len(found) == 0:
		case len(found) != 1 || found[0].Key != c.key || found[0].Value == "":
			t.Errorf("%+v: %+v", c.target, found)
		case !strings.Contains(found[0].Err.Error(), c.want) || strings.Contains(found[0].Err.Error(), "secret"):
			t.Errorf("%v, want %s", found[0].Err, c.want)
		}
	}
}
