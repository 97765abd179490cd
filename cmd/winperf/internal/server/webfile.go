package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/prometheus/exporter-toolkit/web"
	"github.com/winperf/winperf/internal/strictyaml"
)

// checkWebFile returns the errors of a file in the exporter toolkit's format, with their places if known.
// "" is no file.
func checkWebFile(name string) error {
	err := web.Validate(name)
	if err == nil {
		return nil
	}
	if _, missing := errors.AsType[*fs.PathError](err); missing { // the error names its file
		return err
	}

	if lines, ok := strings.CutPrefix(err.Error(), "yaml: unmarshal errors:\n"); ok {
		return eachLine(name, lines)
	}
	if strings.Contains(err.Error(), "bcrypt") {
		if err := checkPasswords(name); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// eachLine returns an error for each line, such as "  line 3: field tls not found in type web.Config".
func eachLine(name, lines string) error {
	var errs []error
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		place, what, ok := strings.Cut(strings.TrimPrefix(line, "line "), ": ")
		if !ok {
			place, what = "", line
		}
		what, _, _ = strings.Cut(what, " in type ") // a Go type of the toolkit
		errs = append(errs, fmt.Errorf("%s: %s", strings.TrimSuffix(name+":"+place, ":"), what))
	}
	return errors.Join(errs...)
}

// hasKey reports whether a file in the exporter toolkit's format has values below a key. "" is no file.
func hasKey(name, key string) bool {
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	for at := range strictyaml.PlacesOf(name, text) {
		if strings.HasPrefix(at, key+".") {
			return true
		}
	}
	return false
}

// checkPasswords reports users without a valid hash of a password, without showing it.
func checkPasswords(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, strictyaml.MaxSize))
	if err != nil {
		return err
	}

	var errs []error
	for key, place := range strictyaml.PlacesOf(name, text) {
		user, ok := strings.CutPrefix(key, "basic_auth_users.")
		const shortest = 59 // length of a bcrypt hash
		if ok && (len(place.Text) < shortest || !strings.HasPrefix(place.Text, "$2")) {
			const form = "basic_auth_users: expected a bcrypt hash of the password of %s, " +
				"as created by htpasswd -nBC 10"
			errs = append(errs, place.Errorf(form, user))
		}
	}
	sortByPlace(errs)
	return errors.Join(errs...)
}
