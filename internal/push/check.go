package push

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/winperf/winperf/sink/metrics"
)

// Problem is an invalid setting of a target.
type Problem struct {
	// Key is the name of the setting in configuration files: url, tls.ca_file,
	// headers.NAME, labels.NAME. Value is its text, if any.
	Key, Value string
	Err        error
}

// Check returns the invalid settings and contradictions. It sends nothing and reads no
// file.
func (t *Target) Check() []Problem {
	u, p, err := t.address()
	if err != nil {
		u, p = &url.URL{}, protocol{otlp: true, scheme: "https"} // avoids further problems
	}
	found := problems{}
	found.note("url", t.URL, err)
	if err == nil && t.PasswordFile != "" {
		found.note("password_file", t.PasswordFile, t.checkUser(u))
	}
	t.checkHeaders(&found)
	t.checkSecrets(&found)
	t.TLS.check(&found, p)

	if err == nil && !p.otlp {
		for _, l := range t.Labels {
			found.note("labels."+l.Name, "", CheckLabel(l))
		}
	}
	for _, l := range t.Resource {
		found.note("labels."+l.Name, "", checkAttribute(l))
	}
	return found.list
}

// wrong returns all problems as one error, or nil.
func (t *Target) wrong() error {
	found := t.Check()
	if len(found) == 0 {
		found = t.CheckFiles()
	}
	var errs []error
	for _, p := range found {
		if p.Key == "url" { // the error contains the URL
			errs = append(errs, p.Err)
		} else {
			errs = append(errs, fmt.Errorf("%s: %s: %w", t.Name(), p.Key, p.Err))
		}
	}
	return errors.Join(errs...)
}

type problems struct{ list []Problem }

func (p *problems) note(key, value string, err error) {
	is := func(o Problem) bool { return o.Key == key }
	if err != nil && !slices.ContainsFunc(p.list, is) {
		p.list = append(p.list, Problem{key, value, err})
	}
}

// checkUser checks that the URL has the user of a password file, and no password.
func (t *Target) checkUser(u *url.URL) error {
	if u.User.Username() == "" {
		return errors.New("expected a user for the password in the URL, such as https://USER@host")
	}
	if _, both := u.User.Password(); both {
		return errors.New("the URL has a password, too: expected one of them")
	}
	return nil
}

// checkSecrets reports two kinds of credentials.
func (t *Target) checkSecrets(found *problems) {
	if t.BearerFile == "" {
		return
	}
	if t.PasswordFile != "" {
		const form = "password_file is set, too: expected one of them"
		found.note("bearer_file", t.BearerFile, errors.New(form))
	}
	if u, _, err := t.address(); err == nil && u.User != nil && t.PasswordFile == "" {
		const form = "the URL has a user, too: expected one of them"
		found.note("bearer_file", t.BearerFile, errors.New(form))
	}
}

// reserved are the headers set by a sender or the HTTP client.
var reserved = []string{
	"Connection", "Content-Encoding", "Content-Length", "Content-Type", "Keep-Alive", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "X-Prometheus-Remote-Write-Version",
}

func (t *Target) checkHeaders(found *problems) {
	seen := map[string]string{}

	for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
		value := t.Headers[name]
		canonical := http.CanonicalHeaderKey(name)

		err := checkHeader(name, value)
		switch first, twice := seen[canonical]; {
		case err != nil:
		case twice:
			err = fmt.Errorf("it is the same header as %s", first)
		case slices.Contains(reserved, canonical):
			err = errors.New("winperf sets this header itself")
		case canonical == "Authorization" && (t.BearerFile != "" || t.PasswordFile != ""):
			err = errors.New("password_file or bearer_file is set, too: expected one of them")
		case canonical == "Host" && (value == "" || strings.ContainsAny(value, " \t/@?#\\")):
			err = fmt.Errorf("expected HOST or HOST:PORT, found %q", value)
		}

		seen[canonical] = name
		found.note("headers."+name, "", err)
	}
}

