// Package webconfig serves HTTP with the certificates, passwords and headers of a web configuration file, in
// the format of Prometheus' exporter toolkit. Changes of the file and of the files that it names apply to the
// next connection or request. If they are invalid, they are logged and the last valid configuration stays in
// use.
package webconfig

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/winperf/winperf/internal/strictyaml"
)

// file is a web configuration file.
type file struct {
	TLS  tlsKeys `yaml:"tls_server_config"`
	HTTP struct {
		HTTP2   truth                               `yaml:"http2"`
		Headers map[string]strictyaml.Value[string] `yaml:"headers"`
	} `yaml:"http_server_config"`
	Limit struct {
		Burst    int  `yaml:"burst"`
		Interval span `yaml:"interval"`
	} `yaml:"rate_limit"`
	Users map[string]strictyaml.Value[string] `yaml:"basic_auth_users"`
}

// truth is also accepted in the words of YAML 1.1.
type truth bool

// UnmarshalText reads the truth value.
func (t *truth) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "true", "yes", "on", "y":
		*t = true
	case "false", "no", "off", "n":
		*t = false
	default:
		return errors.New("expected true or false")
	}
	return nil
}

// span is a time with a unit.
type span time.Duration

// UnmarshalText reads the time.
func (s *span) UnmarshalText(text []byte) error {
	t, err := time.ParseDuration(string(text))
	if err != nil || t < 0 {
		return errors.New("expected a time with a unit, such as 500ms or 1s")
	}
	*s = span(t)
	return nil
}

// settings are the contents of a file, checked.
type settings struct {
	file
	tls   *tls.Config // nil without TLS
	users users
	read  []stamp
}

// stamp identifies the content of a file.
type stamp struct {
	name string
	sum  [sha256.Size]byte
}

// changed reports whether a file has another content now or cannot be read.
func (s *settings) changed() bool {
	return slices.ContainsFunc(s.read, func(old stamp) bool {
		text, err := readFile(old.name)
		return err != nil || sha256.Sum256(text) != old.sum
	})
}

// Check returns all errors of a file, with their places if known. "" is no file.
func Check(name string) error {
	if name == "" {
		return nil
	}
	_, err := load(name)
	return err
}

// load reads a file and the files that it names.
func load(name string) (*settings, error) {
	s := &settings{}
	s.HTTP.HTTP2 = true
	s.TLS.setDefaults()
	text, err := s.readFile(name)
	if err != nil {
		return nil, err
	}
	if err := strictyaml.Decode(name, text, &s.file); err != nil {
		return nil, err
	}

	if err := errors.Join(append(s.checkUsers(), checkHeaders(s.HTTP.Headers)...)...); err != nil {
		return nil, err
	}
	dir := filepath.Dir(name)
	s.tls, err = s.TLS.load(func(file string) ([]byte, error) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		return s.readFile(file)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: tls_server_config: %w", name, err)
	}
	return s, nil
}

func (s *settings) readFile(name string) ([]byte, error) {
	text, err := readFile(name)
	s.read = append(s.read, stamp{name, sha256.Sum256(text)})
	return text, err
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	n, err := text.ReadFrom(io.LimitReader(f, strictyaml.MaxSize+1))
	if err == nil && n > strictyaml.MaxSize {
		err = fmt.Errorf("%s is longer than %d bytes", name, strictyaml.MaxSize)
	}
	return text.Bytes(), err
}

// checkUsers checks the hashes, without showing them, and prepares the comparison of passwords.
func (s *settings) checkUsers() (errs []error) {
	hashes := map[string]string{}
	for _, name := range byPlace(s.Users) {
		hash := s.Users[name]
		if _, err := bcrypt.Cost([]byte(hash.V)); err != nil || !strings.HasPrefix(hash.V, "$2") {
			const form = "basic_auth_users: expected a bcrypt hash of the password of %s, " +
				"as created by htpasswd -nBC 10"
			errs = append(errs, hash.Errorf(form, name))
		}
		hashes[name] = hash.V
	}
	s.users.set(hashes)
	return errs
}

// byPlace returns the keys in the order of the file.
func byPlace(keys map[string]strictyaml.Value[string]) []string {
	return slices.SortedFunc(maps.Keys(keys), func(a, b string) int {
		x, y := keys[a], keys[b]
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
}

// checkHeaders allows the headers, and for two of them the values, that the exporter toolkit allows.
func checkHeaders(headers map[string]strictyaml.Value[string]) (errs []error) {
	allowed := map[string][]string{
		"Content-Security-Policy": nil, "Strict-Transport-Security": nil, "X-XSS-Protection": nil,
		"X-Content-Type-Options": {"nosniff"},
		"X-Frame-Options":        {"deny", "sameorigin"},
	}
	for _, name := range byPlace(headers) {
		header := headers[name]
		values, known := allowed[name]
		switch {
		case !known:
			const form = "headers: %q cannot be set, expected one of %s"
			errs = append(errs, header.Errorf(form, name, strings.Join(slices.Sorted(maps.Keys(allowed)), ", ")))
		case values != nil && !slices.Contains(values, header.V):
			const form = "headers: %s: expected %s, found %q"
			errs = append(errs, header.Errorf(form, name, strings.Join(values, " or "), header.V))
		}
	}
	return errs
}