// check reports contradictory settings.
func (t *TLS) check(found *problems, p protocol) {
	if (t.CertFile == "") != (t.KeyFile == "") {
		key, value, lacks := "tls.cert_file", t.CertFile, "key_file"
		if t.CertFile == "" {
			key, value, lacks = "tls.key_file", t.KeyFile, "cert_file"
		}
		found.note(key, value, fmt.Errorf("expected %s, too", lacks))
	}
	if t.Insecure && t.CAFile != "" {
		const text = "insecure_skip_verify accepts any certificate: expected one of them"
		found.note("tls.ca_file", t.CAFile, errors.New(text))
	}
	if *t != (TLS{Insecure: t.Insecure}) && p.scheme == "http" {
		const text = "the URL is plain HTTP, which has no certificates: expected +https://"
		found.note("tls", "", errors.New(text))
	}
}

// CheckLabel checks that receivers of remote write accept a label.
func CheckLabel(l metrics.Label) error {
	switch {
	case !isLabelName(l.Name):
		const form = "bad label %q: a name has letters, digits and _, and begins with no digit%s"
		return fmt.Errorf(form, l.Name, likeLabelName(l.Name))
	case l.Name != "__name__" && strings.HasPrefix(l.Name, "__"):
		const form = "bad label %q: names that begin with __ are reserved by Prometheus and not stored"
		return fmt.Errorf(form, l.Name)
	}
	return checkAttribute(l)
}

func isLabelName(name string) bool {
	const letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return strings.Trim(name, letters+"0123456789") == "" && strings.IndexAny(name, letters) == 0
}

// likeLabelName suggests the name with _ in place of invalid characters.
func likeLabelName(name string) string {
	name = strings.NewReplacer("-", "_", ".", "_", " ", "_", "/", "_").Replace(name)
	if !isLabelName(name) {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", name)
}

// checkAttribute checks that receivers of OTLP accept an attribute.
func checkAttribute(l metrics.Label) error {
	control := func(r rune) bool { return r < ' ' || r == 0x7F }
	switch {
	case l.Name == "" || strings.ContainsFunc(l.Name, control):
		return fmt.Errorf("bad label %q: expected a name without control characters", l.Name)
	case l.Name == "__name__":
		return fmt.Errorf("bad label %q: that is the name of the metric", l.Name)
	}
	return nil
}

// CheckFiles returns problems of the files that the settings name. Call it only if
// Check returns none.
func (t *Target) CheckFiles() []Problem {
	found := problems{}
	secrets := []struct{ key, name string }{{"password_file", t.PasswordFile}, {"bearer_file", t.BearerFile}}
	for _, f := range secrets {
		if f.name != "" {
			found.note(f.key, f.name, checkSecret(f.name))
		}
	}
	if t.TLS.CAFile != "" {
		ca := TLS{CAFile: t.TLS.CAFile}
		_, err := ca.config()
		found.note("tls.ca_file", t.TLS.CAFile, err)
	}
	if t.TLS.CertFile == "" || t.TLS.KeyFile == "" {
		return found.list
	}

	_, err := small(t.TLS.CertFile)
	found.note("tls.cert_file", t.TLS.CertFile, err)
	_, err = small(t.TLS.KeyFile)
	found.note("tls.key_file", t.TLS.KeyFile, err)
	if len(found.list) == 0 {
		pair := TLS{CertFile: t.TLS.CertFile, KeyFile: t.TLS.KeyFile}
		if _, err := pair.config(); err != nil {
			err = fmt.Errorf("%s with %s: %w", t.TLS.CertFile, t.TLS.KeyFile, err)
			found.note("tls.cert_file", t.TLS.CertFile, err)
		}
	}
	return found.list
}

// checkSecret checks that a file holds a password or a token.
func checkSecret(name string) error {
	text, err := secret(name)
	switch {
	case err != nil:
		return err
	case text == "":
		return fmt.Errorf("%s is empty", name)
	case strings.ContainsAny(text, "\r\n"):
		return fmt.Errorf("%s has several lines, expected one", name)
	}
	return checkHeader("Authorization", text)
}
